/* Least squares within bounds: against non-negative least squares, and for
 * models that are not linear. */
#include "steps/fit_solve.h"
#include "math/nnls.h"
#include "tap.h"

enum { M = 60 };

static double a[3 * M], b[M], weight[M];
static const int none_held[FIT_KNOBS];
static unsigned asked;

static double noise(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed / 4294967296. - .5;
}

static int linear(void *ctx, const double *x, double *r, struct problem *p)
{
	(void)ctx, (void)p;
	asked++;
	for (size_t i = 0; i < M; i++)
		r[i] =
		    a[i] * x[0] + a[M + i] * x[1] + a[2 * M + i] * x[2] - b[i];
	return 0;
}

/* y = x0 exp(-x1 t), with one point far off. */
static int decay(void *ctx, const double *x, double *r, struct problem *p)
{
	(void)p;
	for (size_t i = 0; i < M; i++) {
		double t = (double)i / 10, y = 4 * exp(-.7 * t);
		r[i] = x[0] * exp(-x[1] * t) / y - 1;
		if (ctx && i == 9)
			r[i] += 5;
	}
	return 0;
}

static struct fit_solve question(size_t n, const double *low,
				 const double *high, const double *start)
{
	return (struct fit_solve){.n = n,
				  .m = M,
				  .low = low,
				  .high = high,
				  .start = start,
				  .held = none_held,
				  .weight = weight,
				  .residuals = linear};
}

static void like_nnls(void)
{
	const double low[3] = {0}, high[3] = {1e9, 1e9, 1e9};
	const double start[3] = {1, 1, 1};
	int good = 0, at_0 = 0;
	unsigned seed = 3;
	for (int k = 0; k < 100; k++) {
		double want[3], x[3] = {1, 1, 1}, r[M];
		struct fit_solve q = question(3, low, high, start);
		struct fit_solved s;
		struct problem p;
		for (size_t i = 0; i < M; i++) {
			a[i] = 1;
			a[M + i] = 1 + noise(&seed);
			a[2 * M + i] = 1 + noise(&seed);
			b[i] = a[M + i] * .3 * (k % 3) +
			       a[2 * M + i] * .2 * (k % 2) + noise(&seed);
		}
		nnls(a, b, 3, M, want);
		if (fit_solve(&q, x, r, &s, &p) < 0)
			bail_out(p.text);
		int same = 1;
		for (size_t j = 0; j < 3; j++) {
			same &= fabs(x[j] - want[j]) <=
				1e-6 * fmax(1, fabs(want[j]));
			at_0 += want[j] == 0;
		}
		good += same;
	}
	ok(good == 100, "the answer of non-negative least squares (%d)", good);
	ok(at_0 > 50, "mostly with a knob at its bound");
}

static void curves(void)
{
	const double low[2] = {.01, .01}, high[2] = {100, 10};
	const double start[2] = {1, 3};
	double x[2] = {1, 3}, r[M];
	struct fit_solve q = question(2, low, high, start);
	struct fit_solved s;
	struct problem p;
	q.residuals = decay;
	ok(fit_solve(&q, x, r, &s, &p) == 0, "solved");
	near(x[0], 4, 1e-6, "the height");
	near(x[1], .7, 1e-6, "the rate");
	x[0] = 1;
	x[1] = 3;
	q.ctx = x;
	q.soft_l1 = .01;
	ok(fit_solve(&q, x, r, &s, &p) == 0 && fabs(x[1] - .7) < .02,
	   "a point far off counts little in soft L1");
	const double tight[2] = {100, .5};
	x[0] = 1;
	x[1] = .3;
	q.ctx = NULL;
	q.soft_l1 = 0;
	q.high = tight;
	ok(fit_solve(&q, x, r, &s, &p) == 0 && x[1] == .5, "a bound holds");
	const int held[2] = {0, 1};
	x[1] = .3;
	q.held = held;
	ok(fit_solve(&q, x, r, &s, &p) == 0 && x[1] == .3,
	   "a knob that is held stays");
}

static void equations(void)
{
	double m[] = {0, 2, 1, 1}, v[] = {4, 5};
	ok(fit_linear(m, v, 2) == 0 && v[0] == 3 && v[1] == 2, "with pivots");
	double singular[] = {1, 2, 2, 4}, w[] = {1, 1};
	ok(fit_linear(singular, w, 2) < 0, "a singular matrix");
}

int main(void)
{
	for (size_t i = 0; i < M; i++)
		weight[i] = 1. / M;
	like_nnls();
	curves();
	equations();
	return done();
}
