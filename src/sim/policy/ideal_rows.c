/* ideal_rows.c -- Running requests join and leave the columns, and take and
 * give back their blocks. */
#include "sim/policy/ideal_rows.h"
#include <string.h>
#include "sim/policy/columns.h"

/* Returns the index of a decoding row in by_phase[]; it is the same in every
 * step. */
static uint32_t phase_of(const struct ideal *s, uint32_t i)
{
	return ideal_in_block(s, ideal_in_block(s, s->ctx[i]) +
				     s->is.e->block_size -
				     ideal_in_block(s, s->tick));
}

/* ---- blocks ---- */

void ideal_take_blocks(struct ideal *s, struct sequence *q, uint32_t ctx,
		       uint32_t chunk, uint32_t n)
{
	if (!s->is.kv.caching) {
		blocks_count(&s->is.kv.pool, n);
		return;
	}
	if (kv_cover(&s->is.kv, &q->kv, ctx + chunk))
		s->is.out_of_memory = 1;
	else
		kv_key(&s->is.kv, &q->kv, ctx + chunk);
}

void ideal_give_back(struct ideal *s, struct sequence *q, uint32_t tokens,
		     int over)
{
	if (s->is.kv.caching)
		kv_give_back(&s->is.kv, &q->kv, over);
	else
		blocks_count_back(&s->is.kv.pool, ideal_blocks_of(s, tokens));
}

/* ---- the columns ---- */

void ideal_drop_row(struct ideal *s, uint32_t i)
{
	uint32_t last = --s->n;
	/* One loop for all columns, because each loop end is mispredicted.  The
	 * places behind the last row are not used. */
	for (; i < last; i += 4) {
		columns_pull(s->ctx + i);
		columns_pull_long(s->id + i);
		columns_pull(s->sequence + i);
		columns_pull(s->target + i);
		columns_pull(s->last_tick + i);
		columns_pull(s->chunk + i);
	}
}

void ideal_leave(struct ideal *s, uint32_t i)
{
	s->leaving[s->n_leaving++] =
	    (struct leaving){s->sequence[i], s->ctx[i]};
	if (i < s->n_decoding) {
		s->by_phase[phase_of(s, i)]--;
		s->n_decoding--;
		s->ctx_sum -= s->ctx[i];
	}
	ideal_drop_row(s, i);
}

void ideal_remove_leaving(struct ideal *s, uint32_t sequence)
{
	for (uint32_t i = 0; i < s->n_leaving; i++) {
		if (s->leaving[i].sequence != sequence)
			continue;
		ideal_give_back(s, &s->is.pool->item[sequence],
				s->leaving[i].tokens, 1);
		s->leaving[i] = s->leaving[--s->n_leaving];
		return;
	}
	/* otherwise it was preempted, and gave everything back */
}

void ideal_join_decoding(struct ideal *s)
{
	uint32_t i = s->n_decoding++, left = ideal_tokens_left(s, i);
	s->by_phase[phase_of(s, i)]++;
	s->ctx_sum += s->ctx[i];
	if (left && left < s->next_last_tick - s->tick)
		s->next_last_tick = s->last_tick[i];
}

void ideal_look_again(struct ideal *s)
{
	memset(s->by_phase, 0, s->is.e->block_size * sizeof *s->by_phase);
	s->n_decoding = 0;
	s->ctx_sum = 0;
	s->next_last_tick = s->tick - 1;
	while (s->n_decoding < s->n && ideal_is_decoding(s, s->n_decoding))
		ideal_join_decoding(s);
	uint32_t i = s->n_decoding;
	while (i < s->n && !ideal_is_decoding(s, i))
		i++;
	s->is_sorted = i == s->n;
	s->dirty = 0;
}
