/* planned.c -- Hands out requests from a list. */
#include <config.h>
#include "workload/planned.h"
#include <stdlib.h>

int plan_open(struct plan *l, const struct planned_request *request, uint64_t n,
	      uint64_t concurrency)
{
	uint64_t clients = concurrency < n ? concurrency : n;
	*l = (struct plan){.request = request,
			   .n = n,
			   .concurrency = concurrency,
			   .n_free = clients};
	l->free_ns = calloc(n + clients + 1, sizeof *l->free_ns);
	return l->free_ns ? 0 : -1;
}

void plan_free(struct plan *l)
{
	free(l->free_ns);
}

int plan_peek(const struct plan *l, int64_t *arrival_ns)
{
	if (l->taken == l->n || (l->concurrency && l->used == l->n_free))
		return 0;
	*arrival_ns = l->request[l->taken].arrival_ns;
	if (l->concurrency && l->free_ns[l->used] > *arrival_ns)
		*arrival_ns = l->free_ns[l->used];
	return 1;
}

void plan_pop(struct plan *l, struct request *r)
{
	const struct planned_request *from = &l->request[l->taken];
	*r = (struct request){.row = l->taken,
			      .input_tokens = from->input_tokens,
			      .output_tokens = from->output_tokens,
			      .n_segments = from->n_segments,
			      .segment = from->segment};
	plan_peek(l, &r->arrival_ns);
	l->taken++;
	l->used += l->concurrency > 0;
}

void plan_finished(struct plan *l, int64_t finish_ns)
{
	if (l->concurrency)
		l->free_ns[l->n_free++] = finish_ns;
}
