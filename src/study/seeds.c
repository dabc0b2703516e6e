#include <config.h>
#include "study/seeds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/json_writer.h"

static const struct job *job_of(const struct seeds *s, size_t seed, size_t arm)
{
	size_t n = s->study->n;
	return s->unpaired ? &s->job[seed * n + arm]
	       : seed == 0 ? &s->study->job[arm]
			   : &s->job[(seed - 1) * n + arm];
}

int seeds_run(struct seeds *s, const struct study *study, size_t n_seeds,
	      int unpaired, struct problem *p)
{
	size_t first = unpaired ? 0 : 1, n = (n_seeds - first) * study->n;
	*s = (struct seeds){
	    .study = study, .n_seeds = n_seeds, .unpaired = unpaired};
	s->job = calloc(n, sizeof *s->job);
	s->task = calloc(n, sizeof *s->task);
	if (!s->job || !s->task)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < n; i++) {
		size_t arm = i % study->n;
		s->task[i] = study->task[arm];
		s->task[i].seed_shift = i / study->n + first +
					(unpaired ? arm * n_seeds : 0);
		s->job[i] = (struct job){.name = study->job[arm].name,
					 .user = &s->task[i]};
	}
	return arms_run(&s->arms, s->job, n, study_job, &study->how, p);
}

int seeds_code(const struct seeds *s)
{
	int code = EXIT_DONE;
	for (size_t i = 0; i < s->arms.n; i++)
		if (s->job[i].problem->code > code)
			code = s->job[i].problem->code;
	return code;
}

void seeds_free(struct seeds *s)
{
	arms_free(&s->arms);
	free(s->job);
	free(s->task);
	*s = (struct seeds){0};
}

/* A metric of an arm, seed by seed, into value[n_seeds].  0, or -1: a run of
 * the arm failed, or the metric does not apply. */
static int values(const struct seeds *s, const struct metric *m, size_t arm,
		 double *value)
{
	for (size_t k = 0; k < s->n_seeds; k++) {
		const struct job *j = job_of(s, k, arm);
		if (j->complaint)
			return -1;
		value[k] = metric_value(m, &study_record(j)->outcome);
		if (isnan(value[k]))
			return -1;
	}
	return 0;
}

/* The arm against the first, paired by seed or not.  0, or -1 as above. */
static int against_first(const struct seeds *s, const struct metric *m,
			 size_t arm, struct interval *out)
{
	double *x = calloc(2 * s->n_seeds, sizeof *x);
	double *first = x ? x + s->n_seeds : NULL;
	int rc = -1;
	if (x && values(s, m, arm, x) == 0 && values(s, m, 0, first) == 0) {
		for (size_t k = 0; !s->unpaired && k < s->n_seeds; k++)
			x[k] -= first[k];
		*out = s->unpaired ? bootstrap_difference(x, s->n_seeds, first,
							  s->n_seeds)
				   : bootstrap_mean(x, s->n_seeds);
		rc = 0;
	}
	free(x);
	return rc;
}

static const char *verdict(const struct interval *i)
{
	return i->distinguishable ? "distinguishable" : "not distinguishable";
}

/* ---- text ---------------------------------------------------------------- */

static void text_row(const struct seeds *s, const struct metric *m, size_t arm,
		     FILE *f)
{
	struct interval i;
	if (against_first(s, m, arm, &i) < 0)
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
		s->unpaired ? " of its own for every arm: unpaired"
			    : ": paired");
	for (size_t arm = 1; arm < s->study->n; arm++) {
		fprintf(f, "%s against %s\n", s->study->job[arm].name,
			s->study->job[0].name);
		for (size_t i = 0; i < n_metrics; i++)
			if (metric[i].headline)
				text_row(s, &metric[i], arm, f);
	}
}

/* ---- JSON ---------------------------------------------------------------- */

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
	if (values(s, m, arm, value) < 0)
		return;
	jw_flat_object(j, m->name);
	jw_flat_array(j, "values");
	for (size_t k = 0; k < s->n_seeds; k++)
		jw_number(j, NULL, value[k]);
	jw_end(j);
	if (arm && against_first(s, m, arm, &i) == 0) {
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
