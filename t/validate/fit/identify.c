/* identify.c -- Knobs with effects that differ, that are alike, and that are
 * sums of others. */
#include "validate/fit/identify.h"
#include "tap.h"

enum { ROWS = 4 };
static struct problem p;

int main(void)
{
	static const double two[] = {1, 1, 1, 1, 3, 2, 1, 0.5};
	static const double alike[] = {1, 2, 3, 4, 2, 4, 6, 8.01};
	static const double sum[] = {1, 0, 0, 0, 0, 1, 0, 0, 2, 3, 0, 0};
	static const double none[] = {1, 1, 1, 1, 0, 0, 0, 0};
	static const double faint[] = {0.1, 0.1, 0.1, 0, 0, 0, 0, 0.015};
	struct identified t;
	ok(identify_effects(&t, two, 2, ROWS, &p) == 0 && t.apart[0] &&
	       t.apart[1],
	   "two knobs that differ");
	near(t.left[1], 1, 1e-12, "all of the stronger one is its own");
	identified_free(&t);
	ok(identify_effects(&t, alike, 2, ROWS, &p) == 0 && !t.apart[0] &&
	       t.apart[1] && t.from[0] == 1,
	   "of two that are alike the stronger is taken");
	identified_free(&t);
	ok(identify_effects(&t, sum, 3, ROWS, &p) == 0 && t.apart[2] &&
	       t.apart[0] && !t.apart[1] && t.from[1] == 2,
	   "a sum of two takes the place of one");
	near(t.left[1] + 1, 1, 1e-12, "nothing of it is left");
	identified_free(&t);
	ok(identify_effects(&t, none, 2, ROWS, &p) == 0 && !t.apart[1],
	   "no effect");
	identified_free(&t);
	ok(identify_effects(&t, faint, 2, ROWS, &p) == 0 && t.apart[0] &&
	       !t.apart[1] && t.from[1] == 0 && t.left[1] > 0.9,
	   "an effect of its own that measurements would not show");
	identified_free(&t);
	ok(identify_effects(&t, faint + ROWS, 1, ROWS, &p) == 0 && t.apart[0],
	   "which alone is fitted");
	identified_free(&t);
	return done();
}
