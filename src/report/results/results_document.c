/* results_document.c -- The answer of `run` and `compare`, and one table with
 * intervals. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "draw/dots.h"
#include "draw/html.h"
#include "record/metrics.h"
#include "report/results/not_counted.h"
#include "report/results/outside.h"
#include "report/results/rests_on.h"
#include "report/results/results.h"
#include "report/results/simulated.h"
#include "report/results/support.h"
#include "report/titles.h"

enum { TTFT, TPOT, E2E, N_MEANS };
static const char *const mean[N_MEANS] = {"mean_ttft_ms", "mean_tpot_ms",
					  "mean_e2el_ms"};
/* The table of a few arms has a row for each, that of many arms a column. */
static const char *const shown[] = {
    "mean_ttft_ms", "p99_ttft_ms", "mean_tpot_ms",     "p99_tpot_ms",
    "mean_e2el_ms", "p99_e2el_ms", "output_throughput"};
enum { N_SHOWN = sizeof shown / sizeof *shown, SHOWN_E2E = 4, DIGITS = 3 };

/* Returns the figure of an arm, or NaN: it failed, or has none, or the name is
 * that of a draft's position. */
static double value_of(const struct results *r, size_t arm, const char *name)
{
	const struct metric *m = metric_find(name);
	return !m || r->arm[arm].error
		   ? (double)NAN
		   : metric_value(m, &r->arm[arm].record->outcome);
}

static int is_overloaded(const struct arm_result *a)
{
	return !a->error &&
	       a->record->outcome.saturation == SATURATION_OVERLOADED;
}

/* Returns the ends of a figure's interval: 1, or 0 if there is none. */
static int interval_of(const struct results *r, size_t arm, const char *name,
		       double *low, double *high)
{
	const struct trust_interval *x =
	    r->arm[arm].error
		? NULL
		: trusted_interval(&r->arm[arm].trusted, metric_find(name));
	double v = value_of(r, arm, name), own_low, own_high, noise;
	*low = x ? v * x->low : (double)NAN;
	*high = x ? v * x->high : (double)NAN;
	/* The wider of that by measured runs and the model's own. */
	if (!r->arm[arm].error &&
	    uncertainty_interval(&r->arm[arm].record->uncertainty, name,
				 &own_low, &own_high, &noise) &&
	    !(*high - *low >= own_high - own_low)) {
		*low = own_low;
		*high = own_high;
	}
	return isfinite(*low) && isfinite(*high) && isfinite(v);
}

/* ---- whether measurements tell two arms apart ---- */

static int has_knob(const struct ini *c, const char *section,
		    const struct ini_item *t)
{
	const char *value = ini_get(c, section, t->key);
	return value && !strcmp(value, t->value);
}

/* Returns 1 if arm b has every setting of arm a, except those of its engine and
 * GPU. */
static int has_all(const struct config *c, size_t a, size_t b)
{
	for (size_t i = 0; i < c->cfg.n; i++) {
		const struct ini_item *t = &c->cfg.item[i];
		if (!strcmp(t->section, c->arm[a].section) &&
		    strncmp(t->key, "engine.", 7) != 0 &&
		    strncmp(t->key, "hardware.", 9) != 0 &&
		    !has_knob(&c->cfg, c->arm[b].section, t))
			return 0;
	}
	return 1;
}

/* Returns 1 if both arms have one cost model, and so the same error. */
static int is_one_model(const struct results *r, size_t a, size_t b)
{
	return r->config && has_all(r->config, a, b) &&
	       has_all(r->config, b, a);
}

int results_is_tie(const struct results *r, size_t arm, const char *name)
{
	double low, high, was = value_of(r, 0, name);
	double v = value_of(r, arm, name);
	if (!isfinite(was) || !isfinite(v) || !(v < was || v > was) ||
	    is_one_model(r, 0, arm))
		return 0;
	return (interval_of(r, arm, name, &low, &high) && was >= low &&
		was <= high) ||
	       (interval_of(r, 0, name, &low, &high) && v >= low && v <= high);
}

double results_change(const struct results *r, size_t arm, const char *name)
{
	double was = value_of(r, 0, name), v = value_of(r, arm, name);
	return isfinite(v) && isfinite(was) && was != 0 ? 100 * (v / was - 1)
							: (double)NAN;
}

