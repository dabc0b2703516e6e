/* jobs/pool_task.h -- the tasks of a pool (jobs/pool.h): who does them, where
 * they come from, and where their results go. */
#pragma once
#include <stddef.h>
#include "base/problem.h"
#include "jobs/status.h"
#include "jobs/watch.h"

/* A worker, as its own code sees it. */
struct pool_worker {
	unsigned group;
	struct job_status *status;
	struct watch *watch; /* open, for guard_install() and arms */
	/* [pool_options.shared_bytes]; the columns of a step lie here */
	void *shared;
	void *own; /* data that the work keeps between tasks; NULL at first */
};

/* The result of a task. */
struct pool_result {
	int code;         /* EXIT_DONE: it succeeded */
	int crashed;      /* 1: its worker is gone */
	const char *says; /* the one line, without the arm; "": it succeeded */
	/* [result_bytes]; after a crash as far as it was filled in, zeroed
	 * before */
	const void *data;
};

/* What next() returns. */
enum { POOL_NO_MORE, POOL_NEXT, POOL_LATER };

struct pool_options {
	unsigned n_groups;
	unsigned at_once; /* workers at work; 0: one per core */
	/* 1: no children, for debuggers; failures are not contained */
	int in_process;
	double answer_limit_s;   /* for one call of a plugin; 0: none */
	double memory_limit_gib; /* address space of a worker; 0: none */
	size_t shared_bytes, task_bytes, result_bytes;
	/* Called in a worker.  Returns 0, or -1 with *p filled in. */
	int (*work)(struct pool_worker *w, void *user, const void *task,
		    void *result, struct problem *p);
	/* Called in a worker when it has no more to do; frees w->own. */
	void (*on_exit)(struct pool_worker *w, void *user);
	/* Called in the parent.  Returns POOL_NEXT with the next task of a
	 * group, POOL_NO_MORE if there are no more, POOL_LATER if the next one
	 * depends on a result that is still to come, or -1 with *p filled in,
	 * which ends everything. */
	int (*next_task)(void *user, unsigned group, void *task,
			 struct problem *p);
	/* Called in the parent when a task is over.  Returns 0, or -1 with *p
	 * filled in. */
	int (*on_done)(void *user, unsigned group, const void *task,
		       const struct pool_result *a, struct problem *p);
	/* Called in the parent every few milliseconds.  Returns 0, or -1 with
	 * *p filled in. */
	int (*on_tick)(void *user, struct problem *p);
	void *user;
};
