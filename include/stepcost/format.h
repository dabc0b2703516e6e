/* stepcost/format.h -- header-only helper: number formats.  This is the only
 * list of their names and sizes.  The host and plugins read it; a new format is
 * a new row here.
 *
 *   uint32_t f = sc_format_named("bfloat16");   SC_BF16
 *   sc_format_name(f);                          "bf16"
 *   sc_format_bytes(f);                         2
 *   hw->peak_flops[f];                          FLOP/s, 0: unsupported
 *   sc_format_kernels(SC_FP16);                 SC_BF16: measured as bf16
 */
#ifndef SC_FORMAT_H
#define SC_FORMAT_H
#include <stdio.h>
#include <string.h>
#include "stepcost/plugin.h"

/* Every code is below this, because sc_hardware.peak_flops has a place for
 * each. */
#define SC_FORMAT_CODES 16u

struct sc_format {
	uint32_t code;     /* SC_FP32 ... */
	uint32_t kernels;  /* the code under which its kernels are measured */
	const char *name;  /* in tables, messages and notes: peak_tflops_NAME */
	const char *alias; /* also read, never written; NULL: none */
	double bytes;      /* bytes of a number as a kernel reads it */
	double stored;     /* bits of a stored weight, scales included */
	int weights_only;  /* 1: computes in the format of the activations */
};

/* Several rows share a code where formats differ in how weights are stored; the
 * first row of a code is the plain format.
 *   fp8        one scale per tensor or channel
 *   fp8_block  one per 128 x 128 weights, and per 128 activations of a token
 *   nvfp4      an FP8 scale per 16 weights;  mxfp4: a power of two per 32
 *   w4a16_mxfp4, w4a8_mxfp4_mxfp8, w4a4_mxfp4   mxfp4 with activations of 16
 *   or 8 bits, or in mxfp4 too
 *   w4a16, w8a16   only weights are small;  int8: weights and activations
 */
static const struct sc_format sc_formats[] = {
    {SC_FP32, SC_FP32, "fp32", "float32", 4, 32, 0},
    {SC_FP16, SC_BF16, "fp16", "float16", 2, 16, 0},
    {SC_BF16, SC_BF16, "bf16", "bfloat16", 2, 16, 0},
    {SC_FP8, SC_FP8, "fp8", NULL, 1, 8, 0},
    {SC_INT8, SC_INT8, "int8", "w8a8_int8", 1, 8, 0},
    {SC_FP4, SC_FP4, "fp4", NULL, .5, 4.25, 0},
    {SC_INT4, SC_INT4, "int4", NULL, .5, 4.25, 1},
    /* The rows below share a code with a plain row above, but run other
     * kernels: their weights are scaled or multiplied in another way. */
    {SC_FP8, SC_FP8, "fp8_block", NULL, 1, 8 + 32. / (128 * 128), 0},
    {SC_FP4, SC_FP4, "nvfp4", NULL, .5625, 4.5, 0},
    {SC_FP4, SC_FP4, "mxfp4", NULL, .53125, 4.25, 0},
    {SC_FP4, SC_FP4, "w4a16_mxfp4", NULL, .53125, 4.25, 1},
    {SC_FP4, SC_FP4, "w4a8_mxfp4_mxfp8", NULL, .53125, 4.25, 0},
    {SC_FP4, SC_FP4, "w4a4_mxfp4", NULL, .53125, 4.25, 0},
    {SC_INT4, SC_INT4, "w4a16", NULL, .53, 4.25, 1},
    {SC_INT8, SC_INT8, "w8a16", NULL, 1, 8, 1},
};
#define SC_N_FORMATS (sizeof sc_formats / sizeof *sc_formats)

/* Returns the first row of a code, or NULL if there is none. */
static inline const struct sc_format *sc_format_row(uint32_t code)
{
	for (size_t i = 0; i < SC_N_FORMATS; i++)
		if (sc_formats[i].code == code)
			return &sc_formats[i];
	return NULL;
}

/* Returns the row with that name or alias, or NULL if there is none. */
static inline const struct sc_format *sc_format_find(const char *name)
{
	for (size_t i = 0; i < SC_N_FORMATS; i++)
		if (!strcmp(sc_formats[i].name, name))
			return &sc_formats[i];
	for (size_t i = 0; i < SC_N_FORMATS; i++)
		if (sc_formats[i].alias && !strcmp(sc_formats[i].alias, name))
			return &sc_formats[i];
	return NULL;
}

/* Returns the code for a name or an alias, or 0 if there is none. */
static inline uint32_t sc_format_named(const char *name)
{
	const struct sc_format *f = sc_format_find(name);
	return f ? f->code : 0;
}

/* Returns the name of a code, or "?" if there is no such format. */
static inline const char *sc_format_name(uint32_t code)
{
	const struct sc_format *f = sc_format_row(code);
	return f ? f->name : "?";
}

/* Returns the bytes of a number, or 2 if there is no such format. */
static inline double sc_format_bytes(uint32_t code)
{
	const struct sc_format *f = sc_format_row(code);
	return f ? f->bytes : 2;
}

/* Returns the code under which kernels in this format are measured, or 0. */
static inline uint32_t sc_format_kernels(uint32_t code)
{
	const struct sc_format *f = sc_format_row(code);
	return f ? f->kernels : 0;
}

/* Writes "fp32, fp16, ..." into text, truncated to fit.  Returns text. */
static inline const char *sc_format_names(char *text, size_t size)
{
	size_t used = 0;
	for (size_t i = 0; i < SC_N_FORMATS && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 i ? ", " : "", sc_formats[i].name);
	return text;
}
#endif
