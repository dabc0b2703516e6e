/* jobs/status.h -- what a job tells its parent while it runs, and leaves behind
 * when it is gone: where its plugin's code is, the step it was given, how far
 * the simulation has come.  Lies in memory that both share; the job alone
 * writes. */
#ifndef SC_JOBS_STATUS_H
#define SC_JOBS_STATUS_H
#include <stdatomic.h>
#include <stdint.h>
#include "stepcost/plugin.h"

enum job_place {
	JOB_IN_HOST,
	JOB_IN_LOAD, /* constructors, the entry */
	JOB_IN_CREATE,
	JOB_IN_EVAL,
	JOB_IN_KERNEL,
	JOB_IN_DESTROY
};

/* The columns of `step` must lie in memory that both see at the same
 * address. */
struct job_status {
	_Atomic uint32_t place;   /* enum job_place                        */
	uint32_t has_step;        /* `step` has been filled                  */
	uint32_t step_to_blame;   /* what failed is about `step`             */
	_Atomic uint64_t n_calls; /* into the plugin, begun                  */
	_Atomic int64_t clock_ns; /* of the simulation, for the progress line */
	_Atomic uint64_t n_ended; /* requests, for the progress line          */
	uint64_t n_requests;      /* in all, 0: not known yet                */
	const void *guard; /* the one whose plugin `plugin` names            */
	char plugin[64];
	sc_step step; /* the last one given to the plugin                    */
};

void job_enter(struct job_status *s, enum job_place place, const char *plugin);
#endif
