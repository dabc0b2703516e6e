/* rates.c -- Compares what GPUs can do, and puts a law on one of them. */
#include "choose/rates.h"
#include <math.h>

static int near(const struct numbers *n, double a, double b)
{
	return !(a > 0) || !(b > 0) || fabs(log(a / b)) < n->same_rate;
}

static const uint32_t telling[] = {SC_BF16, SC_FP8, SC_FP4};
#define N_TELLING (sizeof telling / sizeof *telling)

int rates_equal(const struct numbers *n, const struct sc_rates *a,
		const struct sc_rates *b)
{
	int alike = near(n, a->bandwidth, b->bandwidth);
	for (size_t i = 0; i < N_TELLING; i++)
		alike &= near(n, a->peak[telling[i]], b->peak[telling[i]]);
	return alike;
}

/* A generation is what formats it multiplies. */
double rates_distance(const struct numbers *n, const struct sc_rates *a,
		      const struct sc_rates *b)
{
	double d = 0;
	for (size_t i = 0; i < N_TELLING; i++) {
		double p = a->peak[telling[i]], q = b->peak[telling[i]];
		d += (p > 0) != (q > 0) ? n->other_generation : 0;
		d += p > 0 && q > 0 ? n->peak_share * fabs(log(p / q)) : 0;
	}
	if (a->bandwidth > 0 && b->bandwidth > 0)
		d += fabs(log(a->bandwidth / b->bandwidth));
	return d;
}

struct sc_oplaw law_at(const struct sc_rates *r, const struct sc_rates *like,
		       const struct sc_op_key *row_key)
{
	struct sc_rates known = r->peak[SC_BF16] > 0 ? *r : *like;
	known.bandwidth = r->bandwidth > 0 ? r->bandwidth : like->bandwidth;
	return sc_op_law(row_key, &known);
}
