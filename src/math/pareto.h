/* math/pareto.h -- which points of a plane no other point beats.
 *
 * A point beats another if it is no worse in both directions and better in one.
 * Points that are equal do not beat each other; one with a NaN beats none and
 * is never on the front.  Knows nothing of the rest of the program. */
#ifndef SC_MATH_PARETO_H
#define SC_MATH_PARETO_H
#include <stddef.h>

struct pareto_point {
	double x, y;
	int on_front; /* of pareto_front()                                   */
};
/* x_sign, y_sign: 1 where more is better, -1 where less is.  Sets on_front of
 * all n points; returns how many are, or -1: out of memory. */
long pareto_front(struct pareto_point *point, size_t n, int x_sign, int y_sign);
#endif
