/* validate/fit/identify.h -- which knobs the measured runs tell apart.
 *
 * The effect of a knob is the change of ln TPOT and ln TTFT of every row, for a
 * small change of the knob.  If the effect of a knob is a sum of multiples
 * of other effects, all values along a line fit the runs equally well, and a
 * fit would return one of them by chance.  [main] */
#pragma once
#include "validate/fit/refit.h"

/* A knob with less than this share of its effect left, beside the others, is
 * not told apart from them. */
#define IDENTIFY_SHARE 0.05
/* The same for the effect left of a step (refit_step()): the root of the sum of
 * squares over all rows.  Measured means repeat to about a percent,
 * so that with less than 2 % a knob would be known to half a step at best. */
#define IDENTIFY_LEAST 0.02

struct identified {
	/* [n] by knob: 1: it is told apart from the others that are, 0: not;
	 * then from[] is the one of them that it is most like. */
	int *apart;
	size_t *from;
	double *left; /* [n] share of the effect that others do not have */
};

/* Looks at the knobs around x.  The one with the largest effect is taken first,
 * then always the one with the most left beside those taken.  0, or -1 with *p.
 * identified_free() in either case. */
int identify(struct identified *to, struct refit *f, const double *x,
	     struct problem *p);
/* The same for given effect[n][n_rows]; rows that are not used are 0. */
int identify_effects(struct identified *to, const double *effect, size_t n,
		     size_t n_rows, struct problem *p);
void identified_free(struct identified *to);
