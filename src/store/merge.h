/* store/merge.h -- the stores of shards put together, or copies of one study.
 * Rows of a later store take the place of an earlier one's.
 * [one thread]; no printing. */
#ifndef SC_STORE_MERGE_H
#define SC_STORE_MERGE_H
#include "store/store.h"

/* What is put together.  Plain data. */
struct merge_result {
	int64_t points, planned; /* of the study                             */
};
/* Makes or completes the store `out` of the n others, which stay as they are.
 * 0, or -1 with *p, and nothing was written: one cannot be read, they are of
 * different studies (and what differs), or shards are missing (and which). */
int store_merge(const char *out, const char *const *in, size_t n,
		struct merge_result *r, struct problem *p);
#endif