/* ---- the answer ---- */

struct extremes {
	size_t low, high, n; /* arms; n: how many have a value */
	double least, most;
};

static struct extremes extremes_of(const struct results *r, const char *name)
{
	struct extremes x = {0};
	for (size_t i = 0; i < r->n; i++) {
		double v = value_of(r, i, name);
		if (isnan(v))
			continue;
		if (!x.n || v < x.least) {
			x.low = i;
			x.least = v;
		}
		if (!x.n || v > x.most) {
			x.high = i;
			x.most = v;
		}
		x.n++;
	}
	return x;
}

static void answer_one(struct document *d, const struct results *r, size_t arm)
{
	static const char *const named[N_MEANS] = {" mean TTFT", ", TPOT",
						   ", E2E latency"};
	char at[NUMBER_SIZE], from[NUMBER_SIZE], to[NUMBER_SIZE];
	double low, high;
	FILE *f = document_write(d);
	if (!f)
		return;
	fprintf(f, "%s predicts", r->arm[arm].name);
	for (int k = 0; k < N_MEANS; k++)
		if (!isnan(value_of(r, arm, mean[k])))
			fprintf(f, "%s %s ms", named[k],
				number_digits(at, value_of(r, arm, mean[k]),
					      DIGITS));
	if (interval_of(r, arm, mean[E2E], &low, &high) &&
	    !is_overloaded(&r->arm[arm]))
		fprintf(f, " [%s .. %s]", number_digits(from, low, DIGITS),
			number_digits(to, high, DIGITS));
	fputc('.', f);
	document_answered(d);
}

/* Returns "TTFT is 32.6 to 49.2 ms", "" if all arms have the same. */
static const char *range_of(char buf[120], const struct results *r, int k)
{
	static const char *const title[N_MEANS] = {"TTFT", "TPOT",
						   "E2E latency"};
	struct extremes e = extremes_of(r, mean[k]);
	char least[NUMBER_SIZE], most[NUMBER_SIZE];
	buf[0] = '\0';
	if (e.n < 2 || !(e.most > e.least))
		return buf;
	snprintf(buf, 120, "%s is %s to %s ms", title[k],
		 number_digits(least, e.least, DIGITS),
		 number_digits(most, e.most, DIGITS));
	if (!strcmp(least, most))
		snprintf(buf, 120, "%s is %s ms", title[k], most);
	return buf;
}

static void answer_ranges(struct document *d, const struct results *r)
{
	char ttft[120], tpot[120];
	range_of(ttft, r, TTFT);
	range_of(tpot, r, TPOT);
	if (*ttft || *tpot)
		document_answer(d, "Mean %s%s%s.", ttft,
				*ttft && *tpot ? ", mean " : "", tpot);
}

static void answer_several(struct document *d, const struct results *r,
			   const struct extremes *e)
{
	char least[NUMBER_SIZE], most[NUMBER_SIZE];
	number_digits(least, e->least, DIGITS);
	number_digits(most, e->most, DIGITS);
	/* As the table has it: a change from the first arm, if that is one. */
	int is_below = e->high == 0;
	double change =
	    is_below ? 1 - e->least / e->most : e->most / e->least - 1;
	if (strcmp(least, most) != 0)
		document_answer(
		    d, "Mean E2E latency is %s to %s ms: %s is %.1f %% %s %s.",
		    least, most, r->arm[is_below ? e->low : e->high].name,
		    100 * change, is_below ? "below" : "above",
		    r->arm[is_below ? e->high : e->low].name);
	else
		document_answer(
		    d, "All %zu arms predict the same mean E2E latency, %s ms.",
		    e->n, most);
	answer_ranges(d, r);
}

/* Says of how many arms measured runs cannot tell which is right. */
static void answer_ties(struct document *d, const struct results *r)
{
	size_t ties = 0, others = 0;
	for (size_t i = 1; i < r->n; i++) {
		double low, high;
		others += !is_one_model(r, 0, i) &&
			  interval_of(r, i, mean[E2E], &low, &high);
		ties += (size_t)results_is_tie(r, i, mean[E2E]);
	}
	if (!others)
		return;
	char of[40];
	snprintf(of, sizeof of, "%zu of %zu others", ties, others);
	document_answer(d, "Measured runs can%s tell %s from %s%s.",
			ties ? "not" : "", r->arm[0].name,
			others == 1             ? "the other"
			: ties && ties < others ? of
						: "any other",
			ties ? " (~): their errors are larger"
			     : ": their errors are smaller");
}

