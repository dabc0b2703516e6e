/* Two arms on the same steps. */
#include "steps/pairs.h"
#include "math/student.h"
#include "step_rows.h"

static const size_t all[] = {0, 1, 2, 3, 4, 5};
static const struct step_group six = {all, 6};

static struct step_pair compare(const double *a, const double *b)
{
	struct step_pair x = {0};
	const struct step_times first = {a, a, a}, second = {b, b, b};
	if (step_pair_compare(&x, &set, measured, &first, &second, six) < 0)
		bail_out("out of memory");
	return x;
}

static void by_step(void)
{
	double a[] = {110, 120, 130, 110, 100, 100};
	double b[] = {120, 140, 140, 150, 100, (double)NAN};
	rows("1,,100,,\n1,,100,,\n1,,100,,\n1,,100,,\n1,,100,,\n1,,100,,\n");
	struct step_pair x = compare(a, b);
	/* differences -.1 -.2 -.1 -.4 0 */
	ok(x.units == 5 && !x.by_deployment && x.rows == 5, "units are steps");
	near(x.difference, -.16, 1e-12, "the mean difference");
	double s =
	    sqrt((.06 * .06 + .04 * .04 + .06 * .06 + .24 * .24 + .16 * .16) /
		 4 / 5);
	near(x.low, -.16 - student_two_sided(.95, 4) * s, 1e-12, "low");
	near(x.high, -.16 + student_two_sided(.95, 4) * s, 1e-12, "high");
	near(student_two_sided(1 - x.p, 4), .16 / s, 1e-9, "p");
	near(x.high_90, -.16 + student_two_sided(.9, 4) * s, 1e-12,
	     "of 90 percent");
	ok(step_pair_is_within(&x, .5) && !step_pair_is_within(&x, .16) &&
	       !step_pair_is_within(&x, (double)NAN) &&
	       !step_pair_is_within(NULL, 1),
	   "within a margin");
	x.p_adjusted = 0;
	ok(step_pairs_judge(&x, 1) == 0 && x.p_adjusted == x.p &&
	       x.verdict == (x.p < .05 ? PAIR_FIRST : PAIR_UNDECIDED),
	   "one pair needs no correction");
}

static void by_deployment(void)
{
	double a[] = {110, 130, 100, 100, 100, 100};
	double b[] = {100, 100, 110, 120, 130, 140};
	rows("1,,100,a100-80-sxm,\n1,,100,a100-80-sxm,\n1,,100,h100-sxm,\n"
	     "1,,100,h200-sxm,\n1,,100,h200-sxm,\n1,,100,h200-sxm,\n");
	struct step_pair x = compare(a, b);
	ok(x.by_deployment && x.units == 3, "three deployments");
	near(x.difference, (.2 - .1 - .3) / 3, 1e-12, "each counts alike");
}

static void equal(void)
{
	double a[] = {110, 130, 100, 100, 100, 100};
	double near_a[] = {110 * (1 + 1e-15), 130, 100, 100, 100, 100};
	double other[] = {111, 130, 100, 100, 100, 100};
	struct step_pair x = compare(a, a);
	ok(equal_steps_verdict(&x.equal) == EQUAL_IDENTICAL &&
	       x.difference == 0 && x.p == 1,
	   "the same bits");
	x = compare(a, near_a);
	ok(equal_steps_verdict(&x.equal) == EQUAL_EQUAL && x.difference == 0 &&
	       x.low == 0 && x.p == 1 && step_pairs_judge(&x, 1) == 0 &&
	       x.verdict == PAIR_EQUAL,
	   "only rounding is left, which no test may judge");
	x = compare(a, other);
	ok(equal_steps_verdict(&x.equal) == EQUAL_DIFFER &&
	       x.equal.differing == 1 && x.equal.worst == 0,
	   "one step differs");
	near(x.equal.largest, 1 / 111., 1e-12, "by so much");
	struct equal_steps e = {0};
	equal_steps_add(&e, 100.2, 100.4, 100, 100);
	ok(equal_steps_verdict(&e) == EQUAL_ROUNDING, "total_us alone");
	ok(equal_steps_verdict(&(struct equal_steps){0}) == EQUAL_DIFFER,
	   "no step is no equality");
}

static void few(void)
{
	double a[] = {110, 110, 110, 110, 110, 110};
	double b[] = {120, 120, 120, 120, 120, 120};
	struct step_pair x;
	rows("1,,100,,\n1,,100,,\n1,,100,,\n1,,100,,\n1,,100,,\n1,,100,,\n");
	x = compare(a, b);
	near(x.difference, -.1, 1e-12, "always the same difference");
	ok(x.p < 1e-9, "that is no chance");
	for (size_t i = 1; i < 6; i++)
		a[i] = (double)NAN;
	x = compare(a, b);
	ok(x.units == 1 && isnan(x.low) && isnan(x.p) &&
	       step_pairs_judge(&x, 1) == 0 && x.verdict == PAIR_UNDECIDED,
	   "one unit has no interval");
}

int main(void)
{
	scratch_open();
	by_step();
	by_deployment();
	equal();
	few();
	step_set_free(&set);
	return done();
}
