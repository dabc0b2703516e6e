/* The soonest of many replicas, against a search one by one. */
#include "sim/agenda.h"
#include "math/rng.h"
#include "tap.h"

enum { MOST = 70, KINDS = 3 };

static void against_search(uint32_t n)
{
	struct agenda a;
	struct rng r = rng_stream(n, RNG_SAMPLE, 0);
	int64_t ns[MOST];
	uint32_t kind[MOST] = {0};
	int good = agenda_make(&a, n) == 0;
	for (uint32_t i = 0; i < n; i++)
		ns[i] = INT64_MAX;
	good &= agenda_soonest(&a) == UINT32_MAX;
	for (int k = 0; k < 20000 && good; k++) {
		uint32_t i = (uint32_t)rng_below(&r, n), best = 0;
		ns[i] =
		    rng_below(&r, 5) ? (int64_t)rng_below(&r, 9) : INT64_MAX;
		kind[i] = (uint32_t)rng_below(&r, KINDS);
		agenda_set(&a, i, ns[i], kind[i]);
		for (uint32_t j = 1; j < n; j++)
			if (ns[j] < ns[best] ||
			    (ns[j] == ns[best] && kind[j] < kind[best]))
				best = j;
		if (ns[best] == INT64_MAX)
			best = UINT32_MAX;
		good &= agenda_soonest(&a) == best;
	}
	ok(good, "%u replicas", n);
	agenda_free(&a);
}

int main(void)
{
	struct agenda none = {0};
	agenda_set(&none, 3, 1, 0);
	ok(none.n == 0, "nothing is kept where nobody asks");
	for (uint32_t n = 1; n <= 9; n++)
		against_search(n);
	against_search(64);
	against_search(MOST);
	return done();
}
