/* sim/scheduler.h -- decides which requests compute which tokens in the next
 * step of one replica: the part that all policies share, and the functions that
 * the engine's clock (replica.h) calls.
 *
 *   choose()   chooses a step, and shows it to the cost model
 *   commit()   applies the step after it was priced
 *   process()  hands out its tokens when the step is over
 *
 * Policies are in sim/policy/; each has its own struct, which begins with a
 * struct scheduler.  Integers only.  [one thread] */
#pragma once
#include <stdint.h>
#include "base/arrays.h"
#include "engine/engine.h"
#include "sim/drafts/acceptance.h"
#include "sim/batch.h"
#include "sim/encoders.h"
#include "sim/kv/kv.h"
#include "sim/observer.h"
#include "sim/offload/offload.h"
#include "sim/sequence.h"
#include "stepcost/plugin.h"

/* Columns that show a step to a cost model, in memory of the caller. */
struct step_columns {
	/* [max_prefill] */
	uint32_t *prefill_new, *prefill_ctx, *prefill_last, *prefill_prompt;
	uint64_t *prefill_id;
	/* [max_num_seqs] for decodes that are not consecutive rows */
	uint32_t *decode_ctx;
	uint32_t *decode_new; /* [max_num_seqs]; NULL without drafts */
	uint64_t *decode_id;
	/* For a drafter's passes: [max_num_seqs]; NULL without drafts. */
	uint32_t *draft_ctx;
	uint64_t *draft_id;
	/* Future steps, and their contexts: [COST_BATCH],
	 * [COST_BATCH][max_num_seqs] and COLUMNS_PAD; writing a column spills
	 * into the next one, so they are filled in order. */
	sc_step *ahead;
	uint32_t *ahead_ctx;
	/* The policy's own, for the replica: [max_num_seqs] and COLUMNS_PAD. */
	uint32_t *ctx;
	uint64_t *id;
};

struct scheduler;
struct policy {
	size_t size; /* of its struct */
	/* The struct is zeroed, except what scheduler_new() fills in.  If
	 * memory is out, it is noted in out_of_memory or in arrays. */
	void (*init)(struct scheduler *s);
	/* Frees all except the arrays; NULL: there is nothing else. */
	void (*free)(struct scheduler *s);
	/* Fills in the step, except size, step_index and replica.  Returns 0 if
	 * there is nothing to do. */
	int (*choose)(struct scheduler *s, struct batch *b, sc_step *step);
	/* Returns how many steps behind the chosen one, at most `most`, compute
	 * one token of each of the same requests and nothing else, if no
	 * request comes.  *next is the chosen step; it becomes the first of
	 * them (except step_index), with its contexts in columns.ahead_ctx and
	 * their sum.  NULL: the policy cannot look ahead. */
	uint32_t (*ahead)(const struct scheduler *s, sc_step *next,
			  uint32_t most);
	/* choose() for the next n steps, which go on as ahead() said.  `behind`
	 * (0 or 1) steps before them do so too and are not committed yet.
	 * Returns how many of the steps have blocks; blocks_used[] gets the
	 * blocks in use after each.  NULL if ahead is NULL. */
	uint32_t (*go_on)(struct scheduler *s, uint32_t behind, uint32_t n,
			  uint64_t *blocks_used);
	/* commit() for n > 0 of these steps; b is the last of them.  NULL if
	 * ahead is NULL. */
	void (*commit_run)(struct scheduler *s, uint32_t n, struct batch *b);
	/* Applies the step; b->end_ns is known. */
	void (*commit)(struct scheduler *s, struct batch *b);
	/* Ends the batch and fills in which requests got tokens; requests with
	 * their last token have left. */
	void (*process)(struct scheduler *s, struct batch *b, int64_t now);
	/* Returns how many requests run, including those that wait for their
	 * last token. */
	uint32_t (*running)(const struct scheduler *s);
	/* Lists the chosen step in its order before it is committed; out:
	 * [n_tokens] at most.  Returns the number of entries. */
	uint32_t (*list)(const struct scheduler *s, struct scheduled *out);
	/* Takes out a request that was enqueued and is not over: it gives back
	 * its blocks as one that ended; q->generated is what it has.  The
	 * caller strikes it out of the batches in flight.  Returns 0; or 1,
	 * and nothing has changed: KV is being written into its blocks, the
	 * caller tries again in a later call. */
	int (*withdraw)(struct scheduler *s, uint32_t sequence);
	/* Empties the prefix cache; no request holds a part of it.  NULL: it is
	 * in the blocks. */
	void (*clear_cache)(struct scheduler *s);
	/* Returns how many leading tokens of a prompt its cache has.  NULL:
	 * none, because no request finds what another one left. */
	uint32_t (*found)(struct scheduler *s, struct sequence *q);
	/* 1: tokens appear at the end of their step, even if it is processed
	 * later; a request may give up those in flight. */
	int shows_at_end, may_lose;
};

/* Why an engine cannot go on. */
enum scheduler_death {
	SCHEDULER_LIVES,
	SCHEDULER_NO_BLOCK,    /* a block is needed, and none is free */
	SCHEDULER_LONG_PROMPT, /* a prompt is longer than a step */
	SCHEDULER_LONG_STEP,   /* the prompts chosen are longer than a step */
};

