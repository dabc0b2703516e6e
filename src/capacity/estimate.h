/* capacity/estimate.h -- from replications at nearby rates to the rate at
 * which the mean excess is 1, with an interval.
 *
 * log excess is a line in log rate near the root.  Its slope comes from pairs
 * of replications with the same seed at two rates; the root from all
 * replications, each carried along the line to one rate (stochastic root
 * finding with a parametric slope; Law, Simulation Modeling and Analysis,
 * chapters 9 to 12).  Sums run in the order of the replications, so the same
 * replications give the same bits.  Plain arithmetic.  [any thread] */
#ifndef SC_CAPACITY_ESTIMATE_H
#define SC_CAPACITY_ESTIMATE_H
#include <stddef.h>
#include <stdint.h>

/* One simulation of a numbered seed.  Two of a number are a pair. */
struct replicate {
	double log_rate; /* ln of requests/s */
	double excess;
	uint32_t number;
};

/* The line's slope b = d ln(excess) / d ln(rate). */
struct slope {
	double b;
	double error; /* relative standard error, by jackknife over pairs     */
};
enum { SLOPE_LEAST_TENTHS = 5 }; /* b is at least 0.5 */
/* r[n]: pairs, the lower rate first, all at the same two rates.  is_flat
 * becomes 1 where b had to be raised to the least.  Returns 1, or 0: nothing
 * exceeds the bound in any of them, and there is no slope. */
int slope_of_pairs(const struct replicate *r, size_t n, struct slope *s,
		   int *is_flat);

/* Where the excess is 1. */
struct root {
	double log_rate;
	double sampled; /* standard error of log_rate from sampling */
	double tilted;  /* the same from a slope that is not known exactly    */
	double mean;    /* excess at `center`                                */
	double variation; /* coefficient of variation of an excess there      */
	double off;       /* log_rate less the mean log rate of replications  */
	uint32_t n; /* numbers used; a pair is one                       */
};
/* Uses the replications within ROOT_WIDTH of center.  Returns 1, or 0: none
 * exceeds the bound, or fewer than two are there. */
#define ROOT_WIDTH 0.12
int root_of(const struct replicate *r, size_t n, double center,
	    const struct slope *s, struct root *out);
/* What replication `number` adds to the root's log rate, for differences
 * between arms.  Returns 1 with *u, or 0: root_of() did not use it. */
int root_influence(const struct replicate *r, size_t n, double center,
		   const struct slope *s, const struct root *root,
		   uint32_t number, double *u);
/* Half the width of the interval of a root at that confidence, in log rate. */
double root_half_width(const struct root *r, double confidence);
#endif
