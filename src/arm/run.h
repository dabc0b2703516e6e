/* arm/run.h -- an arm at work in a job: opened, guarded, used, closed, in that
 * order, with the job's watch told where the plugin's code runs.
 * [main] of the job; no printing. */
#ifndef SC_ARM_RUN_H
#define SC_ARM_RUN_H
#include "arm/arm.h"
#include "jobs/guard.h"
#include "jobs/jobs.h"

/* What the job does with its arm; the guards are in place.  0, or -1 with
 * *p. */
typedef int (*arm_fn)(struct job *j, struct arm *a, void *ctx,
		      struct problem *p);

/* Arm i of the configuration, and the one that prices its decode pool, if
 * any.  host: as arm_open() takes it.  0, or -1 with *p. */
int arm_run(struct job *j, const struct config *c, size_t i,
	    const sc_host *host, arm_fn work, void *ctx, struct problem *p);

/* An arm that is used again and again: arm_prepare() and whenever the
 * configuration changes arm_prepare_again(), with an instance in between.  Not
 * to be moved. */
struct arm_at_work {
	struct arm arm;
	struct guard guard[2], drafter_guard[2]; /* by pool */
};
/* As arm_create() and arm_destroy(), with guards around the instances. */
int arm_work_create(struct arm_at_work *w, struct watch *watch,
		    struct problem *p);
void arm_work_destroy(struct arm_at_work *w);
/* After a use: what is not looked at in every call.  0, or -1 with *p. */
int arm_work_look(struct arm_at_work *w, struct problem *p);
void arm_work_close(struct arm_at_work *w);

/* Every arm of a configuration in a job of its own. */
struct arms_at_work {
	struct jobs arms;
	size_t n;
	struct job *job; /* [n] */
	struct arm_job *task;
};
/* host: NULL for one that drops what is logged; where its ctx is NULL, that is
 * the job's stream[0].  how: as jobs_run() takes it.  -1 with *p: nothing was
 * run.  How each arm fared is in its job; arms_run_free() in either case. */
int arms_run_all(struct arms_at_work *a, const struct config *c,
		 const sc_host *host, arm_fn work, void *ctx,
		 const struct jobs_options *how, struct problem *p);
/* 1: some arm did not fail. */
int arms_run_worked(const struct arms_at_work *a);
void arms_run_free(struct arms_at_work *a);

/* Bytes of step memory that simulating any arm of the configuration takes;
 * known before an arm is open. */
size_t arm_run_step_bytes(const struct config *c);

/* As simulate() takes them. */
void arm_run_costs(struct arm *a, struct cost *cost[2]);
#endif
