/* jobs/pool_worker.h -- the worker's side of a pool: it reads tasks, does
 * them and sends results, until there are no more or a plugin failed.
 *
 * Tasks come through a socket, each of task_bytes; results go into a
 * pipe, each a struct pool_frame, then result_bytes, then `says` bytes of a
 * message. */
#pragma once
#include <stdint.h>
#include "jobs/pool_task.h"

/* Memory that a worker shares with its parent; the result is behind
 * `shared`. */
struct pool_slot {
	struct job_status status;
	int done;
	struct problem unsent; /* why the last result could not be sent */
	_Alignas(64) unsigned char shared[];
};

/* Precedes each result in the pipe, because a plugin could write there. */
struct pool_frame {
	uint32_t magic, code, says;
	/* 1: the machine failed (problem.h): this is no result to keep */
	uint32_t machine_failed;
};
enum { POOL_MAGIC = 0x5c057a5c };

static inline void *pool_result_of(const struct pool_options *o,
				   struct pool_slot *s)
{
	return s->shared + (o->shared_bytes + 63) / 64 * 64;
}

/* Does a task, in a worker or without one.  The result goes to *result, an
 * error to *p; the caller frees *says. */
void pool_do_task(const struct pool_options *o, struct pool_worker *w,
		  const void *task, void *result, struct problem *p,
		  char **says);

/* What a worker starts with. */
struct pool_start {
	const struct pool_options *o;
	void *spare; /* memory for a task */
	/* The slots of all workers, and this one's. */
	void *region;
	size_t slot_bytes;
	unsigned n_slots;
	struct pool_slot *slot;
	unsigned group;
	int fd[2];          /* the worker's two pipe ends, ascending */
	int tasks, results; /* the pipe end for each of the two */
};

/* Opens the two pipes between a worker and its parent, which gets *ask, for
 * tasks, and *results.  Returns 0, or -1 with *p filled in. */
int pool_open_pipes(int *ask, int *results, struct pool_start *s,
		    struct problem *p);

/* The main function of a worker; user: its struct pool_start.  The worker's
 * slot says how it ended: `done`, or `unsent` with the reason. */
void pool_be_worker(void *user);
