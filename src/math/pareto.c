/* pareto.c -- Finds the Pareto front of a set of points. */
#include "math/pareto.h"
#include <math.h>
#include <stdlib.h>

/* A point with signs turned so that more is better in both directions. */
struct turned {
	double x, y;
	struct pareto_point *is;
};

/* Orders by x, the best first; equal x by y. */
static int better_first(const void *va, const void *vb)
{
	const struct turned *a = va, *b = vb;
	if (a->x != b->x)
		return a->x > b->x ? -1 : 1;
	return a->y > b->y ? -1 : a->y < b->y;
}

long pareto_front(struct pareto_point *point, size_t n, int x_sign, int y_sign)
{
	struct turned *t = calloc(n + 1, sizeof *t);
	size_t used = 0;
	long on_front = 0;
	double best_y = -INFINITY, best_x = INFINITY;
	if (!t)
		return -1;
	for (size_t i = 0; i < n; i++) {
		point[i].on_front = 0;
		if (!isnan(point[i].x) && !isnan(point[i].y))
			t[used++] =
			    (struct turned){x_sign * point[i].x,
					    y_sign * point[i].y, &point[i]};
	}
	qsort(t, used, sizeof *t, better_first);
	/* Every point before this one is at least as good in x.  So this one is
	 * on the front if it is better in y, or equal to the last point on the
	 * front. */
	for (size_t i = 0; i < used; i++) {
		if (i && !(t[i].y > best_y) &&
		    !(t[i].y == best_y && t[i].x == best_x))
			continue;
		best_x = t[i].x;
		best_y = t[i].y;
		t[i].is->on_front = 1;
		on_front++;
	}
	free(t);
	return on_front;
}
