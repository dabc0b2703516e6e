/* study/swap.h -- two arms of a study, one part of a step's time at a time: the
 * requests run once more on the first arm's engine, each step priced by the
 * first arm but for one part, which the second one prices (hybrid.h).  So what
 * that part alone does to latencies and to capacity is seen with all that
 * batches, queues and cache make of it.  Each run is a job of its own.  [main]
 */
#ifndef SC_STUDY_SWAP_H
#define SC_STUDY_SWAP_H
#include "cost/hybrid.h"
#include "study/capacity/capacity.h"
#include "study/study.h"

/* What a job leaves; plain data. */
struct swapped {
	struct outcome outcome;
	struct capacity capacity;
};

/* The first row is the first arm as it is, the last row the second arm as it
 * is, on its own engine; between them a row for each part. */
enum { SWAP_ROWS = HYBRID_PARTS + 2 };
struct swap_row {
	const char *name;
	uint32_t components; /* of the part; 0: an arm                       */
	const char *error;   /* the one line; NULL: the rest holds           */
	const struct outcome *outcome;
	const struct capacity *capacity;
};

struct swap {
	const struct study *study;
	size_t of, by;        /* arms of the study                            */
	int is_by_component;  /* else by phase                                */
	struct bounds bounds; /* that capacity is for; none: until overload  */
	int has_capacity;     /* a closed loop (concurrency) has none        */
	struct swap_row row[SWAP_ROWS];
	size_t n_rows;
	struct jobs arms;
	struct job job[SWAP_ROWS];
	struct swap_task *task;
};

/* "A,B": the places of two of the first n arms.  0, or -1 with EXIT_USAGE in
 * *p. */
int swap_parse(const struct config *c, size_t n, const char *text,
	       size_t place[2], struct problem *p);
/* Both arms of the study went well, or nothing is run.  -1 with *p: nothing was
 * run, or it was interrupted (arms.interrupted).  swap_free() in either case.
 * Not to be moved from then on. */
int swap_run(struct swap *s, const struct study *study, const size_t place[2],
	     struct problem *p);
int swap_code(const struct swap *s); /* the highest exit code                */
void swap_free(struct swap *s);

/* A row's metric; NaN: it failed, or has none. */
double swap_value(const struct swap_row *r, const struct metric *m);
/* Requests/s that it can serve; NaN likewise, 0: none. */
double swap_capacity(const struct swap_row *r);
#endif
