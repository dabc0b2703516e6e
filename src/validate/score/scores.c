/* scores.c -- Keeps the errors of a validation, and tries intervals on them. */
#include "validate/score/scores.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/coefficients.h"
#include "base/file/path.h"
#include "math/statistics.h"
#include "validate/measured/parallelism.h"

const char *const fold_by_name[] = {"model",     "gpu",        "run",
				    "publisher", "deployment", NULL};
const double nominal_coverage[N_NOMINAL] = {.5, .8, .9};

/* ---- errors as data ---- */

enum { FOLD_TEXT = 160 };

/* Writes the fold of a row; the other members of *x are filled in. */
static void name_fold(char to[FOLD_TEXT], const struct measured_row *r,
		      const struct scored_row *x, enum fold_by by)
{
	const char *is = by == FOLD_BY_MODEL       ? r->model
			 : by == FOLD_BY_GPU       ? r->gpu
			 : by == FOLD_BY_PUBLISHER ? x->publisher
			 : r->run                  ? r->run
						   : r->id;
	if (by == FOLD_BY_DEPLOYMENT)
		snprintf(to, FOLD_TEXT, "%s %s %s %s", r->model ? r->model : "",
			 x->at.engine, x->at.gpu_family, x->at.weight_format);
	else
		snprintf(to, FOLD_TEXT, "%s", is ? is : "");
}

static struct trust_place place_of(const struct validation *v, size_t arm,
				   size_t row)
{
	const struct config *c = validation_config(v, row);
	const struct measured_row *r = &v->file->row[row];
	const struct prediction *is = validation_of(v, arm, row);
	struct parallelism split = parallelism_of(r);
	struct trust_place at = {.computed_share = is->computed_share,
				 .input_tokens = is->input_tokens,
				 .output_tokens = is->output_tokens,
				 .load = is->running};
	place_set(&at, c->arm[arm].hardware, &c->model.view, split.tp, split.ep,
		  split.pp);
	place_set_engine(&at, r->engine);
	place_set_versions(&at, arm_kernels_under(c, arm, at.engine),
			   r->engine_version);
	place_set_loading(&at, is->clients, is->most,
			  is->saturation == SATURATION_STABLE);
	return at;
}

struct scoring {
	struct scored *to;
	struct scored_row row;
	int failed;
};

static void add(struct scoring *s, const char *metric, double measured,
		double predicted)
{
	char name[40];
	if (!(measured > 0) || !(predicted > 0))
		return;
	snprintf(name, sizeof name, "%s", metric);
	s->row.metric = name;
	s->row.measured = measured;
	s->row.predicted = predicted;
	s->failed |= scored_add(s->to, &s->row) < 0;
}

/* A median is called so by those who ask. */
static void add_time(struct scoring *s, enum run_latency k, enum statistic i,
		     double measured, double predicted)
{
	char name[40];
	snprintf(name, sizeof name, "%s_%s_ms",
		 i == STATISTIC_P50 ? "median" : statistic_name[i],
		 latency_name[k]);
	add(s, name, measured, predicted);
}

static void add_row(struct scoring *s, const struct validation *v, size_t arm,
		    size_t row)
{
	const struct prediction *is = validation_of(v, arm, row);
	const struct measured_row *r = &v->file->row[row];
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		for (int i = 0; i < N_STATISTICS; i++)
			add_time(s, (enum run_latency)k, (enum statistic)i,
				 r->time[k].of[i], is->time[k].of[i]);
	if (!isnan(validation_throughput_error(v, arm, row)))
		add(s, "output_throughput", r->output_throughput,
		    is->output_throughput);
}

static void write_engine_key(struct scored_row *row, const char *name, double v)
{
	size_t n = strlen(row->engine_keys);
	if (v >= 1)
		snprintf(row->engine_keys + n, sizeof row->engine_keys - n,
			 "%s%s=%.0f", n ? ";" : "", name, v);
}

/* Writes those that a measured row or its protocol tells, and that change what
 * a step costs. */
static void write_engine_keys(struct scored_row *row,
			      const struct measured_row *r,
			      const struct config *c)
{
	size_t n;
	write_engine_key(row, "max_num_seqs", r->max_num_seqs);
	write_engine_key(row, "max_num_batched_tokens",
			 r->max_num_batched_tokens);
	n = strlen(row->engine_keys);
	if (c->engine_keys.kv_cache_dtype != KV_DTYPE_AUTO)
		snprintf(row->engine_keys + n, sizeof row->engine_keys - n,
			 "%skv_cache_dtype=%s", n ? ";" : "",
			 kv_dtype_words[c->engine_keys.kv_cache_dtype]);
}

/* Runs of one publisher, or of one file, were measured alike. */
static void write_publisher(struct scored_row *row,
			    const struct measured_row *r)
{
	const char *name = path_name(r->file);
	const char *end = strrchr(name, '.');
	snprintf(row->publisher, sizeof row->publisher, "%.*s",
		 r->origin || !end ? (int)strlen(r->origin ? r->origin : name)
				   : (int)(end - name),
		 r->origin ? r->origin : name);
}

