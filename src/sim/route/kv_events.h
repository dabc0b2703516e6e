/* sim/route/kv_events.h -- what engines tell a router of their caches: a block
 * has come, a block is gone.  A message may take some time; until then the
 * router knows the old state.
 *
 * Zeroed memory with index.n_words and delay_ns set has no events.
 * Integers only.  [one thread] */
#pragma once
#include <stdint.h>
#include "sim/route/holders.h"

struct kv_event {
	int64_t due_ns;
	uint64_t key;
	uint32_t replica;
	int has; /* 1: the block has come; 0: it is gone */
};

struct kv_events {
	struct holders index; /* of blocks that are known to be cached */
	int64_t delay_ns;
	struct kv_event *item; /* on their way: a ring buffer */
	uint64_t first, n, cap;
	int out_of_memory; /* sticky */
};
void kv_events_free(struct kv_events *e);
/* now_ns never decreases from call to call, here and below. */
void kv_events_publish(struct kv_events *e, uint32_t replica, uint64_t key,
		       int has, int64_t now_ns);
/* Forgets the blocks of a replica that is gone. */
void kv_events_forget(struct kv_events *e, uint32_t replica);
/* The router learns of the changes that are due by now. */
void kv_events_deliver(struct kv_events *e, int64_t now_ns);
