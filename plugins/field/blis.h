/* plugins/field/blis.h -- what the cost models of BLIS (inference-sim) share:
 * their GPUs, and the model as they count it.
 *
 * Source: inference-sim/inference-sim @ f90a1e3, hardware_config.json and
 * sim/latency (trained-roofline, crossmodel, blackbox: @ 87cc70ed), Apache-2.0.
 * A head has hidden / heads values, even where the model has its own size. */
#ifndef FIELD_BLIS_H
#define FIELD_BLIS_H
#include "field.h"

#define BLIS_LICENCE "Apache-2.0"
#define BLIS_URL "https://github.com/inference-sim/inference-sim"
#define BLIS_KNOWS (FIELD_EXPERTS | FIELD_SHARED | FIELD_TP)

/* FLOP/s, byte/s; the MFUs are those of roofline alone. */
struct blis_gpu {
	double peak, fp8_peak, bandwidth, mfu_prefill, mfu_decode;
};
static const char *const *const blis_gpu_names[] = {
    (const char *const[]){"h100-sxm", "H100", NULL},
    (const char *const[]){"a100-80-sxm", "A100-80", "A100-SXM", NULL},
    (const char *const[]){"l40s", NULL}};
static const struct blis_gpu blis_gpus[] = {
    {989.5e12, 1979e12, 3.35e12, 0.45, 0.30},
    {312e12, 0, 2.039e12, 0.38, 0.18},
    {362.05e12, 1466e12, 0.864e12, 0.32, 0.08}};

struct blis {
	struct field_model m;
	struct blis_gpu gpu;
	double peak; /* FLOP/s in the format of the weights */
	/* Layers as BLIS counts them: with fewer dense layers than mixtures it
	 * takes all for mixtures. */
	double moe_layers, dense_layers;
	int is_interleaved;
};
struct blis_knobs {
	const char *gpu;
	int64_t hardware_from_file;
};

static inline int32_t blis_read(struct blis *b, const sc_setup *s,
				const struct blis_knobs *k, unsigned knows,
				sc_error *err)
{
	int32_t rc = field_read(&b->m, s, knows, "BLIS", err);
	if (rc != SC_OK)
		return rc;
	if (b->m.weight_bytes < 1)
		return sc_fail(err, SC_EUNSUP,
			       "BLIS does not price weights of 4 bits");
	int i = field_gpu(blis_gpu_names, 3, s, k->gpu, "BLIS", err);
	if (i < 0)
		return SC_EUNSUP;
	b->gpu = blis_gpus[i];
	if (k->hardware_from_file) {
		b->gpu.peak = s->hardware->peak_flops[SC_BF16];
		b->gpu.fp8_peak = s->hardware->peak_flops[SC_FP8];
		b->gpu.bandwidth = s->hardware->mem_bandwidth;
	}
	b->peak = b->m.weight_bytes == 1 && b->gpu.fp8_peak > 0
		      ? b->gpu.fp8_peak
		      : b->gpu.peak;
	b->is_interleaved =
	    b->m.moe_layers > 0 && b->m.dense_layers >= b->m.moe_layers;
	b->moe_layers = b->m.moe_layers > 0 && !b->is_interleaved
			    ? b->m.layers
			    : b->m.moe_layers;
	b->dense_layers = b->m.layers - b->moe_layers;
	return SC_OK;
}

/* For FIELD_CREATE(), of a model that knows no further split. */
static inline int32_t blis_start(struct blis *b, const sc_setup *s,
				 const struct blis_knobs *k, sc_error *err)
{
	return blis_read(b, s, k, BLIS_KNOWS, err);
}

/* BLIS answers whole microseconds, truncated, at least 1. */
static inline int32_t blis_answer(sc_result *out, double us)
{
	out->exact_us = us;
	out->total_us = fmax(1, floor(us));
	return SC_OK;
}
#endif
