/* jobs/pool_tasks.h -- the tasks of a group that are still to be done:
 * first those to repeat, then those that the caller of the pool still has. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "jobs/pool_task.h"

/* A task to repeat. */
struct pool_again {
	int fresh; /* 1: only a worker without any task before */
	void *task;
};

/* Zeroed at first. */
struct pool_group {
	int is_over;  /* next_task() has no more */
	int is_later; /* it has none until a result has come */
	uint64_t n_given;
	double task_ns; /* time per task; 0: unknown */
	struct pool_again *again;
	size_t n_again, cap_again;
};

/* Keeps a copy of a task; the last one kept is taken first.  Returns 0, or
 * -1 if memory is out. */
int pool_repeat_task(struct pool_group *g, const void *task, size_t bytes,
		     int fresh);
/* Returns 1 with the next task and whether it needs a fresh worker, 0 if
 * there is none, or -1 with *p filled in by next_task(). */
int pool_next_task(struct pool_group *g, const struct pool_options *o,
		   unsigned group, void *task, int *fresh, struct problem *p);
static inline int pool_has_more(const struct pool_group *g)
{
	return g->n_again || !(g->is_over || g->is_later);
}
void pool_group_free(struct pool_group *g);
