/* verdict.c -- Says in sentences what the arms' choices mean. */
#include "decide/verdict.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

const char *const verdict_name[] = {"alike",   "count", "shape", "undecided",
				    "one_arm", "none",  "failed"};

/* ---- sentences ---- */

static int end(struct text *t, struct names *to)
{
	char *s = text_end(t);
	int rc = s ? names_add(to, s) : -1;
	free(s);
	return rc;
}

static int say(struct names *to, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static int say(struct names *to, const char *fmt, ...)
{
	struct text t;
	va_list ap;
	if (!text_begin(&t))
		return -1;
	va_start(ap, fmt);
	vfprintf(t.f, fmt, ap);
	va_end(ap);
	return end(&t, to);
}

/* "a", "a and b", "a, b and c"; and: between the last two. */
static void list_arms(FILE *f, const struct verdict_of *of, const int *is_in,
		      const char *and)
{
	size_t n = 0, i = 0;
	for (size_t arm = 0; arm < of->n_arms; arm++)
		n += is_in[arm] != 0;
	for (size_t arm = 0; arm < of->n_arms; arm++) {
		if (!is_in[arm])
			continue;
		fputs(i == 0 ? "" : i + 1 == n ? and : ", ", f);
		fputs(of->arm[arm], f);
		i++;
	}
}

static int say_failures(struct decision *d, const struct verdict_of *of,
			size_t failed)
{
	struct text t;
	if (failed == 0 || failed == of->n_arms)
		return failed ? say(&d->sentences, "No arm gave an answer.")
			      : 0;
	if (!text_begin(&t))
		return -1;
	fprintf(t.f, "%zu of %zu arms gave no answer: ", failed, of->n_arms);
	for (size_t arm = 0, i = 0; arm < of->n_arms; arm++)
		if (choice_why_failed(of, arm))
			fprintf(t.f, "%s%s (%s)", i++ ? ", " : "", of->arm[arm],
				choice_why_failed(of, arm));
	putc('.', t.f);
	return end(&t, &d->sentences);
}

/* Ways that are no choice, because they fit no memory, for example. */
static int say_no_candidates(struct decision *d, const struct verdict_of *of)
{
	int rc = 0;
	for (size_t candidate = 0; rc == 0 && candidate < of->n_candidates;
	     candidate++)
		if (choice_why_no_candidate(of, candidate))
			rc = say(&d->sentences,
				 of->n_arms > 1 ? "No arm gave an answer for "
						  "%s (%s)."
						: "%s has no answer (%s).",
				 of->candidate[candidate],
				 choice_why_no_candidate(of, candidate));
	return rc;
}

/* "Both arms", "All 3 arms", "Both others", "All 3 others". */
static void all_of(FILE *f, size_t n, int others)
{
	const char *what = others ? "others" : "arms";
	if (n == 2)
		fprintf(f, "Both %s", what);
	else
		fprintf(f, "All %zu %s", n, what);
}

static int same_numbers(const struct decision *d, const struct verdict_of *of)
{
	double number = NAN;
	for (size_t arm = 0; arm < of->n_arms; arm++) {
		if (d->choice[arm].candidate == of->n_candidates)
			continue;
		if (isnan(number))
			number = d->choice[arm].gpus_high;
		if (d->choice[arm].gpus_high != number)
			return 0;
	}
	return 1;
}

static int same_candidates(const struct decision *d,
			   const struct verdict_of *of, size_t *candidate)
{
	*candidate = of->n_candidates;
	for (size_t arm = 0; arm < of->n_arms; arm++) {
		if (d->choice[arm].candidate == of->n_candidates)
			continue;
		if (*candidate != of->n_candidates &&
		    d->choice[arm].candidate != *candidate)
			return 0;
		*candidate = d->choice[arm].candidate;
	}
	return 1;
}

/* "8 GPUs", "1 GPU". */
static void gpus(FILE *f, double n)
{
	fprintf(f, "%.0f GPU%s", n, n == 1 ? "" : "s");
}

/* "8 GPUs (4 units of TP 2 behind round_robin)". */
static void bought(FILE *f, double n, const struct verdict_search *x)
{
	gpus(f, n);
	if (x->fleet)
		fprintf(f, " (%s)", x->fleet);
}

/* " choose tp4 and need 8 GPUs"; of one arm " chooses ...".  arm: one of
 * them. */
static void what_they_do(FILE *f, const struct verdict_of *of,
			 const struct decision *d, size_t arm, int one)
{
	size_t candidate = d->choice[arm].candidate;
	const char *s = one ? "s" : "";
	if (of->n_candidates > 1)
		fprintf(f, " choose%s %s", s, of->candidate[candidate]);
	if (of->n_candidates > 1 && of->rate > 0)
		fputs(" and", f);
	if (of->rate > 0 || of->n_candidates == 1) {
		fprintf(f, " need%s ", s);
		bought(f, d->choice[arm].gpus_high,
		       choice_at(of, candidate, arm));
	}
}

/* "4 (mfu_interp) or 8 (operators, smooth_roofline)". */
static void numbers(FILE *f, const struct decision *d,
		    const struct verdict_of *of)
{
	double last = 0;
	for (int i = 0;; i++) {
		double next = INFINITY;
		for (size_t arm = 0; arm < of->n_arms; arm++)
			if (d->choice[arm].gpus_high > last)
				next = fmin(next, d->choice[arm].gpus_high);
		if (isinf(next))
			return;
		fprintf(f, "%s%.0f (", i ? " or " : "", next);
		for (size_t arm = 0, k = 0; arm < of->n_arms; arm++)
			if (d->choice[arm].gpus_high == next)
				fprintf(f, "%s%s", k++ ? ", " : "",
					of->arm[arm]);
		putc(')', f);
		last = next;
	}
}

static int say_alike(struct decision *d, const struct verdict_of *of,
		     size_t candidate, size_t answered, int others)
{
	struct text t;
	if (!text_begin(&t))
		return -1;
	all_of(t.f, answered, others);
	d->verdict = VERDICT_ALIKE;
	if (same_numbers(d, of)) {
		size_t arm = 0;
		while (d->choice[arm].candidate != candidate)
			arm++;
		what_they_do(t.f, of, d, arm, 0);
	} else {
		d->verdict = VERDICT_COUNT;
		if (of->n_candidates > 1)
			fprintf(
			    t.f,
			    " choose \"%s\", but not the same number of GPUs: ",
			    of->candidate[candidate]);
		else
			fputs(" meet the bounds, but not with the same number "
			      "of GPUs: ",
			      t.f);
		numbers(t.f, d, of);
	}
	putc('.', t.f);
	return end(&t, &d->sentences);
}

/* "two H100 (v2_fixed) or one H100 (roofline_v1)". */
static int say_shape(struct decision *d, const struct verdict_of *of)
{
	struct text t;
	if (!text_begin(&t))
		return -1;
	fputs("The choice depends on the cost model: ", t.f);
	for (size_t candidate = 0, i = 0; candidate < of->n_candidates;
	     candidate++) {
		size_t k = 0;
		for (size_t arm = 0; arm < of->n_arms; arm++) {
			if (d->choice[arm].candidate != candidate)
				continue;
			if (k == 0)
				fprintf(t.f, "%s%s (", i++ ? " or " : "",
					of->candidate[candidate]);
			fprintf(t.f, "%s%s", k++ ? ", " : "", of->arm[arm]);
		}
		if (k)
			putc(')', t.f);
	}
	putc('.', t.f);
	d->verdict = VERDICT_SHAPE;
	return end(&t, &d->sentences);
}

static void range(FILE *f, double low, double high)
{
	if (high - low < 0.005)
		fprintf(f, "%.2f", low);
	else
		fprintf(f, "%.2f to %.2f", low, high);
}

/* Returns 1 with *other if the arm's own price for another arm's choice may be
 * as low as that of its own choice. */
static int cannot_tell_candidates(const struct decision *d,
				  const struct verdict_of *of, size_t arm,
				  size_t *other)
{
	const struct verdict_choice *c = &d->choice[arm];
	if (c->candidate == of->n_candidates)
		return 0;
	const struct verdict_search *x = choice_at(of, c->candidate, arm);
	for (size_t i = 0; i < of->n_arms; i++) {
		*other = d->choice[i].candidate;
		if (*other == of->n_candidates || *other == c->candidate)
			continue;
		const struct verdict_search *y = choice_at(of, *other, arm);
		if (choice_expense(of, y, CHOICE_UPPER, d->is_priced) <=
		    choice_expense(of, x, CHOICE_LOWER, d->is_priced))
			return 1;
	}
	return 0;
}

static int say_undecided(struct decision *d, const struct verdict_of *of,
			 size_t arm, size_t other)
{
	struct text t;
	size_t candidate[2] = {d->choice[arm].candidate, other};
	if (!text_begin(&t))
		return -1;
	if (candidate[0] > candidate[1]) {
		candidate[1] = candidate[0];
		candidate[0] = other;
	}
	fprintf(t.f,
		"%s and %s cannot be told apart: ", of->candidate[candidate[0]],
		of->candidate[candidate[1]]);
	for (int i = 0; i < 2; i++) {
		const struct verdict_search *x =
		    choice_at(of, candidate[i], arm);
		range(t.f, choice_expense(of, x, CHOICE_UPPER, d->is_priced),
		      choice_expense(of, x, CHOICE_LOWER, d->is_priced));
		fputs(i ? "" : " and ", t.f);
	}
	fprintf(t.f, " %s under %s.",
		!d->is_priced  ? "GPUs"
		: of->rate > 0 ? "USD/h"
			       : "USD for each token/s",
		of->arm[arm]);
	d->verdict = VERDICT_UNDECIDED;
	return end(&t, &d->sentences);
}

static int say_choices(struct decision *d, const struct verdict_of *of,
		       size_t answered, int others)
{
	size_t candidate, other;
	if (same_candidates(d, of, &candidate))
		return say_alike(d, of, candidate, answered, others);
	for (size_t arm = 0; arm < of->n_arms; arm++)
		if (cannot_tell_candidates(d, of, arm, &other))
			return say_undecided(d, of, arm, other);
	return say_shape(d, of);
}

static int say_one(struct decision *d, const struct verdict_of *of, size_t arm)
{
	const struct verdict_choice *c = &d->choice[arm];
	const struct verdict_search *x = choice_at(of, c->candidate, arm);
	struct text t;
	char rate[32], low[32], high[32];
	double half = (x->high - x->low) / 2;
	if (!text_begin(&t))
		return -1;
	if (of->n_arms > 1)
		fprintf(t.f, "Only %s gave an answer: ", of->arm[arm]);
	else
		fprintf(t.f, "%s ", of->arm[arm]);
	if (of->n_candidates > 1 || of->rate > 0) {
		if (of->n_arms == 1)
			fputs(of->n_candidates > 1 ? "chooses " : "needs ",
			      t.f);
		if (of->n_candidates > 1)
			fprintf(t.f, "%s%s", of->candidate[c->candidate],
				of->n_arms > 1 ? ", " : ": ");
		bought(t.f, c->gpus_high, x);
	} else {
		fprintf(t.f, "%s%s (%s to %s) requests/s",
			of->n_arms > 1 ? "" : "serves ",
			verdict_number(rate, x->rate, half),
			verdict_number(low, x->low, half),
			verdict_number(high, x->high, half));
	}
	fputs(of->n_arms > 1 ? ". Nothing to compare it with." : ".", t.f);
	d->verdict = VERDICT_ONE_ARM;
	return end(&t, &d->sentences);
}

static int say_none(struct decision *d, const struct verdict_of *of)
{
	const struct verdict_search *nearest = NULL;
	size_t index = 0;
	for (size_t i = 0; i < of->n_candidates * of->n_arms; i++) {
		const struct verdict_search *x = &of->search[i];
		if (x->why_failed || !x->bound || !(x->limit > 0))
			continue;
		if (!nearest ||
		    x->figure / x->limit < nearest->figure / nearest->limit) {
			nearest = x;
			index = i;
		}
	}
	d->verdict = VERDICT_NONE;
	struct text t;
	if (!text_begin(&t))
		return -1;
	if (of->n_arms == 1)
		fputs("No ", t.f);
	else
		fputs("No arm finds a ", t.f);
	if (of->rate > 0)
		fprintf(t.f, "fleet that carries %.6g requests/s", of->rate);
	else
		fputs("rate that meets the bounds", t.f);
	fputs(of->n_arms == 1 ? " was found." : ".", t.f);
	if (nearest)
		fprintf(t.f, " Nearest: %s under %s, %s %.4g %s, %.4g allowed.",
			of->candidate[index / of->n_arms],
			of->arm[index % of->n_arms], nearest->bound,
			nearest->figure,
			nearest->at_rate ? "at that rate" : "unloaded",
			nearest->limit);
	return end(&t, &d->sentences);
}

/* Arms that meet the bounds at no rate beside others that do. */
static int say_some(struct decision *d, const struct verdict_of *of,
		    const int *cannot, const int *can)
{
	struct text t;
	size_t candidate, n_cannot = 0, n_can = 0, one = 0;
	for (size_t arm = 0; arm < of->n_arms; arm++) {
		n_cannot += cannot[arm] != 0;
		n_can += can[arm] != 0;
		one = can[arm] ? arm : one;
	}
	if (!text_begin(&t))
		return -1;
	list_arms(t.f, of, cannot, " and ");
	fprintf(t.f, " find%s no rate that meets the bounds; ",
		n_cannot == 1 ? "s" : "");
	list_arms(t.f, of, can, " and ");
	if (!same_candidates(d, of, &candidate)) {
		fputs(" do, but choose different ways", t.f);
	} else if (same_numbers(d, of)) {
		what_they_do(t.f, of, d, one, n_can == 1);
	} else {
		fprintf(t.f, "%s%s, with a number of GPUs of ",
			of->n_candidates > 1 ? " choose " : " do",
			of->n_candidates > 1 ? of->candidate[candidate] : "");
		numbers(t.f, d, of);
	}
	putc('.', t.f);
	d->verdict = VERDICT_SHAPE;
	return end(&t, &d->sentences);
}

/* Says, for one candidate and no rate, how much more one arm lets through than
 * another. */
static int say_pairs(struct decision *d, const struct verdict_of *of)
{
	int rc = 0, all_alike = of->n_pairs > 0, differ = 0;
	for (size_t i = 0; i < of->n_pairs; i++) {
		all_alike &= of->pair[i].is_alike;
		differ |=
		    of->pair[i].is_distinguishable && !of->pair[i].is_alike;
	}
	d->verdict = all_alike ? VERDICT_ALIKE
		     : differ  ? VERDICT_COUNT
			       : VERDICT_UNDECIDED;
	if (all_alike)
		return say(&d->sentences, "The arms agree within %g %%.",
			   100 * of->margin);
	for (size_t i = 0; rc == 0 && i < of->n_pairs; i++) {
		const struct verdict_pair *x = &of->pair[i];
		char ratio[32], low[32], high[32];
		double half = (x->high - x->low) / 2;
		const char *a = of->arm[x->a], *b = of->arm[x->b];
		verdict_number(ratio, x->ratio, half);
		verdict_number(low, x->low, half);
		verdict_number(high, x->high, half);
		if (x->is_alike)
			rc = say(&d->sentences, "%s and %s agree within %g %%.",
				 a, b, 100 * of->margin);
		else if (x->is_distinguishable)
			rc =
			    say(&d->sentences,
				"%s serves %s (%s to %s) times the rate of %s.",
				a, ratio, low, high, b);
		else
			rc = say(&d->sentences,
				 "%s and %s cannot be told apart: %s to %s "
				 "times the rate.",
				 a, b, low, high);
	}
	return rc;
}

static int say_straddling(struct decision *d, const struct verdict_of *of)
{
	int rc = 0;
	for (size_t arm = 0; rc == 0 && arm < of->n_arms; arm++) {
		const struct verdict_choice *c = &d->choice[arm];
		if (c->candidate == of->n_candidates ||
		    !(c->gpus_low < c->gpus_high))
			continue;
		const struct verdict_search *x =
		    choice_at(of, c->candidate, arm);
		double half = (x->high - x->low) / 2;
		char low[32], high[32], serves[100] = "";
		if (half > 0)
			snprintf(serves, sizeof serves,
				 ": one deployment serves %s to %s requests/s",
				 verdict_number(low, x->low, half),
				 verdict_number(high, x->high, half));
		rc = say(&d->sentences,
			 "%s cannot tell %.0f from %.0f GPUs%s. %.0f are safe.",
			 of->arm[arm], c->gpus_low, c->gpus_high, serves,
			 c->gpus_high);
	}
	return rc;
}

/* Before the verdict, because it explains what the choice went by. */
static int say_unpriced(struct decision *d, const struct verdict_of *of)
{
	int rc = 0;
	for (size_t candidate = 0;
	     rc == 0 && of->n_candidates > 1 && candidate < of->n_candidates;
	     candidate++) {
		int said = 0, is_unpriced = 0;
		for (size_t arm = 0; arm < of->n_arms; arm++) {
			const struct verdict_search *x =
			    choice_at(of, candidate, arm);
			is_unpriced |= !x->why_failed && !(x->usd_per_gpu > 0);
		}
		for (size_t before = 0; before < candidate; before++)
			said |= !strcmp(of->gpu[before], of->gpu[candidate]);
		if (!said && is_unpriced)
			rc = say(&d->sentences,
				 "%s has no price: judged by GPUs.",
				 of->gpu[candidate]);
	}
	return rc;
}

static int decide_with(struct decision *d, const struct verdict_of *of,
		       int *can, int *cannot)
{
	size_t failed = 0, n_can = 0, n_cannot = 0, one = 0;
	for (size_t arm = 0; arm < of->n_arms; arm++) {
		d->choice[arm] = choice_of(of, arm, d->is_priced);
		int has_failed = choice_why_failed(of, arm) != NULL;
		can[arm] = d->choice[arm].candidate != of->n_candidates;
		cannot[arm] = !can[arm] && !has_failed;
		failed += (size_t)has_failed;
		n_can += (size_t)can[arm];
		n_cannot += (size_t)cannot[arm];
		one = can[arm] ? arm : one;
	}
	d->verdict = VERDICT_FAILED;
	if ((failed < of->n_arms && say_no_candidates(d, of) < 0) ||
	    say_failures(d, of, failed) < 0 ||
	    (n_can && say_unpriced(d, of) < 0))
		return -1;
	if (failed == of->n_arms)
		return 0;
	int rc = n_can == 0   ? say_none(d, of)
		 : n_cannot   ? say_some(d, of, cannot, can)
		 : n_can == 1 ? say_one(d, of, one)
		 : of->n_candidates == 1 && of->rate <= 0
		     ? say_pairs(d, of)
		     : say_choices(d, of, n_can, failed > 0);
	return rc == 0 ? say_straddling(d, of) : rc;
}

int decide(struct decision *d, const struct verdict_of *of, struct problem *p)
{
	int *can = calloc(2 * of->n_arms, sizeof *can);
	*d = (struct decision){.is_priced = choice_is_priced(of)};
	d->choice = calloc(of->n_arms, sizeof *d->choice);
	int rc =
	    can && d->choice ? decide_with(d, of, can, can + of->n_arms) : -1;
	free(can);
	return rc < 0 ? problem_no_memory(p) : 0;
}

void decision_free(struct decision *d)
{
	names_free(&d->sentences);
	free(d->choice);
	*d = (struct decision){0};
}
