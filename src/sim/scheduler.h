/* sim/scheduler.h -- decides which requests compute which tokens in the next
 * step of one replica: what all policies have in common, and what the engine's
 * clock (replica.h) asks of one.
 *
 *   choose()   decides on a step, and shows it to the cost model
 *   commit()   carries it out once it has been priced
 *   process()  hands out its tokens when the step is over
 *
 * Policies are in sim/policy/; each has a struct of its own that begins with a
 * struct scheduler.  Integers only.  [one thread] */
#ifndef SC_SIM_SCHEDULER_H
#define SC_SIM_SCHEDULER_H
#include <stdint.h>
#include "engine/engine.h"
#include "sim/acceptance.h"
#include "sim/batch.h"
#include "sim/kv.h"
#include "sim/observer.h"
#include "sim/sequence.h"
#include "stepcost/plugin.h"

/* Columns that a step shows to a cost model, in memory of the caller's. */
struct step_columns {
	uint32_t *prefill_new, *prefill_ctx, *prefill_last; /* [max_prefill] */
	uint64_t *prefill_id;
	uint32_t
	    *decode_ctx; /* [max_num_seqs], where they do not stand in a row */
	uint32_t *decode_new; /* [max_num_seqs]; NULL without drafts          */
	uint64_t *decode_id;
	/* of a drafter's passes: [max_num_seqs]; NULL without drafts         */
	uint32_t *draft_ctx;
	uint64_t *draft_id;
	/* steps that are to come, with their contexts: [COST_BATCH],
	 * [COST_BATCH][max_num_seqs] and COLUMNS_PAD; each column spills into
	 * the next one, so they are filled in order */
	sc_step *ahead;
	uint32_t *ahead_ctx;
	/* the policy's own, of the replica: [max_num_seqs] and COLUMNS_PAD */
	uint32_t *ctx;
	uint64_t *id;
};

struct scheduler;
struct policy {
	size_t size; /* of its struct */
	/* The struct is zeroed but for what scheduler_new() fills in.  0, or
	 * -1: out of memory; free() in either case. */
	int (*init)(struct scheduler *s);
	void (*free)(struct scheduler *s);
	/* Fills in the step (not: size, step_index, replica).  0: nothing to
	 * do. */
	int (*choose)(struct scheduler *s, struct batch *b, sc_step *step);
	/* How many steps behind the one that was chosen, `most` at most,
	 * compute one token of the same requests and nothing else, if nobody
	 * comes. *next is the one that was chosen, and becomes the first of
	 * them (but for step_index), with its contexts in columns.ahead_ctx
	 * and their sum.  NULL: it cannot tell. */
	uint32_t (*ahead)(const struct scheduler *s, sc_step *next,
			  uint32_t most);
	/* choose() for the next n steps, which go on as ahead() said, behind
	 * so many (0 or 1) that go on likewise and are not committed yet.
	 * Returns for how many of them there are blocks; how many are in use
	 * after each, in blocks_used[].  NULL where ahead is. */
	uint32_t (*go_on)(struct scheduler *s, uint32_t behind, uint32_t n,
			  uint64_t *blocks_used);
	/* commit() for n > 0 of them, of which b is the last.  NULL likewise.
	 */
	void (*commit_run)(struct scheduler *s, uint32_t n, struct batch *b);
	/* b->end_ns is known. */
	void (*commit)(struct scheduler *s, struct batch *b);
	/* The batch is over and fills in who got tokens; those with their last
	 * one have left. */
	void (*process)(struct scheduler *s, struct batch *b, int64_t now);
	/* How many requests run, those that wait for their last token
	 * included. */
	uint32_t (*running)(const struct scheduler *s);
	/* The step that was chosen, in its order, not committed yet: [n_tokens
	 * at most].  Returns how many. */
	uint32_t (*list)(const struct scheduler *s, struct scheduled *out);
	/* Leading tokens of a prompt that its cache has. */
	uint32_t (*found)(struct scheduler *s, struct sequence *q);
};

