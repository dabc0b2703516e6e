/* engine/keys/defaults.h -- the defaults of presets that depend on the model
 * and the GPU.  [any thread] */
#pragma once
#include "base/problem.h"
#include "engine/keys/engine_keys.h"
#include "engine/keys/source.h"
#include "engine/usage.h"

struct model;    /* model/model.h */
struct hardware; /* keys/hardware.h */
struct engine_usage engine_usage_of(const struct model *m,
				    const struct hardware *h);
/* Sets the keys that are not given.  s: the one that engine_keys_fill() took.
 * Returns 0, or -1 with *p filled in (EXIT_USAGE) if they depend on a memory of
 * unknown size.  Source: vLLM, engine/arg_utils.py. */
int engine_keys_complete(struct engine_keys *k, const struct engine_source *s,
			 const struct engine_usage *u, struct problem *p);
/* Sets them to the largest that engine_keys_complete() can make of them. */
void engine_keys_bound(struct engine_keys *k, const struct engine_source *s);
