/* Axes: round ticks around the data, and a place for every value. */
#include "draw/axis.h"
#include "tap.h"

static struct axis axis_of(int log, const double *v, int n)
{
	struct axis a = axis_empty(0, 100, log);
	for (int i = 0; i < n; i++)
		axis_add(&a, v[i]);
	axis_finish(&a);
	return a;
}

static void linear(void)
{
	const double v[] = {3, NAN, 40, INFINITY}, far[] = {1000, 1010};
	struct axis a = axis_of(0, v, 4);
	ok(a.lo == 0 && a.hi == 40 && a.n_ticks == 5 && a.tick[1] == 10,
	   "3 to 40 is drawn from 0 to 40 in steps of 10");
	is(axis_note(&a), "", "without a remark");
	ok(axis_place(&a, 0) == 0 && axis_place(&a, 10) == 25 &&
	       axis_place(&a, 40) == 100,
	   "places are in proportion");
	const double two[] = {12, 16};
	a = axis_of(0, two, 2);
	ok(a.lo == 0, "so are values that differ by more than a fifth");
	a = axis_of(0, far, 2);
	ok(a.lo == 1000 && a.hi == 1010 && *axis_note(&a),
	   "what is far from zero is not, and says so");
	a = axis_of(0, far, 1);
	ok(a.lo < 1000 && a.hi > 1000, "one value lies between the ends");
	a = axis_of(0, NULL, 0);
	ok(a.lo == 0 && a.hi == 1 && a.n_ticks > 1, "no data: 0 to 1");
}

static void across_zero(void)
{
	const double v[] = {-0.3, 0.7};
	struct axis a = axis_of(0, v, 2);
	int zero = 0;
	for (int i = 0; i < a.n_ticks; i++)
		zero += a.tick[i] == 0;
	ok(zero == 1, "one tick is 0 itself");
}

static void logarithmic(void)
{
	const double v[] = {0, -1, 20, 700}, wide[] = {1e-12, 1e12};
	struct axis a = axis_of(1, v, 4);
	ok(a.lo == 20 && a.hi == 1000, "from 1, 2 or 5 to 1, 2 or 5");
	ok(a.n_ticks == 6 && a.tick[1] == 50 && a.tick[2] == 100,
	   "few decades have 2 and 5 between them");
	ok(!axis_has(&a, 0) && !axis_has(&a, NAN) && axis_has(&a, 1),
	   "zero has no place");
	const double decades[] = {10, 1000}, one[] = {7};
	a = axis_of(1, decades, 2);
	near(axis_place(&a, 100), 50, 1e-12, "a decade is half of two");
	a = axis_of(1, one, 1);
	ok(a.lo < 7 && a.hi > 7, "one value lies between the ends");
	a = axis_of(1, wide, 2);
	ok(a.n_ticks > 4 && a.n_ticks <= 13, "many decades skip some");
}

int main(void)
{
	linear();
	across_zero();
	logarithmic();
	return done();
}