int validation_scores(const struct validation *v, size_t arm, enum fold_by by,
		      struct scored *to, struct problem *p)
{
	struct scoring s = {.to = to};
	char fold[FOLD_TEXT];
	*to = (struct scored){0};
	for (size_t i = 0; i < v->file->n; i++) {
		const struct measured_row *r = &v->file->row[i];
		if (!validation_of(v, arm, i)->priced)
			continue;
		s.row = (struct scored_row){
		    .source_row = r->id ? r->id : (char *)"",
		    .fold = fold,
		    .at = place_of(v, arm, i),
		    .saturated = validation_saturated(r)};
		write_engine_keys(&s.row, r, validation_config(v, i));
		write_publisher(&s.row, r);
		name_fold(fold, r, &s.row, by);
		snprintf(s.row.left_out, sizeof s.row.left_out, "%s",
			 fold_by_name[by]);
		add_row(&s, v, arm, i);
	}
	s.failed |= scored_derive(to) < 0;
	trust_prepare(to, &(struct interval_of){.coverage = INTERVAL_COVERAGE});
	return s.failed ? problem_no_memory(p) : 0;
}

/* Returns the first prediction of an arm: it has the version of the cost model,
 * and says whether tables priced anything. */
static const struct prediction *any_prediction(const struct validation *v,
					       size_t arm)
{
	size_t i = 0;
	while (i < v->file->n && !validation_of(v, arm, i)->priced)
		i++;
	return i < v->file->n ? validation_of(v, arm, i) : NULL;
}

static int has_tables(const struct prediction *is)
{
	for (int k = 0; k < COVERAGE_NONE; k++)
		if (is->coverage_us[k] > 0)
			return 1;
	return 0;
}

void validation_write_scores(const struct validation *v, size_t arm,
			     const struct scored *scored, FILE *f)
{
	const struct prediction *is = any_prediction(v, arm);
	size_t i = 0;
	while (i < v->file->n && !validation_config(v, i))
		i++;
	if (!is || i == v->file->n)
		return;
	const struct config *c = validation_config(v, i);
	struct arm_coefficients has = arm_coefficients_of(c, arm);
	const struct scored_of of = {.plugin = c->arm[arm].plugin,
				     .version = is->version,
				     .preset = has.preset,
				     .tables = has_tables(is) ? has.tables : "",
				     .changed = ""};
	for (size_t k = 0; k < scored->n; k++)
		if (!scored->row[k].is_derived)
			scored_write_row(f, &of, &scored->row[k]);
	arm_coefficients_free(&has);
}

/* ---- intervals, tried ---- */

/* By the other folds. */
static struct trust_interval interval_by_others(const struct scored *s,
						const struct scored_row *x,
						double coverage)
{
	return trust_interval_of(
	    &(struct interval_of){.scored = s,
				  .at = &x->at,
				  .metric = x->metric,
				  .coverage = coverage,
				  .without_fold = x->fold});
}

struct trust_interval scores_interval(const struct scored *s,
				      const char *source_row,
				      const char *metric)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->row[i].source_row, source_row) &&
		    !strcmp(s->row[i].metric, metric))
			return interval_by_others(s, &s->row[i],
						  INTERVAL_COVERAGE);
	return (struct trust_interval){0};
}

static int is_tried(const struct scored_row *x, const char *metric,
		    const char *fold)
{
	return !x->saturated && !strcmp(x->metric, metric) &&
	       !strcmp(x->fold, fold);
}

/* Tries the rows of a fold, with the widening that the others ask for; marks
 * them.  width: [n] half widths so far. */
static void try_fold(const struct scored *s, size_t first, int nominal,
		     unsigned char *is_done, struct achieved_coverage *a,
		     double *width)
{
	struct scored others = *s;
	const struct scored_row *x = &s->row[first];
	const char *fold = x->fold, *metric = x->metric;
	const double coverage = nominal_coverage[nominal];
	trust_prepare(&others, &(struct interval_of){.coverage = coverage,
						     .metric = metric,
						     .without_fold = fold});
	for (size_t i = first; i < s->n; i++) {
		x = &s->row[i];
		if (!is_tried(x, metric, fold))
			continue;
		is_done[i] = 1;
		struct trust_interval is =
		    interval_by_others(&others, x, coverage);
		const double ratio = x->measured / x->predicted;
		if (!is.n)
			continue;
		a->share[nominal] += ratio >= is.low && ratio <= is.high;
		width[a->n++] = (is.high - is.low) / 2;
	}
}

struct achieved_coverage scores_coverage(const struct scored *s,
					 const char *metric, const char *fold)
{
	struct achieved_coverage a = {0};
	double *width = calloc(s->n + 1, sizeof *width);
	unsigned char *is_done = malloc(s->n + 1);
	for (int k = 0; width && is_done && k < N_NOMINAL; k++) {
		a.n = 0;
		memset(is_done, 0, s->n);
		for (size_t i = 0; i < s->n; i++)
			if (!is_done[i] &&
			    is_tried(&s->row[i], metric,
				     fold ? fold : s->row[i].fold))
				try_fold(s, i, k, is_done, &a, width);
		if (!a.n)
			break;
		stats_sort(width, a.n);
		a.width[k] = stats_percentile(width, a.n, .5);
		a.share[k] /= (double)a.n;
	}
	free(is_done);
	free(width);
	return a;
}
