/* The front of a set of points, against the definition. */
#include "math/pareto.h"
#include "math/rng.h"
#include "tap.h"

static int beats(const struct pareto_point *a, const struct pareto_point *b,
		 int sx, int sy)
{
	double x = sx * (a->x - b->x), y = sy * (a->y - b->y);
	return x >= 0 && y >= 0 && (x > 0 || y > 0);
}

static void against_definition(size_t n, unsigned values, int sx, int sy)
{
	struct pareto_point p[200];
	struct rng r = rng_stream(7, n, values);
	size_t right = 0;
	long on_front = 0;
	for (size_t i = 0; i < n; i++)
		p[i] = (struct pareto_point){(double)rng_below(&r, values),
					     (double)rng_below(&r, values), 0};
	long found = pareto_front(p, n, sx, sy);
	for (size_t i = 0; i < n; i++) {
		int want = 1;
		for (size_t k = 0; k < n; k++)
			want &= !beats(&p[k], &p[i], sx, sy);
		right += (size_t)(want == p[i].on_front);
		on_front += p[i].on_front;
	}
	ok(right == n && found == on_front,
	   "%zu points of %u values, %+d %+d: %ld on the front", n, values, sx,
	   sy, found);
}

int main(void)
{
	struct pareto_point p[] = {{1, 5, 0}, {2, NAN, 0}, {3, 5, 0},
				   {3, 4, 0}, {3, 5, 0},   {9, 9, 0}};
	ok(pareto_front(p, 5, -1, 1) == 1 && p[0].on_front,
	   "less is better, more is better");
	ok(pareto_front(p, 5, 1, 1) == 2 && p[2].on_front && p[4].on_front &&
	       !p[0].on_front,
	   "equal points do not beat each other, NaN is not there");
	ok(pareto_front(p, 0, 1, 1) == 0, "no points, no front");
	for (int sx = -1; sx <= 1; sx += 2)
		for (int sy = -1; sy <= 1; sy += 2) {
			against_definition(200, 1000, sx, sy);
			against_definition(200, 12, sx, sy);
			against_definition(50, 2, sx, sy);
		}
	return done();
}
