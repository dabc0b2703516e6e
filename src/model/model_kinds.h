/* model/model_kinds.h -- the layers that the keys of a model describe.
 *
 * Layer i has the i-th word of layer_types, of mlp_layer_types and of `layers`;
 * each list repeats to the last layer.  A word of `layers` names a section
 * [layers:NAME], which overrides keys for these layers; "model" overrides
 * nothing. */
#pragma once
#include "base/ini.h"
#include "base/names.h"
#include "base/problem.h"
#include "model/layer.h"

#define MODEL_KIND_PREFIX "layers:"

struct model_kinds {
	struct model_keys *kind; /* [n]; kind 0 is as [model] says */
	size_t n;
	struct layer *layer; /* [num_hidden_layers]; points into `kind` */
};

/* Makes the layers from *keys, which were read from [model] of *from, and from
 * the sections [layers:NAME].  Returns 0, or -1 with *p filled in (EXIT_USAGE):
 * the place of the key and what it needs.  The caller calls model_kinds_free()
 * in either case. */
int model_kinds_read(struct model_kinds *m, const struct model_keys *keys,
		     const struct ini *from, struct problem *p);
void model_kinds_free(struct model_kinds *m);
/* Checks sections and keys of an INI that describes a model: [model] and
 * [layers:NAME].  Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int model_kinds_check(const struct ini *from, struct problem *p);
