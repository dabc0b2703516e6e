/* deal.c -- Deals prompts to the least loaded seat, largest first, decodes
 * evenly; pads what a rank then computes. */
#include "step/deal.h"
#include <math.h>
#include <stdlib.h>
#include "stepcost/fail.h"
#include "stepcost/sum.h"
#include "inst.h"

enum { MOST_PROMPTS = 4096 };

struct deal {
	uint32_t passes, ranks; /* of this step; a seat is a rank of a pass */
	double context, tokens_each; /* of a decode */
	uint32_t *seat, *order;      /* [MOST_PROMPTS] */
	double *load;                /* [seats] prompt tokens */
};

int deal_room(struct inst *s)
{
	size_t seats = (size_t)(s->dp * s->pp);
	struct deal *d = calloc(1, sizeof *d);
	s->deal = d;
	if (!d)
		return -1;
	d->seat = calloc(MOST_PROMPTS, sizeof *d->seat);
	d->order = calloc(MOST_PROMPTS, sizeof *d->order);
	d->load = calloc(seats, sizeof *d->load);
	return d->seat && d->order && d->load ? 0 : -1;
}

void deal_free(struct inst *s)
{
	if (!s->deal)
		return;
	free(s->deal->seat);
	free(s->deal->order);
	free(s->deal->load);
	free(s->deal);
}

/* ---- padding ---- */

/* Decodes run at captured sizes; with prompts the tables' steps are enough. */
static double padded(const struct numbers *n, double tokens, int has_prompts)
{
	double pad = has_prompts ? n->pad_prompts : n->pad_decodes;
	if (!has_prompts)
		return tokens <= pad ? tokens : pad * ceil(tokens / pad);
	return tokens < n->pad_prompts_from ? tokens : pad * rint(tokens / pad);
}

double deal_most_tokens(const struct numbers *n, double tokens, int has_prompts)
{
	int rounds = has_prompts && tokens >= n->pad_prompts_from;
	return tokens + (rounds ? n->pad_prompts / 2 : 0);
}

/* ---- dealing ---- */

double deal_context(const sc_step *st)
{
	uint64_t sum = sc_decode_ctx_sum(st);
	return sum > st->n_decode ? (double)(int64_t)sum / st->n_decode : 1;
}

static double mean_tokens(const sc_step *st)
{
	if (!st->decode_new || !st->n_decode)
		return 1;
	return (double)(int64_t)sc_sum(st->decode_new, st->n_decode) /
	       st->n_decode;
}

/* Largest first, equal ones as they come. */
static void order_prompts(struct deal *d, const sc_step *st)
{
	for (uint32_t i = 0; i < st->n_prefill; i++) {
		uint32_t at = i;
		for (; at > 0 &&
		       st->prefill_new[d->order[at - 1]] < st->prefill_new[i];
		     at--)
			d->order[at] = d->order[at - 1];
		d->order[at] = i;
	}
}

static void deal_prompts(struct deal *d, const sc_step *st)
{
	uint32_t seats = d->passes * d->ranks;
	for (uint32_t i = 0; i < seats; i++)
		d->load[i] = 0;
	order_prompts(d, st);
	for (uint32_t i = 0; i < st->n_prefill; i++) {
		uint32_t to = 0, prompt = d->order[i];
		for (uint32_t j = 1; j < seats; j++)
			if (d->load[j] < d->load[to])
				to = j;
		d->load[to] += st->prefill_new[prompt];
		d->seat[prompt] = to;
	}
}

