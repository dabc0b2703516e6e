/* jobs/child.h -- child processes that run plugins' code: started with limits,
 * watched, ended with all that they started, and how each ended in one line.
 *
 * While children are open, SIGCHLD, SIGINT, SIGTERM and SIGHUP are blocked and
 * taken one by one: no handler, no race.  Children end with their parent,
 * whatever ends it; nothing has a name in the file system.
 * Not to be used from a process with threads.  [main] */
#ifndef SC_JOBS_CHILD_H
#define SC_JOBS_CHILD_H
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/problem.h"
#include "jobs/orphans.h"
#include "jobs/status.h"

enum { CHILDREN_AT_ONCE = 256 };

/* Zeroed before its first start. */
struct child {
	/* the caller's, in memory that both processes share */
	struct job_status *status;
	const int *done; /* the child sets it when its work is over          */
	void *user;
	/* the caller reads */
	pid_t pid; /* 0: none runs                                           */
	struct problem end; /* when it is gone; EXIT_DONE: as it should      */
	/* child.c's own */
	pid_t was; /* the last one, whose signals may still come             */
	uint64_t calls_seen;
	uint32_t place_seen;
	int64_t since_ns; /* nothing has moved                               */
	int late;         /* killed for it                                   */
};

struct children {
	/* the caller's */
	struct child *child; /* [n], n at most CHILDREN_AT_ONCE              */
	unsigned n;
	double answer_limit_s;   /* for one call of a plugin; 0: none        */
	double memory_limit_gib; /* address space of a child; 0: none        */
	void (*ended)(void *user, struct child *k); /* it is gone            */
	void *user;
	/* the caller reads */
	int interrupted; /* the signal by which the user wants it to end     */
	/* child.c's own */
	sigset_t wanted, before;
	struct sigaction chld_before;
	struct orphans orphans;
};

void children_open(struct children *c);
/* Ends those that still run.  0, or -1 with *p: interrupted at the last
 * moment, where rc is 0; else rc. */
int children_close(struct children *c, int rc, struct problem *p);

/* What a child does; it then ends with exit code 0. */
typedef void (*child_fn)(void *user);
/* 0, or -1 with *p. */
int child_start(struct children *c, struct child *k, child_fn run, void *user,
		struct problem *p);
/* It ends at once, as if nothing were wrong. */
void child_stop(struct children *c, struct child *k);

/* Takes those that have ended, or are in one call of a plugin for too long. */
void children_look(struct children *c);
/* Waits so long at most for a signal, and takes all that have come.  0, or -1
 * with *p (128 + the signal): the user wants it all to end. */
int children_wait(struct children *c, int64_t ns, struct problem *p);
/* NULL: all run. */
struct child *children_free_one(const struct children *c);
int children_busy(const struct children *c);

/* Memory in which a step's columns may lie, at the same address in both. */
struct memory_range {
	const void *at;
	size_t bytes;
};
/* "arm NAME: what, at step N; step,decode,prefill,sampled: ...".  A column of
 * the step is believed where it lies in one of the n ranges; n 0: anywhere.
 * name NULL: without the arm.  free() it; NULL: out of memory. */
char *child_complaint(const char *name, struct problem *p,
		      const struct job_status *status,
		      const struct memory_range *range, size_t n);
#endif
