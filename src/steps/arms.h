/* steps/arms.h -- every arm of a configuration on every deployment of a set of
 * steps.  The deployment is laid over the configuration, by the rules of the
 * aliases; each pair is a job of its own, so that an arm that fails on one
 * deployment costs only those rows.  [main] */
#pragma once
#include "arm/run.h"
#include "base/arrays.h"
#include "cost/strict.h"
#include "steps/set.h"

struct step_arms {
	const struct step_set *set;
	/* [set->n_deployments] the configuration of each; zeroed where
	 * `refused` says why there is none */
	struct config *config;
	char **refused;
	char *wanted; /* --arms with the extra arm; NULL */
	size_t n_arms;
	const char **arm, **plugin; /* [n_arms] names */
	/* From the last run: a job for each arm and deployment. */
	struct jobs jobs;
	struct job *job;
	struct step_arms_task *task;
	size_t *pair; /* [n_arms * n_deployments] job of it; SIZE_MAX: none */
	struct arrays arrays;
};

struct step_arms_options {
	const char *path;       /* of the configuration */
	const char *const *set; /* as given with --set */
	size_t n_set;
	const char *arms; /* as given with --arms, or NULL */
	/* The name of one more arm behind the others, with plugin = linear;
	 * NULL: none. */
	const char *extra;
	const struct config *beside; /* as config_load_beside() */
};
/* Loads the configurations.  Returns 0, or -1 with *p filled in if no
 * deployment has one.  The caller calls step_arms_free() in either case. */
int step_arms_open(struct step_arms *a, const struct step_set *set,
		   const struct ini *aliases, const struct step_arms_options *o,
		   struct problem *p);
void step_arms_free(struct step_arms *a);

/* Uses an arm on a deployment, in its job, which has o->shared_bytes. */
typedef int (*step_arms_fn)(struct job *j, struct arm *a,
			    const struct step_deployment *d, void *ctx,
			    struct problem *p);
/* Runs `work` on every pair.  Messages of plugins go to stream 0.  Returns 0,
 * or -1 with *p filled in if nothing was run; each job says how it fared. */
int step_arms_run(struct step_arms *a, step_arms_fn work, void *ctx,
		  const struct jobs_options *o, struct problem *p);
/* Returns the job of an arm on a deployment; NULL: there is none. */
const struct job *step_arms_job(const struct step_arms *a, size_t arm,
				size_t deployment);
/* Returns why an arm priced nothing of a deployment; NULL: it did. */
const char *step_arms_why(const struct step_arms *a, size_t arm,
			  size_t deployment);

/* Prices a row in a job: with the graph that the engine would use where the row
 * does not say, and refuses decodes of several tokens that the plugin cannot
 * price.  *step: the step as it was priced.  Returns NULL with *p filled in. */
const sc_result *step_price(struct arm *a, const struct given_step *g,
			    sc_step *step, struct problem *p);
/* Refuses an answer that --strict does not allow.  Returns 0, or -1 with *p
 * filled in (EXIT_INPUT). */
int step_check_strict(const struct strict *strict, const struct arm *a,
		      const struct given_step *g, const sc_step *step,
		      const sc_result *r, struct problem *p);
