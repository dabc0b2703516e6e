/* workload/clients.h -- requests that become known when another one ends: the
 * next turn of its session or, in a closed loop, the next session of its
 * client.  The client thinks in between.
 *
 * [one thread]; integer ns from the run's start. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"
#include "workload/distribution.h"
#include "workload/keys.h"

/* row: PENDING_SESSION means the first row of the next session. */
#define PENDING_SESSION UINT64_MAX
struct pending {
	int64_t ns;
	uint64_t row;
};
static inline int pending_before(const struct pending *a,
				 const struct pending *b)
{
	return a->ns != b->ns ? a->ns < b->ns : a->row < b->row;
}

/* Zeroed means empty. */
struct clients {
	struct distribution think; /* seconds */
	uint64_t seed;
	struct pending *heap; /* [n] heap[0] is the earliest */
	size_t n, cap;
	int do_not_think;  /* 1: turns follow each other at once */
	int out_of_memory; /* sticky */
};

/* Returns 0, or -1 with *p filled in. */
int clients_open(struct clients *l, const struct workload_keys *k,
		 const struct ini *c, struct problem *p);
/* That row comes at that time. */
void clients_come(struct clients *l, uint64_t row, int64_t ns);
/* The request of `row` ended at finish_ns.  The next turn of its session is the
 * row after it; it comes when the client has finished thinking. */
void clients_turn(struct clients *l, uint64_t row, int64_t finish_ns);
/* The same, but the client begins another session. */
void clients_next(struct clients *l, uint64_t row, int64_t finish_ns);
/* Removes heap[0]. */
void clients_take(struct clients *l);
void clients_free(struct clients *l);
