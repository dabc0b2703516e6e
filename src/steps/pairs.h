/* steps/pairs.h -- two arms on the same measured steps: which one is nearer,
 * whether that is more than chance, and whether they are one model.
 *
 * The units of a comparison are deployments, each with the same weight, where a
 * group has three of them; else they are steps, and the answer speaks for these
 * steps alone.  [any thread] */
#pragma once
#include "decide/equality.h"
#include "steps/figures.h"

enum pair_verdict {
	PAIR_EQUAL,
	PAIR_FIRST,
	PAIR_SECOND,
	PAIR_UNDECIDED,
	N_PAIR_VERDICTS
};
extern const char *const pair_verdict_name[N_PAIR_VERDICTS];

/* The times of an arm, [set->n] each; NaN: it does not price the row. */
struct step_times {
	const double *us; /* the time that is scored */
	const double *exact, *total;
};
struct step_pair {
	size_t a, b;
	enum step_regime regime;
	size_t rows; /* that both price */
	size_t units;
	int by_deployment; /* 1: the units are deployments; 0: steps */
	/* Mean over the units of |error of a| - |error of b|, its 95 %
	 * interval, and the p-value of no difference; NaN: one unit alone. */
	double difference, low, high, p, p_adjusted;
	double low_90, high_90; /* the 90 % interval */
	struct equal_steps equal;
	enum pair_verdict verdict;
};
/* Fills in all except a, b, regime, p_adjusted and verdict.  Returns 0, or -1
 * if memory is out. */
int step_pair_compare(struct step_pair *x, const struct step_set *set,
		      const double *measured, const struct step_times *a,
		      const struct step_times *b, struct step_group g);
/* Returns 1 if the 90 % interval of a pair lies within ± margin; 0 also if
 * there is no pair (NULL), no margin (NaN) or no interval. */
int step_pair_is_within(const struct step_pair *x, double margin);
/* Corrects the p-values of a family of pairs, and fills in the verdicts.
 * Returns 0, or -1 if memory is out. */
int step_pairs_judge(struct step_pair *pair, size_t n);
