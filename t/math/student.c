/* Student's t against printed tables (two-sided). */
#include "math/student.h"
#include "tap.h"

/* Against R: t.test(x), t.test(x, y). */
static void means(void)
{
	static const double x[] = {1, 2, 4, 7}, y[] = {2, 3, 3.5};
	static const double same[] = {.5, .5, .5}, none[] = {0, 0, 0};
	struct student_mean m = student_mean(x, 4);
	near(m.mean, 3.5, 1e-12, "a mean");
	near(m.half, 3.182446305 * sqrt(7. / 4), 1e-9, "half its interval");
	near(student_two_sided(1 - m.p, 3), 3.5 / sqrt(7. / 4), 1e-9, "p");
	m = student_difference(x, 4, y, 3);
	double a = 7. / 4, b = 7. / 36;
	double degrees = (a + b) * (a + b) / (a * a / 3 + b * b / 2);
	near(m.mean, 3.5 - 8.5 / 3, 1e-12, "a difference");
	near(m.half, student_two_sided(.95, degrees) * sqrt(a + b), 1e-12,
	     "by Welch");
	m = student_mean(same, 3);
	ok(m.half == 0 && m.p == 0, "without spread a mean is sure");
	ok(student_mean(none, 3).p == 1, "and none is none");
	ok(isnan(student_mean(x, 1).p) && isnan(student_mean(x, 1).half) &&
	       isnan(student_difference(x, 4, y, 1).p),
	   "one sample tells nothing");
}

int main(void)
{
	static const struct {
		double confidence, degrees, t;
	} of[] = {
	    {0.9, 1, 6.313751515},
	    {0.9, 3, 2.353363435},
	    {0.9, 9, 1.833112933},
	    {0.95, 9, 2.262157163},
	    {0.99, 5, 4.032142984},
	    {0.9, 19, 1.729132812},
	    {0.9, 200, 1.652508101},
	    {0.999, 2, 31.59905458},
	    {0.5, 1, 1},
	    {0.95, INFINITY, 1.959963985},
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		near(student_two_sided(of[i].confidence, of[i].degrees),
		     of[i].t, 1e-9, "%g %% with %g degrees of freedom",
		     100 * of[i].confidence, of[i].degrees);
	means();
	return done();
}
