/* assignment.c -- Assigns prompts to the least loaded rank, largest first,
 * decodes evenly; pads what a rank then computes. */
#include "step/assignment.h"
#include <math.h>
#include <stdlib.h>
#include "stepcost/fail.h"
#include "stepcost/sum.h"
#include "inst.h"

enum { MOST_PROMPTS = 4096 };

struct assignment {
	uint32_t passes,
	    ranks; /* of this step; a rank_of_pass is a rank of a pass */
	double context, tokens_each;    /* of a decode */
	uint32_t *rank_of_pass, *order; /* [MOST_PROMPTS] */
	double *load;                   /* [passes * ranks] prompt tokens */
};

int assignment_create(struct inst *s)
{
	size_t ranks_of_passes = (size_t)(s->dp * s->pp);
	struct assignment *d = calloc(1, sizeof *d);
	s->assignment = d;
	if (!d)
		return -1;
	d->rank_of_pass = calloc(MOST_PROMPTS, sizeof *d->rank_of_pass);
	d->order = calloc(MOST_PROMPTS, sizeof *d->order);
	d->load = calloc(ranks_of_passes, sizeof *d->load);
	return d->rank_of_pass && d->order && d->load ? 0 : -1;
}

void assignment_free(struct inst *s)
{
	if (!s->assignment)
		return;
	free(s->assignment->rank_of_pass);
	free(s->assignment->order);
	free(s->assignment->load);
	free(s->assignment);
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

double assignment_most_tokens(const struct numbers *n, double tokens,
			      int has_prompts)
{
	int rounds = has_prompts && tokens >= n->pad_prompts_from;
	return tokens + (rounds ? n->pad_prompts / 2 : 0);
}

/* ---- dealing ---- */

double assignment_context(const sc_step *st)
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
static void order_prompts(struct assignment *d, const sc_step *st)
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

static void assign_prompts(struct assignment *d, const sc_step *st)
{
	uint32_t ranks_of_passes = d->passes * d->ranks;
	for (uint32_t i = 0; i < ranks_of_passes; i++)
		d->load[i] = 0;
	order_prompts(d, st);
	for (uint32_t i = 0; i < st->n_prefill; i++) {
		uint32_t to = 0, prompt = d->order[i];
		for (uint32_t j = 1; j < ranks_of_passes; j++)
			if (d->load[j] < d->load[to])
				to = j;
		d->load[to] += st->prefill_new[prompt];
		d->rank_of_pass[prompt] = to;
	}
}

int32_t assignment_begin(struct inst *s, const sc_step *st, sc_error *err)
{
	struct assignment *d = s->assignment;
	int one_rank = SC_HAS(st, dp_tokens) && st->dp_tokens > 0;
	d->passes = s->divides ? (uint32_t)s->pp : 1;
	d->ranks = one_rank ? 1 : (uint32_t)s->dp;
	d->context = assignment_context(st);
	d->tokens_each = mean_tokens(st);
	if (d->passes * d->ranks == 1)
		return 1;
	if (st->n_prefill > MOST_PROMPTS)
		return sc_fail(err, SC_EUNSUP,
			       "a step of %u prompts: at most %d are dealt out "
			       "to ranks",
			       st->n_prefill, MOST_PROMPTS);
	assign_prompts(d, st);
	return (int32_t)d->passes;
}

int assignment_has(const struct inst *s, const struct batch *b, uint32_t i)
{
	return b->rank_of_pass == EVERY_RANK ||
	       s->assignment->rank_of_pass[i] == b->rank_of_pass;
}

/* ---- a pass ---- */

/* Returns the rank with the most prompt tokens in pass i; *all: the prompt
 * tokens of all ranks. */
static uint32_t busiest(const struct assignment *d, uint32_t pass, double *all)
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
		if (!assignment_has(s, b, i))
			continue;
		int completes = i < st->n_sampled - st->n_decode;
		if (st->prefill_last)
			completes = st->prefill_last[i] != 0;
		b->prompt_tokens += st->prefill_new[i];
		b->sequences++;
		b->sampled += completes;
	}
}

/* This rank's step in a group that goes in lockstep: all ranks pad to the
 * busiest, within the captured sizes or always. */
static void pad_in_group(const struct inst *s, const sc_step *st,
			 struct batch *b, double own)
{
	if (s->pads_all || st->dp_max_tokens <= s->graph_max) {
		b->tokens = fmax(own, st->dp_max_tokens);
		b->group_tokens = s->dp * b->tokens;
	} else {
		b->tokens = padded(&s->number, own, b->has_prompts);
		b->group_tokens = padded(&s->number, st->dp_tokens, 1);
	}
}

/* Decodes of pass i, of all ranks. */
static double decodes_of(const struct assignment *d, const sc_step *st,
			 uint32_t i)
{
	if (d->passes == 1)
		return st->n_decode;
	uint32_t each = st->n_decode / d->passes;
	return each + (i < st->n_decode % d->passes);
}

void assignment_batch(const struct inst *s, const sc_step *st, uint32_t i,
		      struct batch *b)
{
	const struct assignment *d = s->assignment;
	double group = decodes_of(d, st, i), prompts = 0;
	*b = (struct batch){.context = d->context, .rank_of_pass = EVERY_RANK};
	b->decodes = d->ranks == 1 ? group : ceil(group / d->ranks);
	b->decode_tokens = b->decodes * d->tokens_each;
	b->sequences = b->decodes;
	b->sampled = b->decode_tokens;
	if (d->passes * d->ranks > 1)
		b->rank_of_pass = busiest(d, i, &prompts);
	count_prompts(s, st, b);
	if (b->rank_of_pass == EVERY_RANK)
		prompts = b->prompt_tokens;
	double own = b->decode_tokens + b->prompt_tokens;
	b->has_prompts = prompts > 0;
	b->tokens = b->group_tokens = padded(&s->number, own, b->has_prompts);
	if (s->dp > 1 && SC_HAS(st, dp_tokens) && st->dp_tokens > 0)
		pad_in_group(s, st, b, own);
	else if (s->dp > 1)
		b->group_tokens =
		    b->has_prompts && !s->pads_all
			? padded(&s->number, group * d->tokens_each + prompts,
				 1)
			: s->dp * b->tokens;
}

void assignment_decodes(struct inst *s, const sc_step *st, struct batch *b)
{
	assignment_begin(s, st, NULL);
	assignment_batch(s, st, 0, b);
}
