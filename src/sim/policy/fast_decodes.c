/* fast_decodes.c -- Schedules requests that decode one token in every step. */
#include "sim/policy/fast_decodes.h"
#include <string.h>
#include "base/whole.h"
#include "sim/kv/kv_need.h"
#include "sim/policy/columns.h"
#include "sim/policy/vllm/vllm_offload.h"

void fast_decodes_init(struct fast_decodes *c, struct scheduler *s)
{
	size_t n = s->e->max_num_seqs;
	c->ctx = s->columns.ctx;
	c->id = s->columns.id;
	c->sequence = arrays_add(&s->arrays, n, sizeof *c->sequence);
	c->due = arrays_add(&s->arrays, n, sizeof *c->due);
	c->spent = arrays_add(&s->arrays, n, sizeof *c->spent);
	c->storing = arrays_add(&s->arrays, n, sizeof *c->storing);
	c->n_queued = engine_batches(s->e);
	c->queued = arrays_add(&s->arrays, c->n_queued, sizeof(struct batch *));
}

/* ---- the progress of a steady request ---- */

/* Returns how many of its tokens were scheduled, and in the next function
 * processed, since it became steady. */
static uint32_t formed_of(const struct fast_decodes *c,
			  const struct progress *q)
{
	uint32_t to = q->steady_to ? q->steady_to : c->formed;
	return to + 1 - q->steady_from;
}

static uint32_t processed_of(const struct fast_decodes *c,
			     const struct progress *q)
{
	return c->processed < q->steady_from
		   ? 0
		   : c->processed + 1 - q->steady_from;
}

/* ---- settling ---- */

static int is_in_batch(const struct progress *q, uint32_t number)
{
	return q->steady_from && q->steady_from <= number &&
	       (q->steady_to == 0 || number <= q->steady_to);
}

/* Inserts n members before those of the batch.  Returns the first. */
static struct member *make_room(struct batch *b, uint32_t n)
{
	memmove(b->member + n, b->member, b->n_members * sizeof *b->member);
	b->n_members += n;
	b->n_decode_only = b->n_last = 0;
	return b->member;
}

static struct member decode(uint32_t sequence, uint32_t context)
{
	return (struct member){.sequence = sequence,
			       .context = context,
			       .new_tokens = 1,
			       .makes_token = 1,
			       .emits = 1};
}

/* Lists the steady members of a batch in flight. */
static void name_members(struct vllm *s, uint32_t number)
{
	const struct fast_decodes *c = &s->fast_decodes;
	struct batch *b = c->queued[number % c->n_queued];
	struct member *m = make_room(b, b->n_decode_only);
	for (uint32_t place = 0; place < c->n_front; place++) {
		uint32_t i = s->running[place];
		const struct progress *q = &s->is.pool->item[i].progress;
		if (is_in_batch(q, number))
			*m++ = decode(i, q->computed + number - q->steady_from);
	}
}

/* Lists the steady members of the step being formed. */
static void name_scheduled(struct vllm *s)
{
	const struct fast_decodes *c = &s->fast_decodes;
	uint32_t n = s->batch->n_decode_only;
	struct member *m = make_room(s->batch, n);
	for (uint32_t k = 0; k < n; k++)
		m[k] = decode(c->sequence[k], c->ctx[k]);
}

static void settle_one(struct vllm *s, struct sequence *q)
{
	const struct fast_decodes *c = &s->fast_decodes;
	struct progress *g = &q->progress;
	uint32_t formed = formed_of(c, g), processed = processed_of(c, g);
	uint32_t ahead = formed - processed;
	g->computed += formed;
	g->known += processed;
	g->in_flight += ahead;
	g->coming += ahead;
	if (processed)
		q->last_token_ns = c->processed_ns;
	if (s->is.e->async_scheduling) {
		g->placeholders += ahead;
		kv_key(&s->is.kv, &q->kv, g->computed - g->placeholders);
	}
	g->steady_from = g->steady_to = 0;
}

void fast_decodes_settle(struct vllm *s)
{
	struct fast_decodes *c = &s->fast_decodes;
	for (uint32_t number = c->processed + 1; number <= c->formed; number++)
		name_members(s, number);
	name_scheduled(s);
	for (uint32_t place = 0; place < c->n_front; place++) {
		struct sequence *q = &s->is.pool->item[s->running[place]];
		if (q->progress.steady_from)
			settle_one(s, q);
	}
	c->n = c->n_front = c->n_storing = 0;
}

/* ---- scheduling ---- */

static void note_due(struct vllm *s, uint32_t k, const struct sequence *q)
{
	uint32_t due = whole_min(q->kv.due, q->progress.most - 1);
	s->fast_decodes.due[k] =
	    s->is.offload ? whole_min(due, vllm_offload_due(s, q)) : due;
}

/* Does the work that is due for the request at index k.  Returns 0 if there is
 * no block for it. */
