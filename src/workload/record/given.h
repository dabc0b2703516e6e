/* workload/record/given.h -- requests that are given one by one while a
 * simulation runs, and leave in the order in which they came.  It owns copies.
 * [one thread] */
#pragma once
#include <stddef.h>
#include "workload/request.h"

struct given {
	struct request *item; /* [cap] a ring */
	size_t n, cap, first;
	struct request taken; /* the last one; owned */
};
/* Returns 0, or -1 if memory is out. */
int given_add(struct given *g, const struct request *r);
/* As workload_peek() and workload_pop(). */
int given_peek(const struct given *g, int64_t *arrival_ns);
void given_pop(struct given *g, struct request *r);
void given_free(struct given *g);
