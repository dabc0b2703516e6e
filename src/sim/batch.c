/* batch.c -- Allocates memory for the members of a batch. */
#include "sim/batch.h"
#include <stdlib.h>

int batch_make(struct batch *b, uint32_t max_num_seqs)
{
	size_t n = max_num_seqs;
	*b = (struct batch){
	    .member = malloc(n * sizeof *b->member),
	    .first = malloc(n * sizeof *b->first),
	    .last = malloc(n * sizeof *b->last),
	    .late_gap_ns = malloc(n * sizeof *b->late_gap_ns),
	};
	return b->member && b->first && b->last && b->late_gap_ns ? 0 : -1;
}

void batch_free(struct batch *b)
{
	free(b->member);
	free(b->first);
	free(b->last);
	free(b->late_gap_ns);
	free(b->handed);
	*b = (struct batch){0};
}

void batch_begin_results(struct batch *b, uint32_t n_on_time, int64_t now,
			 int64_t *processed_ns)
{
	b->n_first = b->n_last = b->n_late = 0;
	b->n_on_time = n_on_time;
	b->gap_ns = now - *processed_ns;
	*processed_ns = now;
}
