/* page_top.c -- Writes the top of a page: facts, verdicts, metrics. */
#include <config.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "cost/breakdown.h"
#include "draw/html.h"
#include "record/metrics.h"
#include "report/explain/explain.h"
#include "report/page/page_parts.h"
#include "report/results/pools.h"
#include "report/results/simulated.h"
#include "report/results/support.h"
#include "report/titles.h"

/* If there are more arms than this, each has a row. */
enum { FEW = 4 };

static void table(FILE *f, const struct html_arms *arms,
		  const struct columns *c)
{
	size_t n = 1 + c->n_groups * c->per_group;
	const char *const *cell = (const char *const *)c->cell;
	if (c->n_rows)
		html_table(f, arms, cell, n, cell + n, c->n_rows - 1);
}

void page_table(FILE *f, const struct columns *c)
{
	table(f, NULL, c);
}

void page_arm_table(FILE *f, const struct study *s, const struct columns *c)
{
	const char **name = calloc(s->n + 1, sizeof *name);
	const struct html_arms arms = {name, name ? s->n : 0};
	for (size_t i = 0; i < arms.n; i++)
		name[i] = s->arm[i].name;
	table(f, &arms, c);
	free(name);
}

void page_facts(FILE *f, const struct study *s)
{
	char *text[N_SIMULATED];
	for (int i = 0; i < N_SIMULATED; i++)
		text[i] = simulated_part(s->results.config, s->n,
					 (enum simulated_part)i);
	html_facts(f, simulated_label, (const char *const *)text, N_SIMULATED);
	for (int i = 0; i < N_SIMULATED; i++)
		free(text[i]);
}

/* ---- verdicts ---- */

__attribute__((format(printf, 2, 3))) static void say(FILE *f, const char *fmt,
						      ...)
{
	va_list ap;
	char *text;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0) {
		html_verdict(f, text);
		free(text);
	}
	va_end(ap);
}

static void say_why(FILE *f, const struct explain *e)
{
	for (size_t i = 0; i < e->n; i += 2) {
		const struct explanation *x = &e->pair[i];
		const struct arm_result *arm = e->study->arm;
		int is_known = !x->error || explain_is_split(x);
		char *text = is_known ? explain_sentence(e, x) : NULL;
		if (!is_known)
			say(f, "Why %s is not %s: no attribution: %s",
			    arm[x->by].name, arm[x->of].name, x->error);
		else if (text)
			html_verdict(f, text);
		free(text);
	}
}

static void say_means(FILE *f, const struct arm_result *a)
{
	const struct outcome *o = &a->record->outcome;
	say(f,
	    "%s predicts a mean TTFT of %.2f ms, TPOT of %.2f ms and E2E "
	    "latency of %.1f ms.",
	    a->name, metric_value(metric_find("mean_ttft_ms"), o),
	    metric_value(metric_find("mean_tpot_ms"), o),
	    metric_value(metric_find("mean_e2el_ms"), o));
}

static void say_state(FILE *f, const struct arm_result *a)
{
	if (a->error)
		say(f, "%s failed: %s", a->name, a->error);
	else if (a->record->outcome.saturation == SATURATION_NOTHING)
		say(f, "%s: nothing completed.", a->name);
	else if (a->record->outcome.saturation != SATURATION_STABLE)
		say(f,
		    "%s is %s: latencies marked with ! depend on the length of "
		    "the run.",
		    a->name, saturation_name[a->record->outcome.saturation]);
}

/* Writes how far the arm's figures can be trusted. */
static void say_support(FILE *f, const struct arm_result *a)
{
	char *text = a->error ? NULL : support_text(&a->trusted.support);
	if (text)
		say(f, "Support of %s: %s.", a->name, text);
	free(text);
}

/* Writes what its energy rests on, and what a million tokens cost. */
static void say_energy(FILE *f, const struct arm_result *a)
{
	if (a->error)
		return;
	const struct energy_priced x = energy_priced_run(&a->record->outcome);
	char *text = energy_text(&a->trusted.energy, &x);
	if (text && *text)
		say(f, "%s, %s.", a->name, text);
	free(text);
}

