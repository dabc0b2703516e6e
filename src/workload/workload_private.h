/* workload/workload_private.h -- a source of requests as data, for workload.c
 * and workload_again.c. */
#pragma once
#include "workload/arrival.h"
#include "workload/clients.h"
#include "workload/generate/generated.h"
#include "workload/record/given.h"
#include "workload/planned.h"
#include "workload/replay.h"
#include "workload/workload.h"

enum { N_NOTES = 6, HASHED_TOGETHER = 8 };

struct workload {
	struct workload_keys keys;
	int is_trace, is_timed; /* is_timed: at the trace's own times */
	struct generated generated;
	struct replay replay;
	struct arrival arrival;
	struct clients clients;
	/* a row of a trace is a session of one turn */
	uint64_t total, turns, n_sessions;
	uint32_t longest_item; /* of generated requests */
	uint64_t started;      /* sessions that were started */
	/* closed loop: sessions that clients have begun or will begin */
	uint64_t promised;
	int64_t start_ns; /* start of the next session, if has_start */
	int has_start, is_over;
	int all_at_once; /* 1: every session begins at 0 */
	/* a list of requests; then it is the only source */
	struct planned plan;
	/* requests that are given while it runs; then they are the only ones */
	struct given given;
	int is_live;
	uint64_t hash; /* without those below */
	struct request unhashed[HASHED_TOGETHER];
	uint32_t n_unhashed;
	char note[N_NOTES][400];
	uint32_t n_notes;
};

/* The sessions that the clients of a closed loop begin with. */
static inline uint64_t workload_promised(const struct workload *w)
{
	uint64_t clients = (uint64_t)w->keys.concurrency;
	return clients < w->n_sessions ? clients : w->n_sessions;
}
