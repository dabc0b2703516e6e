/* sim/route/recent.h -- the blocks that a router sent to each replica, from the
 * oldest to the youngest: what it believes to be cached there.
 *
 * Each block is also in an index of holders, until it is forgotten.  Integers
 * only.  [one thread] */
#pragma once
#include <stdint.h>
#include "sim/route/holders.h"

struct recent_block {
	uint64_t key; /* 0: free */
	int64_t sent_ns;
	uint32_t replica, older, younger, next_in_bucket;
};

/* 0 is no block: items begin at 1. */
struct recent {
	struct recent_block *item;
	uint32_t n, cap, free, used;
	uint32_t *bucket, n_buckets;
	struct recent_list {
		uint32_t oldest, youngest, n;
	} * list; /* [replicas] */
	struct holders index;
	int out_of_memory; /* sticky */
};
/* Returns 0, or -1 if memory is out; the caller calls recent_free() in either
 * case. */
int recent_init(struct recent *r, uint32_t replicas);
void recent_free(struct recent *r);
/* The replica is sent the block, which becomes its youngest. */
void recent_send(struct recent *r, uint32_t replica, uint64_t key,
		 int64_t now_ns);
/* Forgets the oldest blocks of the replica, as long as it has more than
 * that many. */
void recent_keep(struct recent *r, uint32_t replica, uint64_t most);
/* Forgets the blocks of the replica that were last sent then or before. */
void recent_forget(struct recent *r, uint32_t replica, int64_t sent_ns);
