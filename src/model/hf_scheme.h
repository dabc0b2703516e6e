/* model/hf_scheme.h -- a quantization_config as a list of rules: which modules
 * have which scheme. */
#pragma once
#include "model/hf_modules.h"
#include "model/hf_reader.h"

/* Formats in the order of the key `quantization`. */
enum { HF_NONE, HF_FP8, HF_INT8, HF_FP4, HF_INT4 };
struct hf_scheme {
	int64_t format;
	double bits;             /* bits stored per weight, scales included */
	int64_t activation_bits; /* 0: not known */
};

struct hf_rule {
	struct hf_scheme scheme;
	int all;          /* 1: for every matrix; 0: for `targets` */
	int experts_only; /* 1: for routed experts only */
	struct hf_modules targets;
};

enum { HF_MOST_RULES = 64 };
/* Zeroed memory means that nothing is quantized.  Points into the JSON. */
struct hf_rules {
	struct hf_rule rule[HF_MOST_RULES]; /* the first that matches counts */
	int n;
	struct hf_modules ignore[2]; /* modules without any rule */
	const json_t *by_name; /* modelopt: an object, module: {quant_algo} */
	/* The keys of by_name that hf_rules_find() has found, and the blocks
	 * of layers that they are in: "model.layers.3.mlp". */
	json_t *used;
	int head;          /* 1: the rules include the LM head */
	int64_t kv_format; /* HF_*; HF_NONE: not given */
};

/* Returns 0, or -1 after hf_fail(): an unknown method or field.  The caller
 * calls hf_rules_free() in either case. */
int hf_rules_read(struct hf_rules *l, struct hf_reader *r, const json_t *q);
/* Reads "quantization" of hf_quant_config.json. */
int hf_rules_read_modelopt(struct hf_rules *l, struct hf_reader *r,
			   const json_t *q);
/* Returns the scheme of an algorithm of ModelOpt, by its name; HF_NONE: it is
 * not known. */
struct hf_scheme hf_algorithm(const char *name);
/* Returns the scheme of module `below` in a layer, with the names of model.h;
 * layer < 0: outside the layers.  HF_NONE: not quantized. */
struct hf_scheme hf_rules_find(const struct hf_rules *l, const char *type,
			       int64_t layer, const char *below);
/* Call it when each matrix of the layers has been looked up.  Returns 0, or -1
 * after hf_fail(): by_name has experts that are no experts of this
 * architecture, or a block without any matrix, in one of `layers` layers.
 * Modules outside of the layers (an encoder, drafters) and small ones beside
 * known ones (a gate) are not asked for. */
int hf_rules_check_used(const struct hf_rules *l, struct hf_reader *r,
			int64_t layers);
/* Returns 1 if the lists of modules are short enough to search them for every
 * layer. */
int hf_rules_are_few(const struct hf_rules *l, int64_t layers);
void hf_rules_free(struct hf_rules *l);
