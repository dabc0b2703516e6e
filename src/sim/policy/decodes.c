/* decodes.c -- Schedules requests that decode in every step until they end. */
#include <config.h>
#include "sim/policy/decodes.h"
#include <stdlib.h>
#include "base/whole.h"
#include "sim/policy/columns.h"

int decodes_init(struct decodes *d, const struct scheduler *s)
{
	size_t n = s->e->max_num_seqs;
	d->ctx = s->columns.ctx;
	d->id = s->columns.id;
	d->sequence = malloc(n * sizeof *d->sequence);
	d->due = malloc(n * sizeof *d->due);
	d->last = malloc(n * sizeof *d->last);
	d->soonest = UINT32_MAX;
	return d->sequence && d->due && d->last ? 0 : -1;
}

void decodes_free(struct decodes *d)
{
	free(d->sequence);
	free(d->due);
	free(d->last);
}

/* ---- a step ---- */

/* Takes blocks for the next token; layers with a window give back blocks that
 * they no longer reach. */
static void prepare(struct decodes *d, struct scheduler *s, uint32_t k)
{
	struct kv_owner *o = &scheduler_sequence(s, d->sequence[k])->kv;
	scheduler_drop_old(s, o, d->ctx[k], 0);
	if (kv_cover(&s->kv, o, d->ctx[k] + 1))
		s->out_of_memory = 1;
	d->due[k] = whole_min(o->cover_due, o->drop_due);
}

/* Returns how many requests are in the next step although their last token was
 * in an earlier one. */
static uint32_t count_over(const struct decodes *d)
{
	uint32_t n = 0;
	for (uint32_t k = 0; d->soonest <= d->formed && k < d->n; k++)
		n += d->last[k] <= d->formed;
	return n;
}

void decodes_run(struct decodes *d, struct scheduler *s, struct batch *b)
{
	for (uint32_t k = columns_next_due(d->ctx, d->due, 0, d->n); k < d->n;
	     k = columns_next_due(d->ctx, d->due, k + 1, d->n))
		prepare(d, s, k);
	b->n_quick = d->n;
	b->n_over = count_over(d);
}

static void join(struct decodes *d, const struct scheduler *s, uint32_t i)
{
	const struct sequence *q = scheduler_sequence(s, i);
	const struct progress *g = &q->progress;
	uint32_t k = d->n++;
	d->ctx[k] = g->computed;
	d->id[k] = q->request.row;
	d->sequence[k] = i;
	d->due[k] = 0;
	d->last[k] = d->formed + g->most - g->known - g->placeholders;
	d->soonest = whole_min(d->soonest, d->last[k]);
}

void decodes_commit(struct decodes *d, const struct scheduler *s,
		    const struct batch *b)
{
	d->formed++;
	columns_plus(d->ctx, d->ctx, b->n_quick, 1);
	for (uint32_t k = 0; k < b->n_members; k++)
		join(d, s, b->member[k].sequence);
}

/* ---- after the step ---- */

void decodes_process(struct decodes *d, const struct scheduler *s,
		     struct batch *b)
{
	d->processed++;
	for (uint32_t k = 0; d->soonest == d->processed && k < d->n; k++) {
		struct sequence *q = scheduler_sequence(s, d->sequence[k]);
		if (d->last[k] != d->processed || q->first_token_ns < 0)
			continue;
		q->generated = q->quota;
		b->last[b->n_last++] = d->sequence[k];
	}
}

static void move(struct decodes *d, uint32_t to, uint32_t from)
{
	d->ctx[to] = d->ctx[from];
	d->id[to] = d->id[from];
	d->sequence[to] = d->sequence[from];
	d->due[to] = d->due[from];
	d->last[to] = d->last[from];
}

void decodes_leave(struct decodes *d)
{
	uint32_t n = d->n;
	if (d->soonest != d->processed)
		return;
	d->n = 0;
	d->soonest = UINT32_MAX;
	for (uint32_t k = 0; k < n; k++) {
		if (d->last[k] == d->processed)
			continue;
		d->soonest = whole_min(d->soonest, d->last[k]);
		move(d, d->n++, k);
	}
}

uint32_t decodes_list(const struct decodes *d, const struct batch *b,
		      struct scheduled *out)
{
	for (uint32_t k = 0; k < b->n_quick; k++)
		out[k] = (struct scheduled){.row = d->id[k],
					    .context = d->ctx[k],
					    .new_tokens = 1,
					    .emitted = d->last[k] > d->formed};
	return b->n_quick;
}
