/* math/pareto.h -- the Pareto front: the points of a plane that no other point
 * dominates.
 *
 * A point dominates another if it is no worse in both directions and better in
 * one.  Equal points do not dominate each other.  A point with a NaN dominates
 * none and is never on the front.  Knows nothing of the rest of the program. */
#pragma once
#include <stddef.h>

struct pareto_point {
	double x, y;
	int on_front; /* set by pareto_front() */
};
/* x_sign, y_sign: 1 if more is better, -1 if less is better.  Sets on_front of
 * all n points.  Returns the number of points on the front, or -1 if memory is
 * out. */
long pareto_front(struct pareto_point *point, size_t n, int x_sign, int y_sign);
