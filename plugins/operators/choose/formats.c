/* formats.c -- Says in which dtype of the tables a layer's weights are
 * multiplied. */
#include "choose/formats.h"
#include <math.h>
#include "inst.h"

/* MXFP4 experts: as the knob says, else the checkpoint, else what the GPU and
 * the engine can do. */
static int mxfp4_is_wide(const struct inst *s, uint32_t activation_bits)
{
	const struct engine_row *e = policy_engine(s->policy, s->engine);
	if (s->k.mxfp4_activations != ACTIVATIONS_AUTO)
		return s->k.mxfp4_activations == ACTIVATIONS_16;
	if (activation_bits)
		return activation_bits > 8;
	return !(s->rates.peak[SC_FP4] > 0) ||
	       !version_from(s->version, e->mxfp4_from);
}

static int applies(const struct inst *s, const struct weights_row *r,
		   uint32_t format, double bits)
{
	if (r->format && r->format != format)
		return 0;
	if (r->scales && s->k.fp8_scales != SCALES_AUTO)
		return r->scales == s->k.fp8_scales;
	return r->bits_from <= bits && bits <= r->bits_to;
}

static const struct weights_row *row_of(const struct inst *s, uint32_t format,
					double bits, uint32_t activation_bits)
{
	const struct weights_row *r = s->policy->weights;
	int wide = format == SC_FP4 ? mxfp4_is_wide(s, activation_bits)
				    : activation_bits > 8;
	while (!applies(s, r, format, bits) || (r->is_wide && !wide) ||
	       (r->activation_bits && r->activation_bits != activation_bits))
		r++; /* the last applies */
	return r;
}

struct dtype dtype_of_gemm(const struct inst *s, uint32_t format, double bits,
			   uint32_t activation_bits)
{
	const struct weights_row *r = row_of(s, format, bits, activation_bits);
	return (struct dtype){r->gemm, r->gemm_how, bits / 8};
}

struct dtype dtype_of_moe(const struct inst *s, uint32_t format, double bits,
			  uint32_t activation_bits)
{
	const struct weights_row *r = row_of(s, format, bits, activation_bits);
	return (struct dtype){r->experts, r->experts_how, bits / 8};
}

struct dtype dtype_of_module(const struct inst *s, struct dtype gemm)
{
	const struct word_row *w = policy_word(s->policy, gemm.name);
	if (!w)
		return gemm;
	return (struct dtype){
	    w->module, sc_worse(gemm.provenance, w->module_how), gemm.bytes};
}

const char *dtype_of_cache(uint32_t kv_format)
{
	return sc_format_bytes(kv_format) < 2 ? "fp8" : "bf16";
}
