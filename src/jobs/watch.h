/* jobs/watch.h -- watches a process in which plugins' code runs.  It notes in
 * the job's status where that code is, and finds out when it returns what it
 * did besides answering: printed, changed the process, wrote over what is not
 * its own, started what it may not, came back twice.
 *
 *   watch_enter(w, JOB_IN_CREATE, "name");
 *   … the plugin's code …
 *   if (watch_leave(w) < 0)   w->misdeed says what, and where
 *
 * The first misdeed counts; after it no code of the plugin is to run.
 * Costs some tens of ns per call.  What takes system calls to see is looked at
 * after the first calls and then now and again, the less often the more calls
 * there have been. */
#ifndef SC_JOBS_WATCH_H
#define SC_JOBS_WATCH_H
#include <stdint.h>
#include "base/problem.h"
#include "jobs/process_state.h"
#include "jobs/status.h"

/* Private to the process, but for *status. */
struct watch {
	struct job_status *status;
	uint64_t at; /* what the status says, unless somebody wrote there    */
	const char *plugin; /* whose name stands there                       */
	int alone;          /* a process that has no other purpose           */
	/* A word that is not 0 but in a copy of this process. */
	const volatile uint64_t *original;
	volatile unsigned char *printed; /* where output lands; NULL: nowhere */
	uint32_t fp_modes;
	int does_io;    /* the plugin may talk to another program           */
	int looks_away; /* notes the place, and judges nothing              */
	/* Threads that there may be: between calls of eval(); once nothing is
	 * created any more. */
	unsigned idle_threads, load_threads;
	unsigned n_loaded, n_created; /* plugins, instances                  */
	uint64_t n_left;      /* calls that have come back                  */
	uint64_t n_creates;   /* of them, of create()                        */
	uint64_t next_glance; /* at that call, from 0                        */
	struct process_state before;
	struct problem misdeed; /* EXIT_DONE: none yet                       */
};

/* Takes stock: before a plugin is loaded.  fd: n files of the host that nobody
 * else is to write to.  alone: this process runs one job and ends; its standard
 * output is taken from it. 0, or -1 with *p.  watch_close() in either case. */
int watch_open(struct watch *w, struct job_status *status, int alone,
	       const int *fd, unsigned n, struct problem *p);
void watch_close(struct watch *w);
/* The same once more: the host itself has changed the process. */
void watch_take_stock(struct watch *w, const int *fd, unsigned n);

/* plugin: its name, which must live until another comes.  [hot] */
void watch_enter(struct watch *w, enum job_place place, const char *plugin);
/* 0, or -1: w->misdeed.  [hot] */
int watch_leave(struct watch *w);
/* The plugin may have children: it has declared SC_CAP_DOES_IO. */
void watch_does_io(struct watch *w);
/* A misdeed that somebody else has found, at the place that the watch is at or
 * was last.  Returns -1. */
int watch_blame(struct watch *w, const char *what);
/* Between calls: looks at everything.  0, or -1: w->misdeed. */
int watch_look(struct watch *w);
/* No code of any plugin is to run any more: looks at everything, and at what is
 * left running.  0, or -1: w->misdeed. */
int watch_finish(struct watch *w);
#endif
