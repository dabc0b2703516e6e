/* model/model.h -- the model that is served: the keys of [model], and what a
 * cost model is told of it.
 *
 * The keys are Hugging Face's, one name each; hf_config.h turns a config.json
 * with its many spellings into them, a name under etc/models is an INI file
 * that has them, and [model] overrides either. */
#ifndef SC_MODEL_MODEL_H
#define SC_MODEL_MODEL_H
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"
#include "model/model_kinds.h"
#include "stepcost/plugin.h"

/* Layers that are alike, as sc_model.group[i] tells of them. */
struct model_group {
	const struct layer *layer; /* one of them */
	uint32_t n_layers;
};

/* Not to be moved once read: the view points into it. */
struct model {
	struct model_keys keys; /* of [model], defaults filled in */
	struct model_kinds kinds;
	char *name;        /* of the config, or "[model]" */
	uint32_t max_len;  /* max_position_embeddings; 0: unknown */
	sc_model view;     /* n_groups 0: there is no [model] */
	sc_layers *layers; /* [view.n_groups] */
	const sc_layers **group;
	struct model_group *alike; /* [view.n_groups] */
	uint64_t n_active;         /* parameters that a token passes through */
	double weight_bytes;       /* of all parameters, all ranks */
	struct ini from;           /* what the keys were read from */
};

/* From the keys of [model] in *c, whose `config` may name more.  0, or -1 with
 * *p: EXIT_USAGE for the keys, a name not found and a model that cannot be
 * expressed, EXIT_INPUT for the content of a config.json.  model_free() in
 * either case. */
int model_load(struct model *m, const struct ini *c, struct problem *p);
/* The model that a key of *c names, alone. */
int model_load_config(struct model *m, const struct ini *c,
		      const struct ini_item *config, struct problem *p);
/* Its last layer as a model, with the head; it must not outlive *of. */
int model_last_layer(struct model *m, const struct model *of,
		     struct problem *p);
void model_free(struct model *m);

/* 1: some of its layers attend so (SC_ATTN_*); have experts.  m may be NULL. */
int model_attends(const sc_model *m, uint32_t attention);
int model_has_experts(const sc_model *m);
/* In *view, the model's or a copy: the KV cache is kept in that format, SC_*,
 * whatever the checkpoint asks; 0: as it asks. */
void model_set_kv_format(const struct model *m, uint32_t format,
			 sc_model *view);
/* KV bytes that one rank of tp keeps of a token in layers [from, to), at so
 * many bits a number. */
double model_kv_bytes(const struct model *m, double kv_bits, uint32_t tp,
		      int64_t from, int64_t to);
/* Bytes outside the layers on one rank of tp: embedding and positions if
 * `first`, final norm and LM head if `last`.  Tied, the head is a second copy
 * of the embedding unless both stand on one rank. */
double model_outside_bytes(const struct model *m, uint32_t tp, int first,
			   int last);
#endif
