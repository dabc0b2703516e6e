/* traced.h -- what every trace that is read holds to, for fuzz targets. */
#ifndef SC_FUZZ_TRACED_H
#define SC_FUZZ_TRACED_H
#include <stdlib.h>
#include "workload/replay.h"

enum { MOST_ROWS = 100 };

static void traced_request(const struct request *q, int64_t ns)
{
	uint64_t tokens = 0;
	/* Segments may go on into the answer. */
	uint64_t most =
	    q->input_tokens + (q->has_answer ? (uint64_t)q->output_tokens : 0);
	for (uint32_t i = 0; i < q->n_segments; i++)
		tokens += q->segment[i].tokens;
	if (ns < 0 || q->input_tokens < 1 || q->output_tokens < 1 ||
	    tokens > most)
		abort();
}

/* Every row comes once, after those that it waits for. */
static void traced_trees(struct replay *r)
{
	struct clients l = {0};
	struct request q;
	struct problem p;
	struct pending next;
	int64_t ns = 0, end_ns = 0;
	uint64_t n = 0;
	while (l.n || replay_peek(r, &ns, &p) == 1) {
		if (l.n) {
			next = l.heap[0];
			clients_take(&l);
		} else {
			next =
			    (struct pending){ns, trees_next(&r->trees)->first};
			trees_begin(&r->trees, ns, 1, &l);
		}
		if (replay_take_row(r, next.row, &q, &p) < 0)
			abort();
		traced_request(&q, next.ns);
		end_ns = next.ns > end_ns ? next.ns : end_ns;
		trees_ended(&r->trees, next.row, end_ns, &l);
		n++;
	}
	if (n != r->n)
		abort();
	clients_free(&l);
}

/* Takes t. */
static void traced(struct trace *t)
{
	struct replay r;
	struct request q;
	struct problem p;
	int64_t ns, before = 0;
	if (!*trace_format_name(t) || (trace_note(t) && !*trace_note(t)) ||
	    (trace_takes_lengths(t) && trace_is_absolute(t)))
		abort();
	if (replay_open(&r, t, MOST_ROWS, 1, &p) < 0)
		return;
	if (r.trees.n)
		traced_trees(&r);
	while (!r.trees.n && replay_peek(&r, &ns, &p) == 1 &&
	       replay_take(&r, &q, &p) == 0) {
		traced_request(&q, ns);
		if (ns < before)
			abort();
		before = ns;
	}
	/* Of all rows there is more to note than before the first. */
	if (trace_note(t) && !*trace_note(t))
		abort();
	replay_free(&r);
}
#endif
