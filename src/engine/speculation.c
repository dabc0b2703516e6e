/* speculation.c -- Reads how many tokens are drafted and how many of them are
 * accepted. */
#include <config.h>
#include "engine/speculation.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
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
		char *end;
		double r = strtod(at, &end);
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
	return 0;
}

int speculation_same(const struct speculation *a, const struct speculation *b)
{
	return a->drafts == b->drafts && a->lookahead == b->lookahead &&
	       a->drops_hit == b->drops_hit &&
	       (a->drafts == 0 || a->seed == b->seed) &&
	       !memcmp(a->rate, b->rate, sizeof a->rate);
}
