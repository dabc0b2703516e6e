/* speculation.c -- Reads how many tokens are drafted and how many of them are
 * accepted. */
#include "engine/speculation.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "engine/acceptance.h"
#include "engine/keys/engine_keys.h"
#include "engine/keys/source.h"

/* "0.8,0.6,…": as many as there are drafts; those beyond them are left out.
 * Returns how many were read, or -1. */
static int read_rates(double *rate, uint32_t n, const char *text)
{
	uint32_t i = 0;
	double before = 1;
	for (const char *at = text;; i++) {
		double r;
		const char *end = number_parse(at, &r);
		if (end == at || !(r >= 0 && r <= before))
			return -1;
		if (i < n)
			rate[i] = r;
		before = r;
		end += strspn(end, " ");
		if (*end == '\0')
			break;
		if (*end != ',')
			return -1;
		at = end + 1;
	}
	return i + 1 < n ? (int)i + 1 : (int)n;
}

static int given_rates(struct speculation *s, const struct engine_keys *k,
		       const struct engine_source *from, struct problem *p)
{
	const char *text = k->synthetic_acceptance_rates;
	int n = read_rates(s->rate, s->drafts, text);
	if (n < 0)
		return engine_refuse(p, from, "synthetic_acceptance_rates",
				     "synthetic_acceptance_rates = %s: not "
				     "numbers in [0, 1], none above the one "
				     "before",
				     text);
	if ((uint32_t)n < s->drafts)
		return engine_refuse(p, from, "synthetic_acceptance_rates",
				     "synthetic_acceptance_rates = %s: %d of "
				     "num_speculative_tokens = %u",
				     text, n, s->drafts);
	return 0;
}

/* The first drafts always, the next one sometimes, the rest never. */
static int rates_of_length(struct speculation *s, double length,
			   const struct engine_source *from, struct problem *p)
{
	double left = length - 1;
	if (left < 0 || left > s->drafts)
		return engine_refuse(p, from, "synthetic_acceptance_length",
				     "synthetic_acceptance_length = %g: not in "
				     "[1, 1 + num_speculative_tokens = %u]",
				     length, s->drafts + 1);
	for (uint32_t i = 0; i < s->drafts; i++, left -= 1)
		s->rate[i] = fmax(0, fmin(1, left));
	return 0;
}

/* Reads "[[1, 16, 3], [17, 64, 1]]".  Returns 0, or -1: no such ranges. */
static int read_ranges(struct speculation *s, const char *text)
{
	unsigned from, to, drafts, end = 0;
	const char *at = text + strspn(text, " ");
	int more;
	if (text[strspn(text, "0123456789[], ")] || *at++ != '[')
		return -1;
	do {
		int n = 0;
		if (s->n_ranges == SPECULATION_RANGES ||
		    sscanf(at, " [%6u ,%6u ,%6u ]%n", &from, &to, &drafts,
			   &n) != 3 ||
		    !n || (end ? from <= end : from != 1) || to < from)
			return -1;
		s->range[s->n_ranges].from = from;
		s->range[s->n_ranges++].drafts =
		    drafts < s->drafts ? drafts : s->drafts;
		end = to;
		at += (size_t)n + strspn(at + n, " ");
		more = *at == ',';
		at += more;
	} while (more);
	return strcmp(at, "]") == 0 ? 0 : -1;
}

static int by_batch(struct speculation *s, const struct engine_keys *k,
		    const struct engine_source *from, struct problem *p)
{
	const char *text = k->num_speculative_tokens_per_batch_size;
	if (!text || !*text)
		return 0;
	if (k->data_parallel_size > 1)
		return engine_refuse(
		    p, from, "num_speculative_tokens_per_batch_size",
		    "num_speculative_tokens_per_batch_size: vLLM does not "
		    "read it with data_parallel_size = %" PRId64
		    "; leave it out",
		    k->data_parallel_size);
	if (read_ranges(s, text) < 0)
		return engine_refuse(
		    p, from, "num_speculative_tokens_per_batch_size",
		    "num_speculative_tokens_per_batch_size = %s: not up to %d "
		    "ranges [from, to, drafts] in a list, ascending, the "
		    "first from 1",
		    text, SPECULATION_RANGES);
	return 0;
}

uint32_t speculation_drafts(const struct speculation *s, size_t n)
{
	uint32_t drafts = s->drafts;
	for (uint32_t i = 0; i < s->n_ranges; i++)
		if (s->range[i].from <= n)
			drafts = s->range[i].drafts;
	return drafts;
}

static int rates_of_set(struct speculation *s, const char *set,
			const struct engine_source *from, struct problem *p)
{
	struct problem why;
	double length;
	if (acceptance_length(&length, set, s->drafts, &why) < 0)
		return engine_refuse(p, from, "synthetic_acceptance_rates",
				     "synthetic_acceptance_rates = %s: %s", set,
				     why.text);
	return rates_of_length(s, length, from, p);
}

static void set_conditional(struct speculation *s)
{
	double before = 1;
	for (uint32_t i = 0; i < s->drafts; i++) {
		s->accept[i] = before > 0 ? s->rate[i] / before : 0;
		before = s->rate[i];
	}
}

int speculation_resolve(struct speculation *s, const struct engine_keys *k,
			const struct engine_source *from, struct problem *p)
{
	int has_rates = k->synthetic_acceptance_rates[0] != '\0';
	int has_length = k->synthetic_acceptance_length > 0;
	*s = (struct speculation){
	    .drafts = (uint32_t)k->num_speculative_tokens,
	    .seed = (uint64_t)k->speculative_seed,
	};
	if (s->drafts == 0)
		return 0;
	if (has_rates == has_length)
		return engine_refuse(
		    p, from, "num_speculative_tokens",
		    "num_speculative_tokens = %u: needs %s", s->drafts,
		    has_rates ? "synthetic_acceptance_rates or "
				"synthetic_acceptance_length, not "
				"both"
			      : "synthetic_acceptance_rates, or "
				"synthetic_acceptance_length");
	if (k->speculative_method != SPECULATIVE_NGRAM)
		s->lookahead = s->drafts;
	s->drops_hit = k->speculative_method == SPECULATIVE_EAGLE ||
		       k->speculative_method == SPECULATIVE_MTP;
	const char *rates = k->synthetic_acceptance_rates;
	if ((isalpha((unsigned char)*rates) && !strchr(rates, ',')
		 ? rates_of_set(s, rates, from, p)
	     : has_rates ? given_rates(s, k, from, p)
			 : rates_of_length(s, k->synthetic_acceptance_length,
					   from, p)) < 0)
		return -1;
	set_conditional(s);
	return by_batch(s, k, from, p);
}

int speculation_same(const struct speculation *a, const struct speculation *b)
{
	return a->drafts == b->drafts && a->lookahead == b->lookahead &&
	       a->n_ranges == b->n_ranges &&
	       !memcmp(a->range, b->range, sizeof a->range) &&
	       a->drops_hit == b->drops_hit &&
	       (a->drafts == 0 || a->seed == b->seed) &&
	       !memcmp(a->rate, b->rate, sizeof a->rate);
}