/* Writes the differences of the mean latencies over all seeds. */
static void say_seeds(FILE *f, const struct seeds *s, size_t arm)
{
	static const char *const name[] = {"mean_ttft_ms", "mean_tpot_ms",
					   "mean_e2el_ms"};
	char text[256] = "";
	size_t at = 0;
	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		struct interval x;
		if (seeds_difference(s, metric_find(name[i]), arm, &x) < 0)
			return;
		at += (size_t)snprintf(
		    text + at, sizeof text - at, "%s%s %+.3g [%+.3g, %+.3g]%s",
		    at ? ", " : "", name[i], x.mean, x.low, x.high,
		    x.distinguishable ? "" : " (not distinguishable)");
	}
	say(f, "%s against %s over %zu seeds, with 95 %% intervals: %s.",
	    s->study->arm[arm].name, s->study->arm[0].name, s->n_seeds, text);
}

/* Writes "TTFT 500 ms, TPOT 50 ms". */
static void slo_text(const struct slo_keys *k, char *text, size_t size)
{
	const struct {
		const char *name;
		double ms;
	} of[] = {
	    {"TTFT", k->ttft_ms}, {"TPOT", k->tpot_ms}, {"E2E", k->e2el_ms}};
	size_t at = 0;
	text[0] = '\0';
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (of[i].ms > 0)
			at += (size_t)snprintf(text + at, size - at,
					       "%s%s %g ms", at ? ", " : "",
					       of[i].name, of[i].ms);
}

static double within_slo(const struct outcome *o)
{
	return o->slo_given && o->requests
		   ? 100 * (double)o->good / (double)o->requests
		   : (double)NAN;
}

static void say_slo(FILE *f, const struct study *s)
{
	char slo[128], *text = NULL;
	size_t size;
	FILE *m = open_memstream(&text, &size);
	const char *before = "";
	slo_text(&s->results.config->slo_keys, slo, sizeof slo);
	for (size_t i = 0; m && i < s->n; i++) {
		double share = s->arm[i].error
				   ? (double)NAN
				   : within_slo(&s->arm[i].record->outcome);
		if (isnan(share))
			continue;
		fprintf(m, "%s%s %.1f %%", before, s->arm[i].name, share);
		before = ", ";
	}
	if (m)
		fclose(m);
	if (text && *text)
		say(f, "Requests within the SLO (%s): %s.", slo, text);
	free(text);
}

void page_verdicts(FILE *f, const struct findings *w)
{
	const struct study *s = &w->study;
	html_verdicts_begin(f);
	say_why(f, &w->explain);
	if (s->n == 1 && !s->arm[0].error &&
	    s->arm[0].record->outcome.completed)
		say_means(f, &s->arm[0]);
	for (size_t i = 1; w->seeds.n_seeds && i < s->n; i++)
		say_seeds(f, &w->seeds, i);
	for (size_t i = 0; i < s->n; i++)
		say_state(f, &s->arm[i]);
	for (size_t i = 0; i < s->n; i++)
		say_support(f, &s->arm[i]);
	for (size_t i = 0; i < s->n; i++)
		say_energy(f, &s->arm[i]);
	say_slo(f, s);
	html_verdicts_end(f);
}

/* ---- metrics ---- */

/* Returns NaN if the arm failed or has no such metric. */
static double value_of(const struct study *s, size_t arm,
		       const struct metric *m)
{
	return s->arm[arm].error
		   ? (double)NAN
		   : metric_value(m, &s->arm[arm].record->outcome);
}

/* Marks a figure of an overloaded run: it grows with the length of the run. */
static const char *mark(const struct study *s, size_t arm,
			const struct metric *m)
{
	return m->tail && s->arm[arm].record->outcome.saturation ==
			      SATURATION_OVERLOADED
		   ? " !"
		   : "";
}

static void value_cell(struct columns *c, size_t group, const struct study *s,
		       size_t arm, const struct metric *m)
{
	double v = value_of(s, arm, m);
	if (!isnan(v))
		columns_cell(c, group, 0, "%.*f%s", m->decimals, v,
			     mark(s, arm, m));
}

/* Returns the change in percent against the first arm; NaN: it has none. */
static double change_of(const struct study *s, size_t arm,
			const struct metric *m)
{
	double was = value_of(s, 0, m), is = value_of(s, arm, m);
	return isfinite(is) && isfinite(was) && was != 0 ? 100 * (is / was - 1)
							 : (double)NAN;
}

static size_t arm_column(size_t arm)
{
	return arm ? 3 * arm - 2 : 0;
}

/* Behind the value of each arm but the first come its differences to the first
 * arm, in the metric's unit and in percent. */
