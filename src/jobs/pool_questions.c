/* pool_questions.c -- Keeps questions that must be asked again. */
#include <config.h>
#include "jobs/pool_questions.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 64 };

int pool_keep_question(struct pool_group *g, const void *question, size_t bytes,
		       int fresh)
{
	if (g->n_again == g->cap_again) {
		size_t cap = g->cap_again ? 2 * g->cap_again : FIRST_CAP;
		struct pool_again *more = realloc(g->again, cap * sizeof *more);
		if (!more)
			return -1;
		g->again = more;
		g->cap_again = cap;
	}
	void *copy = malloc(bytes);
	if (!copy)
		return -1;
	memcpy(copy, question, bytes);
	g->again[g->n_again++] = (struct pool_again){fresh, copy};
	return 0;
}

int pool_next_question(struct pool_group *g, const struct pool_options *o,
		       unsigned group, void *question, int *fresh,
		       struct problem *p)
{
	*fresh = 0;
	if (g->n_again) {
		struct pool_again a = g->again[--g->n_again];
		memcpy(question, a.question, o->question_bytes);
		free(a.question);
		*fresh = a.fresh;
		return 1;
	}
	if (!pool_has_more(g))
		return 0;
	int got = o->next(o->user, group, question, p);
	g->is_over = got == POOL_OVER;
	g->is_later = got == POOL_LATER;
	g->n_given += got == POOL_NEXT;
	return got == POOL_LATER ? 0 : got;
}

void pool_group_free(struct pool_group *g)
{
	for (size_t i = 0; i < g->n_again; i++)
		free(g->again[i].question);
	free(g->again);
}
