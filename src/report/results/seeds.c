/* seeds.c -- Writes differences between arms over several seeds. */
#include <config.h>
#include "report/results/seeds.h"
#include <math.h>
#include <stdlib.h>

static const char *verdict(const struct interval *i)
{
	return i->distinguishable ? "distinguishable" : "not distinguishable";
}

/* ---- text ---- */

static void text_row(const struct seeds *s, const struct metric *m, size_t arm,
		     FILE *f)
{
	struct interval i;
	if (seeds_difference(s, m, arm, &i) < 0)
		return;
	if (i.low == 0 && i.high == 0) {
		fprintf(f, "  %-24s%14s\n", m->name, "exactly equal");
		return;
	}
	fprintf(f, "  %-24s%+14.*f  [%+.*f, %+.*f]", m->name, m->decimals,
		i.mean, m->decimals, i.low, m->decimals, i.high);
	if (!isnan(i.effect))
		fprintf(f, "  effect %+.2f", i.effect);
	fprintf(f, "  %s\n", verdict(&i));
}

void seeds_text(const struct seeds *s, FILE *f)
{
	fprintf(f,
		"\n%zu seeds%s differences, mean and 95 %% bootstrap "
		"interval, effect in standard deviations\n",
		s->n_seeds,
		s->unpaired ? ", other seeds for every arm (unpaired):"
			    : ": paired");
	for (size_t arm = 1; arm < s->study->n; arm++) {
		fprintf(f, "%s against %s\n", s->study->job[arm].name,
			s->study->job[0].name);
		for (size_t i = 0; i < n_metrics; i++)
			if (metric[i].headline)
				text_row(s, &metric[i], arm, f);
	}
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
