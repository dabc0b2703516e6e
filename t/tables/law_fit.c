/* The fit of a law: a line with two constants, one of them a share. */
#include "tables/law_fit.h"
#include <math.h>
#include "tap.h"

static const struct sc_oplaw_constant constant[] = {{"start", 3, 0, 0},
						    {"share", .5, 0, 1}};
enum { N = 20 };

/* law: a + x / b; measured: 7 + x / .25 */
static void residuals(const void *ctx, const double *c, double *r)
{
	const double *x = ctx;
	for (int i = 0; i < N; i++)
		r[i] = log((c[0] + x[i] / c[1]) / (7 + x[i] / .25));
}

int main(void)
{
	double x[N], c[2], loss, error;
	struct problem p;
	const struct law_fit q = {2, constant, N, residuals, x};
	for (int i = 0; i < N; i++)
		x[i] = pow(1.5, i) / 10;
	ok(law_fit(&q, c, &loss, &error, &p) == 0, "it fits");
	near(c[0], 7, .01, "the start");
	near(c[1], .25, .01, "the share");
	double far = pow(log(7. / 3), 2) + pow(log(1. / 3), 2);
	ok(loss > 0 && loss <= 1e-4 * far, "the pull alone costs (%g)", loss);
	ok(error < .01, "mean error (%g)", error);
	return done();
}
