/* jobs/status.h -- what a job tells its parent while it runs, and leaves behind
 * when it is gone: whether its plugin's code is running, the step that the
 * plugin got, the progress of the simulation.  It lies in memory that both
 * share; only the job writes there.  A plugin may have overwritten it:
 * status_is_sound() tells. */
#pragma once
#include <stdatomic.h>
#include <stdint.h>
#include "stepcost/plugin.h"

enum job_place {
	JOB_IN_HOST,
	JOB_IN_LOAD, /* constructors, the entry function */
	JOB_IN_CREATE,
	JOB_IN_EVAL,
	JOB_IN_KERNEL,
	JOB_IN_DESTROY,
	JOB_IN_UNLOAD, /* destructors */
	N_JOB_PLACES
};

/* The columns of `step` must lie in memory that both processes have at the same
 * address. */
struct job_status {
	/* `at`: enum job_place in the low byte, the number of calls into the
	 * plugin above it.  `check` is its complement; if they do not agree,
	 * neither counts. */
	_Atomic uint64_t at, check;
	uint32_t has_step;        /* 1: `step` is filled in */
	uint32_t failed_step;     /* 1: the failure is about `step` */
	_Atomic int64_t clock_ns; /* of the simulation, for the progress line */
	/* requests that ended, for the progress line */
	_Atomic uint64_t n_ended;
	uint64_t n_requests; /* in total; 0: not known yet */
	uint64_t n_kernels;  /* number of calls of kernel() begun */
	char plugin[64];
	sc_step step;     /* the last one that the plugin got */
	uint32_t n_steps; /* steps that it got in that call, from this one on */
};

/* Resets the status to that of a job that has done nothing yet. */
void status_begin(struct job_status *s);
/* Notes a move to another place; a place in the plugin counts as a call.  `at`
 * is the value that the last call returned, 0 at first, because the value in *s
 * cannot be trusted.  Returns the new value. */
static inline uint64_t status_move(struct job_status *s, uint64_t at,
				   enum job_place place)
{
	at = ((at >> 8) + (place != JOB_IN_HOST)) << 8 | place;
	atomic_store_explicit(&s->at, at, memory_order_release);
	atomic_store_explicit(&s->check, ~at, memory_order_release);
	return at;
}
/* Returns 1 if only status_move() wrote there. */
static inline int status_is(const struct job_status *s, uint64_t at)
{
	return atomic_load_explicit(&s->at, memory_order_relaxed) == at &&
	       atomic_load_explicit(&s->check, memory_order_relaxed) == ~at;
}

/* ---- for the reader, outside the job ---- */

/* Returns 1 with *at; returns 0 if the value makes no sense, or is being
 * written at this moment. */
int status_is_sound(const struct job_status *s, uint64_t *at);
enum job_place status_place(uint64_t at);
/* Returns the name of the plugin, "" if none was loaded, or NULL if the text is
 * no name. */
const char *status_plugin(const struct job_status *s);
/* Returns " in eval()", " while loading", or "" in the host. */
const char *status_place_text(enum job_place place);
/* Returns "eval", "load": the beginning of messages about a plugin. */
const char *status_place_name(enum job_place place);
