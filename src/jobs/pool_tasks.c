/* pool_tasks.c -- Keeps tasks that must be done again. */
#include "jobs/pool_tasks.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"

enum { FIRST_CAP = 64 };

int pool_repeat_task(struct pool_group *g, const void *task, size_t bytes,
		     int fresh)
{
	if (!MAKE_ROOM(g->again, g->n_again, g->cap_again))
		return -1;
	void *copy = malloc(bytes);
	if (!copy)
		return -1;
	memcpy(copy, task, bytes);
	g->again[g->n_again++] = (struct pool_again){fresh, copy};
	return 0;
}

int pool_next_task(struct pool_group *g, const struct pool_options *o,
		   unsigned group, void *task, int *fresh, struct problem *p)
{
	*fresh = 0;
	if (g->n_again) {
		struct pool_again a = g->again[--g->n_again];
		memcpy(task, a.task, o->task_bytes);
		free(a.task);
		*fresh = a.fresh;
		return 1;
	}
	if (!pool_has_more(g))
		return 0;
	int got = o->next_task(o->user, group, task, p);
	g->is_over = got == POOL_NO_MORE;
	g->is_later = got == POOL_LATER;
	g->n_given += got == POOL_NEXT;
	return got == POOL_LATER ? 0 : got;
}

void pool_group_free(struct pool_group *g)
{
	for (size_t i = 0; i < g->n_again; i++)
		free(g->again[i].task);
	free(g->again);
}
