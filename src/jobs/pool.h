/* jobs/pool.h -- worker processes that take task after task, for tasks so short
 * that a process for each would cost more than the work.
 *
 * A task is a question and leaves an answer, both plain data.  Tasks are of
 * groups (an arm each), and a worker serves one group: what a plugin does to
 * its process, it does to its own group.  Where a worker crashes, hangs, or
 * says EXIT_PLUGIN, it is replaced, and the task is asked once more of a worker
 * that has done nothing yet; that answer stands.  So no answer depends on what
 * its worker did before, nor on how many there are.
 * Not to be used from a process with threads.  [main] */
#ifndef SC_JOBS_POOL_H
#define SC_JOBS_POOL_H
#include <stddef.h>
#include "base/problem.h"
#include "jobs/status.h"
#include "jobs/watch.h"

/* A worker, as its work sees it. */
struct pool_worker {
	unsigned group;
	struct job_status *status;
	struct watch *watch; /* open, for guard_install() and arms           */
	void *shared; /* pool_options.shared_bytes; a step's columns lie here */
	void *own; /* what the work keeps from task to task; NULL at first   */
};

/* What became of a task. */
struct pool_answer {
	int code;         /* EXIT_DONE: it went well                         */
	int crashed;      /* its worker is gone                              */
	const char *says; /* the one line, without the arm; "": went well     */
	const void *data; /* answer_bytes; of one that crashed: what it had
			     filled in by then, zero at first                */
};

struct pool_options {
	unsigned n_groups;
	unsigned at_once; /* workers at work; 0: as many as there are cores  */
	int in_process;   /* no children: for debuggers; no containment      */
	double answer_limit_s;   /* for one call of a plugin; 0: none        */
	double memory_limit_gib; /* address space of a worker; 0: none       */
	size_t shared_bytes, question_bytes, answer_bytes;
	/* In a worker.  0, or -1 with *p. */
	int (*work)(struct pool_worker *w, void *user, const void *question,
		    void *answer, struct problem *p);
	/* In a worker, when it has no more to do: frees w->own. */
	void (*leave)(struct pool_worker *w, void *user);
	/* In the parent.  The next question of a group: 1; 0: no more; -1 with
	 * *p: everything ends. */
	int (*next)(void *user, unsigned group, void *question,
		    struct problem *p);
	/* In the parent: a task is over.  0, or -1 with *p. */
	int (*over)(void *user, unsigned group, const void *question,
		    const struct pool_answer *a, struct problem *p);
	/* In the parent, every few milliseconds.  0, or -1 with *p. */
	int (*moment)(void *user, struct problem *p);
	void *user;
};

/* Until no group has a question left.  0, or -1 with *p: nobody could be
 * asked, a function of the caller said so, or it was interrupted, and then
 * *interrupted is the signal. */
int pool_run(const struct pool_options *o, int *interrupted, struct problem *p);
#endif
