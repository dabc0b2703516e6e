/* kv_events.c -- Passes on what engines tell of their caches, after a delay. */
#include "sim/route/kv_events.h"
#include <stdlib.h>
#include "base/grow.h"

void kv_events_free(struct kv_events *e)
{
	holders_free(&e->index);
	free(e->item);
	e->item = NULL;
	e->first = e->n = e->cap = 0;
}

static void apply(struct kv_events *e, uint32_t replica, uint64_t key, int has)
{
	if (has)
		holders_add(&e->index, key, replica);
	else
		holders_remove(&e->index, key, replica);
	e->out_of_memory |= e->index.out_of_memory;
}

void kv_events_publish(struct kv_events *e, uint32_t replica, uint64_t key,
		       int has, int64_t now_ns)
{
	if (e->delay_ns == 0) {
		apply(e, replica, key, has);
		return;
	}
	if (!MAKE_RING_ROOM(e->item, e->first, e->n, e->cap)) {
		e->out_of_memory = 1;
		return;
	}
	e->item[(e->first + e->n++) & (e->cap - 1)] =
	    (struct kv_event){now_ns + e->delay_ns, key, replica, has};
}

/* Messages under way tell nothing new. */
void kv_events_forget(struct kv_events *e, uint32_t replica)
{
	holders_forget(&e->index, replica);
	for (uint64_t i = 0; i < e->n; i++) {
		struct kv_event *x = &e->item[(e->first + i) & (e->cap - 1)];
		if (x->replica == replica)
			x->has = 0;
	}
}

void kv_events_deliver(struct kv_events *e, int64_t now_ns)
{
	while (e->n && e->item[e->first].due_ns <= now_ns) {
		const struct kv_event *x = &e->item[e->first];
		apply(e, x->replica, x->key, x->has);
		e->first = (e->first + 1) & (e->cap - 1);
		e->n--;
	}
}
