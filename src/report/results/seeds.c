/* seeds.c -- Writes differences between arms over several seeds. */
#include <config.h>
#include "report/results/seeds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *verdict(const struct interval *i)
{
	return i->distinguishable ? "distinguishable" : "not distinguishable";
}

/* ---- a document ---- */

enum { DIFFERENCE, LOW, HIGH, EFFECT, VERDICT, N_CELLS };

static void row(const struct seeds *s, const struct metric *m, size_t arm,
		struct columns *c)
{
	struct interval i;
	if (seeds_difference(s, m, arm, &i) < 0)
		return;
	columns_metric(c, m->name, "");
	if (i.low == 0 && i.high == 0) {
		columns_words(c, 0, VERDICT, "exactly equal");
		return;
	}
	columns_cell(c, 0, DIFFERENCE, "%+.*f", m->decimals, i.mean);
	columns_value(c, 0, DIFFERENCE, i.mean);
	columns_cell(c, 0, LOW, "%+.*f", m->decimals, i.low);
	columns_value(c, 0, LOW, i.low);
	columns_cell(c, 0, HIGH, "%+.*f", m->decimals, i.high);
	columns_value(c, 0, HIGH, i.high);
	if (!isnan(i.effect))
		columns_cell(c, 0, EFFECT, "%+.2f", i.effect);
	columns_words(c, 0, VERDICT, "%s", verdict(&i));
}

/* is_short: the means of latencies alone. */
static void table(const struct seeds *s, size_t arm, int is_short,
		  struct document *d)
{
	static const char *const head[N_CELLS] = {"difference", "from", "to",
						  "effect", ""};
	struct columns c = {.n_groups = 1, .per_group = N_CELLS};
	columns_row(&c, "%s against %s", s->study->job[arm].name,
		    s->study->job[0].name);
	for (size_t i = 0; i < N_CELLS; i++)
		columns_cell(&c, 0, i, "%s", head[i]);
	for (size_t i = 0; i < n_metrics; i++)
		if (is_short ? strncmp(metric[i].name, "mean_", 5) == 0 &&
				   metric[i].tail
			     : metric[i].headline)
			row(s, &metric[i], arm, &c);
	document_table(d, &c);
}

void seeds_document(const struct seeds *s, struct document *d)
{
	unsigned in = d->in;
	document_heading(d, "Differences over %zu seeds", s->n_seeds);
	document_say(d,
		     "%s, with 95 %% bootstrap intervals; effect in standard "
		     "deviations.",
		     s->unpaired ? "Other seeds for every arm (unpaired)"
				 : "Paired");
	for (size_t arm = 1; arm < s->study->n; arm++) {
		d->in = in & IN_SHORT;
		table(s, arm, 1, d);
		d->in = in & IN_DETAILS;
		table(s, arm, 0, d);
	}
	d->in = in;
}

/* ---- JSON ---- */

static void number_or_null(struct jw *j, const char *key, double v)
{
	if (isnan(v))
		jw_null(j, key);
	else
		jw_number(j, key, v);
}

static void json_metric(const struct seeds *s, const struct metric *m,
			size_t arm, double *value, struct jw *j)
{
	struct interval i;
	if (seeds_values(s, m, arm, value) < 0)
		return;
	jw_flat_object(j, m->name);
	jw_flat_array(j, "values");
	for (size_t k = 0; k < s->n_seeds; k++)
		jw_number(j, NULL, value[k]);
	jw_end(j);
	if (arm && seeds_difference(s, m, arm, &i) == 0) {
		jw_number(j, "difference", i.mean);
		number_or_null(j, "low", i.low);
		number_or_null(j, "high", i.high);
		number_or_null(j, "effect", i.effect);
		jw_text(j, "verdict", verdict(&i));
	}
	jw_end(j);
}

void seeds_json(const struct seeds *s, struct jw *j)
{
	double *value = calloc(s->n_seeds, sizeof *value);
	jw_object(j, "seeds");
	jw_uint(j, "n", s->n_seeds);
	jw_bool(j, "paired", !s->unpaired);
	jw_array(j, "arms");
	for (size_t arm = 0; value && arm < s->study->n; arm++) {
		jw_object(j, NULL);
		jw_text(j, "name", s->study->job[arm].name);
		for (size_t i = 0; i < n_metrics; i++)
			json_metric(s, &metric[i], arm, value, j);
		jw_end(j);
	}
	jw_end(j);
	jw_end(j);
	free(value);
}
