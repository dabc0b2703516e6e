/* tickets.c -- Keeps the requests of routers, and a heap of their news. */
#include "sim/route/tickets.h"
#include <stdlib.h>
#include "base/grow.h"
#include "base/heap.h"

void tickets_init(struct tickets *t)
{
	*t = (struct tickets){.free = NO_TICKET};
}

void tickets_free(struct tickets *t)
{
	free(t->item);
	free(t->event);
	tickets_init(t);
}

uint32_t tickets_take(struct tickets *t)
{
	uint32_t i = t->free;
	if (i != NO_TICKET) {
		t->free = t->item[i].next_free;
	} else {
		if (!MAKE_ROOM(t->item, t->n, t->cap))
			return NO_TICKET;
		i = t->n++;
	}
	t->item[i] = (struct route_ticket){0};
	return i;
}

void tickets_give_back(struct tickets *t, uint32_t i)
{
	t->item[i].next_free = t->free;
	t->free = i;
}

/* A first token comes before the last one of the same instant. */
static int is_before(const struct ticket_event *a, const struct ticket_event *b)
{
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns;
	if (a->is_over != b->is_over)
		return a->is_over < b->is_over;
	return a->ticket < b->ticket;
}

int tickets_await(struct tickets *t, struct ticket_event event)
{
	if (!MAKE_ROOM(t->event, t->n_events, t->cap_events))
		return -1;
	HEAP_ADD(t->event, t->n_events, event, is_before);
	return 0;
}

int tickets_next_event(struct tickets *t, int64_t now_ns,
		       struct ticket_event *event)
{
	if (t->n_events == 0 || t->event[0].at_ns > now_ns)
		return 0;
	*event = t->event[0];
	HEAP_DROP(t->event, t->n_events, is_before);
	return 1;
}
