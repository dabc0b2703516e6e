/* math/latin.h -- a Latin hypercube sample of a grid: n of its points, spread
 * so that along each axis its values occur equally often (McKay, Beckman &
 * Conover, Technometrics 1979; here for axes of k values: n / k times each,
 * rounded down or up).  The same seed gives the same points.  Knows nothing of
 * the rest of the program. */
#ifndef SC_MATH_LATIN_H
#define SC_MATH_LATIN_H
#include <stddef.h>
#include <stdint.h>

/* out[i * n_axes + a] is the index among the size[a] values of axis a that
 * point i has.  All points differ, as far as exchanging values between points
 * achieves that; n is at most the product of the sizes.  Returns 0, or -1 if
 * memory is out. */
int latin_sample(const size_t *size, size_t n_axes, size_t n, uint64_t seed,
		 uint32_t *out);
#endif
