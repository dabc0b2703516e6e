/* sim/rejections.h -- requests that an engine cannot serve, whatever happens:
 * how many for which reason, and the first of them.  Plain data. */
#ifndef SC_SIM_REJECTIONS_H
#define SC_SIM_REJECTIONS_H
#include <stdint.h>
#include <stdio.h>
#include "workload/request.h"

enum rejection {
	REJECTED_BY_MODEL_LENGTH,
	REJECTED_BY_CACHE,
	REJECTED_BY_COUNTER, /* of tokens: 2^31                              */
	REJECTED_BY_STEP,    /* a prompt that must fit one, and does not     */
	REJECTED_BY_ITSELF,  /* it would be preempted for ever                */
	N_REJECTIONS
};
extern const char *const rejection_name[N_REJECTIONS];

/* Zeroed: none. */
struct rejections {
	struct rejected {
		uint64_t n;
		uint64_t first_row, first_line; /* line 0: of no file        */
	} of[N_REJECTIONS];
};
void rejections_add(struct rejections *r, enum rejection why,
		    const struct request *q);
/* Adds those of another run; the first stays that of *to, if it has one. */
void rejections_join(struct rejections *to, const struct rejections *other);
enum { REJECTIONS_LINE = 240 }; /* bytes that a line takes, and more         */
/* "warning: 5 requests rejected: ..." for one reason.  1; 0: there are none. */
int rejections_line(const struct rejections *r, enum rejection why, char *line,
		    size_t size);
/* A line for each reason that there is. */
void rejections_write(const struct rejections *r, FILE *f);
#endif
