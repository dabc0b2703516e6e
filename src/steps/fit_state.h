/* steps/fit_state.h -- a fit as its parts see it: the knobs, the answers of
 * jobs, and the predictions (steps/fit.h). */
#pragma once
#include "steps/arms.h"
#include "steps/figures.h"
#include "steps/fit_apart.h"

enum fit_residual { FIT_RELATIVE, FIT_LOG };
enum fit_weight { FIT_BY_DEPLOYMENT, FIT_BY_STEP, FIT_BY_SPREAD };

struct fit_options {
	const char *knobs; /* "NAME[=START][:LOW..HIGH],..." */
	enum fit_residual residual;
	enum fit_weight weight;
	double soft_l1; /* 0: squares */
	size_t folds;   /* 0: leave one out up to 10 deployments, else 10 */
};

struct fit_knob {
	char *name;
	double start, low, high;
	int start_was_outside; /* 1: the arm's value was outside of the bounds
				*/
};
/* What a job finds; plain data. */
struct fit_found {
	double x[FIT_KNOBS], error[FIT_KNOBS]; /* error: NaN: not known */
	int held[FIT_KNOBS], idle[FIT_KNOBS], at_bound[FIT_KNOBS];
	int no_effect[FIT_KNOBS]; /* at the optimum alone */
	struct fit_apart apart;   /* as found before any knob was held */
	struct fit_solved solved;
};
struct fit_fold {
	char *left_out; /* names of its deployments, or "fold 1" … */
	struct fit_found found;
	struct step_figures figures;
};
struct fit {
	const struct step_set *set;
	struct step_arms *arms;
	struct fit_options options;
	struct fit_knob knob[FIT_KNOBS];
	size_t n;
	double *measured;                /* [set->n] us */
	double *before, *after, *unseen; /* [set->n] us, NaN: not priced */
	size_t *fold_of;                 /* [set->n] */
	struct fit_found found;
	struct fit_fold *fold;
	size_t n_folds;
	struct step_figures at_before, at_after, at_unseen, at_linear;
	int better; /* 1: nearer on steps that it has not seen */
	struct arrays arrays;
};