struct scheduler {
	const struct policy *policy;
	const struct engine *e;
	struct sequence_pool *pool;
	struct step_columns columns;
	struct kv kv;
	struct offload *offload;   /* NULL: KV stays on the GPU */
	struct encoders *encoders; /* NULL: requests have no items */
	struct queue waiting;
	/* fetching: requests before the waiting ones; they have blocks, and
	 * their KV cache is on its way or has arrived.  begun: requests with a
	 * KV transfer that the caller must start now. */
	struct queue fetching, begun;
	/* Requests that were passed over: before the waiting ones. */
	struct queue passed;
	/* end of the last committed step; set by the caller */
	int64_t last_end_ns;
	int64_t now_ns;   /* of the call; set by the caller */
	int has_finished; /* 1: a request ended since the last choose() */
	int is_deferring; /* 1: prompts that can wait do; set by the caller */
	/* About the step being formed: */
	uint32_t n_preempted, tokens;
	uint32_t n_deferred; /* requests that must wait for a later call */
	int64_t wait_ns;     /* it starts that much later */
	int goes_on;         /* 1: as ahead() predicted in the step before */
	uint32_t n_admitted, *admitted; /* [max_num_seqs] */

	/* 1: requests may leave before their planned end; set by
	 * scheduler_new() */
	int may_leave;
	uint64_t admissions, preemptions, hit_tokens, queried_tokens;
	struct acceptance_sum accepted;
	/* A request that a call without a step gave up, until the caller takes
	 * it; or NO_SEQUENCE. */
	uint32_t given_up;
	/* The engine itself dies in this call, and over which request. */
	enum scheduler_death death;
	uint64_t death_row;
	/* of the first request, where the policy notes it: others wait behind
	 * it when nothing can be scheduled */
	uint64_t first_row;
	int out_of_memory;    /* sticky */
	struct arrays arrays; /* its own, and the policy's */
};

/* may_leave: requests may leave before their planned end.  Returns NULL if
 * memory is out. */
struct scheduler *scheduler_new(const struct policy *policy,
				const struct engine *e,
				struct sequence_pool *pool,
				const struct step_columns *columns,
				int may_leave);
void scheduler_free(struct scheduler *s);
void scheduler_enqueue(struct scheduler *s, uint32_t sequence);
/* For policies: the request leaves the queue, if it is there.  Returns 1 if it
 * was. */
int scheduler_leave_queue(struct scheduler *s, struct queue *q, uint32_t i);
/* For policies: policy.found for those with blocks of KV cache. */
uint32_t scheduler_found(struct scheduler *s, struct sequence *q);
static inline struct sequence *scheduler_sequence(const struct scheduler *s,
						  uint32_t i)
{
	return &s->pool->item[i];
}
static inline uint32_t scheduler_waiting(const struct scheduler *s)
{
	return s->waiting.n + s->fetching.n + s->passed.n;
}
/* Returns 1 if any request is not over. */
static inline int scheduler_is_unfinished(const struct scheduler *s)
{
	return scheduler_waiting(s) || s->policy->running(s);
}
/* For policies: the request gets a token of the batch now. */
void scheduler_count_token(struct batch *b, struct sequence *q, uint32_t i,
			   int64_t now);
/* For policies: policy.list for the listed members of the batch.  Returns how
 * many there are. */
uint32_t scheduler_list_members(const struct scheduler *s,
				const struct batch *b, struct scheduled *out);
/* For policies: begins the step in their columns, without sequences. */
static inline void scheduler_begin_columns(const struct scheduler *s,
					   sc_step *step)
{
	const struct step_columns *c = &s->columns;
	step->flags = s->tokens <= s->e->graph_max_tokens ? SC_STEP_GRAPH : 0;
	step->n_prefill = step->n_decode = step->n_sampled = 0;
	step->prefill_new = c->prefill_new;
	step->prefill_ctx = c->prefill_ctx;
	step->prefill_last = c->prefill_last;
	step->prefill_prompt = c->prefill_prompt;
	step->prefill_id = c->prefill_id;
	step->decode_ctx = c->decode_ctx;
	step->decode_ctx_sum = 0;
	step->decode_new = NULL;
	step->decode_id = c->decode_id;
}
/* For policies: drops the blocks that windows do not reach any more, for a
 * request with `computed` tokens, where in_flight of them are not processed. */
void scheduler_drop_old(struct scheduler *s, struct kv_owner *o,
			uint32_t computed, uint32_t in_flight);
/* For policies: the engine dies in this call; the first reason counts. */
void scheduler_dies(struct scheduler *s, const struct sequence *q,
		    enum scheduler_death why);
/* Says that the engine of this replica died, and which key to raise.  Returns
 * -1. */
int scheduler_say_dead(const struct scheduler *s, uint32_t replica,
		       struct problem *p);
/* For policies: takes blocks for `tokens` tokens of the request; the engine
 * dies if there are not enough. */
void scheduler_cover(struct scheduler *s, struct sequence *q, uint32_t tokens);
/* For policies: begins the next step; notes that a sequence is admitted to
 * it. */
void scheduler_begin_step(struct scheduler *s);
void scheduler_admitted(struct scheduler *s, uint32_t sequence);
/* For policies: adds a sequence to one of the scheduler's queues. */
void scheduler_push(struct scheduler *s, struct queue *q, uint32_t sequence);
/* For policies: counts a preemption. */
void scheduler_preempted(struct scheduler *s, struct sequence *q);
/* For policies: the request begins behind `tokens` tokens that the cache has;
 * they count at its first look-up. */
void scheduler_found_cached(struct scheduler *s, struct sequence *q,
			    uint32_t tokens);
