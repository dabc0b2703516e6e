/* jobs/status.h -- what a job tells its parent while it runs, and leaves behind
 * when it is gone: where its plugin's code is, the step it was given, how far
 * the simulation has come.  Lies in memory that both share; the job alone
 * writes.  A plugin may have written there, too: status_is_sound() tells. */
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
	JOB_IN_DESTROY,
	JOB_IN_UNLOAD, /* destructors */
	N_JOB_PLACES
};

/* The columns of `step` must lie in memory that both see at the same
 * address. */
struct job_status {
	/* enum job_place, and above it the calls into the plugin begun; and
	 * the complement of that: if they do not agree, neither is true. */
	_Atomic uint64_t at, check;
	uint32_t has_step;        /* `step` has been filled                  */
	uint32_t step_to_blame;   /* what failed is about `step`             */
	_Atomic int64_t clock_ns; /* of the simulation, for the progress line */
	_Atomic uint64_t n_ended; /* requests, for the progress line          */
	uint64_t n_requests;      /* in all, 0: not known yet                */
	uint64_t n_kernels;       /* calls of kernel() begun                 */
	char plugin[64];
	sc_step step; /* the last one given to the plugin                    */
	uint32_t n_steps; /* that it was given with it, from this one on     */
};

/* A job that has done nothing yet. */
void status_begin(struct job_status *s);
/* To another place; one of the plugin's is a call into it.  `at` is what the
 * last one returned, 0 at first: what stands in *s is not believed. */
static inline uint64_t status_move(struct job_status *s, uint64_t at,
				   enum job_place place)
{
	at = ((at >> 8) + (place != JOB_IN_HOST)) << 8 | place;
	atomic_store_explicit(&s->at, at, memory_order_release);
	atomic_store_explicit(&s->check, ~at, memory_order_release);
	return at;
}
/* 1: nobody but status_move() has written there. */
static inline int status_is(const struct job_status *s, uint64_t at)
{
	return atomic_load_explicit(&s->at, memory_order_relaxed) == at &&
	       atomic_load_explicit(&s->check, memory_order_relaxed) == ~at;
}

/* ---- for whoever looks from outside ---- */

/* 1, with *at; 0: what stands there makes no sense, or is being written at this
 * moment. */
int status_is_sound(const struct job_status *s, uint64_t *at);
enum job_place status_place(uint64_t at);
/* The plugin's name, "": none has been loaded; NULL: what stands there is not a
 * name. */
const char *status_plugin(const struct job_status *s);
/* " in eval()", " while loading", "" in the host. */
const char *status_place_text(enum job_place place);
/* "eval", "load", as messages of a plugin begin. */
const char *status_place_name(enum job_place place);
#endif
