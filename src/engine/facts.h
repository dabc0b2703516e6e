/* engine/facts.h -- what an engine depends on beside its keys: the model, the
 * GPU, and how the one is split over the other (engine/parallel.h). */
#pragma once
#include <stdint.h>
#include "engine/choices.h"
#include "engine/memory/kv_groups.h"
#include "stepcost/plugin.h"

/* What one GPU of a pipeline stage holds. */
struct engine_share {
	double weight_bytes;
	double kv_bytes_per_token; /* of a token of its requests */
};

struct engine_source;
struct engine_facts {
	uint64_t model_max_len; /* of the model; 0: unknown                  */
	sc_parallel parallel;
	/* [parallel.pp]; weight_bytes 0: unknown */
	struct engine_share share[ENGINE_STAGES];
	uint32_t model_sampling; /* SC_SAMPLING_*                            */
	double usable_bytes; /* of one GPU's memory; 0: unknown              */
	double usd_per_hour; /* of one GPU; 0: unknown                       */
	double link_bytes_per_s; /* between GPUs; 0: unknown                 */
	const sc_model *model; /* NULL: none                                  */
	/* what its layers keep; 0: it keeps nothing, or is not known */
	struct kv_layers kv_layer[KV_KINDS];
	uint32_t n_kv_layers;
	/* For a model with recurrent states: which of them vLLM's prefix
	 * caching keeps, and the tokens of a chunk of the scan; 0: unknown. */
	enum kv_state cached_states;
	uint32_t state_chunk;
	uint64_t seed;
	double chars_per_token; /* of the workload; 0: 4                      */
	/* for the place of a key in messages, or NULL */
	const struct engine_source *from;
};
