/* record/replica_series.h -- each replica of a run over time: its queue, its KV
 * cache, the tokens found there; and how many replicas computed.
 *
 * Time is cut into equal bins from the first arrival to the last token.  Only
 * requests that ended count.  ns; [one thread]; no printing. */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "record/steplog.h"

enum {
	REPLICA_BINS = 12,  /* of each replica */
	COMPUTE_BINS = 120, /* of `computing` */
};
/* A replica in a bin; the first two are means over its time. */
struct replica_bin {
	double waiting;   /* requests that wait for their first step */
	double kv_tokens; /* of the sequences in its step; 0 between steps */
	/* For requests that have their first step in the bin: their prompt
	 * tokens, and those of them that it did not have to compute. */
	double prompt_tokens, hit_tokens;
};
struct replica_series {
	uint32_t n_replicas;
	int64_t from_ns, to_ns;
	struct replica_bin *bin;        /* [n_replicas * REPLICA_BINS]; owned */
	double computing[COMPUTE_BINS]; /* replicas with a step in that bin */
};
/* Reads the log of a run.  Returns 0, or -1 with *p filled in if memory is out;
 * the caller calls replica_series_free() in either case. */
int replica_series_read(struct replica_series *x, uint32_t n_replicas,
			const struct steplog *steps,
			const struct steplog *requests, struct problem *p);
void replica_series_free(struct replica_series *x);
