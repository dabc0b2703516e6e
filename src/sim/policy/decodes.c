/* decodes.c -- Schedules requests that decode in every step until they end. */
#include "sim/policy/decodes.h"
#include "base/whole.h"
#include "sim/policy/columns.h"
#include "sim/policy/members.h"

void decodes_init(struct decodes *d, struct scheduler *s)
{
	size_t n = s->e->max_num_seqs;
	d->ctx = s->columns.ctx;
	d->id = s->columns.id;
	d->sequence = arrays_add(&s->arrays, n, sizeof *d->sequence);
	d->due = arrays_add(&s->arrays, n, sizeof *d->due);
	d->last = arrays_add(&s->arrays, n, sizeof *d->last);
	d->ending = arrays_add(&s->arrays, n, sizeof *d->ending);
	d->ending_step = arrays_add(&s->arrays, n, sizeof *d->ending_step);
	d->soonest = UINT32_MAX;
}

/* ---- a step ---- */

/* Takes blocks for the next token; layers with a window give back blocks that
 * they no longer reach. */
static void prepare(struct decodes *d, struct scheduler *s, uint32_t k)
{
	struct sequence *q = scheduler_sequence(s, d->sequence[k]);
	scheduler_drop_old(s, &q->kv, d->ctx[k], 0);
	scheduler_cover(s, q, d->ctx[k] + 1);
	d->due[k] = whole_min(q->kv.cover_due, q->kv.drop_due);
}

void decodes_run(struct decodes *d, struct scheduler *s, struct batch *b)
{
	for (uint32_t k = columns_next_due(d->ctx, d->due, 0, d->n); k < d->n;
	     k = columns_next_due(d->ctx, d->due, k + 1, d->n))
		prepare(d, s, k);
	b->n_decode_only = d->n;
}

static void move(struct decodes *d, uint32_t to, uint32_t from)
{
	d->ctx[to] = d->ctx[from];
	d->id[to] = d->id[from];
	d->sequence[to] = d->sequence[from];
	d->due[to] = d->due[from];
	d->last[to] = d->last[from];
}

/* Columns are in order of arrival: a request that had to wait for the blocks of
 * another one may come before it. */
static void join(struct decodes *d, const struct scheduler *s, uint32_t i)
{
	const struct sequence *q = scheduler_sequence(s, i);
	const struct progress *g = &q->progress;
	uint32_t k = d->n++;
	for (; k > 0 &&
	       members_by_order(q, scheduler_sequence(s, d->sequence[k - 1]));
	     k--)
		move(d, k, k - 1);
	d->ctx[k] = g->computed;
	d->id[k] = q->request.row;
	d->sequence[k] = i;
	d->due[k] = 0;
	d->last[k] = d->formed + progress_end(g) - g->known - g->placeholders;
	d->soonest = whole_min(d->soonest, d->last[k]);
}

/* Requests that have their last token in the step formed last leave the
 * columns. */
static void begin_to_end(struct decodes *d)
{
	uint32_t n = d->n;
	if (d->soonest != d->formed)
		return;
	d->n = 0;
	d->soonest = UINT32_MAX;
	for (uint32_t k = 0; k < n; k++)
		if (d->last[k] == d->formed) {
			d->ending[d->n_ending] = d->sequence[k];
			d->ending_step[d->n_ending++] = d->formed;
		} else {
			d->soonest = whole_min(d->soonest, d->last[k]);
			move(d, d->n++, k);
		}
}

void decodes_commit(struct decodes *d, const struct scheduler *s,
		    const struct batch *b)
{
	d->formed++;
	columns_plus(d->ctx, d->ctx, b->n_decode_only, 1);
	for (uint32_t k = 0; k < b->n_members; k++)
		join(d, s, b->member[k].sequence);
	begin_to_end(d);
}

/* ---- after the step ---- */

void decodes_process(struct decodes *d, const struct scheduler *s,
		     struct batch *b)
{
	uint32_t k = 0, kept = 0;
	d->processed++;
	for (; k < d->n_ending && d->ending_step[k] == d->processed; k++) {
		struct sequence *q = scheduler_sequence(s, d->ending[k]);
		if (q->first_token_ns < 0)
			continue; /* a member with a name */
		q->generated = q->quota;
		b->last[b->n_last++] = d->ending[k];
	}
	for (; k < d->n_ending; k++, kept++) {
		d->ending[kept] = d->ending[k];
		d->ending_step[kept] = d->ending_step[k];
	}
	d->n_ending = kept;
}

uint32_t decodes_list(const struct decodes *d, const struct batch *b,
		      struct scheduled *out)
{
	for (uint32_t k = 0; k < b->n_decode_only; k++)
		out[k] = (struct scheduled){.row = d->id[k],
					    .sequence = d->sequence[k],
					    .context = d->ctx[k],
					    .new_tokens = 1,
					    .emitted = 1};
	return b->n_decode_only;
}
