/* lengths.c -- Counts requests that an engine can never serve. */
#include "capacity/lengths.h"
#include <math.h>
#include "sim/handover.h"
#include "sim/rejections.h"
#include "capacity/run.h"

static struct workload_keys drawn(const struct workload_keys *from)
{
	struct workload_keys k = *from;
	if (*k.trace)
		return k;
	uint64_t turns = (uint64_t)k.turns;
	k.seed = (int64_t)run_seed(from, 0);
	k.num_requests = (int64_t)((LENGTHS_DRAWN + turns - 1) / turns * turns);
	return k;
}

int capacity_lengths(const struct capacity_task *t,
		     struct capacity_lengths *out, struct problem *p)
{
	const struct workload_keys k = drawn(t->workload);
	const struct engine *e = t->engine;
	struct request q;
	int64_t at_ns;
	double tokens = 0;
	int got;
	*out = (struct capacity_lengths){.output_tokens = NAN};
	struct workload *w = workload_open_with(&k, t->cfg, t->traces, p);
	if (!w)
		return -1;
	/* Lengths do not depend on arrivals. */
	if (!*k.trace && !k.concurrency)
		workload_send_at_once(w);
	while ((got = workload_peek(w, &at_ns, p)) == 1 &&
	       (got = workload_pop(w, &q, p)) == 0) {
		out->drawn++;
		enum rejection why =
		    rejection_of(e, &q, handover_is_due(e, &q));
		if (why == N_REJECTIONS) {
			tokens += q.output_tokens;
		} else {
			out->rejected++;
			rejections_add(&out->why, why, &q);
		}
		workload_finished(w, q.row, q.arrival_ns);
	}
	workload_free(w);
	double served = (double)(out->drawn - out->rejected);
	if (out->drawn)
		out->rejected_share =
		    (double)out->rejected / (double)out->drawn;
	if (served > 0)
		out->output_tokens = tokens / served;
	return got < 0 ? -1 : 0;
}
