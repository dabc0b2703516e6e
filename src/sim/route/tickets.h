/* sim/route/tickets.h -- requests that a router has sent, and when it learns of
 * them: with the client, of the first token and of the last.
 *
 * Integers only.  [one thread] */
#pragma once
#include <stdint.h>
#include "sim/route/route.h"

#define NO_TICKET UINT32_MAX

struct ticket_event {
	int64_t at_ns;
	uint32_t ticket;
	uint32_t is_over; /* 0: it has its first token */
};

struct tickets {
	struct route_ticket *item;
	uint32_t n, cap, free;      /* free: NO_TICKET: none */
	struct ticket_event *event; /* a heap, the soonest first */
	uint32_t n_events, cap_events;
};
void tickets_init(struct tickets *t);
void tickets_free(struct tickets *t);
/* Returns a zeroed ticket; NO_TICKET: memory is out. */
uint32_t tickets_take(struct tickets *t);
void tickets_give_back(struct tickets *t, uint32_t i);
/* The router learns of it then.  Returns 0, or -1 if memory is out. */
int tickets_await(struct tickets *t, struct ticket_event event);
/* Fills in the next event that is due by now; returns 0 if there is none. */
int tickets_next_event(struct tickets *t, int64_t now_ns,
		       struct ticket_event *event);
