/* record/sessions.h -- the sessions of a run: how long each lasted, and how
 * much of that its requests waited for first tokens.
 *
 * A session is a tree of a trace, or the turns of a generated session.  Its
 * critical path leads back from its last end: each request came after the one
 * that ended last of those that it waited for.  A request that is not completed
 * ends when it comes.  ns; [one thread]; no printing but to the given stream.
 */
#pragma once
#include <stdio.h>
#include "base/problem.h"
#include "sim/observer.h"
#include "workload/trees.h"

/* A request. */
struct session_row {
	int64_t arrival_ns, end_ns; /* at the client */
	int64_t ttft_ns;
	int is_known, is_completed;
};
/* Zeroed: no requests yet. */
struct sessions {
	struct session_row *row; /* [n]; owned */
	uint64_t n, cap;
};
/* Which rows are a session. */
struct session_shape {
	const struct trees *trees; /* NULL: `turns` rows each */
	uint64_t turns;
};
/* Return 0, or -1 with *p filled in if memory is out. */
int sessions_take(struct sessions *s, const struct request_event *e,
		  struct problem *p);
/* Writes a CSV line for each session that began. */
int sessions_write(const struct sessions *s, const struct session_shape *shape,
		   const char *arm, FILE *f, struct problem *p);
void sessions_head(FILE *f);
void sessions_free(struct sessions *s);
