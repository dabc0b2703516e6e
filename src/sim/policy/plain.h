/* sim/policy/plain.h -- the policy of an engine without a preset: the rules of
 * vLLM V1 as far as they decide which request computes which tokens, built for
 * speed.
 *
 * Running requests come first, in order of admission: a decode takes one token,
 * an unfinished prompt its next chunk, while the token budget lasts.  Then,
 * unless a request had to be preempted, waiting requests are admitted while
 * sequences, budget and blocks last.  If there is no block for a running
 * request, the last one admitted (policy = priority: the last among those with
 * the lowest priority) gives back its blocks and waits to be recomputed, with
 * its output so far.
 *
 * Tokens in flight count: a request is never scheduled past its output length.
 *
 * Speed comes from columns: running requests are columns in the order of
 * admission, and a cost model reads two of them directly.  While the first
 * n_decoding sequences all decode and no resource is short (`quick`), a step
 * only adds 1 to the context of each: the end of a request is stored as a tick,
 * and needed blocks are counted by (context − tick) mod block size, which never
 * changes.  Integers only.  [one thread] */
#ifndef SC_SIM_POLICY_PLAIN_H
#define SC_SIM_POLICY_PLAIN_H
#include "sim/scheduler.h"

struct plain {
	struct scheduler is;

	/* Running requests, in order of admission: */
	uint32_t n;
	uint32_t *ctx; /* KV tokens computed or in flight */
	uint64_t *id;  /* their rows */
	uint32_t *sequence;
	uint32_t *target; /* it is a prompt until ctx reaches this */
	/* Of a decoding row: tick of the step with its last token. */
	uint32_t *last_tick;
	uint32_t *chunk; /* tokens in the step being formed */
	/* Requests with their last token in flight: they have no row, but still
	 * hold their blocks and count as running. */
	struct leaving {
		uint32_t sequence, tokens;
	} * leaving;
	uint32_t n_leaving;
	uint32_t *spent; /* rows about to leave, ascending */

	uint32_t tick;     /* number of committed steps */
	int is_power_of_2; /* 1: block_size is 2^block_shift */
	uint32_t block_shift;

	/* About the columns; stale if dirty: */
	int dirty;
	int is_sorted;       /* 1: decoding rows first, then prompts */
	uint32_t n_decoding; /* decoding rows at the front */
	uint64_t ctx_sum;    /* sum of their ctx */
	uint32_t n_late; /* decoding rows that got no token in the last step */
	uint32_t next_last_tick; /* least last_tick of the decoding rows */
	uint32_t *by_phase; /* [block_size] decoding rows by (ctx − tick) */

	/* About the step being formed: 1: the first n_decoding rows take 1
	 * token each, and their chunk[] is not filled in. */
	int quick;
};
extern const struct policy policy_plain;
#endif