static int prepare(struct vllm *s, uint32_t k)
{
	struct fast_decodes *c = &s->fast_decodes;
	struct kv *kv = &s->is.kv;
	struct sequence *q = &s->is.pool->item[c->sequence[k]];
	const struct progress *g = &q->progress;
	uint32_t tokens = c->ctx[k] + 1, processed = processed_of(c, g);
	uint32_t ahead = g->in_flight + formed_of(c, g) - processed;
	scheduler_drop_old(&s->is, &q->kv, c->ctx[k], ahead);
	if (kv_need(kv, &q->kv, tokens) > kv_room(kv))
		return 0;
	if (kv_cover(kv, &q->kv, tokens))
		s->is.out_of_memory = 1;
	else
		kv_key(kv, &q->kv, whole_min(tokens, g->known + processed));
	if (tokens == g->most - 1)
		c->spent[c->n_spent++] = k;
	if (s->is.offload)
		c->storing[c->n_storing++] = (struct storing){
		    c->sequence[k], tokens, g->known + processed};
	note_due(s, k, q);
	return 1;
}

/* Schedules only the first n of them. */
static void schedule_some(struct vllm *s, uint32_t n)
{
	s->batch->n_decode_only = n;
	s->budget -= n;
}

uint32_t fast_decodes_run(struct vllm *s)
{
	struct fast_decodes *c = &s->fast_decodes;
	s->batch->n_decode_only = c->n_spent = c->n_storing = 0;
	if (c->n > s->budget) {
		fast_decodes_settle(s);
		return 0;
	}
	for (uint32_t k = columns_next_due(c->ctx, c->due, 0, c->n); k < c->n;
	     k = columns_next_due(c->ctx, c->due, k + 1, c->n))
		if (!prepare(s, k)) {
			uint32_t place =
			    list_find(s->running, s->n, c->sequence[k]);
			schedule_some(s, k);
			fast_decodes_settle(s);
			return place;
		}
	schedule_some(s, c->n);
	return c->n_front;
}

/* ---- committing ---- */

static void remove_column(struct fast_decodes *c, uint32_t k)
{
	size_t behind = --c->n - k;
	memmove(c->ctx + k, c->ctx + k + 1, behind * sizeof *c->ctx);
	memmove(c->due + k, c->due + k + 1, behind * sizeof *c->due);
	memmove(c->id + k, c->id + k + 1, behind * sizeof *c->id);
	memmove(c->sequence + k, c->sequence + k + 1,
		behind * sizeof *c->sequence);
}

/* Returns 1 if the request made a token in the batch just formed, and will make
 * one in each following batch. */
static int is_steady(const struct fast_decodes *c, const struct progress *q)
{
	return !q->is_chunk && q->token_batch == c->formed;
}

/* Returns 1 if its last token is in flight: it is not scheduled any more. */
static int is_spent(const struct progress *q)
{
	return !q->is_chunk && q->computed + 1 == q->most;
}

/* Returns 1 without drafts and without stages that requests share in turns. */
static int is_possible(const struct engine *e)
{
	return e->speculation.drafts == 0 && engine_stages(e) == 1;
}

/* Moves requests from the front of `running` that only decode from now on to
 * the fast path. */
static void join(struct vllm *s)
{
	struct fast_decodes *c = &s->fast_decodes;
	if (!is_possible(s->is.e))
		return;
	for (; c->n_front < s->n; c->n_front++) {
		uint32_t i = s->running[c->n_front], k = c->n;
		struct sequence *q = &s->is.pool->item[i];
		if (is_spent(&q->progress))
			continue;
		if (q->progress.early)
			return;
		if (!is_steady(c, &q->progress) ||
		    (q->items && q->items->n_used))
			return;
		c->n++;
		c->ctx[k] = q->progress.computed;
		c->id[k] = q->request.row;
		c->sequence[k] = i;
		note_due(s, k, q);
		q->progress.steady_from = c->formed + 1;
	}
}

void fast_decodes_commit(struct vllm *s, struct batch *b)
{
	struct fast_decodes *c = &s->fast_decodes;
	c->formed++;
	c->queued[c->formed % c->n_queued] = b;
	b->n_last = 0;
	columns_plus(c->ctx, c->ctx, b->n_decode_only, 1);
	for (uint32_t k = 0; b->n_decode_only && k < c->n_spent; k++) {
		uint32_t i = c->sequence[c->spent[k]];
		s->is.pool->item[i].progress.steady_to = c->formed;
		b->last[b->n_last++] = i;
	}
	for (uint32_t k = b->n_last; k-- > 0;)
		remove_column(c, c->spent[k]);
	join(s);
}

void fast_decodes_end(struct vllm *s, uint32_t sequence)
{
	struct sequence *q = &s->is.pool->item[sequence];
	q->progress.known = q->progress.most;
	if (s->is.e->async_scheduling)
		kv_key(&s->is.kv, &q->kv, q->progress.most - 1);
}
