/* sweep/bench.h -- what a worker keeps from point to point: the configuration
 * with the values of the point, and the arm that is ready there.  Only what a
 * point changes is resolved again.
 *
 * Order: bench_open() once; for each point bench_prepare(), and between
 * bench_create() and bench_destroy() simulations; bench_close().  [a worker] */
#ifndef SC_SWEEP_BENCH_H
#define SC_SWEEP_BENCH_H
#include "arm/host.h"
#include "arm/run.h"
#include "jobs/pool_task.h"
#include "store/rows.h"
#include "sweep/plan.h"

/* Zeroed at first; not to be moved once open. */
struct bench {
	struct pool_worker *worker;
	const struct plan *plan;
	struct config *config; /* the worker's own copy                      */
	size_t shared_bytes;   /* of the memory that it shares               */
	struct arm_at_work work;
	/* parts (enum config_part) that the last bench_prepare() renewed */
	unsigned renewed;
	/* Private: */
	int is_prepared;
	int was_apart;    /* config->is_apart when it was prepared last */
	unsigned pending; /* parts to renew */
	uint32_t *at;     /* [n_axes] index of the current value */
	sc_host host; /* writes messages about a point to a stream, if open */
	char *said;
	size_t said_bytes;
	void *step_memory; /* if the shared one is too small */
	size_t step_bytes;
};

/* c: becomes the worker's own; shared_bytes: of w->shared.  The arm is that of
 * the worker's group.  Returns 0, or -1 with *p.  bench_close() in either
 * case. */
int bench_open(struct bench *b, struct pool_worker *w, const struct plan *plan,
	       struct config *c, size_t shared_bytes, struct problem *p);
/* Makes configuration and arm those of the point; no instance.  Returns 0, or
 * -1 with *p: the configuration is impossible. */
int bench_prepare(struct bench *b, size_t point, struct problem *p);
/* Creates an instance.  Its warnings are appended to `warning`, other messages
 * are dropped.  Returns 0, or -1 with *p. */
int bench_create(struct bench *b, char warning[STORE_WARNING],
		 struct problem *p);
/* Looks at what the plugin did besides answering, unless rc tells of another
 * failure, and destroys the instance.  Returns rc, or -1 with *p. */
int bench_destroy(struct bench *b, int is_created, int rc, struct problem *p);
/* Returns zeroed memory for the steps of the point's engine; NULL with *p. */
void *bench_step_memory(struct bench *b, struct problem *p);
void bench_close(struct bench *b);

/* Appends a line to warnings, unless it is there. */
void bench_warn(char out[STORE_WARNING], size_t n_line, const char *line);
#endif
