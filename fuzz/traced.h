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

/* Every row comes once, after those that it waits for, unless one is too late
 * for the clock. */
static void traced_trees(struct replay *r)
{
	struct clients l = {0};
	struct request q;
	struct problem p;
	struct pending next;
	int64_t ns = 0, end_ns = 0;
	uint64_t n = 0;
	int got = 0;
	while (l.n || (got = replay_peek(r, &ns, &p)) == 1) {
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
	if (got == 0 && n != r->n)
		abort();
	clients_free(&l);
}

/* In the order of time rows that last come twice over; in that of the file they
 * begin with the second. */
static int traced_again(struct replay *r, int by_time, struct problem *p)
{
	if (by_time)
		return r->period_ns > 0 ? replay_repeat(r, 2, p) : 0;
	return r->trees.n ? 0 : replay_begin_at(r, r->rows > 1, r->rows, p);
}

/* Takes t. */
static void traced(struct trace *t, int by_time)
{
	struct replay r;
	struct request q;
	struct problem p;
	int64_t ns, before = 0;
	if (!*trace_format_name(t) || (trace_note(t) && !*trace_note(t)) ||
	    (trace_takes_lengths(t) && trace_is_absolute(t)))
		abort();
	if (replay_open(&r, t, MOST_ROWS, by_time, &p) < 0)
		return;
	int rc = traced_again(&r, by_time, &p);
	if (rc == 0 && r.trees.n)
		traced_trees(&r);
	while (rc == 0 && !r.trees.n && replay_peek(&r, &ns, &p) == 1 &&
	       replay_take(&r, &q, &p) == 0) {
		traced_request(&q, by_time ? ns : 0);
		if (by_time && ns < before)
			abort();
		before = ns;
	}
	/* Of all rows there is more to note than before the first. */
	if (trace_note(t) && !*trace_note(t))
		abort();
	replay_free(&r);
}
#endif
