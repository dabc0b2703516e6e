/* attention.c -- Prices attention of requests of unlike lengths by kernels that
 * were measured for equal ones. */
#include <math.h>
#include "stepcost/fail.h"
#include "stepcost/kernel/floor.h"
#include "stepcost/sum.h"
#include "inst.h"

/* A chunk of n tokens on p cached ones does the work n (n + 2p) and moves n
 * queries and n + p keys. */
double whole_prompt(const struct sc_law *l, const double shape[3], double n,
		    double cached)
{
	double quadratic, linear, own;
	if (cached == 0)
		return n;
	sc_law_prefill_terms(l, shape, 1, &quadratic, &linear);
	double share = shape[0] / (shape[0] + shape[1]); /* of the queries */
	double bytes = linear - l->c[3];
	own = quadratic * n * (n + 2 * cached) + l->c[3] * (n + cached) +
	      bytes * (n + (1 - share) * cached);
	return 2 * own / (linear + sqrt(linear * linear + 4 * quadratic * own));
}

/* Equal whole prompts come out as they are. */
struct prompts prompts_of(const struct sc_law *l, const struct attention *a,
			  const sc_step *st)
{
	double sum = 0, squares = 0, least = INFINITY, most = 0;
	for (uint32_t i = 0; i < st->n_prefill; i++) {
		double cached = st->prefill_ctx[i];
		if (a->window > 0)
			cached = fmin(cached, a->window);
		double s = whole_prompt(l, a->prefill.shape, st->prefill_new[i],
					cached);
		sum += s;
		squares += s * s;
		least = fmin(least, s);
		most = fmax(most, s);
	}
	if (least == most)
		return (struct prompts){st->n_prefill, most};
	/* As many equal prompts as have the same sum and sum of squares. */
	return (struct prompts){sum * sum / squares, squares / sum};
}

/* No kernel of a chunk behind cached tokens was measured. */
struct answer prompt_attention(const struct inst *s, const struct attention *a,
			       const sc_step *st)
{
	struct prompts p = prompts_of(&s->prefill->law, a, st);
	struct answer is = grid_at(s->prefill, &a->prefill, p.batch, p.tokens);
	double pairs = 0, seen = 0;
	for (uint32_t i = 0; i < st->n_prefill; i++) {
		double cached = st->prefill_ctx[i];
		pairs += sc_pairs(st->prefill_new[i], cached, a->window);
		seen += a->window > 0 ? fmin(cached, a->window - 1) : cached;
	}
	if (seen > 0)
		is.us = fmax(
		    is.us, grid_least_us(s->prefill, &a->prefill, pairs, seen));
	return is;
}

/* ---- prompts and decodes together ---- */

int32_t set_launch(struct inst *s, const sc_setup *setup, struct attention *a,
		   sc_error *err)
{
	const struct sc_law *prompts = &s->prefill->law;
	const struct sc_law *decodes = &s->decode->law;
	a->launch = (struct sc_launch_call){
	    .launches =
		sc_launches_asked(s->k.mixed, setup, sc_launch_simulated(setup),
				  sc_table_of(setup, "attention_prefill")),
	    .kernel = {.heads = a->prefill.shape[0],
		       .kv_heads = a->prefill.shape[1],
		       .head_dim = a->prefill.shape[2],
		       .window = a->window,
		       .cache_bytes = decodes->element,
		       .rate = prompts->c[1] * prompts->peak / 1e6,
		       .bandwidth = decodes->c[1] * decodes->bandwidth / 1e6}};
	return sc_launch_open(&a->launch, setup) == SC_OK
		   ? SC_OK
		   : sc_fail(err, SC_ENOMEM, "out of memory");
}

void attention_together(const struct attention *a, const sc_step *st,
			struct answer is[2])
{
	const struct sc_launch_call *c = &a->launch;
	struct sc_launch_prompts p = {.tokens = 0};
	struct sc_launch_time time[2];
	double n = st->n_decode;
	for (uint32_t i = 0;
	     c->launches != SC_LAUNCHES_SUM && i < st->n_prefill; i++)
		sc_launch_add_prompt(&p, &c->kernel, st->prefill_new[i],
				     st->prefill_ctx[i]);
	if (!sc_launch_applies(c->launches, &p, n))
		return;
	for (int i = 0; i < 2; i++)
		time[i] = (struct sc_launch_time){is[i].us, is[i].provenance};
	double mean = n > 0 ? (double)sc_decode_ctx_sum(st) / n : 0;
	sc_launch_price(c, &p, n, mean, sc_launch_longest(st), time);
	for (int i = 0; i < 2; i++)
		is[i] = (struct answer){time[i].us, time[i].provenance};
}

static double context(const struct attention *a, const sc_step *st, uint32_t i)
{
	double n = st->decode_new ? st->decode_new[i] : 1;
	double kv = st->decode_ctx[i] + n;
	return a->window > 0 ? fmin(kv, a->window) : kv;
}

struct answer decode_attention(const struct inst *s, const struct attention *a,
			       const sc_step *st)
{
	const struct table_index *in = s->decode;
	double n = st->n_decode, kv = 0;
	struct answer sum = {0, 0};
	if (s->k.decode_batch == BATCH_MEAN || s->k.decode_batch == BATCH_MAX) {
		int max = s->k.decode_batch == BATCH_MAX;
		for (uint32_t i = 0; i < st->n_decode; i++)
			kv = max ? fmax(kv, context(a, st, i))
				 : kv + context(a, st, i);
		return grid_at(in, &a->decode, n, max ? kv : kv / n);
	}
	for (uint32_t i = 0; i < st->n_decode; i++) {
		int single = s->k.decode_batch == BATCH_SINGLE;
		struct answer one =
		    grid_at(in, &a->decode, single ? 1 : n, context(a, st, i));
		sum.us += single ? one.us : one.us / n;
		if (one.provenance > sum.provenance)
			sum.provenance = one.provenance;
	}
	return sum;
}
