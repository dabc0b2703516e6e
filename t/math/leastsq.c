#include "math/leastsq.h"
#include "tap.h"

/* y = a exp(-b t), at seven times. */
enum { TIMES = 7 };
struct curve {
	double y[TIMES];
	int asked, fails_after; /* -1: never */
	uint32_t iterations;
	double last_cost;
	int rose;
};

static double at(double a, double b, int t)
{
	return a * exp(-b * t);
}

static int residuals(void *ctx, uint32_t n, const double *x, double *r,
		     struct problem *p)
{
	struct curve *c = ctx;
	if (c->fails_after >= 0 && c->asked++ >= c->fails_after)
		return problem_set(p, EXIT_PLUGIN, "no answer");
	for (uint32_t i = 0; i < n; i++)
		for (int t = 0; t < TIMES; t++)
			r[i * TIMES + (uint32_t)t] =
			    at(x[2 * i], x[2 * i + 1], t) - c->y[t];
	return 0;
}

static void progress(void *ctx, uint32_t iteration, double cost)
{
	struct curve *c = ctx;
	c->rose |= c->iterations && cost > c->last_cost;
	c->last_cost = cost;
	c->iterations = iteration;
}

static struct curve curve_of(double a, double b)
{
	struct curve c = {.fails_after = -1};
	for (int t = 0; t < TIMES; t++)
		c.y[t] = at(a, b, t);
	return c;
}

static const double low[] = {0, 0}, high[] = {10, 2};
static struct leastsq fit_of(struct curve *c)
{
	return (struct leastsq){.n_params = 2,
				.n_residuals = TIMES,
				.min = low,
				.max = high,
				.step = 1e-6,
				.max_move = 1,
				.max_iterations = 200,
				.tolerance = 1e-14,
				.residuals = residuals,
				.progress = progress,
				.ctx = c};
}

static void exact(void)
{
	struct curve c = curve_of(3, 0.5);
	struct leastsq q = fit_of(&c);
	struct problem p = {0};
	double x[] = {1, 1}, cost;
	ok(leastsq_fit(&q, x, &cost, &p) == 0, "fits: %s", p.text);
	near(x[0], 3, 1e-6, "the amplitude is found again");
	near(x[1], 0.5, 1e-6, "and the rate");
	ok(cost < 1e-10 && c.last_cost == cost, "nothing is left");
	ok(!c.rose && c.iterations > 1, "the cost only falls");
	q.max_iterations = 1;
	x[0] = x[1] = 1;
	leastsq_fit(&q, x, &cost, &p);
	ok(c.iterations == 1 && cost > 1e-6, "no more iterations than asked");
	q.max_iterations = 0;
	x[0] = x[1] = 1;
	ok(leastsq_fit(&q, x, &cost, &p) == 0 && x[0] == 1 && x[1] == 1,
	   "none: the start");
}

static void bounded(void)
{
	struct curve c = curve_of(12, 0.5);
	struct leastsq q = fit_of(&c);
	struct problem p = {0};
	double x[] = {9.5, 1}, cost;
	ok(leastsq_fit(&q, x, &cost, &p) == 0 && x[0] == 10,
	   "a parameter stops at its bound");
	ok(x[1] > 0.3 && x[1] < 0.5, "the other makes the best of it: %g",
	   x[1]);
	q.max_iterations = 1;
	q.max_move = 0.01;
	x[0] = 5, x[1] = 1;
	leastsq_fit(&q, x, &cost, &p);
	ok(fabs(x[0] - 5) < 0.0101 && fabs(x[1] - 1) < 0.0101 && x[0] != 5,
	   "no step is longer than allowed");
}

static void robust(void)
{
	struct curve c = curve_of(3, 0.5);
	struct leastsq q = fit_of(&c);
	struct problem p = {0};
	double plain[] = {1, 1}, soft[] = {1, 1}, cost;
	c.y[3] += 2; /* an outlier */
	leastsq_fit(&q, plain, &cost, &p);
	q.robust = 0.01;
	c.iterations = 0;
	leastsq_fit(&q, soft, &cost, &p);
	ok(fabs(soft[0] - 3) < 0.1 * fabs(plain[0] - 3) &&
	       fabs(soft[1] - 0.5) < 0.1 * fabs(plain[1] - 0.5),
	   "an outlier moves a robust fit less: %.3f %.3f, plain %.3f %.3f",
	   soft[0], soft[1], plain[0], plain[1]);
}

/* Where the amplitude alone is free, and one of seven points is off by 2: the
 * gradient is 0 where it weighs as one that is off by 0.01. */
static void huber(void)
{
	struct curve c = curve_of(3, 0);
	struct leastsq q = fit_of(&c);
	struct problem p = {0};
	static const double still[] = {10, 0};
	double x[] = {1, 0}, cost;
	c.y[3] += 2;
	q.huber = 0.01;
	q.max = still;
	leastsq_fit(&q, x, &cost, &p);
	near(x[0], 3 + 0.01 / 6, 1e-6,
	     "an outlier pulls no more than linearly");
	near(cost, 6 * pow(0.01 / 6, 2) + 0.01 * (2 * (2 - 0.01 / 6) - 0.01),
	     1e-6, "and costs as much");
}

static void pulled(void)
{
	struct curve c = curve_of(3, 0.5);
	struct leastsq q = fit_of(&c);
	struct problem p = {0};
	double weak[] = {1, 1}, strong[] = {1, 1}, cost;
	q.ridge = 1e-3;
	leastsq_fit(&q, weak, &cost, &p);
	q.ridge = 1e6;
	leastsq_fit(&q, strong, &cost, &p);
	ok(fabs(weak[0] - 3) < 0.1 && weak[0] < 3, "a weak pull, a little");
	ok(fabs(strong[0] - 1) < 1e-3 && fabs(strong[1] - 1) < 1e-3,
	   "a strong one keeps the start");
	static const double prior[] = {2, 0.25};
	q.prior = prior;
	leastsq_fit(&q, strong, &cost, &p);
	ok(fabs(strong[0] - 2) < 1e-3 && fabs(strong[1] - 0.25) < 1e-3,
	   "or goes where it is told");
}

/* One residual that does not know of the second parameter. */
static int one_sided(void *ctx, uint32_t n, const double *x, double *r,
		     struct problem *p)
{
	(void)ctx, (void)p;
	for (uint32_t i = 0; i < n; i++)
		r[i] = x[2 * i] < 0.5 ? (double)NAN : x[2 * i] - 4;
	return 0;
}

static void odd(void)
{
	struct curve c = curve_of(3, 0.5);
	struct leastsq q = fit_of(&c);
	struct problem p = {0};
	double x[] = {1, 1}, cost;
	q.n_residuals = 1;
	q.residuals = one_sided;
	q.progress = NULL;
	ok(leastsq_fit(&q, x, &cost, &p) == 0 && fabs(x[0] - 4) < 1e-6 &&
	       x[1] == 1,
	   "a parameter without influence stays; NaN is no improvement");
	c.fails_after = 2;
	q = fit_of(&c);
	ok(leastsq_fit(&q, x, &cost, &p) == -1 && p.code == EXIT_PLUGIN &&
	       !strcmp(p.text, "no answer"),
	   "a failure ends the fit, with its reason");
}

int main(void)
{
	exact();
	bounded();
	robust();
	huber();
	pulled();
	odd();
	return done();
}
