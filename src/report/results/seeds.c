/* seeds.c -- Writes differences between arms over several seeds. */
#include "report/results/seeds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *verdict(const struct interval *i)
{
	return i->distinguishable ? "distinguishable" : "not distinguishable";
}

/* ---- a document ---- */

enum { DIFFERENCE, LOW, HIGH, EFFECT, P, VERDICT, N_CELLS };

static int is_shown(const struct metric *m, int is_short)
{
	return is_short ? strncmp(m->name, "mean_", 5) == 0 && m->tail
			: m->headline;
}

/* Adds a row: the difference of two arms in a metric over all seeds, with its
 * interval. */
static void row(const struct metric *m, const struct seeds_pair *pair,
		struct columns *c)
{
	const struct interval *i = &pair->is;
	if (!pair->is_known)
		return;
	columns_metric(c, m->name, "");
	if (i->low == 0 && i->high == 0) {
		columns_words(c, 0, VERDICT, "exactly equal");
		return;
	}
	columns_cell(c, 0, DIFFERENCE, "%+.*f", m->decimals, i->mean);
	columns_value(c, 0, DIFFERENCE, i->mean);
	columns_cell(c, 0, LOW, "%+.*f", m->decimals, i->low);
	columns_value(c, 0, LOW, i->low);
	columns_cell(c, 0, HIGH, "%+.*f", m->decimals, i->high);
	columns_value(c, 0, HIGH, i->high);
	if (!isnan(i->effect))
		columns_cell(c, 0, EFFECT, "%+.2f", i->effect);
	if (!isnan(pair->p_adjusted))
		columns_cell(c, 0, P, "%.2g", pair->p_adjusted);
	columns_words(c, 0, VERDICT, "%s", verdict(i));
}

/* all: the pairs of each metric, n a metric. */
static void table(const struct seeds *s, const struct seeds_pair *all, size_t n,
		  size_t at, int is_short, struct document *d)
{
	static const char *const head[N_CELLS] = {"difference", "from", "to",
						  "effect",     "p",    ""};
	struct columns c = columns_begin(head, N_CELLS, "%s against %s",
					 s->study->job[all[at].b].name,
					 s->study->job[all[at].a].name);
	for (size_t i = 0; i < n_metrics; i++)
		if (is_shown(&metric[i], is_short))
			row(&metric[i], &all[i * n + at], &c);
	document_table(d, &c);
}

/* The differences of a metric between all arms: of the row minus the column. */
static void matrix(const struct seeds *s, const struct metric *m,
		   const struct seeds_pair *pair, size_t n, struct document *d)
{
	size_t arms = s->study->n, known = 0;
	struct columns c = {.n_groups = arms, .per_group = 1, .is_plain = 1};
	columns_row(&c, "%s, row minus column", m->name);
	for (size_t k = 0; k < arms; k++)
		columns_cell(&c, k, 0, "%s", s->study->job[k].name);
	for (size_t row = 0; row < arms; row++) {
		columns_row(&c, "%s", s->study->job[row].name);
		for (size_t i = 0; i < n; i++) {
			const struct seeds_pair *x = &pair[i];
			int first = x->b == row;
			if (!x->is_known || (!first && x->a != row))
				continue;
			known++;
			columns_cell(&c, first ? x->a : x->b, 0, "%+.*f%s",
				     m->decimals, (first ? 1 : -1) * x->is.mean,
				     x->is.distinguishable ? "*" : "");
		}
	}
	if (known)
		document_table(d, &c);
	else
		columns_free(&c);
}

/* The means of the only arm. */
static void means(const struct seeds *s, int is_short, struct document *d)
{
	struct columns c = {.n_groups = 1, .per_group = 3};
	columns_row(&c, "%s", s->study->job[0].name);
	columns_cell(&c, 0, 0, "mean");
	columns_cell(&c, 0, 1, "from");
	columns_cell(&c, 0, 2, "to");
	for (size_t i = 0; i < n_metrics; i++) {
		const struct metric *m = &metric[i];
		struct student_mean is = {(double)NAN, 0, 0};
		if (is_shown(m, is_short))
			is = seeds_mean(s, m, 0);
		if (isnan(is.mean))
			continue;
		columns_metric(&c, m->name, "");
		columns_number(&c, 0, 0, is.mean, m->decimals, "");
		columns_number(&c, 0, 1, is.mean - is.half, m->decimals, "");
		columns_number(&c, 0, 2, is.mean + is.half, m->decimals, "");
	}
	document_table(d, &c);
}

static void say_how(const struct seeds *s, struct document *d)
{
	if (s->study->n < 2)
		document_say(d, "95 %% intervals of the means (Student's t).");
	else
		document_say(
		    d,
		    "%s, with 95 %% bootstrap intervals; effect in "
		    "standard deviations%s.",
		    s->plan.unpaired ? "Other seeds for every arm (unpaired)"
				     : "Paired",
		    seeds_n_pairs(s) > 1
			? "; p of Student's t, corrected for all "
			  "differences of a metric (Holm): an interval "
			  "is of one difference alone"
			: "");
	if (s->plan.metric)
		document_say(d,
			     "%s: half of the interval is %.2g %% of the mean "
			     "after %zu seeds, %s.",
			     s->plan.metric->name, 100 * s->half_width,
			     s->n_seeds,
			     s->reached ? "as asked for"
					: "more than asked for: the limit of "
					  "seeds is reached");
}

