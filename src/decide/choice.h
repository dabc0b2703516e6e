/* decide/choice.h -- which candidate (a deployment) an arm would choose, and
 * how many GPUs that takes.
 *
 * An arm chooses the candidate that costs least when bought for the lower end
 * of its interval, because that keeps the promise.  Candidates are judged by
 * money if every GPU has a price, else by GPUs; for the rate that is asked for,
 * else for each token (each request without prices).  Plain data.  [any thread]
 */
#pragma once
#include <stddef.h>

/* One candidate under one arm. */
struct verdict_search {
	const char *why_failed; /* NULL: it gave an answer                   */
	int meets;              /* the bounds are met                        */
	/* requests/s of the fleet; NaN: a fleet for a rate was looked for    */
	double rate, low, high;
	double gpus_low, gpus_high; /* that may do, that do                   */
	double usd_per_gpu;         /* an hour; 0: no price                   */
	double tokens_per_s;        /* at `rate`                              */
	const char *fleet; /* "4 replicas behind random"; NULL: one replica   */
	/* where no rate meets them: what breaks, and by how much it does;
	 * at_rate: at the rate that was asked for, else unloaded */
	const char *bound;
	double figure, limit;
	int at_rate;
};
/* Two arms compared on one candidate. */
struct verdict_pair {
	size_t a, b;
	int is_alike, is_distinguishable;
	double ratio, low, high;
};
struct verdict_of {
	const char *const *candidate, *const *arm;
	const char *const
	    *gpu; /* [n_candidates] names, for GPUs without a price   */
	size_t n_candidates, n_arms;
	const struct verdict_search *search; /* [n_candidates][n_arms] */
	double rate;   /* requests/s to be served; 0: none asked for          */
	double margin; /* within which arms are alike                         */
	const struct verdict_pair *pair;
	size_t n_pairs;
};

/* What an arm would buy. */
struct verdict_choice {
	size_t candidate; /* n_candidates: it failed, or no rate meets the
			     bounds         */
	double gpus_low, gpus_high; /* for the upper and lower end            */
	double usd_low, usd_high;   /* an hour; NaN: no price                 */
};
const struct verdict_search *choice_at(const struct verdict_of *of,
				       size_t candidate, size_t arm);
/* Returns why no arm has an answer for a candidate; NULL: some arm has one. */
const char *choice_why_no_candidate(const struct verdict_of *of,
				    size_t candidate);
/* Returns why an arm has no answer for a candidate that others answer, and so
 * cannot choose between all; NULL: it can. */
const char *choice_why_failed(const struct verdict_of *of, size_t arm);
/* Returns 1 if every GPU has a price. */
int choice_is_priced(const struct verdict_of *of);
/* What a search costs when bought for the lower end of its interval, or, for
 * comparison, for the upper one; INFINITY if it failed or does not meet the
 * bounds. */
enum choice_end { CHOICE_LOWER, CHOICE_UPPER };
double choice_expense(const struct verdict_of *of,
		      const struct verdict_search *x, enum choice_end end,
		      int priced);
struct verdict_choice choice_of(const struct verdict_of *of, size_t arm,
				int priced);
/* Writes the digits that are known: the last one stands for at most half of the
 * half width.  Returns buf. */
const char *verdict_number(char buf[32], double value, double half_width);
