/* math/own_coverage.h -- whether measurements lie within the intervals that a
 * model gives itself, as often as it says.
 *
 * A measurement is within the interval of coverage c if
 * |ln(measured / predicted)| <= z_c sd / predicted, where z_c is the normal
 * quantile.  `spread` is the factor on sd with which 90 % of the measurements
 * would lie within 90 %: the 0.9 quantile of |ln(measured / predicted)|
 * predicted / sd, over 1.6449; above 1 the model is too sure of itself.  Plain
 * numbers; [any thread]. */
#pragma once
#include <stddef.h>

struct own_coverage {
	size_t n; /* 0: the model does not say how sure it is */
	double share_50, share_80, share_90, spread;
};
/* Returns |ln(measured / predicted)| predicted / sd, all above 0. */
double own_distance(double measured, double predicted, double sd);
/* distance: own_distance() of each measurement; it is sorted. */
struct own_coverage own_coverage(double *distance, size_t n);
/* Two-sided normal quantile: 1.6449 for a coverage of 0.9. */
double normal_quantile(double coverage);
