/* jobs/watch.h -- watches a process in which plugin code runs.  It notes in the
 * job's status where that code is.  When the code returns, the watch finds out
 * what it did besides answering: it printed, changed the process, overwrote
 * memory of the host, started processes or threads that are not allowed, or
 * returned twice.
 *
 *   watch_enter(w, JOB_IN_CREATE, "name");
 *   … the plugin's code …
 *   if (watch_leave(w) < 0)   w->violation says what, and where
 *
 * The first violation counts; after it no code of the plugin may run.  A call
 * costs some tens of ns.  Checks that need system calls run after the first
 * calls and then more and more rarely. */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "jobs/process_state.h"
#include "jobs/status.h"

/* Private to the process, except *status. */
struct watch {
	struct job_status *status;
	uint64_t at;        /* the last value written to the status */
	const char *plugin; /* the name in the status */
	int alone;          /* 1: a process that runs only this job */
	/* A word that is 0 only in a forked copy of this process. */
	const volatile uint64_t *original;
	/* captured output; NULL: not captured */
	volatile unsigned char *printed;
	uint32_t fp_modes;
	int does_io;    /* 1: the plugin may talk to another program */
	int looks_away; /* 1: notes the place, but checks nothing */
	/* Threads that may exist between calls of eval(), and after the last
	 * instance is destroyed. */
	unsigned idle_threads, load_threads;
	unsigned n_loaded, n_created; /* plugins loaded, instances created */
	uint64_t n_left;              /* number of calls that returned */
	uint64_t n_creates;           /* number of these that were create() */
	uint64_t next_glance;         /* at that call, counted from 0 */
	struct process_state before;
	struct problem violation; /* EXIT_DONE: none so far */
};

/* Records the state of the process; call it before a plugin is loaded.  fd: n
 * files of the host that only the host may write to.  alone: this process runs
 * one job and ends; its standard output is captured.  Returns 0, or -1 with *p
 * filled in.  The caller calls watch_close() in either case. */
int watch_open(struct watch *w, struct job_status *status, int alone,
	       const int *fd, unsigned n, struct problem *p);
void watch_close(struct watch *w);
/* Records the state again, after the host itself changed the process. */
void watch_take_stock(struct watch *w, const int *fd, unsigned n);

/* plugin: its name, which must live until another one is passed.  [hot] */
void watch_enter(struct watch *w, enum job_place place, const char *plugin);
/* Returns 0, or -1 with w->violation filled in.  [hot] */
int watch_leave(struct watch *w);
/* Allows the plugin to have children: it declares SC_CAP_DOES_IO. */
void watch_does_io(struct watch *w);
/* Reports a violation that other code found, at the current or last place of
 * the watch.  Returns -1. */
int watch_report_violation(struct watch *w, const char *what);
/* Checks everything, between calls.  Returns 0, or -1 with w->violation filled
 * in. */
int watch_look(struct watch *w);
/* Checks everything when no plugin code will run any more; threads and
 * processes that still run count as violations.  Returns 0, or -1 with
 * w->violation filled in. */
int watch_finish(struct watch *w);
