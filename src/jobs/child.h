/* jobs/child.h -- child processes that run plugin code.  They start with limits
 * and with only their own files open, are watched, and end together with
 * everything that they started; one line says how each ended.
 *
 * While children are open, signals are blocked and read one by one: no handler,
 * no race.  A signal that a child has sent ends only that child.  Children end
 * with their parent, however it ends.  Must not be used in a process with
 * threads.  [main] */
#pragma once
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/problem.h"
#include "jobs/orphans.h"
#include "jobs/captured_stderr.h"
#include "jobs/status.h"

enum { CHILDREN_AT_ONCE = 256 };

/* Zero it before its first start. */
struct child {
	/* Set by the caller: */
	struct job_status *status; /* in memory that both processes share */
	/* The plugin that it runs, used if the status has no name; may be
	 * NULL. */
	const char *plugin;
	/* [n_keep] descriptors, ascending, that stay open besides 0, 1 and
	 * 2. */
	const int *keep;
	unsigned n_keep;
	void *user;
	/* Read by the caller: */
	pid_t pid;          /* 0: none runs */
	int clean;          /* 1: it ended by itself, with exit(0) */
	struct problem end; /* how it ended, as an error */
	/* its standard error; the caller frees the text */
	struct captured_stderr said;
	/* Private to child.c: */
	uint64_t at_seen;
	int64_t since_ns; /* when `at` changed */
	/* what it and we had waited for a processor, soon after; -1: not
	 * known yet */
	int64_t queued_ns;
};

struct children {
	/* Set by the caller: */
	struct child *child; /* [n], n at most CHILDREN_AT_ONCE */
	unsigned n;
	/* For one call of a plugin, apart from the time that the processes
	 * wait for a processor; 0: none. */
	double answer_limit_s;
	double memory_limit_gib; /* address space of a child; 0: none */
	/* Called when a child is gone, with everything that it started. */
	void (*ended)(void *user, struct child *k);
	void *user;
	/* Read by the caller: */
	int interrupted; /* signal by which the user ended the run; 0: none */
	/* Private to child.c: */
	int signals;     /* descriptor to read signals from */
	sigset_t before; /* signal mask that children get back */
	struct sigaction chld_before;
	struct orphans orphans;
	/* 1: a child that is gone had children of its own */
	unsigned ended_had_children;
};

/* Returns 0, or -1 with *p filled in.  The caller calls children_close() in
 * either case. */
int children_open(struct children *c, struct problem *p);
/* Ends the children that still run.  Returns rc; or -1 with *p filled in if rc
 * is 0 and the user interrupted at the last moment. */
int children_close(struct children *c, int rc, struct problem *p);

/* The work of a child; it then exits with code 0. */
typedef void (*child_fn)(void *user);
/* Returns 0, or -1 with *p filled in. */
int child_start(struct children *c, struct child *k, child_fn run, void *user,
		struct problem *p);
/* Ends a child at once, without an error; ended() is not called. */
void child_stop(struct children *c, struct child *k);

/* Handles children that have ended, that are in one call of a plugin for too
 * long, or that overwrote their status. */
void children_look(struct children *c);
/* Waits at most ns for a signal or for output of a child, and handles all that
 * came.  Returns 0, or -1 with *p filled in (128 + the signal) if the user
 * wants everything to end. */
int children_wait(struct children *c, int64_t ns, struct problem *p);
/* Returns a child that is not running, or NULL if all run. */
struct child *children_free_one(const struct children *c);
int children_busy(const struct children *c);
/* Returns the plugin that the child ran, or "" if it was the host's code. */
const char *child_plugin(const struct child *k);
