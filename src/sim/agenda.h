/* sim/agenda.h -- when each replica acts next, and which one is the soonest.
 *
 * A tournament: each node has the soonest replica below it, so that a change
 * plays again on its way to the top alone.  The order is by time, then by kind
 * of event, then by replica.  Zeroed means none, and agenda_set() does nothing.
 * Integers only.  [one thread] */
#pragma once
#include <stdint.h>

struct agenda_time {
	int64_t ns;    /* INT64_MAX: never */
	uint64_t then; /* kind of event, then replica */
};
struct agenda {
	uint32_t n;               /* leaves: a power of two */
	struct agenda_time *time; /* [n] */
	uint32_t *soonest; /* [2n] node 1 is the top; the last n are leaves */
};
/* Makes an agenda of n replicas; none of them acts yet.  Returns 0, or -1 if
 * memory is out; the caller calls agenda_free() in either case. */
int agenda_make(struct agenda *a, uint32_t n);
void agenda_free(struct agenda *a);
/* kind: events of lower kinds come first at one instant. */
void agenda_set(struct agenda *a, uint32_t replica, int64_t ns, uint32_t kind);
/* Returns the replica that acts next, or UINT32_MAX if none does. */
uint32_t agenda_soonest(const struct agenda *a);
