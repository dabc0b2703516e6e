#include "math/holm.h"
#include "tap.h"

int main(void)
{
	double p[5] = {.04, .01, .03, (double)NAN, .01}, a[5];
	ok(holm_adjust(p, 5, a) == 0, "adjusted");
	/* in order .01 (1), .01 (4), .03, .04, none: times 5, 4, 3, 2, 1 */
	near(a[1], .05, 1e-12, "the least times n");
	near(a[4], .05, 1e-12, "not below the one before it");
	near(a[2], .09, 1e-12, "the third");
	near(a[0], .09, 1e-12, ".08 is below .09");
	near(a[3], 1, 1e-12, "no p-value counts as 1");
	double one = .2;
	ok(holm_adjust(&one, 1, a) == 0 && a[0] == .2, "one test stays");
	double high[2] = {.9, .8};
	ok(holm_adjust(high, 2, a) == 0 && a[0] == 1 && a[1] == 1, "at most 1");
	ok(holm_adjust(p, 0, a) == 0, "none");
	return done();
}
