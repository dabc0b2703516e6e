/* sim/rejections.h -- requests that an engine can never serve: how many for
 * which reason, and the first of them.  Plain data. */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include "engine/engine.h"
#include "workload/request.h"

enum rejection {
	REJECTED_BY_MODEL_LENGTH,
	REJECTED_BY_CACHE,
	REJECTED_BY_COUNTER, /* too many tokens to count: 2^31 */
	REJECTED_BY_STEP, /* a prompt that must fit in one step, and does not */
	REJECTED_BY_ITSELF, /* it would be preempted forever */
	REJECTED_BY_ABORT,  /* memory was out for the rest of it */
	N_REJECTIONS
};
extern const char *const rejection_name[N_REJECTIONS];
/* Returns why the engine can never serve the request; N_REJECTIONS: it can.
 * moves_on: another pool makes its output, and must serve it, too. */
enum rejection rejection_of(const struct engine *e, const struct request *r,
			    int moves_on);
/* Returns why the engine itself gave a request up. */
enum rejection rejection_of_given_up(const struct engine *e);

/* Zeroed means none. */
struct rejections {
	struct rejected {
		uint64_t n;
		uint64_t first_row, first_line; /* line 0: not from a file */
	} of[N_REJECTIONS];
};
void rejections_add(struct rejections *r, enum rejection why,
		    const struct request *q);
/* Adds the rejections of another run; the first request stays that of *to, if
 * it has one. */
void rejections_join(struct rejections *to, const struct rejections *other);
enum { REJECTIONS_LINE = 240 }; /* bytes that are enough for a line */
/* Writes "warning: 5 requests rejected: ..." for one reason.  Returns 1, or 0
 * if there are none. */
int rejections_line(const struct rejections *r, enum rejection why, char *line,
		    size_t size);
/* Writes a line for each reason that occurred. */
void rejections_write(const struct rejections *r, FILE *f);
