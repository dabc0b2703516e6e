/* engine_keys.c -- What follows from the keys of [engine] alone, and the table
 * of [slo]. */
#include "engine/keys/engine_keys.h"

uint32_t engine_kv_format(const struct engine_keys *k)
{
	static const uint32_t format[] = {
	    [KV_DTYPE_BF16] = SC_BF16, [KV_DTYPE_FP8] = SC_FP8};
	return format[k->kv_cache_dtype];
}

uint64_t engine_gpus(const struct engine_keys *k)
{
	return (uint64_t)(k->tensor_parallel_size * k->pipeline_parallel_size *
			  k->data_parallel_size * k->replicas);
}

#define SLO(field, help)                                                       \
	SC_DOUBLE(struct slo_keys, field, "0", 0, 1e9, "ms", help)
const sc_knob *const slo_key[] = {
    SLO(ttft_ms, "Time to first token of a good request. 0: any."),
    SLO(tpot_ms, "Time per output token of a good request. 0: any."),
    SLO(e2el_ms, "End-to-end latency of a good request. 0: any."),
};
const uint32_t slo_n_keys = sizeof slo_key / sizeof *slo_key;
