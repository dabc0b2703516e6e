/* Effects of a two-level factorial design. */
#include "math/factorial.h"
#include "math/holm.h"
#include "math/student.h"
#include "tap.h"

/* Made with known effects: y = 100 + 10 A - 2 B + AB + .05 C, each factor -1 or
 * +1, so that an effect is twice its coefficient. */
static void known(void)
{
	double y[8];
	struct effect e[7];
	for (unsigned i = 0; i < 8; i++) {
		double a = i & 1 ? 1 : -1, b = i & 2 ? 1 : -1,
		       c = i & 4 ? 1 : -1;
		y[i] = 100 + 10 * a - 2 * b + a * b + .05 * c;
	}
	near(factorial_effect(y, 3, 1), 20, 1e-12, "A");
	near(factorial_effect(y, 3, 2), -4, 1e-12, "B");
	near(factorial_effect(y, 3, 3), 2, 1e-12, "AB");
	near(factorial_effect(y, 3, 4), .1, 1e-10, "C");
	ok(fabs(factorial_effect(y, 3, 7)) < 1e-12, "no ABC");
	ok(factorial_count(3, 3) == 7 && factorial_count(3, 2) == 6 &&
	       factorial_count(3, 1) == 3 && factorial_count(8, 3) == 92,
	   "up to an order");
	ok(factorial_effects(e, y, 1, 3, 3) == 0 && e[0].set == 1 &&
	       e[1].set == 2 && e[2].set == 3 && e[3].set == 4,
	   "the largest first, by size");
	ok(isnan(e[0].low) && isnan(e[0].p) && isnan(e[0].p_adjusted),
	   "one run each has no interval");
}

static void repeated(void)
{
	/* effects of A in three repeats: 1, 2, 3; of B: 10, 10, 10 */
	static const double y[3][4] = {
	    {0, 1, 10, 11}, {0, 2, 10, 12}, {0, 3, 10, 13}};
	struct effect e[3];
	ok(factorial_effects(e, y[0], 3, 2, 2) == 0 && e[0].set == 2 &&
	       e[0].effect == 10 && e[0].low == 10 && e[0].p == 0,
	   "a sure effect");
	near(e[1].effect, 2, 1e-12, "the mean over repeats");
	near(e[1].high, 2 + student_two_sided(.95, 2) / sqrt(3), 1e-12,
	     "with its interval");
	double p[3] = {e[1].p, 0, 1}, adjusted[3];
	if (holm_adjust(p, 3, adjusted) < 0)
		bail_out("out of memory");
	ok(e[1].p_adjusted == adjusted[0] && e[1].p < 1,
	   "p is corrected for all effects");
	ok(e[2].set == 3 && e[2].effect == 0 && e[2].p == 1, "none");
}

int main(void)
{
	known();
	repeated();
	return done();
}
