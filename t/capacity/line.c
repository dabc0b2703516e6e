/* Where excesses of two rates reach 1. */
#include "capacity/line.h"
#include "math/rng.h"
#include "tap.h"

static struct capacity_search s;
static const struct bounds bounds = {.n = 1};

/* Excess rate^slope, times noise of the number; the same at both ends. */
static void fill(struct capacity_end *e, double x, double slope, double noise,
		 double realised)
{
	enum { NUMBERS = 12 };
	*e = (struct capacity_end){.x = x, .n = NUMBERS};
	for (uint32_t i = 0; i < NUMBERS; i++) {
		struct rng g = rng_stream(7, RNG_SAMPLE, i);
		double y = exp(slope * (x + log(realised)) +
			       noise * rng_normal(&g) - noise * noise / 2);
		e->run[i] = (struct capacity_run){
		    .number = i + 1, .excess = {y}, .realised = realised};
	}
}

static struct line_root root(double slope, double noise, double realised)
{
	fill(&s.low, -0.02, slope, noise, realised);
	fill(&s.high, 0.02, slope, noise, realised);
	return line_root_of(&s, 0, 0.9, 0, 0);
}

int main(void)
{
	struct line_root a = root(5, 0, 1);
	ok(fabs(a.x) < 1e-12, "without noise the root is exact");
	ok(a.low == a.x && a.high == a.x, "and has no interval");
	struct line_root b = root(5, 0.1, 1), c = root(5, 0.2, 1);
	ok(b.low < b.x && b.x < b.high, "noise makes one");
	ok(c.high - c.low > 1.7 * (b.high - b.low),
	   "twice the noise, twice the width");
	ok(fabs(root(5, 0, 1.004).x) < 1e-4,
	   "seeds that came at another rate are carried back");
	ok(fabs(root(40, 0, 1.004).x) < 1e-9,
	   "where the excess is steep both ends are moved");
	ok(line_holds(&s.low, &bounds) && !line_holds(&s.high, &bounds),
	   "the bounds hold at the lower end alone");
	ok(fabs(line_least(&s, &bounds, 0.9, 0, 0).x) < 1e-9,
	   "the least root of one bound is its own");
	struct line_root without = line_root_of(&s, 0, 0.9, 0, 3);
	ok(fabs(without.x) < 1e-9, "one number can be left out");
	fill(&s.low, 0, 5, 0, 1);
	fill(&s.high, 0.02, 5, 0, 1);
	for (uint32_t i = 0; i < s.low.n; i++)
		s.low.run[i].grows = 1;
	ok(line_mean(&s.low, 0) == 20, "growth counts as 20 times the bound");
	return done();
}
