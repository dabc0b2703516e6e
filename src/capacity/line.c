/* line.c -- Interpolates excesses between the ends of a bracket. */
#include "capacity/line.h"
#include <math.h>
#include "math/student.h"
#include "capacity/run.h"

/* How far a bound's root may be above the least and still have a say in the
 * ends of the interval. */
#define NEAR 0.4

double line_mean(const struct capacity_end *e, uint32_t bound)
{
	double mean = 0;
	for (uint32_t i = 0; i < e->n; i++)
		mean += run_excess(&e->run[i], bound) / e->n;
	return mean;
}

double line_worst(const struct capacity_end *e, const struct bounds *b,
		  uint32_t *bound)
{
	double worst = -1;
	for (uint32_t i = 0; i < b->n; i++) {
		double mean = line_mean(e, i);
		if (mean > worst && bound)
			*bound = i;
		worst = fmax(worst, mean);
	}
	return worst;
}

int line_holds(const struct capacity_end *e, const struct bounds *b)
{
	return line_worst(e, b, NULL) <= 1;
}

static double log_of(double excess)
{
	return log(fmax(excess, LINE_LEAST));
}

/* Mean and standard error of a bound's excess, each at the rate asked for. */
struct spread {
	double mean, error, n;
};

static struct spread spread_of(const struct capacity_end *e, uint32_t bound,
			       double slope, uint32_t without)
{
	struct spread a = {0};
	double squares = 0;
	for (uint32_t i = 0; i < e->n; i++) {
		const struct capacity_run *r = &e->run[i];
		double y = run_excess(r, bound);
		if (without && r->number == without)
			continue;
		if (slope > 0 && r->realised > 0 && !r->grows)
			y *= pow(r->realised, -slope);
		a.n++;
		double d = y - a.mean;
		a.mean += d / a.n;
		squares += d * (y - a.mean);
	}
	a.error = a.n > 1 ? sqrt(squares / (a.n - 1) / a.n) : 0;
	return a;
}

double line_shift(const struct capacity_search *s, int has_cycles,
		  uint32_t without)
{
	double sum = 0, n = 0;
	for (uint32_t i = 0; i < s->low.n && !has_cycles; i++) {
		const struct capacity_run *r = &s->low.run[i];
		if (r->grows || !(r->realised > 0) ||
		    (without && r->number == without))
			continue;
		sum += log(r->realised);
		n++;
	}
	return n > 0 ? sum / n : 0;
}

/* Where the line through both ends is 0; beyond them it goes on with the slope
 * of the means. */
static double zero(double x0, double f0, double x1, double f1, double slope)
{
	slope = fmax(slope, LINE_LEAST_SLOPE);
	if (f0 <= 0 && f1 > 0)
		return x0 - f0 * (x1 - x0) / (f1 - f0);
	return f0 > 0 ? x0 - f0 / slope : x1 - f1 / slope;
}

struct line_root line_root_of(const struct capacity_search *s, uint32_t bound,
			      double confidence, int has_cycles,
			      uint32_t without)
{
	double x0 = s->low.x, x1 = s->high.x;
	double rise = log_of(line_mean(&s->high, bound)) -
		      log_of(line_mean(&s->low, bound));
	double slope = x1 > x0 ? rise / (x1 - x0) : 0;
	int is_steep = !(slope > 0.3 && slope < 12);
	double shift = is_steep ? line_shift(s, has_cycles, without) : 0;
	double carried = has_cycles || is_steep ? 0 : slope;
	struct spread a = spread_of(&s->low, bound, carried, without);
	struct spread z = spread_of(&s->high, bound, carried, without);
	double t_a = a.n > 1 ? student_two_sided(confidence, a.n - 1) : 0;
	double t_z = z.n > 1 ? student_two_sided(confidence, z.n - 1) : 0;
	x0 += shift;
	x1 += shift;
	return (struct line_root){
	    .x = zero(x0, log_of(a.mean), x1, log_of(z.mean), slope),
	    .low = zero(x0, log_of(a.mean + t_a * a.error), x1,
			log_of(z.mean + t_z * z.error), slope),
	    .high = zero(x0, log_of(a.mean - t_a * a.error), x1,
			 log_of(z.mean - t_z * z.error), slope)};
}

struct line_root line_least(const struct capacity_search *s,
			    const struct bounds *b, double confidence,
			    int has_cycles, uint32_t without)
{
	struct line_root of[CAPACITY_BOUNDS];
	struct line_root least = {INFINITY, INFINITY, INFINITY};
	for (uint32_t i = 0; i < b->n; i++) {
		of[i] = line_root_of(s, i, confidence, has_cycles, without);
		least.x = fmin(least.x, of[i].x);
	}
	for (uint32_t i = 0; i < b->n; i++) {
		if (of[i].x > least.x + NEAR)
			continue;
		least.low = fmin(least.low, of[i].low);
		least.high = fmin(least.high, of[i].high);
	}
	least.low = fmin(least.low, least.x);
	least.high = fmax(least.high, least.x);
	return least;
}
