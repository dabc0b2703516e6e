/* workload/planned.h -- requests that are all known in advance: a list with
 * arrival times, or a list that a closed loop works through.  Measured runs are
 * replayed from such a list. */
#pragma once
#include "workload/request.h"

enum { PLANNED_SEGMENTS = 2 };
struct planned_request {
	/* ascending; in a closed loop: not before this time */
	int64_t arrival_ns;
	uint32_t input_tokens, output_tokens; /* both >= 1 */
	uint32_t n_segments;
	struct segment segment[PLANNED_SEGMENTS];
};
struct planned {
	const struct planned_request *request; /* [n] owned by the caller */
	uint64_t n, taken;
	uint64_t concurrency; /* 0: open loop */
	int64_t *free_ns; /* [n] times when clients became free, ascending */
	uint64_t n_free, used;
};

/* Returns 0, or -1 if memory is out. */
int planned_open(struct planned *l, const struct planned_request *request,
		 uint64_t n, uint64_t concurrency);
/* As workload_peek(), workload_pop() and workload_finished(). */
int planned_peek(const struct planned *l, int64_t *arrival_ns);
void planned_pop(struct planned *l, struct request *r);
void planned_finished(struct planned *l, int64_t finish_ns);
void planned_free(struct planned *l);
