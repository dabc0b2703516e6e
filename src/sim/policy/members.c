/* members.c -- Keeps track of the members of steps in an engine that works one
 * batch ahead. */
#include "sim/policy/members.h"

/* ---- a step ---- */

void members_begin(struct batches_ahead *m, struct batch *b)
{
	m->batch = b;
	b->n_members = b->n_decode_only = 0;
}

void members_add(struct batches_ahead *m, const struct scheduler *s, uint32_t i,
		 uint32_t n, int is_prefill)
{
	const struct progress *q = &scheduler_sequence(s, i)->progress;
	int is_complete = !is_prefill || q->computed + n >= q->known;
	int makes_token = is_complete && q->known + q->placeholders < q->most;
	m->batch->member[m->batch->n_members++] = (struct member){
	    .sequence = i,
	    .context = q->computed,
	    .new_tokens = n,
	    .is_prefill = is_prefill != 0,
	    .makes_token = makes_token != 0,
	    .emits =
		makes_token && q->known + q->placeholders < progress_end(q),
	};
}

static int is_sampled(const struct scheduler *s, const struct member *x)
{
	return !x->is_prefill ||
	       x->context + x->new_tokens >=
		   scheduler_sequence(s, x->sequence)->progress.known;
}

static void show_one(const struct scheduler *s, const struct member *x,
		     sc_step *step)
{
	const struct step_columns *c = &s->columns;
	const struct sequence *q = scheduler_sequence(s, x->sequence);
	uint64_t row = q->request.row;
	int sampled = is_sampled(s, x);
	step->n_sampled += (uint32_t)sampled;
	if (!x->is_prefill) {
		c->decode_ctx[step->n_decode] = x->context;
		c->decode_id[step->n_decode++] = row;
		return;
	}
	c->prefill_new[step->n_prefill] = x->new_tokens;
	c->prefill_ctx[step->n_prefill] = x->context;
	c->prefill_last[step->n_prefill] = (uint32_t)sampled;
	c->prefill_prompt[step->n_prefill] = sequence_prompt_tokens(q);
	c->prefill_id[step->n_prefill++] = row;
}

/* Those without names, which decode one token each. */
static void show_columns(const struct scheduler *s, uint32_t n, sc_step *step)
{
	step->n_decode = step->n_sampled = n;
	step->decode_ctx = s->columns.ctx;
	step->decode_id = s->columns.id;
}

int members_show(const struct batches_ahead *m, struct scheduler *s,
		 sc_step *step)
{
	const struct batch *b = m->batch;
	s->tokens = b->n_decode_only;
	for (uint32_t k = 0; k < b->n_members; k++)
		s->tokens += b->member[k].new_tokens;
	scheduler_begin_columns(s, step);
	if (b->n_decode_only)
		show_columns(s, b->n_decode_only, step);
	for (uint32_t k = 0; k < b->n_members; k++)
		show_one(s, &b->member[k], step);
	if (step->n_prefill)
		step->flags = 0;
	return b->n_decode_only + b->n_members > 0;
}

void members_commit(struct batches_ahead *m, struct scheduler *s)
{
	for (uint32_t k = 0; k < m->batch->n_members; k++) {
		const struct member *x = &m->batch->member[k];
		struct progress *q =
		    &scheduler_sequence(s, x->sequence)->progress;
		q->computed += x->new_tokens;
		q->in_flight += x->new_tokens;
		q->placeholders += x->makes_token;
		if (x->is_prefill)
			q->is_chunk = !is_sampled(s, x);
	}
	m->older = m->newest;
	m->newest = m->batch;
}

/* ---- requests that leave ---- */

static int strike(struct batch *b, uint32_t i)
{
	for (uint32_t k = 0; b && k < b->n_members; k++)
		if (b->member[k].sequence == i) {
			b->member[k].sequence = NO_SEQUENCE;
			return 1;
		}
	return 0;
}

int members_forget(struct batches_ahead *m, struct scheduler *s, uint32_t i)
{
	struct progress *q = &scheduler_sequence(s, i)->progress;
	q->in_flight = q->placeholders = 0;
	strike(m->older, i);
	return strike(m->newest, i);
}

void members_put_back(struct scheduler *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(s, i);
	q->generated = q->progress.known - q->request.input_tokens;
	q->progress.computed = 0;
	q->progress.is_chunk = 0;
	q->progress.is_preempted = 1;
	scheduler_preempted(s, q);
}

/* ---- results ---- */

void members_process(struct batches_ahead *m, struct batch *b, int64_t now)
{
	if (b == m->older)
		m->older = NULL;
	if (b == m->newest)
		m->newest = NULL;
	batch_begin_results(b, b->n_decode_only, now, &m->processed_ns);
}

int members_count(struct batch *b, struct scheduler *s, const struct member *x,
		  int64_t now)
{
	struct sequence *q = scheduler_sequence(s, x->sequence);
	struct progress *g = &q->progress;
	g->in_flight -= x->new_tokens;
	if (!x->makes_token)
		return 0;
	g->placeholders--;
	g->known++;
	scheduler_count_token(b, q, x->sequence, now);
	if (g->known < progress_end(g))
		return 0;
	q->generated = g->known - q->request.input_tokens;
	b->last[b->n_last++] = x->sequence;
	return 1;
}

int members_by_order(const struct sequence *a, const struct sequence *b)
{
	return a->order < b->order;
}

static void sort_last(struct batch *b, const struct scheduler *s)
{
	for (uint32_t k = 1; k < b->n_last; k++) {
		uint32_t i = b->last[k], place = k;
		for (; place > 0 &&
		       members_by_order(
			   scheduler_sequence(s, i),
			   scheduler_sequence(s, b->last[place - 1]));
		     place--)
			b->last[place] = b->last[place - 1];
		b->last[place] = i;
	}
}

void members_count_all(struct batch *b, struct scheduler *s, int64_t now)
{
	for (uint32_t k = 0; k < b->n_members; k++)
		if (b->member[k].sequence != NO_SEQUENCE)
			members_count(b, s, &b->member[k], now);
	sort_last(b, s);
}
