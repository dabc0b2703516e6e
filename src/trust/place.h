/* trust/place.h -- what a prediction is about, as far as its errors may depend
 * on it: the GPU, the model, how it is split and served, and under what load.
 * Plain data; no printing. */
#ifndef SC_TRUST_PLACE_H
#define SC_TRUST_PLACE_H
#include "stepcost/plugin.h"

struct trust_place {
	char gpu_family[24]; /* "H100" also for H200; see place.c            */
	char model_class[8]; /* mla, moe, hybrid, dense: the first that holds */
	char weight_format[24]; /* of most weights: bf16 (also fp16), fp8 ... */
	char kv_format[24];
	uint64_t n_params; /* of the model, which they tell from others; 0: ? */
	char engine[24]; /* "vllm"                                            */
	double tp, ep, pp;
	uint32_t drafts; /* of a sequence in a step; 0 of all scored rows     */
	double computed_share; /* of prompt tokens, those not cached         */
	double input_tokens, output_tokens; /* means of a request            */
	double load; /* mean number of running requests                      */
};

/* All that is known of GPU, model and split. */
void place_set(struct trust_place *at, const char *gpu, const sc_model *model,
	       double tp, double ep, double pp);
/* "vllm" of "vllm-0.15", "vLLM 0.15.1"; "trtllm" of "tensorrt_llm"; vllm of
 * NULL and of "". */
void place_set_engine(struct trust_place *at, const char *engine);
#endif
