/* report/recommend/parts.h -- texts and figures that all forms of a
 * recommendation share. */
#pragma once
#include <stdio.h>
#include "recommend/recommend.h"
#include "report/results/support.h"

const char *recommend_arm_name(const struct recommend *r, size_t arm);
/* Writes a configuration for a reader: "tp 2 x 4, max_num_seqs 256", without
 * limits that are those of the engine as it is configured. */
void recommend_point(const struct recommend *r, size_t point, FILE *f);
/* Writes those limits; nothing if all configurations have them. */
void recommend_limits(const struct recommend *r, FILE *f);

/* What limits the answer of a full search: "clients" if a closed loop meets its
 * bounds. */
const char *recommend_limit(const struct recommend *r,
			    const struct capacity *c);

/* The figures of a full search.  k: of the shortlist.  NaN: unknown, or the
 * bounds are not met. */
void recommend_figures(const struct recommend *r, size_t arm, size_t k,
		       double v[RECOMMEND_FIGURES]);

/* Totals over arms. */
struct recommend_counts {
	uint64_t points, possible, refused, failed;
	uint64_t race, search, front; /* simulations                          */
	uint64_t untried; /* because of the budget                       */
};
struct recommend_counts recommend_count(const struct recommend *r);

/* Writes "9 configurations cannot be: REASON (8); ..." for an arm. */
void recommend_reasons(const struct recommend_arm *a, FILE *f);
/* Writes the sentences on agreement and trust, one a line. */
void recommend_agreement(const struct recommend *r, FILE *f);
/* Returns 1 if no arm has a winner. */
int recommend_is_none(const struct recommend *r);
/* Writes the guarantee and what it rests on, one sentence a line. */
void recommend_assumption(const struct recommend *r, FILE *f);
/* How often a trace came in the runs of an arm's race; 0: there is no trace. */
uint64_t recommend_looped(const struct recommend *r, size_t arm);
/* Writes a line for each arm where that is more than once. */
void recommend_loops(const struct recommend *r, FILE *f);
/* Writes a line for each winner: its router, and what a handover is taken to
 * cost. */
void recommend_outside(const struct recommend *r, FILE *f);
/* Writes a line for each winner that serves less than was asked for if the
 * workload never ends. */
void recommend_short(const struct recommend *r, FILE *f);
/* Writes the energy of each winner with its interval, if that was the objective
 * or has a price; one a line. */
void recommend_energy(const struct recommend *r, FILE *f);
/* Writes for each scored arm whether its winner still wins at the
 * pessimistic end of its intervals, one a line. */
void recommend_pessimistic_ends(const struct recommend *r, FILE *f);
/* The energy of a token and its price, at the rate that was found. */
struct energy_priced recommend_priced(const struct recommend *r, size_t arm,
				      size_t k);
/* Writes how near an arm without a winner comes, one line. */
void recommend_nearest(const struct recommend *r, size_t arm, FILE *f);
