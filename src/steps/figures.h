/* steps/figures.h -- how far predicted times of steps are from measured ones.
 * The error of a row is predicted / measured - 1.  [any thread] */
#pragma once
#include "steps/set.h"

/* Kinds of steps.  decode: no prefill, an empty step too; prefill: no decode,
 * nothing cached; chunk: no decode, a prefill behind cached tokens; mixed:
 * both. */
enum step_regime {
	REGIME_DECODE,
	REGIME_PREFILL,
	REGIME_CHUNK,
	REGIME_MIXED,
	REGIME_ALL, /* every step */
	N_REGIMES
};
extern const char *const step_regime_name[N_REGIMES];
enum step_regime step_regime_of(const sc_step *step);

/* The figures of an arm over a group of rows, in the order of a table.  All are
 * fractions. */
enum step_figure {
	FIGURE_MEAN, /* of |error| */
	FIGURE_MEDIAN,
	FIGURE_P90,
	FIGURE_P95,
	FIGURE_P99,
	FIGURE_MAX,
	FIGURE_BIAS,     /* mean error */
	FIGURE_LOG_BIAS, /* exp(mean ln(predicted / measured)) - 1 */
	FIGURE_WAPE,     /* sum of |predicted - measured| / sum of measured */
	/* with three deployments or more the mean of the deployments' means of
	 * |error|, else that of the rows */
	FIGURE_MACRO_MEAN,
	N_STEP_FIGURES
};
extern const char *const step_figure_name[N_STEP_FIGURES];
struct step_figures {
	size_t n;                  /* rows that the arm prices */
	double of[N_STEP_FIGURES]; /* NaN: there are no rows */
	size_t worst;              /* row with the greatest |error|, the first
				      of equal ones; SIZE_MAX: none */
};

/* A group of rows: indices of a set. */
struct step_group {
	const size_t *row; /* [n] */
	size_t n;
};
/* measured, predicted: [set->n]; a row without a predicted time has NaN.
 * Returns 0, or -1 if memory is out. */
int step_figures(struct step_figures *f, const struct step_set *set,
		 const double *measured, const double *predicted,
		 struct step_group g);
/* Returns the number of deployments with rows of the group that have a time in
 * each of n_of columns of[][set->n]. */
size_t step_deployments_of(const struct step_set *set, struct step_group g,
			   const double *const *of, size_t n_of);
