/* steps/fit.h -- knobs of an arm fitted to measured steps, and whether that
 * helps on deployments that the fit has not seen.
 *
 * The fit runs in a job, with the arm open on every deployment; each fold is a
 * job of its own.  So the result does not depend on how many run at once.
 * [main] */
#ifndef SC_STEPS_FIT_H
#define SC_STEPS_FIT_H
#include "steps/arms.h"
#include "steps/figures.h"
#include "steps/fit_apart.h"

enum fit_residual { FIT_RELATIVE, FIT_LOG };
enum fit_weight { FIT_BY_DEPLOYMENT, FIT_BY_STEP, FIT_BY_SPREAD };
extern const char *const fit_residual_choice[]; /* up to NULL */
extern const char *const fit_weight_choice[];   /* up to NULL */

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
};

/* Fits arm 0 of `arms`, which is the only one.  Returns 0, or -1 with *p filled
 * in.  The caller calls fit_free() in either case. */
int fit_steps(struct fit *f, struct step_arms *arms,
	      const struct fit_options *o, const struct jobs_options *jobs,
	      struct problem *p);
void fit_free(struct fit *f);

/* Standard deviations of what the fit leaves (relative): between deployments,
 * and within them.  Returns 0, or -1 with *p filled in: there are fewer than
 * three deployments. */
int fit_sigma(const struct fit *f, double *sigma, double *noise,
	      struct problem *p);
#endif