/* Says the load that was served, and how far to trust the figures. */
static void answer_load(struct document *d, const struct arm_result *a)
{
	const struct outcome *o = &a->record->outcome;
	char *support = support_brief(&a->trusted.support);
	double rate = metric_value(metric_find("request_throughput"), o);
	double tokens = metric_value(metric_find("output_throughput"), o);
	char one[NUMBER_SIZE], two[NUMBER_SIZE];
	if (isfinite(rate) && isfinite(tokens))
		document_answer(d,
				"It serves %s requests/s, %s output "
				"tokens/s: %s%s.",
				number_digits(one, rate, DIGITS),
				number_digits(two, tokens, DIGITS + 1),
				saturation_name[o->saturation],
				o->saturation == SATURATION_STABLE &&
					o->is_too_short
				    ? " so far (a run of under 30 latencies)"
				    : "");
	char *own = model_intervals_text(&a->record->uncertainty, o);
	document_answer(d, "%s", support ? support : "");
	if (own)
		document_answer(d, "%s.", own);
	free(support);
	free(own);
}

static void answer_overload(struct document *d, const struct results *r)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		n += (size_t)is_overloaded(&r->arm[i]);
	if (n)
		document_answer(d,
				"%zu of %zu %s overloaded: the queue grows "
				"while requests arrive, so latencies (!) "
				"depend on the length of the run.",
				n, r->n, n == 1 ? "is" : "are");
}

void results_answer(const struct results *r, struct document *d)
{
	struct extremes e2e = extremes_of(r, mean[E2E]);
	size_t only = 0;
	while (only + 1 < r->n && r->arm[only].error)
		only++;
	if (!e2e.n)
		document_answer(d, "No request completed.");
	else if (e2e.n == 1 || !(e2e.least > 0))
		answer_one(d, r, e2e.low);
	else
		answer_several(d, r, &e2e);
	not_counted_answer(r, d);
	if (e2e.n == 1)
		answer_load(d, &r->arm[e2e.low]);
	else if (e2e.n)
		answer_ties(d, r);
	answer_overload(d, r);
}

/* ---- the question ---- */

static const struct arm_record *any_record(const struct results *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!r->arm[i].error)
			return r->arm[i].record;
	return NULL;
}

void results_question(const struct results *r, struct document *d)
{
	const struct arm_record *any = any_record(r);
	enum { FEW_NAMES = 3 };
	char who[400];
	size_t at = 0;
	if (!r->config || !any)
		return;
	for (size_t i = 0; i < r->n && r->n <= FEW_NAMES; i++)
		at += (size_t)snprintf(who + at, sizeof who - at, "%s%.100s",
				       !i             ? ""
				       : i + 1 < r->n ? ", "
						      : " and ",
				       r->arm[i].name);
	if (!at)
		snprintf(who, sizeof who, "%zu arms", r->n);
	char *gpus = simulated_part(r->config, r->n, SIMULATED_GPU);
	int differ = gpus && strstr(gpus, "; ");
	document_ask(
	    d,
	    "How long do %" PRIu64 " requests to %s%s%s take under %s?%s%s%s",
	    any->outcome.requests,
	    r->config->model.view.n_groups ? r->config->model.name : "no model",
	    differ ? "" : " on ", differ || !gpus ? "" : gpus, who,
	    differ ? " GPUs: " : "", differ ? gpus : "", differ ? "." : "");
	free(gpus);
	unsigned in = d->in;
	d->in = IN_SHORT;
	if (r->n > 1 && d->question)
		document_say(d, "%s", d->question);
	d->in = in;
}

/* ---- one table ---- */