int32_t deal_begin(struct inst *s, const sc_step *st, sc_error *err)
{
	struct deal *d = s->deal;
	int one_rank = SC_HAS(st, dp_tokens) && st->dp_tokens > 0;
	d->passes = s->divides ? (uint32_t)s->pp : 1;
	d->ranks = one_rank ? 1 : (uint32_t)s->dp;
	d->context = deal_context(st);
	d->tokens_each = mean_tokens(st);
	if (d->passes * d->ranks == 1)
		return 1;
	if (st->n_prefill > MOST_PROMPTS)
		return sc_fail(err, SC_EUNSUP,
			       "a step of %u prompts: at most %d are dealt out "
			       "to ranks",
			       st->n_prefill, MOST_PROMPTS);
	deal_prompts(d, st);
	return (int32_t)d->passes;
}

int deal_has(const struct inst *s, const struct batch *b, uint32_t i)
{
	return b->seat == SEAT_ALL || s->deal->seat[i] == b->seat;
}

/* ---- a pass ---- */

/* Of the ranks of pass i the one with most prompt tokens; *all: of them all. */
static uint32_t busiest(const struct deal *d, uint32_t pass, double *all)
{
	uint32_t first = pass * d->ranks, best = first;
	*all = 0;
	for (uint32_t i = first; i < first + d->ranks; i++) {
		*all += d->load[i];
		if (d->load[i] > d->load[best])
			best = i;
	}
	return best;
}

/* Prompts of the batch, and which of them emit a token: those that complete,
 * as far as the step says. */
static void count_prompts(const struct inst *s, const sc_step *st,
			  struct batch *b)
{
	for (uint32_t i = 0; i < st->n_prefill; i++) {
		if (!deal_has(s, b, i))
			continue;
		int completes = i < st->n_sampled - st->n_decode;
		if (st->prefill_last)
			completes = st->prefill_last[i] != 0;
		b->prompt_tokens += st->prefill_new[i];
		b->sequences++;
		b->sampled += completes;
	}
}

/* This rank's step in a group that goes in lockstep: within the captured sizes
 * all ranks pad to the busiest. */
static void pad_in_group(const struct inst *s, const sc_step *st,
			 struct batch *b, double own)
{
	if (st->dp_max_tokens <= s->graph_max) {
		b->tokens = fmax(own, st->dp_max_tokens);
		b->group_tokens = s->dp * b->tokens;
	} else {
		b->tokens = padded(&s->number, own, b->has_prompts);
		b->group_tokens = padded(&s->number, st->dp_tokens, 1);
	}
}

/* Decodes of pass i, of all ranks. */
static double decodes_of(const struct deal *d, const sc_step *st, uint32_t i)
{
	if (d->passes == 1)
		return st->n_decode;
	uint32_t each = st->n_decode / d->passes;
	return each + (i < st->n_decode % d->passes);
}

void deal_batch(const struct inst *s, const sc_step *st, uint32_t i,
		struct batch *b)
{
	const struct deal *d = s->deal;
	double group = decodes_of(d, st, i), prompts = 0;
	*b = (struct batch){.context = d->context, .seat = SEAT_ALL};
	b->decodes = d->ranks == 1 ? group : ceil(group / d->ranks);
	b->decode_tokens = b->decodes * d->tokens_each;
	b->sequences = b->decodes;
	b->sampled = b->decode_tokens;
	if (d->passes * d->ranks > 1)
		b->seat = busiest(d, i, &prompts);
	count_prompts(s, st, b);
	if (b->seat == SEAT_ALL)
		prompts = b->prompt_tokens;
	double own = b->decode_tokens + b->prompt_tokens;
	b->has_prompts = prompts > 0;
	b->tokens = b->group_tokens = padded(&s->number, own, b->has_prompts);
	if (s->dp > 1 && SC_HAS(st, dp_tokens) && st->dp_tokens > 0)
		pad_in_group(s, st, b, own);
	else if (s->dp > 1)
		b->group_tokens =
		    b->has_prompts ? padded(&s->number,
					    group * d->tokens_each + prompts, 1)
				   : s->dp * b->tokens;
}

void deal_decodes(struct inst *s, const sc_step *st, struct batch *b)
{
	deal_begin(s, st, NULL);
	deal_batch(s, st, 0, b);
}
