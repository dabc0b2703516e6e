/* sim/policy/vllm/vllm_state.h -- the state of policy vllm for a replica.
 *
 * For a request (struct progress), `known` tokens are its prompt and the output
 * that has been processed; `computed` of them were given to the GPU;
 * `placeholders` count output of batches in flight (async_scheduling only);
 * `in_flight` tokens are scheduled and not processed.  The scheduler assumes
 * that all drafts in flight are accepted; `coming` is the number that really
 * is. */
#pragma once
#include "sim/policy/vllm/vllm_adapters.h"
#include "sim/scheduler.h"

/* A request at the step being formed: `tokens` tokens are computed at its end,
 * and `known` tokens are known now. */
struct storing {
	uint32_t sequence, tokens, known;
};

/* Running requests that decode one token in every step (steady.h). */
struct fast_decodes {
	uint32_t n;
	/* [max_num_seqs] each; ctx: tokens computed */
	uint32_t *ctx, *sequence;
	uint32_t *due; /* number of tokens at which work is due for it */
	uint64_t *id;  /* their rows */
	/* The first n_front entries of running[] are these requests, and
	 * requests that have their last token in flight. */
	uint32_t n_front;
	/* Indices of requests with their last token in the step. */
	uint32_t n_spent, *spent;
	/* With offloading: those that may have something to store. */
	uint32_t n_storing;
	struct storing *storing;
	/* Numbers, from 1, of the last batches that were not empty. */
	uint32_t formed, processed;
	int64_t processed_ns;
	struct batch **queued; /* [n_queued] by number */
	uint32_t n_queued;
};

/* Blocks of a request that are given back when batch `number` is processed. */
struct late_blocks {
	struct kv_owner kv;
	uint32_t number;
	int over; /* 1: the request ended; the content is the entry's */
};

struct vllm {
	struct scheduler is;
	uint32_t n;
	uint32_t *running; /* [max_num_seqs] sequences, in order of admission */
	struct fast_decodes fast_decodes;
	uint32_t max_len;
	uint32_t calls; /* number of calls of choose() */
	/* 1: no request waited after the last admission that was not
	 * deferred */
	int has_emptied;
	int is_deferring;
	/* About the step being formed: */
	struct batch *batch;
	uint32_t budget, all_tokens; /* tokens left, and at first */
	/* 1: only decodes so far; 0 also if admissions are not padded */
	uint32_t only_decodes;
	struct adapters adapters;
	/* With offloading: blocks that are given back later; requests that
	 * load, or have loaded, and do not run yet. */
	struct late_blocks *late;
	uint32_t n_late, cap_late;
	uint32_t *loading, n_loading, cap_loading;
	struct queue over; /* requests that this call passes over */
	uint32_t at;       /* current index in running[] */
};
