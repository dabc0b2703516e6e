/* sim/policy/ideal_state.h -- the state of policy plain for a replica. */
#pragma once
#include "sim/scheduler.h"

struct ideal {
	struct scheduler is;

	/* Running requests, in order of admission: */
	uint32_t n;
	uint32_t *ctx; /* KV tokens computed or in flight */
	uint64_t *id;  /* their rows */
	uint32_t *sequence;
	uint32_t *target; /* it is a prompt until ctx reaches this */
	/* For a row that decodes: the tick of the step with its last token. */
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
	int decode_only;
};
