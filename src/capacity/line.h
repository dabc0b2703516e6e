/* capacity/line.h -- where a mean excess reaches 1 between two rates.
 *
 * The logarithm of a bound's mean excess is a line in the logarithm of the rate
 * between the ends of a bracket; beyond them it goes on with the slope, which
 * is at least LINE_LEAST_SLOPE.  The ends of the root's interval are where the
 * lines through mean + t s / sqrt(n) and mean - t s / sqrt(n) of both ends
 * reach it (replication and deletion; Law, Simulation Modeling and Analysis,
 * chapter 9).  A replication has the rate that its arrivals realised, not the
 * one that was asked for: its excess is carried along the line, or, where that
 * is too steep, both ends are at the rates that were realised in the mean.
 * Plain arithmetic in the order of the replications: the same bits.  [any
 * thread] */
#pragma once
#include "capacity/capacity.h"

#define LINE_LEAST_SLOPE 0.5
/* The least excess that tells anything. */
#define LINE_LEAST 0.02
/* Between two ends log excess rises by more: it bends too much for a line, or
 * jumps. */
#define LINE_JUMP 1.0

struct line_root {
	double x, low, high; /* ln of the rate                                */
};
/* Mean excess of a bound, as it is asked for; no rate is corrected. */
double line_mean(const struct capacity_end *e, uint32_t bound);
/* Returns 1 if the mean excess of every bound is at most 1. */
int line_holds(const struct capacity_end *e, const struct bounds *b);
/* The largest mean excess of a bound; *bound may be NULL. */
double line_worst(const struct capacity_end *e, const struct bounds *b,
		  uint32_t *bound);
/* The mean logarithm of realised rates over those asked for, at the lower end;
 * 0 of cycles.  without: as below. */
double line_shift(const struct capacity_search *s, int has_cycles,
		  uint32_t without);
/* The root of a bound.  has_cycles: rates are not corrected.  without: the
 * number of a replication that is left out; 0: none. */
struct line_root line_root_of(const struct capacity_search *s, uint32_t bound,
			      double confidence, int has_cycles,
			      uint32_t without);
/* The least root of all bounds, and ends of its interval: the least of bounds
 * within 0.4 of it. */
struct line_root line_least(const struct capacity_search *s,
			    const struct bounds *b, double confidence,
			    int has_cycles, uint32_t without);