/* "1834 [1760 .. 1960]" */
static void figure_cell(struct columns *c, size_t group, size_t at,
			const struct results *r, size_t arm, const char *name)
{
	char v[NUMBER_SIZE], from[NUMBER_SIZE], to[NUMBER_SIZE];
	const struct metric *m = metric_find(name);
	double low, high, value = value_of(r, arm, name);
	int over = is_overloaded(&r->arm[arm]);
	const char *mark = m->tail && over ? "!" : "";
	if (isnan(value))
		return;
	number_digits(v, value, DIGITS);
	if (interval_of(r, arm, name, &low, &high) && !over)
		columns_cell(c, group, at, "%s%s [%s .. %s]", v, mark,
			     number_digits(from, low, DIGITS),
			     number_digits(to, high, DIGITS));
	else
		columns_cell(c, group, at, "%s%s", v, mark);
	columns_value(c, group, at, value);
}

static void change_cell(struct columns *c, size_t group, size_t at,
			const struct results *r, size_t arm, const char *name)
{
	double change = results_change(r, arm, name);
	if (arm && change == 0)
		columns_cell(c, group, at, "=  ");
	else if (arm && isfinite(change))
		columns_cell(c, group, at, "%+.1f %%%s", change,
			     results_is_tie(r, arm, name) ? "~" : " ");
}

/* Returns 1 for a row: the answer about a single arm tells its throughput. */
static int has_row(const struct results *r, const char *name)
{
	double low, high;
	if (r->n == 1 && !strcmp(name, "output_throughput"))
		return interval_of(r, 0, name, &low, &high);
	for (size_t i = 0; i < r->n; i++)
		if (!isnan(value_of(r, i, name)))
			return 1;
	return 0;
}

/* A column for each arm. */
static void few_arms(struct document *d, const struct results *r)
{
	struct columns c = {.n_groups = r->n, .per_group = 2};
	columns_row(&c, "metric");
	for (size_t i = 0; i < r->n; i++) {
		columns_cell(&c, i, 0, "%s", r->arm[i].name);
		if (i)
			columns_cell(&c, i, 1, "change");
	}
	for (size_t k = 0; k < N_SHOWN; k++) {
		if (!has_row(r, shown[k]))
			continue;
		columns_metric(&c, shown[k], "");
		for (size_t i = 0; i < r->n; i++) {
			figure_cell(&c, i, 0, r, i, shown[k]);
			change_cell(&c, i, 1, r, i, shown[k]);
		}
	}
	document_table(d, &c);
}

/* A row for each arm. */
static void many_arms(struct document *d, const struct results *r)
{
	struct columns c = {.n_groups = N_SHOWN, .per_group = 2, .is_plain = 1};
	columns_row(&c, "arm");
	for (size_t k = 0; k < N_SHOWN; k++)
		columns_metric_cell(&c, k, 0, shown[k]);
	columns_cell(&c, SHOWN_E2E, 1, "change");
	for (size_t i = 0; i < r->n; i++) {
		columns_row(&c, "%s", r->arm[i].name);
		if (r->arm[i].error)
			columns_cell(&c, 0, 0, "failed");
		for (size_t k = 0; k < N_SHOWN; k++)
			figure_cell(&c, k, 0, r, i, shown[k]);
		change_cell(&c, SHOWN_E2E, 1, r, i, shown[SHOWN_E2E]);
	}
	document_table(d, &c);
}

static void say_failures(struct document *d, const struct results *r)
{
	for (const struct arm_result *a = r->arm; a < r->arm + r->n; a++)
		if (a->error)
			document_say(d, "%s failed: %s", a->name, a->error);
}

static void say_counts(struct document *d, const struct results *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->arm[i].error)
			continue;
		const struct outcome *o = &r->arm[i].record->outcome;
		if (o->rejected || o->unfinished || o->preemptions)
			document_say(d,
				     "%s: %" PRIu64 " requests rejected, "
				     "%" PRIu64 " unfinished, %" PRIu64
				     " preemptions.",
				     r->arm[i].name, o->rejected, o->unfinished,
				     o->preemptions);
		if (o->cancelled)
			document_say(d,
				     "%s: %" PRIu64 " requests cancelled by "
				     "their clients.",
				     r->arm[i].name, o->cancelled);
	}
}

