/* jobs/pool_questions.h -- the questions of a group of tasks: those to ask
 * again, and then those that the caller of the pool still has. */
#ifndef SC_JOBS_POOL_QUESTIONS_H
#define SC_JOBS_POOL_QUESTIONS_H
#include <stddef.h>
#include <stdint.h>
#include "jobs/pool_task.h"

/* A question to ask again. */
struct pool_again {
	int fresh; /* 1: only a worker without any task before */
	void *question;
};

/* Zeroed at first. */
struct pool_group {
	int is_over;  /* next() has no more questions */
	int is_later; /* it has none until an answer has come */
	uint64_t n_given;
	double task_ns; /* time per task; 0: unknown */
	struct pool_again *again;
	size_t n_again, cap_again;
};

/* Keeps a copy of a question; the last one kept is taken first.  Returns 0, or
 * -1 if memory is out. */
int pool_keep_question(struct pool_group *g, const void *question, size_t bytes,
		       int fresh);
/* Returns 1 with the next question and whether it needs a fresh worker, 0 if
 * there is none, or -1 with *p filled in by next(). */
int pool_next_question(struct pool_group *g, const struct pool_options *o,
		       unsigned group, void *question, int *fresh,
		       struct problem *p);
static inline int pool_has_more(const struct pool_group *g)
{
	return g->n_again || !(g->is_over || g->is_later);
}
void pool_group_free(struct pool_group *g);
#endif
