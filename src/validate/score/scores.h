/* validate/score/scores.h -- the errors of a validation as data
 * (trust/scored.h), and what intervals made of them are worth.
 *
 * A row's fold is its model, GPU, run, publisher or deployment.  Its prediction
 * must come from coefficients that no row of the fold was fitted to.  The
 * caller sees to that (rules of the alias file give a row such knobs). */
#pragma once
#include "trust/interval.h"
#include "trust/scored.h"
#include "validate/validation.h"

enum fold_by {
	FOLD_BY_MODEL,
	FOLD_BY_GPU,
	FOLD_BY_RUN,
	FOLD_BY_PUBLISHER,
	FOLD_BY_DEPLOYMENT /* model, engine, GPU family, format */
};
extern const char *const fold_by_name[]; /* "model" ..., NULL               */

/* All that an arm was scored on; scored_free() in either case.  0, or -1 with
 * *p. */
int validation_scores(const struct validation *v, size_t arm, enum fold_by by,
		      struct scored *to, struct problem *p);
/* Writes them, without a header. */
void validation_write_scores(const struct validation *v, size_t arm,
			     const struct scored *scored, FILE *f);

/* Returns the interval of a measured figure; its n is 0 where the figure was
 * not scored or has no interval. */
struct trust_interval scores_interval(const struct scored *s,
				      const char *source_row,
				      const char *metric);

enum { N_NOMINAL = 3 };
extern const double nominal_coverage[N_NOMINAL]; /* .5, .8, .9              */

/* How often intervals had the measured figure.  No row of its fold took part in
 * making the interval. */
struct achieved_coverage {
	size_t n;                /* measured figures that had an interval   */
	double share[N_NOMINAL]; /* of them lay within                      */
	double width[N_NOMINAL]; /* median of (high - low) / 2 / predicted   */
};
/* fold: of its rows alone; NULL: of all. */
struct achieved_coverage scores_coverage(const struct scored *scored,
					 const char *metric, const char *fold);
