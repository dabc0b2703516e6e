/* choice.c -- Chooses the candidate that costs least. */
#include "decide/choice.h"
#include <math.h>
#include <stdio.h>

/* ---- numbers ---- */

const char *verdict_number(char buf[32], double value, double half_width)
{
	if (!(half_width > 0) || !isfinite(half_width)) {
		snprintf(buf, 32, "%.4g", value);
		return buf;
	}
	double unit = pow(10, floor(log10(half_width / 2) + 1e-9));
	int decimals = unit < 1 ? (int)lround(-log10(unit)) : 0;
	snprintf(buf, 32, "%.*f", decimals < 9 ? decimals : 9,
		 unit > 1 ? round(value / unit) * unit : value);
	return buf;
}

/* ---- choices ---- */

const struct verdict_search *choice_at(const struct verdict_of *of,
				       size_t candidate, size_t arm)
{
	return &of->search[candidate * of->n_arms + arm];
}

const char *choice_why_no_candidate(const struct verdict_of *of,
				    size_t candidate)
{
	for (size_t arm = 0; arm < of->n_arms; arm++)
		if (!choice_at(of, candidate, arm)->why_failed)
			return NULL;
	return choice_at(of, candidate, 0)->why_failed;
}

/* An arm that failed for one candidate cannot choose.  A candidate for which
 * every arm failed is no choice, unless there is no other. */
const char *choice_why_failed(const struct verdict_of *of, size_t arm)
{
	const char *why = NULL;
	int is_answered = 0;
	for (size_t candidate = 0; candidate < of->n_candidates; candidate++) {
		const char *here = choice_at(of, candidate, arm)->why_failed;
		if (!choice_why_no_candidate(of, candidate)) {
			is_answered = 1;
			if (here)
				return here;
		}
		why = why ? why : here;
	}
	return is_answered ? NULL : why;
}

int choice_is_priced(const struct verdict_of *of)
{
	for (size_t candidate = 0; candidate < of->n_candidates; candidate++)
		for (size_t arm = 0; arm < of->n_arms; arm++) {
			const struct verdict_search *x =
			    choice_at(of, candidate, arm);
			if (!x->why_failed && !(x->usd_per_gpu > 0))
				return 0;
		}
	return 1;
}

double choice_expense(const struct verdict_of *of,
		      const struct verdict_search *x, enum choice_end end,
		      int priced)
{
	if (x->why_failed || !x->meets)
		return INFINITY;
	double price = priced ? x->usd_per_gpu : 1;
	int is_lower = end == CHOICE_LOWER;
	if (of->rate > 0)
		return price * (is_lower ? x->gpus_high : x->gpus_low);
	double tokens = priced ? x->tokens_per_s / x->rate : 1;
	return price * x->gpus_high / (tokens * (is_lower ? x->low : x->high));
}

static size_t choose(const struct verdict_of *of, size_t arm, int priced)
{
	size_t best = of->n_candidates;
	double least = INFINITY;
	for (size_t candidate = 0; candidate < of->n_candidates; candidate++) {
		double cost = choice_expense(of, choice_at(of, candidate, arm),
					     CHOICE_LOWER, priced);
		if (cost < least) {
			least = cost;
			best = candidate;
		}
	}
	return best;
}

struct verdict_choice choice_of(const struct verdict_of *of, size_t arm,
				int priced)
{
	struct verdict_choice c = {.candidate = of->n_candidates,
				   .gpus_low = NAN,
				   .gpus_high = NAN,
				   .usd_low = NAN,
				   .usd_high = NAN};
	if (!choice_why_failed(of, arm))
		c.candidate = choose(of, arm, priced);
	if (c.candidate == of->n_candidates)
		return c;
	const struct verdict_search *x = choice_at(of, c.candidate, arm);
	c.gpus_low = x->gpus_low;
	c.gpus_high = x->gpus_high;
	if (x->usd_per_gpu > 0) {
		c.usd_low = c.gpus_low * x->usd_per_gpu;
		c.usd_high = c.gpus_high * x->usd_per_gpu;
	}
	return c;
}
