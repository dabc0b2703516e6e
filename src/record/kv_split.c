/* kv_split.c -- Splits the attention difference by the KV length of
 * requests. */
#include <config.h>
#include "record/kv_split.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number of steps with partial questions: more would cost time and change
 * nothing. */
enum { MAX_PROBES = 20000 };

uint32_t regime_bin(double v)
{
	int e;
	if (!(v >= 1))
		return 0;
	frexp(v, &e);
	return e - 1 < REGIME_BINS ? (uint32_t)(e - 1) : REGIME_BINS - 1;
}

void kv_split_free(struct kv_split *k)
{
	free(k->column);
	*k = (struct kv_split){0};
}

static double attention_us(const sc_result *r)
{
	double sum = 0;
	for (int i = 0; i < 2; i++)
		if (!isnan(r->attention_us[i]))
			sum += r->attention_us[i];
	return sum;
}

static int make_room(struct kv_split *k, const sc_step *s, struct problem *p)
{
	uint32_t n = s->n_decode + s->n_prefill;
	if (n <= k->room)
		return 0;
	free(k->column);
	k->column = calloc(4 * (size_t)n, sizeof *k->column);
	k->room = k->column ? n : 0;
	return k->column ? 0 : problem_no_memory(p);
}

/* Returns a step of the sequences in *s with a KV length in that bin. */
static sc_step part_of_step(struct kv_split *k, const sc_step *s, uint32_t bin)
{
	sc_step part = *s;
	uint32_t *decode = k->column, *more = decode + k->room;
	uint32_t *ctx = more + k->room, *fresh = ctx + k->room;
	part.n_decode = part.n_prefill = 0;
	for (uint32_t i = 0; i < s->n_decode; i++)
		if (regime_bin(s->decode_ctx[i]) == bin) {
			more[part.n_decode] =
			    s->decode_new ? s->decode_new[i] : 1;
			decode[part.n_decode++] = s->decode_ctx[i];
		}
	for (uint32_t i = 0; i < s->n_prefill; i++)
		if (regime_bin((double)s->prefill_ctx[i] + s->prefill_new[i]) ==
		    bin) {
			ctx[part.n_prefill] = s->prefill_ctx[i];
			fresh[part.n_prefill++] = s->prefill_new[i];
		}
	part.decode_ctx = decode;
	part.decode_ctx_sum = 0;
	part.decode_new = s->decode_new ? more : NULL;
	part.prefill_ctx = ctx;
	part.prefill_new = fresh;
	part.n_sampled = part.n_decode;
	part.prefill_last = NULL;
	part.prefill_id = part.decode_id = NULL;
	part.prefill_group = part.decode_group = NULL;
	return part;
}

static int probe(struct kv_split *k, const sc_step *s, struct cost *a,
		 struct cost *b, const double *tokens, struct problem *p)
{
	for (uint32_t i = 0; i < REGIME_BINS; i++) {
		if (tokens[i] <= 0)
			continue;
		sc_step part = part_of_step(k, s, i);
		const sc_result *r = cost_eval(a, &part, p);
		if (!r)
			return -1;
		double was = attention_us(r);
		r = cost_eval(b, &part, p);
		if (!r)
			return -1;
		k->us_per_token[i] = (attention_us(r) - was) / tokens[i];
		k->asked |= 1u << i;
	}
	return 0;
}

/* Returns a bit for each bin with tokens. */
static uint32_t kv_tokens(const sc_step *s, double tokens[REGIME_BINS])
{
	uint32_t bins = 0;
	memset(tokens, 0, REGIME_BINS * sizeof *tokens);
	for (uint32_t i = 0; i < s->n_decode; i++)
		tokens[regime_bin(s->decode_ctx[i])] +=
		    fmax(s->decode_ctx[i], 1);
	for (uint32_t i = 0; i < s->n_prefill; i++) {
		double kv = (double)s->prefill_ctx[i] + s->prefill_new[i];
		tokens[regime_bin(kv)] += kv;
	}
	for (uint32_t i = 0; i < REGIME_BINS; i++)
		bins |= tokens[i] > 0 ? 1u << i : 0;
	return bins;
}

int kv_split_step(struct kv_split *k, const sc_step *s, struct cost *a,
		  struct cost *b, double share[REGIME_BINS], struct problem *p)
{
	double tokens[REGIME_BINS], part[REGIME_BINS], sum = 0, all = 0;
	uint32_t bins = kv_tokens(s, tokens);
	int several = (bins & (bins - 1)) != 0;
	int due =
	    several && (k->n_seen++ % (k->n_steps / MAX_PROBES + 1) == 0 ||
			(bins & ~k->asked) != 0);
	if (due && (make_room(k, s, p) < 0 || probe(k, s, a, b, tokens, p) < 0))
		return -1;
	for (uint32_t i = 0; i < REGIME_BINS; i++) {
		part[i] = several ? k->us_per_token[i] * tokens[i] : tokens[i];
		sum += part[i];
		all += tokens[i];
	}
	for (uint32_t i = 0; i < REGIME_BINS; i++)
		share[i] = sum != 0  ? part[i] / sum
			   : all > 0 ? tokens[i] / all
				     : 0;
	return 0;
}
