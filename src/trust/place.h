/* trust/place.h -- the properties of a prediction that its errors may depend
 * on: the GPU, the model, the parallel split, the engine and the load.  Plain
 * data; no printing. */
#ifndef SC_TRUST_PLACE_H
#define SC_TRUST_PLACE_H
#include "stepcost/plugin.h"

enum { PLACE_FAMILY = 24 };
struct trust_place {
	char gpu_family[PLACE_FAMILY]; /* "H100" also for H200; see place.c */
	/* mla, moe, hybrid, dense: the first one that applies */
	char model_class[8];
	/* of most weights: bf16 (also for fp16), fp8 ... */
	char weight_format[24];
	char kv_format[24];
	uint64_t n_params; /* identifies the model; 0: unknown */
	char engine[24];   /* "vllm" */
	double tp, ep, pp;
	uint32_t drafts;       /* per sequence and step; 0 in all scored rows */
	double computed_share; /* of prompt tokens that were not cached */
	double input_tokens, output_tokens; /* means per request */
	double load; /* mean number of running requests */
};

/* Writes the family of a GPU, "H100" for "h200-sxm"; without a family, its
 * name. Returns to. */
const char *place_family(char to[PLACE_FAMILY], const char *gpu);
/* Fills in all that is known about GPU, model and split. */
void place_set(struct trust_place *at, const char *gpu, const sc_model *model,
	       double tp, double ep, double pp);
/* Sets "vllm" for "vllm-0.15" and "vLLM 0.15.1", "trtllm" for "tensorrt_llm",
 * and vllm for NULL and "". */
void place_set_engine(struct trust_place *at, const char *engine);
#endif
