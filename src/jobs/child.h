/* jobs/child.h -- child processes that run plugins' code: started with limits
 * and with nothing open that is not theirs, watched, ended with all that they
 * started, and how each ended in one line.
 *
 * While children are open, signals are blocked and taken one by one: no
 * handler, no race; one that a child has sent ends that child alone.  Children
 * end with their parent, whatever ends it. Not to be used from a process with
 * threads.  [main] */
#ifndef SC_JOBS_CHILD_H
#define SC_JOBS_CHILD_H
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/problem.h"
#include "jobs/orphans.h"
#include "jobs/overheard.h"
#include "jobs/status.h"

enum { CHILDREN_AT_ONCE = 256 };

/* Zeroed before its first start. */
struct child {
	/* the caller's */
	struct job_status *status; /* in memory that both share              */
	const char *plugin; /* whose code it runs, where the status does not
			       say; may be NULL                              */
	const int *keep;    /* n_keep descriptors, ascending, that it has
			       besides 0, 1 and 2                            */
	unsigned n_keep;
	void *user;
	/* the caller reads */
	pid_t pid;          /* 0: none runs                                   */
	int clean;          /* it ended by itself, with exit(0)               */
	struct problem end; /* how it ended, as if it should not have        */
	struct overheard said; /* on standard error; the caller frees the text*/
	/* child.c's own */
	uint64_t at_seen;
	int64_t since_ns; /* nothing has moved                               */
};

struct children {
	/* the caller's */
	struct child *child; /* [n], n at most CHILDREN_AT_ONCE              */
	unsigned n;
	double answer_limit_s;   /* for one call of a plugin; 0: none        */
	double memory_limit_gib; /* address space of a child; 0: none        */
	/* It is gone, with all that it started. */
	void (*ended)(void *user, struct child *k);
	void *user;
	/* the caller reads */
	int interrupted; /* the signal by which the user wants it to end     */
	/* child.c's own */
	int signals;     /* a descriptor that they come from                */
	sigset_t before; /* the mask that children get back                  */
	struct sigaction chld_before;
	struct orphans orphans;
	unsigned ended_had_children; /* one that is gone, and saw them end */
};

/* 0, or -1 with *p.  children_close() in either case. */
int children_open(struct children *c, struct problem *p);
/* Ends those that still run.  0, or -1 with *p: interrupted at the last
 * moment, where rc is 0; else rc. */
int children_close(struct children *c, int rc, struct problem *p);

/* What a child does; it then ends with exit code 0. */
typedef void (*child_fn)(void *user);
/* 0, or -1 with *p. */
int child_start(struct children *c, struct child *k, child_fn run, void *user,
		struct problem *p);
/* It ends at once, as if nothing were wrong; ended() is not told. */
void child_stop(struct children *c, struct child *k);

/* Takes those that have ended, are in one call of a plugin for too long, or
 * wrote over their status. */
void children_look(struct children *c);
/* Waits so long at most for a signal, or for a child to say something, and
 * takes all that has come.  0, or -1 with *p (128 + the signal): the user wants
 * it all to end. */
int children_wait(struct children *c, int64_t ns, struct problem *p);
/* NULL: all run. */
struct child *children_free_one(const struct children *c);
int children_busy(const struct children *c);
/* The plugin whose code it was, "": the host's. */
const char *child_plugin(const struct child *k);
#endif
