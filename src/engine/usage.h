/* engine/usage.h -- what the defaults of presets depend on.  Plain data. */
#pragma once
#include <stdint.h>

/* What the model and its GPUs say of themselves, for advice about the engine.
 */
struct engine_usage {
	const char *gpu;        /* its name                                  */
	double memory_bytes;    /* of one GPU; 0: unknown                    */
	uint64_t max_model_len; /* of the model; 0: unknown                  */
	int keeps_state; /* some of its layers keep a state, and no KV: their
			    prefixes are not cached                       */
	int has_experts, has_latent_attention;
};
