/* math/factorial.h -- effects of k switches from a full two-level factorial
 * design: every switch at both of its values in every combination (Box, Hunter
 * and Hunter, Statistics for Experimenters).
 *
 * effect(S) = sum over the runs of y times the product of x_j over j in S, over
 * 2^(k-1), with x_j = -1 at the first value and +1 at the second.  For one
 * switch it is the mean at the second value minus that at the first.  [any
 * thread] */
#pragma once
#include <stddef.h>

enum { FACTORIAL_LEAST = 2, FACTORIAL_MOST = 8 };

struct effect {
	unsigned set;  /* bit j: switch j takes part */
	double effect; /* mean over the repeats */
	/* The 95 % interval of the effect and its p-value by Student's t over
	 * the repeats, and p corrected for all effects (Holm); NaN: one repeat
	 * alone. */
	double low, high, p, p_adjusted;
};

/* y[2^k]: the run with switch j at its second value has bit j in its index.  An
 * effect within rounding of the figures is 0. */
double factorial_effect(const double *y, unsigned k, unsigned set);
/* Returns how many effects there are of up to `order` switches. */
size_t factorial_count(unsigned k, unsigned order);
/* Fills in to[factorial_count()], the largest first; y[repeats][2^k].  Returns
 * 0, or -1 if memory is out. */
int factorial_effects(struct effect *to, const double *y, size_t repeats,
		      unsigned k, unsigned order);
