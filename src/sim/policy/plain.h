/* sim/policy/plain.h -- the policy of an engine without a preset: vLLM V1's
 * rules, as far as they decide who computes what, and built for speed.
 *
 * Running requests first, in order of admission: a decode takes one token, an
 * unfinished prompt its next chunk, while the token budget lasts.  Then, unless
 * somebody had to be preempted, waiting requests are admitted while sequences,
 * budget and blocks last.  Without a block for a running request the last one
 * admitted (policy priority: of those with the lowest priority) gives back its
 * blocks and waits to be recomputed, what it has generated included.
 *
 * Tokens in flight count: a request is never scheduled past its output length.
 *
 * Speed comes from columns: running requests are columns in the order of
 * admission, and a cost model reads two of them as they stand.  As long as all
 * of the first n_decoding sequences decode and nothing is short (`quick`), a
 * step does nothing per sequence but add 1 to its context: the end of a request
 * is known as a tick, and blocks needed are counted by (context − tick) mod
 * block size, which never changes.  Integers only.  [one thread] */
#ifndef SC_SIM_POLICY_PLAIN_H
#define SC_SIM_POLICY_PLAIN_H
#include "sim/scheduler.h"

struct plain {
	struct scheduler is;

	/* running, in order of admission */
	uint32_t n;
	uint32_t *ctx; /* KV tokens computed (or in flight)             */
	uint64_t *id;  /* rows                                          */
	uint32_t *sequence;
	uint32_t *target; /* a prompt until ctx gets here                  */
	uint32_t
	    *last_tick;  /* decoding: tick of the step with its last token */
	uint32_t *chunk; /* tokens in the step being put together         */
	/* requests whose last token is in flight: they have no row, but still
	 * hold their blocks and count as running */
	struct leaving {
		uint32_t sequence, tokens;
	} * leaving;
	uint32_t n_leaving;
	uint32_t *spent; /* rows about to leave, ascending */

	uint32_t tick;     /* steps committed                             */
	int is_power_of_2; /* block_size; it is 2^block_shift then        */
	uint32_t block_shift;

	/* about the columns; stale if dirty */
	int dirty;
	int is_sorted;       /* first those that decode, then prompts */
	uint32_t n_decoding; /* in front */
	uint64_t ctx_sum;    /* of their ctx */
	uint32_t n_late; /* decoding, but without a token from the last step */
	uint32_t next_last_tick; /* soonest of the decoding ones */
	uint32_t *by_phase; /* [block_size] those in front by (ctx − tick)   */

	/* the step being put together: the first n_decoding take 1 token
	 * each, and their chunk[] is not filled in */
	int quick;
};
extern const struct policy policy_plain;
#endif
