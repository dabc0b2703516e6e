/* planned.c -- Hands out requests from a list. */
#include "workload/planned.h"
#include <stdlib.h>

int planned_open(struct planned *l, const struct planned_request *request,
		 uint64_t n, uint64_t concurrency)
{
	uint64_t clients = concurrency < n ? concurrency : n;
	*l = (struct planned){.request = request,
			      .n = n,
			      .concurrency = concurrency,
			      .n_free = clients};
	l->free_ns = calloc(n + clients + 1, sizeof *l->free_ns);
	return l->free_ns ? 0 : -1;
}

void planned_free(struct planned *l)
{
	free(l->free_ns);
}

int planned_peek(const struct planned *l, int64_t *arrival_ns)
{
	if (l->taken == l->n || (l->concurrency && l->used == l->n_free))
		return 0;
	*arrival_ns = l->request[l->taken].arrival_ns;
	if (l->concurrency && l->free_ns[l->used] > *arrival_ns)
		*arrival_ns = l->free_ns[l->used];
	return 1;
}

void planned_pop(struct planned *l, struct request *r)
{
	const struct planned_request *from = &l->request[l->taken];
	*r = (struct request){.row = l->taken,
			      .input_tokens = from->input_tokens,
			      .output_tokens = from->output_tokens,
			      .n_segments = from->n_segments,
			      .segment = from->segment};
	planned_peek(l, &r->arrival_ns);
	l->taken++;
	l->used += l->concurrency > 0;
}

void planned_finished(struct planned *l, int64_t finish_ns)
{
	if (l->concurrency)
		l->free_ns[l->n_free++] = finish_ns;
}
