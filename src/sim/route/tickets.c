/* tickets.c -- Keeps the requests of routers, and a heap of their news. */
#include <config.h>
#include "sim/route/tickets.h"
#include <stdlib.h>

void tickets_init(struct tickets *t)
{
	*t = (struct tickets){.free = NO_TICKET};
}

void tickets_free(struct tickets *t)
{
	free(t->item);
	free(t->news);
	tickets_init(t);
}

uint32_t tickets_take(struct tickets *t)
{
	uint32_t i = t->free;
	if (i != NO_TICKET) {
		t->free = t->item[i].next_free;
	} else {
		if (t->n == t->cap) {
			uint32_t cap = t->cap ? 2 * t->cap : 64;
			void *more = realloc(t->item, cap * sizeof *t->item);
			if (!more)
				return NO_TICKET;
			t->item = more;
			t->cap = cap;
		}
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
static int is_before(const struct ticket_news *a, const struct ticket_news *b)
{
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns;
	if (a->is_over != b->is_over)
		return a->is_over < b->is_over;
	return a->ticket < b->ticket;
}

int tickets_await(struct tickets *t, struct ticket_news news)
{
	if (t->n_news == t->cap_news) {
		uint32_t cap = t->cap_news ? 2 * t->cap_news : 64;
		void *more = realloc(t->news, cap * sizeof *t->news);
		if (!more)
			return -1;
		t->news = more;
		t->cap_news = cap;
	}
	uint32_t i = t->n_news++;
	for (; i && is_before(&news, &t->news[(i - 1) / 2]); i = (i - 1) / 2)
		t->news[i] = t->news[(i - 1) / 2];
	t->news[i] = news;
	return 0;
}

int tickets_hear(struct tickets *t, int64_t now_ns, struct ticket_news *news)
{
	if (t->n_news == 0 || t->news[0].at_ns > now_ns)
		return 0;
	*news = t->news[0];
	const struct ticket_news x = t->news[--t->n_news];
	uint32_t i = 0, next;
	for (; (next = 2 * i + 1) < t->n_news; i = next) {
		next += next + 1 < t->n_news &&
			is_before(&t->news[next + 1], &t->news[next]);
		if (!is_before(&t->news[next], &x))
			break;
		t->news[i] = t->news[next];
	}
	t->news[i] = x;
	return 1;
}
