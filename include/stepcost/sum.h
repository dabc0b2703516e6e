/* stepcost/sum.h -- header-only helper for plugins: the sum of a column of a
 * step.  It is a whole number, so the order of the requests does not matter. */
#ifndef SC_SUM_H
#define SC_SUM_H
#include <stdint.h>
#include "stepcost/plugin.h"

typedef uint32_t sc_u32x4
    __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t sc_u64x2 __attribute__((vector_size(16)));

/* Returns the sum of a column.  It uses vectors by hand, because -O2 does not
 * vectorize such a loop. */
static inline uint64_t sc_sum(const uint32_t *x, uint32_t n)
{
	static const uint32_t behind[8] = {0, 0, 0, 0, ~0u, ~0u, ~0u, ~0u};
	/* Two numbers are added as one 64-bit lane; `upper` sums the upper
	 * halves. */
	sc_u64x2 pairs = {0, 0}, upper = {0, 0}, v;
	uint64_t sum = 0;
	if (n < 4) {
		while (n)
			sum += x[--n];
		return sum;
	}
	const uint32_t *last_four = x + n - 4;
	for (; x <= last_four; x += 4) {
		v = (sc_u64x2) * (const sc_u32x4 *)x;
		pairs += v;
		upper += v >> 32;
	}
	/* The last four may overlap the loop: `behind` masks what it has
	 * added. */
	v = (sc_u64x2)(*(const sc_u32x4 *)last_four &
		       *(const sc_u32x4 *)(behind + n % 4));
	pairs += v;
	upper += v >> 32;
	v = pairs - (upper << 32) + upper;
	return v[0] + v[1];
}

/* Returns the sum of decode_ctx: the host's, or else added up. */
static inline uint64_t sc_decode_ctx_sum(const sc_step *step)
{
	if (SC_HAS(step, decode_ctx_sum) && step->decode_ctx_sum)
		return step->decode_ctx_sum;
	return sc_sum(step->decode_ctx, step->n_decode);
}
#endif
