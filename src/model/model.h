/* model/model.h -- the model that is served: the keys of [model], and the
 * struct that cost models see.
 *
 * The keys have Hugging Face's names, one name each.  hf_config.h translates a
 * config.json, with its many spellings; a name in etc/models is an INI file
 * with these keys.  [model] overrides both. */
#pragma once
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"
#include "model/model_kinds.h"
#include "stepcost/plugin.h"

/* Equal layers, described by sc_model.group[i]. */
struct model_group {
	const struct layer *layer; /* any of them */
	uint32_t n_layers;
};

/* Must not be moved after it is read: the view points into it. */
struct model {
	struct model_keys keys; /* keys of [model], defaults filled in */
	struct model_kinds kinds;
	char *name;        /* name of the config, or "[model]" */
	uint32_t max_len;  /* max_position_embeddings; 0: unknown */
	sc_model view;     /* n_groups 0: no [model] */
	sc_layers *layers; /* [view.n_groups] */
	const sc_layers **group;
	struct model_group *alike; /* [view.n_groups] */
	uint64_t n_active;   /* parameters that one token passes through */
	double weight_bytes; /* of all parameters on all ranks */
	struct ini from;     /* the keys as they were read */
};

/* Reads the keys of [model] in *c; `config` may name a file with more keys.
 * Returns 0, or -1 with *p filled in: EXIT_USAGE for the keys, for a name that
 * is not found and for a model that cannot be expressed; EXIT_INPUT for the
 * content of a config.json.  The caller calls model_free() in either case. */
int model_load(struct model *m, const struct ini *c, struct problem *p);
/* Reads only the model that the key `config` of *c names. */
int model_load_config(struct model *m, const struct ini *c,
		      const struct ini_item *config, struct problem *p);
/* Makes a model of the last layer and the LM head; it must not outlive *of. */
int model_last_layer(struct model *m, const struct model *of,
		     struct problem *p);
void model_free(struct model *m);

/* Returns 1 if some layers have this kind of attention (SC_ATTN_*), or have
 * experts.  m may be NULL. */
int model_attends(const sc_model *m, uint32_t attention);
int model_has_experts(const sc_model *m);
/* Returns the work of the first layer that sc_layers does not describe
 * (SC_LAYER_OTHER), a noun phrase, or NULL. */
const char *model_other_work(const struct model *m);
/* Sets the format of the KV cache (SC_*) in *view, which is the model's view or
 * a copy; 0: the format that the checkpoint asks for. */
void model_set_kv_format(const struct model *m, uint32_t format,
			 sc_model *view);
/* Returns the bytes of KV cache per token on one rank of tp for layers [from,
 * to), at kv_bits per number. */
double model_kv_bytes(const struct model *m, double kv_bits, uint32_t tp,
		      int64_t from, int64_t to);
/* Returns the bytes outside the layers on one rank of tp: embedding and
 * positions if `first`, final norm and LM head if `last`.  A tied head is a
 * second copy of the embedding, unless both are on one rank. */
double model_outside_bytes(const struct model *m, uint32_t tp, int first,
			   int last);
