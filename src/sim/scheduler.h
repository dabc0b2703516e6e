/* sim/scheduler.h -- decides which requests compute which tokens in the next
 * step of one replica, as vLLM V1 does.
 *
 * Running requests first, in order of admission: a decode takes one token, an
 * unfinished prompt its next chunk, while the token budget lasts.  Then, unless
 * somebody had to be preempted, waiting requests are admitted while sequences,
 * budget and blocks last.  Without a block for a running request the last one
 * admitted (policy priority: of those with the lowest priority) gives back its
 * blocks and waits to be recomputed, what it has generated included.
 *
 * choose() decides, the caller prices the step, commit() carries it out. Tokens
 * in flight count: a request is never scheduled past its output length.
 *
 * Speed comes from columns: running requests are columns in the order of
 * admission, and a cost model reads two of them as they stand.  As long as all
 * of the first n_decoding sequences decode and nothing is short (`quick`), a
 * step does nothing per sequence but add 1 to its context: the end of a request
 * is known as a tick, and blocks needed are counted by (context − tick) mod
 * block size, which never changes.  Integers only.  [one thread] */
#ifndef SC_SIM_SCHEDULER_H
#define SC_SIM_SCHEDULER_H
#include <stdint.h>
#include "setup/engine.h"
#include "sim/kv.h"
#include "sim/sequence.h"
#include "stepcost/plugin.h"

/* Columns that a step shows to a cost model, in memory of the caller's. */
struct step_columns {
	uint32_t *prefill_new, *prefill_ctx, *prefill_last; /* [max_prefill] */
	uint64_t *prefill_id;
	uint32_t
	    *decode_ctx; /* [max_num_seqs], where they do not stand in a row */
	uint64_t *decode_id;
};

/* A step that was scheduled; its results are due at end_ns. */
struct batch {
	int64_t end_ns;
	/* sequences whose first token, whose last token it makes; whose token
	 * comes after a pause */
	uint32_t n_first, n_last, n_late;
	uint32_t *first, *last, *late; /* [max_num_seqs] each */
	uint32_t
	    n_on_time; /* decodes that also got a token from the step before */
};

struct scheduler {
	const struct engine *e;
	struct sequence_pool *pool;
	struct kv kv;
	struct queue waiting;

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

	uint32_t tick; /* steps committed                                 */
	int64_t last_end_ns; /* of the last step committed; set by the caller */
	int is_power_of_2; /* block_size                                     */

	/* about the columns; stale if dirty */
	int dirty;
	int is_sorted;       /* first those that decode, then prompts */
	uint32_t n_decoding; /* in front */
	uint32_t n_late; /* decoding, but without a token from the last step */
	uint32_t next_last_tick; /* soonest of the decoding ones */
	uint32_t *by_phase; /* [block_size] those in front by (ctx − tick)   */

	/* about the step being put together */
	int quick; /* the first n_decoding take 1 token each, and their
		      chunk[] is not filled in */
	uint32_t n_preempted, n_admitted; /* the latter are at the end       */
	uint32_t tokens;

	uint64_t admissions, preemptions, hit_tokens, queried_tokens;
	int out_of_memory; /* sticky */
};

/* ctx, id: [max_num_seqs], of the caller's.  0, or -1: out of memory. */
int scheduler_init(struct scheduler *s, const struct engine *e,
		   struct sequence_pool *pool, uint32_t *ctx, uint64_t *id);
void scheduler_free(struct scheduler *s);
/* How many requests run, those that wait for their last token included. */
uint32_t scheduler_running(const struct scheduler *s);
void scheduler_enqueue(struct scheduler *s, uint32_t sequence);
/* Fills in the step (not: size, step_index, replica).  0: nothing to do. */
int scheduler_choose(struct scheduler *s, const struct step_columns *c,
		     sc_step *step);
/* Fills in b but for end_ns. */
void scheduler_commit(struct scheduler *s, struct batch *b);
/* The sequence has all its tokens: its blocks are free. */
void scheduler_remove(struct scheduler *s, uint32_t sequence);
#endif
