/* workload/clients.h -- requests whose time is known since one before them
 * ended: the next turn of its session, or whatever is next to a client of a
 * closed loop that is free.  Between the two the client thinks.
 *
 * [one thread]; integer ns from the run's start. */
#ifndef SC_WORKLOAD_CLIENTS_H
#define SC_WORKLOAD_CLIENTS_H
#include <stddef.h>
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"
#include "workload/distribution.h"
#include "workload/keys.h"

/* A row, or the first of a session that is not told yet. */
#define PENDING_SESSION UINT64_MAX
struct pending {
	int64_t ns;
	uint64_t row;
};
static inline int pending_before(struct pending a, struct pending b)
{
	return a.ns != b.ns ? a.ns < b.ns : a.row < b.row;
}

/* Zeroed: empty, and nobody thinks. */
struct clients {
	struct distribution think; /* seconds */
	uint64_t seed;
	struct pending *heap; /* [n] heap[0] is the earliest */
	size_t n, cap;
	uint64_t n_free;   /* of them, PENDING_SESSION */
	int out_of_memory; /* sticky */
};

/* 0, or -1 with *p. */
int clients_open(struct clients *l, const struct workload_keys *k,
		 const struct ini *c, struct problem *p);
/* The request of that row has ended: the next row, its session's next turn,
 * comes after the thinking. */
void clients_turn(struct clients *l, uint64_t row, int64_t finish_ns);
/* The same, and the client begins another session. */
void clients_next(struct clients *l, uint64_t row, int64_t finish_ns);
/* Takes heap[0] away. */
void clients_take(struct clients *l);
void clients_free(struct clients *l);
#endif
