/* steps/fit.h -- knobs of an arm fitted to measured steps, and whether that
 * helps on deployments that the fit has not seen.
 *
 * The fit runs in a job, with the arm open on every deployment; each fold is a
 * job of its own.  So the result does not depend on how many run at once.
 * [main] */
#pragma once
#include "steps/fit_state.h"

extern const char *const fit_residual_choice[]; /* up to NULL */
extern const char *const fit_weight_choice[];   /* up to NULL */

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
