/* agenda.c -- A tournament of replicas by the time of their next event. */
#include "sim/agenda.h"
#include <stdlib.h>

int agenda_make(struct agenda *a, uint32_t n)
{
	uint32_t leaves = 1;
	while (leaves < n)
		leaves *= 2;
	*a = (struct agenda){.n = leaves,
			     .time = calloc(leaves, sizeof *a->time),
			     .soonest = calloc(2 * leaves, sizeof *a->soonest)};
	if (!a->time || !a->soonest)
		return -1;
	for (uint32_t i = 0; i < leaves; i++) {
		a->time[i] = (struct agenda_time){INT64_MAX, i};
		a->soonest[leaves + i] = i;
	}
	for (uint32_t i = leaves; i-- > 1;)
		a->soonest[i] = a->soonest[2 * i];
	return 0;
}

void agenda_free(struct agenda *a)
{
	free(a->time);
	free(a->soonest);
	*a = (struct agenda){0};
}

static int is_sooner(const struct agenda_time *x, const struct agenda_time *y)
{
	return x->ns != y->ns ? x->ns < y->ns : x->then < y->then;
}

void agenda_set(struct agenda *a, uint32_t replica, int64_t ns, uint32_t kind)
{
	if (a->n == 0)
		return;
	a->time[replica] =
	    (struct agenda_time){ns, (uint64_t)kind << 32 | replica};
	uint32_t best = replica;
	for (uint32_t node = a->n + replica; node > 1; node /= 2) {
		uint32_t other = a->soonest[node ^ 1];
		if (is_sooner(&a->time[other], &a->time[best]))
			best = other;
		if (a->soonest[node / 2] == best && best != replica)
			return;
		a->soonest[node / 2] = best;
	}
}

uint32_t agenda_soonest(const struct agenda *a)
{
	uint32_t i = a->n > 1 ? a->soonest[1] : 0;
	return a->time[i].ns == INT64_MAX ? UINT32_MAX : i;
}
