/* page_intervals.c -- Writes the answer of a study: a sentence, dots with 90 %
 * intervals as whiskers, and a table of the intervals. */
#include <config.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "draw/dots.h"
#include "base/number.h"
#include "draw/html.h"
#include "record/metrics.h"
#include "report/page/page_parts.h"
#include "report/results/support.h"
#include "report/titles.h"

static const char *const shown[] = {"mean_ttft_ms", "mean_tpot_ms",
				    "mean_e2el_ms"};
enum { SHOWN = sizeof shown / sizeof *shown };

/* ---- dots ---- */

static int index_of(const char *name)
{
	int k = 0;
	while (strcmp(trusted_metric[k], name) != 0)
		k++;
	return k;
}

/* The prediction of an arm and its interval, as far as there are any. */
static struct dots_row row_of(const struct study *s, size_t arm,
			      const char *name)
{
	const struct arm_result *a = &s->arm[arm];
	struct dots_row r = {.name = a->name,
			     .slot = (unsigned)arm,
			     .at = NAN,
			     .low = NAN,
			     .high = NAN};
	double same;
	if (a->error) {
		r.note = "failed";
		return r;
	}
	r.at = metric_value(metric_find(name), &a->record->outcome);
	if (isnan(r.at))
		r.note = "nothing completed";
	else if (a->record->outcome.saturation == SATURATION_OVERLOADED)
		r.note = "overloaded";
	else
		interval_ends(&a->trusted, &a->record->outcome, index_of(name),
			      &same, &r.low, &r.high);
	return r;
}

void page_means(FILE *f, const struct study *s)
{
	struct dots_row *row = calloc(s->n + 1, sizeof *row);
	char title[TITLE_SIZE];
	int has_interval = 0;
	html_row_begin(f);
	for (int k = 0; row && k < SHOWN; k++) {
		for (size_t i = 0; i < s->n; i++) {
			row[i] = row_of(s, i, shown[k]);
			has_interval |= isfinite(row[i].low);
		}
		const struct dots d = {title_of(title, shown[k]), row, s->n};
		dots_html(f, &d);
	}
	html_row_end(f);
	if (has_interval)
		html_paragraph(f, "Whiskers: 90 % of measured runs lie within "
				  "such a range of the prediction.");
	free(row);
}

/* ---- the headline ---- */

struct extremes {
	size_t low, high, n; /* arms; n: how many have a value */
	double least, most;
};

static struct extremes extremes_of(const struct study *s, const char *name)
{
	struct extremes x = {0};
	for (size_t i = 0; i < s->n; i++) {
		double v = row_of(s, i, name).at;
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

static void one_arm(FILE *f, const struct study *s, size_t arm)
{
	static const char *const of[SHOWN] = {" a mean TTFT", ", TPOT",
					      " and E2E latency"};
	fprintf(f, "%s predicts", s->arm[arm].name);
	for (int k = 0; k < SHOWN; k++) {
		struct dots_row r = row_of(s, arm, shown[k]);
		if (isnan(r.at))
			continue;
		char at[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
		fprintf(f, "%s of %s ms", of[k], number_short(at, r.at));
		if (isfinite(r.low))
			fprintf(f, " (%s to %s)", number_short(low, r.low),
				number_short(high, r.high));
	}
	fputc('.', f);
}

/* Writes a sentence with both extremes of a metric; nothing if they are one. */
static void range_of(FILE *f, const char *name, const struct extremes *e)
{
	char least[NUMBER_SIZE], most[NUMBER_SIZE];
	if (e->n > 1 && e->most > e->least)
		fprintf(f, " %s is %s to %s ms.", name,
			number_short(least, e->least),
			number_short(most, e->most));
}

static void several_arms(FILE *f, const struct study *s,
			 const struct extremes *e2e)
{
	struct extremes ttft = extremes_of(s, shown[0]);
	struct extremes tpot = extremes_of(s, shown[1]);
	double apart = 100 * (e2e->most / e2e->least - 1);
	char least[NUMBER_SIZE], most[NUMBER_SIZE];
	number_short(least, e2e->least);
	number_short(most, e2e->most);
	if (e2e->most == e2e->least) {
		fprintf(f,
			"All %zu arms predict the same mean E2E latency, %s "
			"ms.",
			e2e->n, most);
		return;
	}
	fprintf(f, "Mean E2E latency is %s to %s ms: %s is %.1f %% above %s.",
		least, most, s->arm[e2e->high].name, apart,
		s->arm[e2e->low].name);
	range_of(f, "Mean TTFT", &ttft);
	range_of(f, "Mean TPOT", &tpot);
}

char *page_headline(const struct study *s)
{
	char *text = NULL;
	size_t size, overloaded = 0;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	struct extremes e2e = extremes_of(s, shown[2]);
	if (!e2e.n)
		fputs("No request completed.", f);
	else if (e2e.n == 1 || !(e2e.least > 0))
		one_arm(f, s, e2e.low);
	else
		several_arms(f, s, &e2e);
	for (size_t i = 0; i < s->n; i++)
		overloaded +=
		    !s->arm[i].error && s->arm[i].record->outcome.saturation ==
					    SATURATION_OVERLOADED;
	if (overloaded)
		fprintf(f, " %zu of %zu %s overloaded.", overloaded, s->n,
			overloaded == 1 ? "is" : "are");
	fclose(f);
	return text;
}

/* ---- the table ---- */

/* Adds the row of trusted_metric[k].  Returns the number of arms with an
 * interval. */
static size_t add_row(struct columns *c, const struct study *s, int k)
{
	double v, low, high;
	char title[TITLE_SIZE];
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct arm_result *a = &s->arm[i];
		if (a->error || !interval_ends(&a->trusted, &a->record->outcome,
					       k, &v, &low, &high))
			continue;
		if (n++ == 0)
			columns_row(c, "%s",
				    title_of(title, trusted_metric[k]));
		char at[NUMBER_SIZE], from[NUMBER_SIZE], to[NUMBER_SIZE];
		columns_cell(c, i, 0, "%s (%s to %s), %u runs",
			     number_short(at, v), number_short(from, low),
			     number_short(to, high), a->trusted.interval[k].n);
	}
	return n;
}

void page_interval_table(FILE *f, const struct study *s)
{
	struct columns c = {.n_groups = s->n, .per_group = 1};
	size_t n = 0;
	columns_row(&c, "metric");
	for (size_t i = 0; i < s->n; i++)
		columns_cell(&c, i, 0, "%s", s->arm[i].name);
	for (int k = 0; k < N_TRUSTED; k++)
		n += add_row(&c, s, k);
	if (n) {
		html_heading(f, "Intervals");
		html_paragraph(f, "A prediction, the interval that holds 90 % "
				  "of measured runs, and the number of runs "
				  "that it rests on.");
		page_arm_table(f, s, &c);
	}
	columns_free(&c);
}
