/* decide/regret.h -- the loss if one arm chooses and another one is right,
 * and whether the choice depends on the cost model.  Plain arithmetic on the
 * searched figures of a few configurations.  [any thread] */
#pragma once
#include <stddef.h>

enum agreement {
	AGREE_ROBUST,  /* no winner loses much under any arm with a vote      */
	AGREE_DEPENDS, /* some does                                           */
	AGREE_ONE_ARM, /* nothing to compare with                             */
	AGREE_NONE,    /* no arm has a winner                                 */
};
extern const char *const agreement_name[];

struct regret {
	size_t n; /* arms                                                     */
	const size_t *winner; /* [n] index of a configuration; SIZE_MAX: none */
	size_t n_configs;
	/* [n][n_configs] figure to be largest; 0: the bounds are not met, or
	 * the configuration cannot be; NaN: not known */
	const double *score;
	const int *votes; /* [n] 1: the arm's figures are supported           */
};
/* The share that the winner of `chooser` loses under `right`, against the best
 * known there; NaN: not known. */
double regret_of(const struct regret *r, size_t chooser, size_t right);
/* A winner that loses no more is as good as the best. */
#define REGRET_TOLERANCE 0.05
/* tolerance: the share that winners may lose.  voters_only: winners of arms
 * without a vote do not count.  If no arm has a vote, all have one. */
enum agreement regret_agreement(const struct regret *r, double tolerance,
				int voters_only);
int regret_any_votes(const struct regret *r);
