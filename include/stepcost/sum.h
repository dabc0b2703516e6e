/* stepcost/sum.h -- header-only helper for plugins: the sum of a column of a
 * step, a whole number whatever the order of the requests. */
#ifndef SC_SUM_H
#define SC_SUM_H
#include <stdint.h>

typedef uint32_t sc_u32x4
    __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t sc_u64x2 __attribute__((vector_size(16)));

/* The sum of a column; with vectors, which no -O2 makes of such a loop. */
static inline uint64_t sc_sum(const uint32_t *x, uint32_t n)
{
	static const uint32_t behind[8] = {0, 0, 0, 0, ~0u, ~0u, ~0u, ~0u};
	sc_u64x2 sums = {0, 0}, v;
	uint64_t sum = 0;
	uint32_t i = 0;
	for (; i + 4 <= n; i += 4) {
		v = (sc_u64x2) * (const sc_u32x4 *)(x + i);
		sums += (v & 0xffffffff) + (v >> 32);
	}
	if (n >= 4) {
		/* the last four, of which the loop has seen some */
		v = (sc_u64x2)(*(const sc_u32x4 *)(x + n - 4) &
			       *(const sc_u32x4 *)(behind + n % 4));
		return sums[0] + sums[1] + (v[0] & 0xffffffff) + (v[0] >> 32) +
		       (v[1] & 0xffffffff) + (v[1] >> 32);
	}
	for (; i < n; i++)
		sum += x[i];
	return sum;
}
#endif
