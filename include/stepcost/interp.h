/* stepcost/interp.h -- header-only helper for plugins: finds the place of a
 * value on an ascending axis of measured points, and interpolates linearly. */
#ifndef SC_INTERP_H
#define SC_INTERP_H
#include "stepcost/plugin.h"

/* A place between axis[low] and axis[low + 1], at fraction t of the way.  On a
 * point, or outside the axis (clamped to its end), t is 0. */
struct sc_place {
	uint32_t low;
	uint32_t how; /* SC_EXACT, SC_INTERPOLATED or SC_CLAMPED */
	double t;
};

/* axis: [n] strictly ascending, n >= 1. */
static inline struct sc_place sc_locate(const double *axis, uint32_t n,
					double x)
{
	struct sc_place p = {.how = SC_EXACT};
	uint32_t high = n; /* axis[low] <= x < axis[high] */
	if (x < axis[0] || x > axis[n - 1]) {
		p.low = x < axis[0] ? 0 : n - 1;
		p.how = SC_CLAMPED;
		return p;
	}
	while (high - p.low > 1) {
		uint32_t mid = p.low + (high - p.low) / 2;
		if (axis[mid] <= x)
			p.low = mid;
		else
			high = mid;
	}
	if (axis[p.low] != x) {
		p.how = SC_INTERPOLATED;
		p.t = (x - axis[p.low]) / (axis[p.low + 1] - axis[p.low]);
	}
	return p;
}

static inline double sc_lerp(double a, double b, double t)
{
	return a + (b - a) * t;
}

/* The worse of two provenances. */
static inline uint32_t sc_worse(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}
#endif
