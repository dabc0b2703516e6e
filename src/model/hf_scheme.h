/* model/hf_scheme.h -- a quantization_config as a list of rules: which modules
 * have which scheme. */
#ifndef SC_MODEL_HF_SCHEME_H
#define SC_MODEL_HF_SCHEME_H
#include "model/hf_modules.h"
#include "model/hf_reader.h"

/* Formats as the key `quantization` counts them. */
enum { HF_NONE, HF_FP8, HF_INT8, HF_FP4, HF_INT4 };
struct hf_scheme {
	int64_t format;
	double bits;             /* stored for a weight, scales included */
	int64_t activation_bits; /* 0: not told */
};

struct hf_rule {
	struct hf_scheme scheme;
	int all;          /* every matrix, or those of `targets` */
	int experts_only; /* of routed experts alone */
	struct hf_modules targets;
};

enum { HF_MOST_RULES = 64 };
/* Zeroed memory is: nothing quantized.  Points into the JSON. */
struct hf_rules {
	struct hf_rule rule[HF_MOST_RULES]; /* the first that holds */
	int n;
	struct hf_modules ignore[2]; /* what no rule is for */
	const json_t *by_name; /* modelopt: an object, module: {quant_algo} */
	int head;              /* rules are for the LM head too */
	int64_t kv_format;     /* HF_*; HF_NONE: not told */
};

/* 0, or -1 and a fault of r: a method or a field that is not known.
 * hf_rules_free() in either case. */
int hf_rules_read(struct hf_rules *l, struct hf_reader *r, const json_t *q);
/* What hf_quant_config.json has under "quantization". */
int hf_rules_read_modelopt(struct hf_rules *l, struct hf_reader *r,
			   const json_t *q);
/* Of module `below` a layer, as model.h's layers call it; layer < 0: outside.
 * HF_NONE: not quantized. */
struct hf_scheme hf_rules_find(const struct hf_rules *l, const char *type,
			       int64_t layer, const char *below);
/* A list of modules is short enough to be looked through for every layer. */
int hf_rules_are_few(const struct hf_rules *l, int64_t layers);
void hf_rules_free(struct hf_rules *l);
#endif
