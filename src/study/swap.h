/* study/swap.h -- exchanges the parts of a step's time between two arms of a
 * study, one at a time.  The requests run again on the first arm's engine; the
 * first arm prices each step, except one part, which the second arm prices
 * (hybrid.h).  So the effect of that part alone on latencies and capacity is
 * seen, including batches, queues and cache.  Each run is a job of its own.
 * [main] */
#pragma once
#include "cost/composite.h"
#include "capacity/capacity.h"
#include "study/study.h"

/* The result of a job; plain data. */
struct swapped {
	struct outcome outcome;
	struct capacity capacity;
};

/* The first row is the first arm unchanged, the last row is the second arm
 * unchanged, on its own engine; between them there is a row per part. */
enum { SWAP_ROWS = COMPOSITE_PARTS + 2 };
struct swap_row {
	const char *name;
	uint32_t components; /* of the part; 0: a whole arm */
	const char *error;   /* the error, one line; NULL: the rest is valid */
	const struct outcome *outcome;
	const struct capacity *capacity;
};

struct swap {
	const struct study *study;
	size_t of, by;        /* indices of arms of the study */
	int is_by_component;  /* 0: by phase */
	struct bounds bounds; /* for capacity; none: until overload */
	int has_capacity; /* 0: a closed loop (concurrency) has no capacity */
	struct swap_row row[SWAP_ROWS];
	size_t n_rows;
	struct jobs arms;
	struct job job[SWAP_ROWS];
	struct swap_task *task;
};

/* Parses "A,B" to the indices of two of the first n arms.  Returns 0, or -1
 * with EXIT_USAGE in *p. */
int swap_parse(const struct config *c, size_t n, const char *text,
	       size_t place[2], struct problem *p);
/* Both arms of the study must have succeeded, otherwise nothing is run.
 * Returns -1 with *p filled in if nothing was run, or if the user interrupted
 * (arms.interrupted).  The caller calls swap_free() in either case.  *s must
 * not be moved from then on. */
int swap_run(struct swap *s, const struct study *study, const size_t place[2],
	     struct problem *p);
int swap_code(const struct swap *s); /* the highest exit code */
void swap_free(struct swap *s);

/* Returns the metric of a row; NaN: it failed, or does not have the metric. */
double swap_value(const struct swap_row *r, const struct metric *m);
/* Returns the requests/s that it can serve; NaN: it failed; 0: none. */
double swap_capacity(const struct swap_row *r);