/* Returns the pairs of all metrics; the caller frees them.  NULL: memory is
 * out. */
static struct seeds_pair *compare_all(const struct seeds *s)
{
	size_t n = seeds_n_pairs(s);
	struct seeds_pair *all = calloc(n_metrics * n + 1, sizeof *all);
	for (size_t i = 0; all && i < n_metrics; i++)
		if (seeds_compare(s, &metric[i], all + i * n) < 0) {
			free(all);
			return NULL;
		}
	return all;
}

static void tables(const struct seeds *s, int is_short, struct document *d)
{
	size_t n = seeds_n_pairs(s);
	struct seeds_pair *all = compare_all(s);
	if (s->study->n < 2)
		means(s, is_short, d);
	for (size_t i = 0; all && s->plan.all_pairs && i < n_metrics; i++)
		if (is_shown(&metric[i], is_short))
			matrix(s, &metric[i], all + i * n, n, d);
	for (size_t i = 0; all && (!s->plan.all_pairs || !is_short) && i < n;
	     i++)
		table(s, all, n, i, is_short, d);
	free(all);
}

void seeds_document(const struct seeds *s, struct document *d)
{
	unsigned in = d->in;
	document_heading(d,
			 s->study->n < 2 ? "Means over %zu seeds"
					 : "Differences over %zu seeds",
			 s->n_seeds);
	say_how(s, d);
	if (s->plan.all_pairs)
		document_say(d,
			     "* marks a difference that is distinguishable.");
	d->in = in & IN_SHORT;
	tables(s, 1, d);
	d->in = in & IN_DETAILS;
	tables(s, 0, d);
	d->in = in;
}

/* ---- JSON ---- */

static void difference(struct jw *j, const struct seeds_pair *x)
{
	jw_number(j, "difference", x->is.mean);
	jw_number(j, "low", x->is.low);
	jw_number(j, "high", x->is.high);
	jw_number(j, "effect", x->is.effect);
	jw_number(j, "p", x->p);
	jw_number(j, "p_adjusted", x->p_adjusted);
	jw_text(j, "verdict", verdict(&x->is));
}

/* all: the pairs of each metric; those with the first arm come first. */
static void json_metric(const struct seeds *s, const struct seeds_pair *all,
			size_t at, size_t arm, struct jw *j)
{
	const struct seeds_pair *x = &all[at * seeds_n_pairs(s) + arm - 1];
	double *value = calloc(s->n_seeds, sizeof *value);
	if (value && seeds_values(s, &metric[at], arm, value) == 0) {
		jw_flat_object(j, metric[at].name);
		jw_flat_array(j, "values");
		for (size_t k = 0; k < s->n_seeds; k++)
			jw_number(j, NULL, value[k]);
		jw_end(j);
		if (arm && x->is_known)
			difference(j, x);
		if (s->study->n < 2) {
			struct student_mean m = student_mean(value, s->n_seeds);
			jw_number(j, "mean", m.mean);
			jw_number(j, "low", m.mean - m.half);
			jw_number(j, "high", m.mean + m.half);
		}
		jw_end(j);
	}
	free(value);
}

static void json_pairs(const struct seeds *s, const struct seeds_pair *all,
		       struct jw *j)
{
	size_t n = seeds_n_pairs(s);
	jw_array(j, "pairs");
	for (size_t i = 0; i < n_metrics * n; i++) {
		if (!all[i].is_known)
			continue;
		jw_flat_object(j, NULL);
		jw_text(j, "metric", metric[i / n].name);
		jw_text(j, "a", s->study->job[all[i].a].name);
		jw_text(j, "b", s->study->job[all[i].b].name);
		difference(j, &all[i]);
		jw_end(j);
	}
	jw_end(j);
}

static void json_until(const struct seeds *s, struct jw *j)
{
	jw_flat_object(j, "until");
	jw_text(j, "metric", s->plan.metric->name);
	jw_uint(j, "used", s->n_seeds);
	jw_bool(j, "reached", s->reached);
	jw_number(j, "half_width", s->half_width);
	jw_end(j);
}

void seeds_json(const struct seeds *s, struct jw *j)
{
	struct seeds_pair *all = compare_all(s);
	jw_object(j, "seeds");
	jw_uint(j, "n", s->n_seeds);
	jw_bool(j, "paired", !s->plan.unpaired);
	jw_array(j, "arms");
	for (size_t arm = 0; all && arm < s->study->n; arm++) {
		jw_object(j, NULL);
		jw_text(j, "name", s->study->job[arm].name);
		for (size_t i = 0; i < n_metrics; i++)
			json_metric(s, all, i, arm, j);
		jw_end(j);
	}
	jw_end(j);
	if (all && s->plan.all_pairs)
		json_pairs(s, all, j);
	jw_end(j);
	if (s->plan.metric)
		json_until(s, j);
	free(all);
}
