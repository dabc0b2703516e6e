/* aic_sol.h -- the operators of a pass at the speed of light. */
#ifndef AIC_SOL_H
#define AIC_SOL_H
#include "aic.h"

static inline double sol_gemm(const struct aic *a, double m, double n, double k)
{
	return aic_sol_gemm(&a->sys, m, n, k);
}
static inline double sol_prefill(const struct aic *a, double batch,
				 double fresh, double cached)
{
	return aic_sol_prefill(&a->sys, a->heads, a->kv_heads, a->m.head_dim,
			       batch, fresh, cached);
}
static inline double sol_decode(const struct aic *a, double batch,
				double length)
{
	return aic_sol_decode(&a->sys, a->heads, a->kv_heads, a->m.head_dim,
			      batch, length);
}
static inline double sol_all_reduce(const struct aic *a, double elements)
{
	return aic_sol_all_reduce(&a->sys, a->m.tp, elements);
}
static inline double sol_memory(const struct aic *a, double bytes)
{
	return bytes / a->sys.memory;
}
static inline void sol_operators(struct aic *a)
{
	a->gemm = sol_gemm;
	a->prefill = sol_prefill;
	a->decode = sol_decode;
	a->all_reduce = sol_all_reduce;
	a->memory = sol_memory;
}
#endif
