/* jobs/guard.h -- stands between the engine and a plugin: notes in the job's
 * status where the plugin's code runs and the step it was given, and catches
 * what a plugin must not do without crashing: write past the result, print,
 * move to another folder, close descriptors, change the floating-point modes.
 *
 * Costs some tens of ns per step.  What takes a system call to see is looked
 * at after each of the first steps and then now and again. */
#ifndef SC_JOBS_GUARD_H
#define SC_JOBS_GUARD_H
#include <stdint.h>
#include <sys/types.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "jobs/status.h"
#include "stepcost/plugin.h"

struct guard {
	sc_plugin outer; /* what the engine calls; its instance is the guard  */
	const sc_plugin *p;
	void *inst;
	struct job_status *status;
	void *page; /* result, slack, and then nothing: beyond is a fault    */
	sc_result *result;
	unsigned char *slack;
	volatile unsigned char *printed; /* where a plugin's output lands    */
	uint64_t n_checks;
	uint32_t fp_modes;
	dev_t cwd_dev;
	ino_t cwd_ino;
};

/* Puts *g around the instance in *c, until cost_destroy(); g must outlive it.
 * printed: see guard_capture(), or NULL.  0, or -1 with *p. */
int guard_install(struct guard *g, struct cost *c, struct job_status *status,
		  volatile unsigned char *printed, struct problem *p);
/* The checks that are not made after every step, once more at the end. */
int guard_finish(struct guard *g, struct problem *p);
void guard_free(struct guard *g);

/* Sends this process's standard output to memory.  Returns it; NULL: failed. */
volatile unsigned char *guard_capture(void);
#endif
