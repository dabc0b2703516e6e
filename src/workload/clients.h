/* workload/clients.h -- requests that become known when another one ends: the
 * next turn of its session, or, in a closed loop, the next session of its
 * client.  The client thinks in between.
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

/* row: PENDING_SESSION is the first of whatever session is next. */
#define PENDING_SESSION UINT64_MAX
struct pending {
	int64_t ns;
	uint64_t row;
};
static inline int pending_before(struct pending a, struct pending b)
{
	return a.ns != b.ns ? a.ns < b.ns : a.row < b.row;
}

/* Zeroed: empty. */
struct clients {
	struct distribution think; /* seconds */
	uint64_t seed;
	struct pending *heap; /* [n] heap[0] is the earliest */
	size_t n, cap;
	int do_not_think;  /* 1: turns follow each other at once */
	int out_of_memory; /* sticky */
};

/* 0, or -1 with *p. */
int clients_open(struct clients *l, const struct workload_keys *k,
		 const struct ini *c, struct problem *p);
/* The request of that row has ended at finish_ns: its session's next turn, the
 * row after it, comes when the client has thought. */
void clients_turn(struct clients *l, uint64_t row, int64_t finish_ns);
/* The same; the client begins another session. */
void clients_next(struct clients *l, uint64_t row, int64_t finish_ns);
/* Takes heap[0] away. */
void clients_take(struct clients *l);
void clients_free(struct clients *l);
#endif