/* In details it is a part of the set-up (simulated.h). */
static void say_outside(struct document *d, const struct results *r)
{
	char *text = r->config ? outside_text(r->config, r->n, 0) : NULL;
	unsigned before = d->in;
	d->in &= IN_SHORT;
	if (text && *text)
		document_say(d, "Outside of steps: %s.", text);
	d->in = before;
	free(text);
}

static int any_interval(const struct results *r)
{
	double low, high;
	for (size_t i = 0; i < r->n; i++)
		if (interval_of(r, i, mean[E2E], &low, &high))
			return 1;
	return 0;
}

/* Returns 1 if some figure of the table has a "~". */
static int any_tie(const struct results *r)
{
	for (size_t i = 1; i < r->n; i++)
		for (size_t k = 0; k < n_metrics; k++)
			if (metric[k].headline &&
			    results_is_tie(r, i, metric[k].name))
				return 1;
	return 0;
}

/* end: of the sentence about a single arm. */
static void say_range(struct document *d, const struct results *r, unsigned in,
		      const char *end)
{
	unsigned before = d->in;
	d->in &= in;
	document_say(d, "[ .. ]: 90 %% of measured runs lie in such a range%s",
		     any_tie(r)
			 ? "; ~: the change is smaller than that, so that "
			   "measured runs cannot tell which arm is right."
		     : r->n > 1 ? "."
				: end);
	d->in = before;
}

/* Says which measured runs the arms rest on.  With a single arm the answer has
 * said so. */
static void say_support(struct document *d, const struct results *r)
{
	struct rests_on *item = calloc(r->n + 1, sizeof *item);
	size_t n = 0;
	d->failed |= !item;
	for (size_t i = 0; item && i < r->n; i++)
		if (!r->arm[i].error)
			item[n++] = (struct rests_on){r->arm[i].name,
						      &r->arm[i].trusted};
	if (n > 1)
		rests_on_say(item, n, d);
	free(item);
}

int results_are_equal(const struct results *r, size_t a, size_t b)
{
	return !r->arm[a].error && !r->arm[b].error &&
	       metrics_are_equal(&r->arm[a].record->outcome,
				 &r->arm[b].record->outcome);
}

/* Names each arm that is equal to an earlier one. */
static void say_equal(const struct results *r, struct document *d)
{
	for (size_t b = 1; b < r->n; b++) {
		size_t a = 0;
		while (a < b && !results_are_equal(r, a, b))
			a++;
		if (a < b)
			document_say(d,
				     "%s and %s are equal to the bit in every "
				     "figure: no difference to explain.",
				     r->arm[a].name, r->arm[b].name);
	}
}

void results_table(const struct results *r, struct document *d)
{
	if (!any_record(r)) {
		say_failures(d, r);
		return;
	}
	if (r->n > RESULTS_FEW)
		many_arms(d, r);
	else
		few_arms(d, r);
	if (any_interval(r)) {
		say_range(d, r, IN_SHORT, "; --all has every figure.");
		say_range(d, r, IN_DETAILS, ".");
	}
	say_support(d, r);
	say_equal(r, d);
	not_counted_warm_up(r, d);
	say_outside(d, r);
	say_counts(d, r);
	say_failures(d, r);
}

static struct dots_row dot_of(const struct results *r, size_t arm,
			      const char *name)
{
	const struct arm_result *a = &r->arm[arm];
	struct dots_row x = {.name = a->name,
			     .slot = (unsigned)arm,
			     .at = value_of(r, arm, name),
			     .low = NAN,
			     .high = NAN};
	x.note = a->error           ? "failed"
		 : isnan(x.at)      ? "nothing completed"
		 : is_overloaded(a) ? "overloaded"
				    : NULL;
	if (!x.note)
		interval_of(r, arm, name, &x.low, &x.high);
	return x;
}

void results_dots(const struct results *r, struct document *d)
{
	struct dots_row *row = calloc(r->n + 1, sizeof *row);
	char title[TITLE_SIZE];
	for (int k = 0; row && k < N_MEANS; k++) {
		for (size_t i = 0; i < r->n; i++)
			row[i] = dot_of(r, i, mean[k]);
		const struct dots of = {title_of(title, mean[k]), row, r->n};
		document_dots(d, &of);
	}
	free(row);
}
