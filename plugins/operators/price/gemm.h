/* price/gemm.h -- The price of a GEMM. */
#ifndef OPERATORS_PRICE_GEMM_H
#define OPERATORS_PRICE_GEMM_H
#include "choose/choose.h"
#include "choose/formats.h"
#include "price/answer.h"

/* A GEMM of n x k weights: the measured shapes around it. */
struct gemm {
	struct kernels by;
	double n, k;
	double tile; /* rows that a kernel computes at once; 0: any number */
	uint32_t n_near, provenance;
	const struct sc_grid *near[SC_BLEND_PARTS];
	double weight[SC_BLEND_PARTS];
	int is_grid; /* the shapes are corners of a grid */
};

struct gemm gemm_for(struct inst *s, struct dtype dtype, double n, double k);
/* Above one tile rows are rounded up to whole tiles: half a tile takes as long.
 */
struct answer gemm_us(const struct gemm *g, double rows);
#endif
