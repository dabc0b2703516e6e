/* formats.c -- Says in which dtype of the tables a layer's weights are
 * multiplied. */
#include "choose/formats.h"
#include <math.h>
#include "inst.h"

/* FP8 with one scale for 128 x 128 weights has 8.002 bits. */
static int has_blocks(const struct inst *s, double bits)
{
	if (s->k.fp8_scales != SCALES_AUTO)
		return s->k.fp8_scales == SCALES_BLOCK;
	return bits > 8.0005;
}

/* NVFP4 has 4.5 bits, MXFP4 4.25. */
static int is_mxfp4(double bits)
{
	return fabs(bits - 4.25) < 0.01;
}
static int is_nvfp4(double bits)
{
	return fabs(bits - 4.5) < 0.01;
}

struct dtype dtype_of_gemm(const struct inst *s, uint32_t format, double bits,
			   uint32_t activation_bits)
{
	switch (format) {
	case SC_BF16:
	case SC_FP16:
		return (struct dtype){"bf16", SC_EXACT};
	case SC_FP8:
		return (struct dtype){has_blocks(s, bits) ? "fp8_block" : "fp8",
				      SC_EXACT};
	case SC_INT4:
		return (struct dtype){"w4a16", SC_EXACT};
	case SC_FP4:
		if (is_mxfp4(bits))
			return (struct dtype){"w4a16", SC_EXACT};
		return (struct dtype){"fp4", is_nvfp4(bits) ? SC_EXACT
							    : SC_SUBSTITUTED};
	case SC_INT8:
		return (struct dtype){activation_bits > 8 ? "w8a16" : "int8",
				      SC_EXACT};
	default:
		return (struct dtype){"bf16", SC_SUBSTITUTED};
	}
}

/* On a GPU that multiplies FP4, engines of 2026 feed MXFP4 experts with FP8
 * activations; vLLM from 0.15. */
static int wide_activations(const struct inst *s, uint32_t activation_bits)
{
	if (s->k.mxfp4_activations != ACTIVATIONS_AUTO)
		return s->k.mxfp4_activations == ACTIVATIONS_16;
	if (activation_bits)
		return activation_bits > 8;
	if (!(s->rates.peak[SC_FP4] > 0))
		return 1;
	return s->engine == ENGINE_VLLM && !version_from(s->version, 0, 15);
}

struct dtype dtype_of_moe(const struct inst *s, uint32_t format, double bits,
			  uint32_t activation_bits)
{
	struct dtype d = dtype_of_gemm(s, format, bits, activation_bits);
	if (format == SC_FP4 && is_mxfp4(bits))
		d.name = wide_activations(s, activation_bits)
			     ? "w4a16_mxfp4"
			     : "w4a8_mxfp4_mxfp8";
	else if (!strcmp(d.name, "fp4"))
		d.name = "nvfp4";
	else if (format == SC_INT8) /* no table has such experts */
		d = (struct dtype){"fp8", SC_SUBSTITUTED};
	return d;
}

struct dtype dtype_of_module(struct dtype gemm)
{
	if (!strcmp(gemm.name, "fp4")) {
		gemm.name = "nvfp4";
	} else if (!strcmp(gemm.name, "fp8") || !strcmp(gemm.name, "int8")) {
		gemm = (struct dtype){"fp8_block", SC_SUBSTITUTED};
	} else if (!strcmp(gemm.name, "w4a16") || !strcmp(gemm.name, "w8a16")) {
		gemm = (struct dtype){"bf16", SC_SUBSTITUTED};
	}
	return gemm;
}

const char *dtype_of_cache(uint32_t kv_format)
{
	return sc_format_bytes(kv_format) < 2 ? "fp8" : "bf16";
}
