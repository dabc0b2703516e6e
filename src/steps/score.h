/* steps/score.h -- every arm of a configuration scored on measured steps:
 * figures by regime, bin and deployment, all pairs, ranks, and the baseline.
 *
 * A score owns everything that it points to, except the set and the arms that
 * it was made from.  [main] */
#pragma once
#include "base/arrays.h"
#include "math/own_coverage.h"
#include "cost/strict.h"
#include "steps/arms.h"
#include "steps/bins.h"
#include "steps/pairs.h"

enum score_time {
	SCORE_EXACT,   /* exact_us */
	SCORE_TOTAL,   /* total_us */
	SCORE_VISIBLE, /* exact_us - host_us */
	SCORE_ENERGY   /* energy_j */
};
extern const char *const score_time_choice[]; /* up to NULL */

#define SCORE_BASELINE "baseline:linear"

struct score_options {
	enum score_time time;
	/* An arm's name; "linear": fitted to the steps (baseline.h); "none". */
	const char *baseline;
	double margin;  /* fraction; NaN: not asked for */
	const char *by; /* "batch,graph"; NULL: the default */
	struct strict strict;
};

struct score_arm {
	const char *name, *plugin;
	int is_baseline;
	const char *tables; /* `tables.set`: "auto", names; "": it has none */
	int has_own_tables; /* one of score.own_tables is among them */
	double *us, *exact, *total; /* [set->n] NaN: not priced */
	double
	    *sd; /* [set->n] its own standard deviation; 0: it does not say */
	struct own_coverage own; /* n 0: it does not say */
	size_t priced;
	const char *
	    *why; /* [n_deployments] why rows are not priced; NULL: all are */
	struct step_figures regime[N_REGIMES];
	struct step_figures *deployment; /* [n_deployments] */
	struct step_figures **bin;       /* [n_bins] [bins[i].n] */
	size_t rank[N_REGIMES][2];       /* 0: none */
	double skill; /* NaN: no baseline, or one without an error */
};
struct score {
	const struct step_set *set;
	double *measured; /* [set->n] us, or J */
	struct score_arm *arm;
	size_t n;               /* arms, the baseline included */
	size_t baseline;        /* index; SIZE_MAX: none */
	int has_own_baseline;   /* 1: it is none of the configuration's arms */
	size_t rows_by_default; /* that the shipped figures of `linear` price
				   for the baseline */
	struct step_bins group[N_REGIMES]; /* one bin each: the rows */
	struct step_bins *bins;
	size_t n_bins;
	/* In the order of regimes: all, then decode …; those of the arms, and
	 * behind them those with the baseline. */
	struct step_pair *pair;
	size_t n_pairs;
	struct names own_tables; /* measured with these steps, own_tables.h */
	double repeat;     /* mean |again / time - 1|; NaN: no row has both */
	double margin;     /* as asked for; NaN */
	int plugin_failed; /* a job failed with EXIT_PLUGIN */
	struct arrays arrays;
};

/* The name of one more arm that `arms` must have, if a deployment is too small
 * for the baseline "linear" (step_arms_options.extra); NULL: none. */
const char *score_extra_arm(const struct step_set *set,
			    const struct score_options *o);
/* Makes the columns of an arm.  Returns 0, or -1 if memory is out. */
int score_begin_arm(struct score *s, size_t arm);
/* Prices the rows in jobs.  extra: arms has that arm.  Returns 0, or -1 with *p
 * filled in.  The caller calls score_free() in either case. */
int score_price(struct score *s, struct step_arms *arms, int has_extra,
		const struct score_options *o, const struct jobs_options *jobs,
		struct problem *p);
/* Computes all figures.  Returns 0, or -1 with *p filled in. */
int score_compute(struct score *s, const struct score_options *o,
		  struct problem *p);
/* The parts of that for rows that are no steps: groups them as `all`; fills in
 * figures, pairs and ranks of the groups that there are.  Both return 0, or -1
 * with *p filled in. */
int score_group_all(struct score *s, struct problem *p);
int score_judge(struct score *s, struct problem *p);
/* Ranks an arm among some arms: those with among[k] != 0; NULL: all.  From 1 +
 * the arms that are nearer, to their number - those that it is nearer than;
 * rank[] is 0 if it prices no row. */
void score_rank(const struct score *s, size_t arm, enum step_regime r,
		const char *among, size_t rank[2]);
/* Returns the rows of a regime; none before score_group_all(). */
struct step_group score_group(const struct score *s, enum step_regime r);
void score_free(struct score *s);
/* Returns the pair of two arms in a regime; NULL: there is none. */
const struct step_pair *score_pair(const struct score *s, size_t a, size_t b,
				   enum step_regime regime);
