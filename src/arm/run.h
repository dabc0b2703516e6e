/* arm/run.h -- an arm in a job: it is opened, guarded, used and closed, in that
 * order; the job's watch knows where the plugin's code is.  [main] of the job;
 * no printing. */
#pragma once
#include "arm/arm.h"
#include "jobs/guard.h"
#include "jobs/jobs.h"

/* Uses the arm; the guards are installed.  Returns 0, or -1 with *p filled
 * in. */
typedef int (*arm_fn)(struct job *j, struct arm *a, void *ctx,
		      struct problem *p);

/* Runs arm i of the configuration, and the arm that prices its decode pool, if
 * any.  host: as in arm_open().  Returns 0, or -1 with *p filled in. */
int arm_run(struct job *j, const struct config *c, size_t i,
	    const sc_host *host, arm_fn work, void *ctx, struct problem *p);

/* An arm that is used repeatedly: call arm_prepare(), and arm_prepare_again()
 * whenever the configuration changes, and create an instance in between.  Must
 * not be moved. */
struct arm_at_work {
	struct arm arm;
	struct guard guard[2], drafter_guard[2]; /* by pool */
};
/* As arm_create() and arm_destroy(), with guards around the instances. */
int arm_work_create(struct arm_at_work *w, struct watch *watch,
		    struct problem *p);
void arm_work_destroy(struct arm_at_work *w);
/* Call it after each use: does the checks that are too slow for every call.
 * Returns 0, or -1 with *p filled in. */
int arm_work_look(struct arm_at_work *w, struct problem *p);
void arm_work_close(struct arm_at_work *w);

/* Every arm of a configuration in its own job. */
struct arms_at_work {
	struct jobs arms;
	size_t n;
	struct job *job; /* [n] */
	struct arm_job *task;
};
/* Runs `work` on every arm.  host: NULL drops log messages; if its ctx is NULL,
 * they go to the job's stream[0].  how: as in jobs_run().  Returns -1 with *p
 * filled in if nothing was run.  Each job says how its arm fared.  The caller
 * calls arms_run_free() in either case. */
int arms_run_all(struct arms_at_work *a, const struct config *c,
		 const sc_host *host, arm_fn work, void *ctx,
		 const struct jobs_options *how, struct problem *p);
/* Returns 1 if any arm succeeded. */
int arms_run_worked(const struct arms_at_work *a);
void arms_run_free(struct arms_at_work *a);

/* Returns the bytes of step memory that are enough for simulating any arm of
 * the configuration; known before an arm is opened. */
size_t arm_run_step_bytes(const struct config *c);

/* Fills in the array that simulate() takes. */
void arm_run_costs(struct arm *a, struct cost *cost[2]);
