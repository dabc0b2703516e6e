/* sweep/prepared_arm.h -- what a worker keeps from point to point: the
 * configuration with the values of the point, and the arm that is ready there.
 * Only what a point changes is resolved again.
 *
 * Order: prepared_arm_open() once; for each point prepared_arm_prepare(), and
 * between prepared_arm_create() and prepared_arm_destroy() simulations;
 * prepared_arm_close().  [a worker] */
#pragma once
#include "arm/host.h"
#include "arm/run.h"
#include "jobs/pool_task.h"
#include "store/rows.h"
#include "sweep/plan.h"

/* Zeroed at first; not to be moved once open. */
struct prepared_arm {
	struct pool_worker *worker;
	const struct plan *plan;
	struct config *config; /* the worker's own copy                      */
	size_t shared_bytes;   /* size of worker->shared                     */
	struct arm_at_work work;
	/* parts (enum config_part) that the last prepared_arm_prepare() renewed
	 */
	unsigned renewed;
	/* Private: */
	int is_prepared;
	int was_apart;    /* config->is_apart when it was prepared last */
	unsigned pending; /* parts to renew */
	uint32_t *at;     /* [n_axes] index of the current value */
	sc_host host; /* writes messages about a point to a stream, if open */
	char *said;
	size_t said_bytes;
	void *step_memory; /* used if the shared memory is too small */
	size_t step_bytes;
};

/* Opens the arm of the worker's group.  The configuration c becomes the
 * worker's own; shared_bytes: the size of w->shared.  Returns 0, or -1 with *p.
 * The caller calls prepared_arm_close() in either case. */
int prepared_arm_open(struct prepared_arm *b, struct pool_worker *w,
		      const struct plan *plan, struct config *c,
		      size_t shared_bytes, struct problem *p);
/* Makes configuration and arm those of the point; no instance.  Returns 0, or
 * -1 with *p: the configuration is impossible. */
int prepared_arm_prepare(struct prepared_arm *b, size_t point,
			 struct problem *p);
/* Creates an instance.  Its warnings are appended to `warning`, other messages
 * are dropped.  Returns 0, or -1 with *p. */
int prepared_arm_create(struct prepared_arm *b, char warning[STORE_WARNING],
			struct problem *p);
/* Looks at what the plugin did besides answering, unless rc tells of another
 * failure, and destroys the instance.  Returns rc, or -1 with *p. */
int prepared_arm_destroy(struct prepared_arm *b, int is_created, int rc,
			 struct problem *p);
/* Returns zeroed memory for the steps of the point's engine, or NULL with *p.
 * It is the worker's shared memory if they fit there: after a crash the parent
 * process reads the last step from it. */
void *prepared_arm_step_memory(struct prepared_arm *b, struct problem *p);
void prepared_arm_close(struct prepared_arm *b);
/* Returns w->own, the state of a worker, which begins with its prepared arm.
 * The first call allocates `size` bytes for it and opens the arm; what follows
 * the arm is zeroed.  Returns NULL with *p if that fails.  prepared_arm_leave()
 * frees it, and may be the on_exit() of a pool. */
void *prepared_arm_of(struct pool_worker *w, size_t size,
		      const struct plan *plan, struct config *c,
		      size_t shared_bytes, struct problem *p);
void prepared_arm_leave(struct pool_worker *w, void *user);

/* Appends a line to warnings, unless it is there. */
void prepared_arm_warn(char out[STORE_WARNING], size_t n_line,
		       const char *line);
