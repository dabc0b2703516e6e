/* ideal_commit.c -- Counts the tokens of a step that was priced, and lets
 * requests go that have all of theirs. */
#include "sim/policy/ideal_commit.h"
#include "base/whole.h"
#include "sim/policy/columns.h"
#include "sim/policy/ideal_rows.h"

/* Notes that row i has its last token scheduled. */
static void note_spent(struct ideal *s, struct batch *b, uint32_t i)
{
	s->spent[b->n_last] = i;
	b->last[b->n_last++] = s->sequence[i];
}

/* Notes that the sequence gets a token after a pause. */
static void add_late(struct batch *b, const struct sequence *q)
{
	b->late_gap_ns[b->n_late++] = b->end_ns - q->last_token_ns;
}

/* Commits a decoding row: it got its token, or had to pause. */
static void commit_decode(struct ideal *s, struct batch *b, uint32_t i)
{
	struct sequence *q = ideal_sequence(s, i);
	if (s->chunk[i] == 0) {
		s->last_tick[i]++;
		if (!q->is_late) {
			q->is_late = 1;
			q->last_token_ns = s->is.last_end_ns;
		}
		s->n_late++;
		return;
	}
	s->ctx[i]++;
	if (q->is_late) {
		q->is_late = 0;
		add_late(b, q);
	} else {
		b->n_on_time++;
	}
	if (ideal_tokens_left(s, i) == 0)
		note_spent(s, b, i);
}

static void commit_prefill(struct ideal *s, struct batch *b, uint32_t i)
{
	struct sequence *q = ideal_sequence(s, i);
	s->ctx[i] += s->chunk[i];
	if (s->ctx[i] < s->target[i])
		return;
	/* This step makes a token. */
	s->last_tick[i] = s->tick + q->quota - q->generated - 1;
	if (q->generated == 0)
		b->first[b->n_first++] = s->sequence[i];
	else
		add_late(b, q);
	q->is_late = 0;
	if (ideal_tokens_left(s, i) == 0)
		note_spent(s, b, i);
}

/* Finds the spent rows among the decoding rows; b has none so far. */
static void find_spent(struct ideal *s, struct batch *b)
{
	const uint32_t *last_tick = s->last_tick, next = s->tick + 1;
	uint32_t *spent = s->spent, n = s->n_decoding, n_spent = 0;
	uint32_t soonest = UINT32_MAX - 1; /* behind the next tick */
	/* Without branches, because a processor would mispredict which rows are
	 * spent. */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t behind = last_tick[i] - next;
		spent[n_spent] = i;
		n_spent += behind == UINT32_MAX;
		soonest = whole_min(soonest, behind);
	}
	for (uint32_t k = 0; k < n_spent; k++)
		b->last[k] = s->sequence[spent[k]];
	b->n_last = n_spent;
	s->next_last_tick = next + soonest;
}

/* Gives every decoding row n more tokens; b gets the last of them. */
static void commit_decodes(struct ideal *s, struct batch *b, uint32_t n)
{
	columns_plus(s->ctx, s->ctx, s->n_decoding, n);
	s->ctx_sum += (uint64_t)n * s->n_decoding;
	b->n_on_time = s->n_decoding;
	if (s->n_decoding && s->next_last_tick == s->tick)
		find_spent(s, b);
}

static void leave_spent(struct ideal *s, const struct batch *b)
{
	for (uint32_t k = b->n_last; k-- > 0;)
		ideal_leave(s, s->spent[k]);
}

void ideal_commit(struct scheduler *is, struct batch *b)
{
	struct ideal *s = ideal_of(is);
	uint32_t i = 0;
	b->n_first = b->n_last = b->n_late = b->n_on_time = 0;
	b->gap_ns = b->end_ns - is->last_end_ns;
	if (++s->tick == 0)
		s->dirty = 1; /* phases jump, unless the block size is 2^n */
	if (s->decode_only) {
		commit_decodes(s, b, 1);
		i = s->n_decoding;
	} else {
		s->n_late = 0;
		s->dirty = 1;
	}
	for (; i < s->n; i++) {
		if (ideal_is_decoding(s, i))
			commit_decode(s, b, i);
		else
			commit_prefill(s, b, i);
		if (ideal_is_decoding(s, i) && i == s->n_decoding)
			ideal_join_decoding(s);
		else if (ideal_is_decoding(s, i))
			s->dirty = 1;
	}
	leave_spent(s, b);
}

void ideal_commit_run(struct scheduler *is, uint32_t n, struct batch *b)
{
	struct ideal *s = ideal_of(is);
	b->n_first = b->n_last = b->n_late = 0;
	s->tick += n;
	commit_decodes(s, b, n);
	leave_spent(s, b);
}

/* ---- the step is over ---- */

void ideal_process(struct scheduler *is, struct batch *b, int64_t now)
{
	for (uint32_t i = 0; i < b->n_first; i++) {
		struct sequence *q = &is->pool->item[b->first[i]];
		q->first_token_ns = now;
		q->first_response_ns = b->response_ns;
	}
	for (uint32_t i = 0; i < b->n_last; i++)
		ideal_remove_leaving(ideal_of(is), b->last[i]);
}
