/* agenda.c -- A tournament of replicas by the time of their next event. */
#include <config.h>
#include "sim/agenda.h"
#include <stdlib.h>

int agenda_make(struct agenda *a, uint32_t n)
{
	uint32_t leaves = 1;
	while (leaves < n)
		leaves *= 2;
	*a = (struct agenda){.n = leaves,
			     .time = calloc(leaves, sizeof *a->time),
			     .soonest = calloc(leaves, sizeof *a->soonest)};
	if (!a->time || !a->soonest)
		return -1;
	for (uint32_t i = 0; i < leaves; i++)
		a->time[i] = (struct agenda_time){INT64_MAX, i};
	for (uint32_t i = leaves; i-- > 1;)
		a->soonest[i] =
		    i < leaves / 2 ? a->soonest[2 * i] : 2 * i - leaves;
	return 0;
}

void agenda_free(struct agenda *a)
{
	free(a->time);
	free(a->soonest);
	*a = (struct agenda){0};
}

static int is_sooner(const struct agenda *a, uint32_t i, uint32_t k)
{
	const struct agenda_time *x = &a->time[i], *y = &a->time[k];
	return x->ns != y->ns ? x->ns < y->ns : x->then < y->then;
}

/* The replica of a node; leaves come behind the nodes. */
static uint32_t at(const struct agenda *a, uint32_t node)
{
	return node < a->n ? a->soonest[node] : node - a->n;
}

void agenda_set(struct agenda *a, uint32_t replica, int64_t ns, uint32_t kind)
{
	if (a->n == 0)
		return;
	a->time[replica] =
	    (struct agenda_time){ns, (uint64_t)kind << 32 | replica};
	for (uint32_t k = (a->n + replica) / 2; k; k /= 2) {
		uint32_t left = at(a, 2 * k), right = at(a, 2 * k + 1);
		uint32_t best = is_sooner(a, right, left) ? right : left;
		if (a->soonest[k] == best && best != replica)
			return;
		a->soonest[k] = best;
	}
}

uint32_t agenda_soonest(const struct agenda *a)
{
	uint32_t i = a->n > 1 ? a->soonest[1] : 0;
	return a->time[i].ns == INT64_MAX ? UINT32_MAX : i;
}
