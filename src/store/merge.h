/* store/merge.h -- combines the stores of shards, or copies of one study.  Rows
 * of a later store replace those of an earlier one. [one thread]; no
 * printing. */
#pragma once
#include "store/damage.h"
#include "store/store.h"

/* The result; the caller calls names_free() on its list. */
struct merge_result {
	/* points of the study; planned: how many it should have */
	int64_t points, planned;
	/* one line for each store with damaged rows, which are not copied */
	struct names damaged;
	size_t without_digests; /* stores from before digests */
};
/* Makes or completes the store `out` from the n others, which do not change.
 * Returns 0; or -1 with *p filled in and no row copied, so that a new store is
 * gone again: a store cannot be read, the studies differ (and in what), or
 * shards are missing (and which). */
int store_merge(const char *out, const char *const *in, size_t n,
		struct merge_result *r, struct problem *p);
