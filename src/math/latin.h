/* math/latin.h -- a Latin hypercube of a grid: n of its points, spread so that
 * along each axis its values come equally often (McKay, Beckman & Conover,
 * Technometrics 1979; here for axes of k values: n / k times each, rounded down
 * or up).  The same seed gives the same points.  Knows nothing of the rest of
 * the program. */
#ifndef SC_MATH_LATIN_H
#define SC_MATH_LATIN_H
#include <stddef.h>
#include <stdint.h>

/* out[i * n_axes + a]: which of the size[a] values of axis a point i has.
 * Points are all different where that can be had by exchanging values between
 * points; n is at most the product of the sizes.  0, or -1: out of memory. */
int latin_sample(const size_t *size, size_t n_axes, size_t n, uint64_t seed,
		 uint32_t *out);
#endif
