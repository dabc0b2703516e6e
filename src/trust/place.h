/* trust/place.h -- the properties of a prediction that its errors may depend
 * on: the GPU, the model, the parallel split, the engine and the load.  Plain
 * data; no printing. */
#pragma once
#include "stepcost/plugin.h"

enum { PLACE_FAMILY = 24 };

/* How requests load the engine: light: they arrive at their own times, or one
 * after another, no queue piles up, and fewer than half as many run as may;
 * full: at their own times, but more run or wait; loop: several clients, each
 * with a new request as soon as its last one ended. */
enum place_loading {
	LOADING_UNKNOWN,
	LOADING_LIGHT,
	LOADING_FULL,
	LOADING_LOOP,
	N_LOADINGS
};
extern const char *const place_loading_word[N_LOADINGS]; /* "", "light" ... */

struct trust_place {
	char gpu_family[PLACE_FAMILY]; /* "H100" also for H200; see place.c */
	/* sparse, linear, mla, moe, hybrid, dense: the first one that applies
	 */
	char model_class[8];
	/* of most weights: bf16 (also for fp16), fp8 ... */
	char weight_format[24];
	char kv_format[24];
	uint64_t n_params; /* identifies the model; 0: unknown */
	char engine[24];   /* "vllm" */
	/* How many versions lie between the engine and its measured kernels;
	 * below 0: not known, or it has none. */
	double versions_apart;
	char kernels_version[24], engine_version[24]; /* "0.14", "0.24" */
	double tp, ep, pp;
	uint32_t drafts;       /* per sequence and step; 0 in all scored rows */
	double computed_share; /* of prompt tokens that were not cached */
	double input_tokens, output_tokens; /* means per request */
	double load; /* mean number of running requests */
	enum place_loading loading;
};

/* Writes the family of a GPU, "H100" for "h200-sxm"; without a family, its
 * name. Returns to. */
const char *place_family(char to[PLACE_FAMILY], const char *gpu);
/* Fills in all that is known about GPU, model and split. */
void place_set(struct trust_place *at, const char *gpu, const sc_model *model,
	       double tp, double ep, double pp);
/* Sets loading, by the clients (0: arrivals at their own times) and by the load
 * and the most requests that run at once. */
void place_set_loading(struct trust_place *at, uint64_t clients, double most,
		       int is_stable);
/* Sets "vllm" for "vllm-0.15" and "vLLM 0.15.1", "trtllm" for "tensorrt_llm",
 * and vllm for NULL and "". */
void place_set_engine(struct trust_place *at, const char *engine);
/* Sets versions_apart and the versions.  set: of its kernels, a name such as
 * "h100-sxm.vllm-0.24"; engine: "vllm-0.15", "0.15.1".  NULL: not known. */
void place_set_versions(struct trust_place *at, const char *set,
			const char *engine);
