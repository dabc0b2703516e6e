/* traced.h -- what every trace that is read holds to, for fuzz targets. */
#ifndef SC_FUZZ_TRACED_H
#define SC_FUZZ_TRACED_H
#include <stdlib.h>
#include "workload/replay.h"

enum { MOST_ROWS = 100 };

static void traced_request(const struct request *q, int64_t ns)
{
	uint64_t tokens = 0;
	for (uint32_t i = 0; i < q->n_segments; i++)
		tokens += q->segment[i].tokens;
	if (ns < 0 || q->input_tokens < 1 || q->output_tokens < 1 ||
	    tokens > q->input_tokens)
		abort();
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
	while (replay_peek(&r, &ns, &p) == 1 && replay_take(&r, &q, &p) == 0) {
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