static void metric_row(struct columns *c, const struct study *s,
		       const struct metric *m)
{
	char title[TITLE_SIZE];
	columns_row(c, "%s", title_of(title, m->name));
	for (size_t i = 0; i < s->n; i++) {
		double was = value_of(s, 0, m), is = value_of(s, i, m);
		double change = change_of(s, i, m);
		value_cell(c, arm_column(i), s, i, m);
		if (!i || isnan(was) || isnan(is))
			continue;
		columns_cell(c, arm_column(i) + 1, 0, "%+.*f", m->decimals,
			     is - was);
		if (!isnan(change))
			columns_cell(c, arm_column(i) + 2, 0, "%+.1f %%",
				     change);
	}
}

/* Returns 1 if the metric gets a row.  A metric that only some runs have gets
 * one only if an arm has a figure for it. */
static int is_told(const struct study *s, const struct metric *m)
{
	size_t i = 0;
	while (m->special && i < s->n && isnan(value_of(s, i, m)))
		i++;
	while (m->rare && i < s->n && !(value_of(s, i, m) > 0))
		i++;
	return (m->headline || m->rare) && i < s->n;
}

static void few_arms(FILE *f, const struct study *s)
{
	struct columns c = {.n_groups = 3 * s->n - 2, .per_group = 1};
	columns_row(&c, "metric");
	for (size_t i = 0; i < s->n; i++) {
		const char *first = s->arm[0].name, *name = s->arm[i].name;
		columns_cell(&c, arm_column(i), 0, "%s", name);
		if (!i)
			continue;
		columns_cell(&c, arm_column(i) + 1, 0, "%s - %s", name, first);
		columns_cell(&c, arm_column(i) + 2, 0, "%s, change", name);
	}
	for (size_t k = 0; k < n_metrics; k++)
		if (is_told(s, &metric[k]))
			metric_row(&c, s, &metric[k]);
	page_arm_table(f, s, &c);
	columns_free(&c);
}

static void many_arms(FILE *f, const struct study *s)
{
	static const char *const shown[] = {"mean_ttft_ms", "p99_ttft_ms",
					    "mean_tpot_ms", "p99_tpot_ms",
					    "mean_e2el_ms"};
	enum { N = sizeof shown / sizeof *shown };
	struct columns c = {.n_groups = N, .per_group = 1};
	char title[TITLE_SIZE];
	columns_row(&c, "arm");
	for (size_t k = 0; k < N; k++)
		columns_cell(&c, k, 0, "%s", title_of(title, shown[k]));
	for (size_t i = 0; i < s->n; i++) {
		columns_row(&c, "%s", s->arm[i].name);
		for (size_t k = 0; k < N && !s->arm[i].error; k++) {
			const struct metric *m = metric_find(shown[k]);
			double v = value_of(s, i, m), is = change_of(s, i, m);
			if (i && !isnan(is))
				columns_cell(&c, k, 0, "%.*f%s (%+.1f %%)",
					     m->decimals, v, mark(s, i, m), is);
			else
				value_cell(&c, k, s, i, m);
		}
	}
	page_arm_table(f, s, &c);
	columns_free(&c);
}

void page_metrics(FILE *f, const struct study *s)
{
	char text[200];
	snprintf(text, sizeof text, "Changes are relative to %s.",
		 s->arm[0].name);
	if (s->n > 1)
		html_paragraph(f, text);
	if (s->n > FEW)
		many_arms(f, s);
	else
		few_arms(f, s);
}

void page_pools(FILE *f, const struct study *s)
{
	struct columns c;
	pools_columns(&c, &s->results);
	page_table(f, &c);
	columns_free(&c);
	pools_transfers(&c, &s->results);
	page_table(f, &c);
	columns_free(&c);
}

/* ---- coverage ---- */

void page_coverage(FILE *f, const struct study *s)
{
	struct columns c = {.n_groups = COVERAGE_CLASSES, .per_group = 1};
	columns_row(&c, "arm");
	for (size_t k = 0; k < COVERAGE_CLASSES; k++)
		columns_cell(&c, k, 0, "%s",
			     k == COVERAGE_NONE ? "none" : provenance_name[k]);
	for (size_t i = 0; i < s->n; i++) {
		const struct outcome *o = &s->arm[i].record->outcome;
		double sum = 0;
		if (s->arm[i].error)
			continue;
		columns_row(&c, "%s", s->arm[i].name);
		for (size_t k = 0; k < COVERAGE_CLASSES; k++)
			sum += o->coverage_us[k];
		for (size_t k = 0; k < COVERAGE_CLASSES && sum > 0; k++)
			columns_cell(&c, k, 0, "%.2f %%",
				     100 * o->coverage_us[k] / sum);
	}
	page_arm_table(f, s, &c);
	columns_free(&c);
}
