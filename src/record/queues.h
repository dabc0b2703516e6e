/* record/queues.h -- how uneven the queues of replicas were while a request
 * waited for its first step.
 *
 * At a moment with W requests waiting at n replicas, w of them at its own, the
 * share max(0, 1 − W / (n · w)) of its wait is uneven: with W / n at each
 * replica it would not be.  Of disaggregated prefill it is the pool with the
 * prompts; ranks count as replicas, because each has a queue of its own.  Where
 * replicas come and go no wait is uneven, because the log does not say when
 * they are there.  Requests that did not end are in no queue.  ns; [one
 * thread]. */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "record/steplog.h"

struct engine; /* engine/engine.h */
struct queued {
	int64_t wait_ns, uneven_ns; /* uneven_ns: of wait_ns */
};
struct queues {
	struct queued *queued; /* by row; NULL: no wait is uneven */
	uint64_t n_rows;
};
/* Reads the log of a run.  Returns 0, or -1 with *p filled in if memory is out;
 * the caller calls queues_free() in either case. */
int queues_read(struct queues *x, const struct engine *e,
		const struct steplog *steps, const struct steplog *requests,
		struct problem *p);
/* Returns the uneven share of a part of a request's wait. */
int64_t queues_uneven(const struct queues *x, uint64_t row, int64_t ns);
void queues_free(struct queues *x);
