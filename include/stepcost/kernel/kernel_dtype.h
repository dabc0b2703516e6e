/* stepcost/kernel/kernel_dtype.h -- header-only helper: what a table's word for
 * the formats of a kernel (columns dtype and gemm_dtype) means. */
#ifndef SC_KERNEL_DTYPE_H
#define SC_KERNEL_DTYPE_H
#include <string.h>
#include "stepcost/plugin.h"

struct sc_kernel_dtype {
	const char *name;
	uint32_t peak; /* SC_*: the format it multiplies in */
	/* Bytes that are moved, scales included. */
	double weight_bytes, activation_bytes;
};

/* fp4 is the word for a GEMM in NVFP4. */
static const struct sc_kernel_dtype sc_kernel_dtypes[] = {
    {"bf16", SC_BF16, 2, 2},
    {"fp8", SC_FP8, 1, 1},
    {"fp8_block", SC_FP8, 1, 1},
    {"fp4", SC_FP4, .5625, .5625},
    {"nvfp4", SC_FP4, .5625, .5625},
    {"w4a16", SC_BF16, .53, 2},
    {"w4a16_mxfp4", SC_BF16, .53125, 2},
    {"w4a8_mxfp4_mxfp8", SC_FP8, .53125, 1},
    {"w4a4_mxfp4", SC_FP4, .53125, .53125},
    {"w8a16", SC_BF16, 1, 2},
    {"int8", SC_INT8, 1, 1},
};
#define SC_N_KERNEL_DTYPES (sizeof sc_kernel_dtypes / sizeof *sc_kernel_dtypes)

/* Returns the row of a word, or NULL if there is none. */
static inline const struct sc_kernel_dtype *sc_kernel_dtype(const char *name)
{
	for (size_t i = 0; i < SC_N_KERNEL_DTYPES; i++)
		if (!strcmp(sc_kernel_dtypes[i].name, name))
			return &sc_kernel_dtypes[i];
	return NULL;
}
#endif
