/* sim/policy/ideal_rows.h -- the rows of the policy plain: a row is a running
 * request, in struct plain's columns.  Only files of the policy include this.
 *
 * Decoding rows stand first unless the columns are dirty; n_decoding, ctx_sum
 * and by_phase[] are about them.  [one thread] */
#pragma once
#include "base/whole.h"
#include "sim/policy/ideal_state.h"

static inline struct ideal *ideal_of(const struct scheduler *s)
{
	return (struct ideal *)(uintptr_t)s;
}

/* Returns x mod block_size. */
static inline uint32_t ideal_in_block(const struct ideal *s, uint32_t x)
{
	uint32_t size = s->is.e->block_size;
	return s->is_power_of_2 ? x & (size - 1) : x % size;
}

static inline uint32_t ideal_blocks_of(const struct ideal *s, uint32_t tokens)
{
	if (s->is_power_of_2)
		return (tokens >> s->block_shift) +
		       (ideal_in_block(s, tokens) != 0);
	return whole_divide_up(tokens, s->is.e->block_size);
}

static inline struct sequence *ideal_sequence(const struct ideal *s, uint32_t i)
{
	return &s->is.pool->item[s->sequence[i]];
}

static inline int ideal_is_decoding(const struct ideal *s, uint32_t i)
{
	return s->ctx[i] >= s->target[i];
}

/* Returns the output tokens of a decoding row that are not scheduled yet; 0:
 * all are in flight. */
static inline uint32_t ideal_tokens_left(const struct ideal *s, uint32_t i)
{
	return s->last_tick[i] - s->tick;
}

static inline uint32_t ideal_running(const struct ideal *s)
{
	return s->n + s->n_leaving;
}

/* ---- blocks ---- */

static inline uint32_t ideal_blocks_needed(const struct ideal *s, uint32_t ctx,
					   uint32_t chunk)
{
	return ideal_blocks_of(s, ctx + chunk) - ideal_blocks_of(s, ctx);
}

/* Takes n blocks for tokens [ctx, ctx + chunk); blocks that become full can be
 * found from then on. */
void ideal_take_blocks(struct ideal *s, struct sequence *q, uint32_t ctx,
		       uint32_t chunk, uint32_t n);
/* Gives back all blocks of a request with `tokens` tokens.  over: no request
 * continues it. */
void ideal_give_back(struct ideal *s, struct sequence *q, uint32_t tokens,
		     int over);

/* ---- rows ---- */

/* Removes row i; the rows behind it move up. */
void ideal_drop_row(struct ideal *s, uint32_t i);
/* Moves row i, which has its last token in flight, to leaving[]. */
void ideal_leave(struct ideal *s, uint32_t i);
/* Frees the blocks of a sequence that has all its tokens. */
void ideal_remove_leaving(struct ideal *s, uint32_t sequence);
/* Row n_decoding becomes a decoding row. */
void ideal_join_decoding(struct ideal *s);
/* Computes n_decoding, ctx_sum, by_phase[] and next_last_tick from the columns,
 * which are no longer dirty. */
void ideal_look_again(struct ideal *s);
