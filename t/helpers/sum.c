/* The sum of a column is that of a plain loop, whatever its length, its place
 * in memory and its numbers. */
#include "stepcost/sum.h"
#include "tap.h"

enum { MOST = 70 };

static uint64_t plainly(const uint32_t *x, uint32_t n)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

int main(void)
{
	uint32_t x[MOST + 4], wrong = 0, state = 1;
	for (uint32_t round = 0; round < 40; round++) {
		for (uint32_t i = 0; i < MOST + 4; i++) {
			state = state * 1664525u + 1013904223u;
			x[i] = round == 0 ? UINT32_MAX : state >> round % 32;
		}
		for (uint32_t n = 0; n <= MOST; n++)
			for (uint32_t at = 0; at < 4; at++)
				wrong +=
				    sc_sum(x + at, n) != plainly(x + at, n);
	}
	ok(wrong == 0, "%u sums are another's", wrong);
	sc_step step = {.size = sizeof step, .n_decode = 3, .decode_ctx = x};
	ok(sc_decode_ctx_sum(&step) == plainly(x, 3), "not told: added up");
	step.decode_ctx_sum = 5;
	ok(sc_decode_ctx_sum(&step) == 5, "as told");
	step.size = offsetof(sc_step, decode_ctx_sum);
	ok(sc_decode_ctx_sum(&step) == plainly(x, 3),
	   "a host that does not know the field");
	return done();
}