struct scheduler {
	const struct policy *policy;
	const struct engine *e;
	struct sequence_pool *pool;
	struct step_columns columns;
	struct kv kv;
	struct queue waiting;
	/* in front of those that wait: blocks are taken for them, and their KV
	 * cache is on its way or there; and those of them, this call's, for
	 * whom the caller sees to the transfer */
	struct queue fetching, begun;
	int64_t last_end_ns; /* of the last step committed; set by the caller */
	int has_finished;    /* a request ended since the last choose()      */
	int was_idle;        /* nothing was to be done; set by the caller    */
	int is_deferring;    /* prompts that can wait do; set by the caller  */
	/* about the step being put together */
	uint32_t n_preempted, tokens;
	uint32_t n_deferred; /* whose turn comes in a later call              */
	int goes_on; /* as ahead() said when the one before was put together */
	uint32_t n_admitted, *admitted; /* [max_num_seqs] */

	uint64_t admissions, preemptions, hit_tokens, queried_tokens;
	struct acceptance_sum accepted;
	int out_of_memory; /* sticky */
};

/* NULL: out of memory. */
struct scheduler *scheduler_new(const struct policy *policy,
				const struct engine *e,
				struct sequence_pool *pool,
				const struct step_columns *columns);
void scheduler_free(struct scheduler *s);
void scheduler_enqueue(struct scheduler *s, uint32_t sequence);
/* For policies: what their blocks of KV have of a prompt (policy.found). */
uint32_t scheduler_found(struct scheduler *s, struct sequence *q);
static inline struct sequence *scheduler_sequence(const struct scheduler *s,
						  uint32_t i)
{
	return &s->pool->item[i];
}
static inline uint32_t scheduler_waiting(const struct scheduler *s)
{
	return s->waiting.n + s->fetching.n;
}
/* Is there a request that is not over? */
static inline int scheduler_is_unfinished(const struct scheduler *s)
{
	return scheduler_waiting(s) || s->policy->running(s);
}
/* For policies: the request has a token of the batch now. */
void scheduler_count_token(struct batch *b, struct sequence *q, uint32_t i,
			   int64_t now);
/* For policies: the named members of the batch (policy.list); how many. */
uint32_t scheduler_list_members(const struct scheduler *s,
				const struct batch *b, struct scheduled *out);
/* For policies: the step that their columns describe, without sequences yet. */
static inline void scheduler_begin_columns(const struct scheduler *s,
					   sc_step *step)
{
	const struct step_columns *c = &s->columns;
	step->flags = s->tokens <= s->e->graph_max_tokens ? SC_STEP_GRAPH : 0;
	step->n_prefill = step->n_decode = step->n_sampled = 0;
	step->prefill_new = c->prefill_new;
	step->prefill_ctx = c->prefill_ctx;
	step->prefill_last = c->prefill_last;
	step->prefill_id = c->prefill_id;
	step->decode_ctx = c->decode_ctx;
	step->decode_ctx_sum = 0;
	step->decode_new = NULL;
	step->decode_id = c->decode_id;
}
/* For policies: windows of a request with `computed` tokens, of which in_flight
 * have not been processed, give back what they do not reach any more. */
void scheduler_drop_old(struct scheduler *s, struct kv_owner *o,
			uint32_t computed, uint32_t in_flight);
/* For policies: the next step is being put together; a sequence is admitted to
 * it. */
void scheduler_begin_step(struct scheduler *s);
void scheduler_admitted(struct scheduler *s, uint32_t sequence);
/* For policies: it joins one of the scheduler's queues. */
void scheduler_push(struct scheduler *s, struct queue *q, uint32_t sequence);
/* For policies: a preemption is counted. */
void scheduler_preempted(struct scheduler *s, struct sequence *q);
/* For policies: it begins behind so many tokens that the cache has; counted
 * where it is looked up for the first time. */
void scheduler_found_cached(struct scheduler *s, struct sequence *q,
			    uint32_t tokens);
#endif
