/* calibrate.c -- Refits knobs so that simulated runs meet measured ones. */
#include <config.h>
#include "validate/calibrate.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "math/leastsq.h"

#define TTFT_WEIGHT 0.7

/* The points asked so far, with what they gave: leave-one-out fits start from
 * the same one. */
struct memory {
	double *x;                     /* [n][knobs] */
	struct prediction *prediction; /* [n][rows] */
	size_t n, cap;
};

struct fit {
	struct calibration *c;
	struct validation *v;
	const struct calibrate_options *o;
	size_t arm;
	const char *const *name;
	struct memory memory;
	const size_t *run_of; /* [rows] index of the run, SIZE_MAX: not used */
	size_t left_out;      /* a run, SIZE_MAX: none                       */
	double *value;        /* [knobs] scratch                             */
	char what[100];
};

/* ---- knobs as parameters
 * ----------------------------------------------------- Logarithms; of 1 + v
 * where a knob starts from 0. */

static double to_parameter(const struct calibrated_knob *k, double v)
{
	return k->before > 0 ? log(v) : log1p(v);
}

static double to_value(const struct calibrated_knob *k, double x)
{
	double v = k->before > 0 ? exp(x) : expm1(x);
	return fmax(k->knob->min, fmin(k->knob->max, v));
}

static double block_value(const sc_knob *k, const void *block)
{
	double v;
	memcpy(&v, (const char *)block + k->offset, sizeof v);
	return v;
}

static int find_knobs(struct calibration *c, const sc_plugin *plugin,
		      const void *start, const char *const *name, size_t n,
		      struct problem *p)
{
	c->knob = calloc(n + 1, sizeof *c->knob);
	if (!c->knob)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < n; i++) {
		const sc_knob *found = NULL;
		for (uint32_t k = 0; k < plugin->n_knobs; k++)
			if (!strcmp(plugin->knob[k]->name, name[i]))
				found = plugin->knob[k];
		if (!found || found->type != SC_KNOB_DOUBLE)
			return problem_set(p, EXIT_USAGE, "--knobs: %s %s",
					   name[i],
					   found ? "is not a real number"
						 : "is no knob of the plugin");
		double v = block_value(found, start);
		c->knob[c->n++] = (struct calibrated_knob){found, v, v, 1};
		if (v < 0)
			return problem_set(p, EXIT_USAGE,
					   "--knobs: %s starts below 0",
					   name[i]);
	}
	return 0;
}

/* ---- simulated over measured ---- */

static int recall(const struct fit *f, const double *x)
{
	for (size_t i = 0; i < f->memory.n; i++)
		if (!memcmp(f->memory.x + i * f->c->n, x, f->c->n * sizeof *x))
			return (int)i;
	return -1;
}

static int remember(struct fit *f, const double *x, struct problem *p)
{
	struct memory *m = &f->memory;
	size_t rows = f->v->file->n;
	if (m->n == m->cap) {
		size_t cap = m->cap ? 2 * m->cap : 64;
		double *xs = realloc(m->x, cap * f->c->n * sizeof *xs);
		if (xs)
			m->x = xs;
		struct prediction *ps =
		    realloc(m->prediction, cap * rows * sizeof *ps);
		if (ps)
			m->prediction = ps;
		if (!xs || !ps)
			return problem_set(p, EXIT_USAGE, "out of memory");
		m->cap = cap;
	}
	memcpy(m->x + m->n * f->c->n, x, f->c->n * sizeof *x);
	memset(m->prediction + m->n * rows, 0, rows * sizeof *m->prediction);
	m->n++;
	return 0;
}

/* Simulates those of the points that have not been. */
static int learn(struct fit *f, uint32_t n_points, const double *x,
		 struct problem *p)
{
	size_t n = f->c->n, first = f->memory.n;
	for (uint32_t i = 0; i < n_points; i++)
		if (recall(f, x + i * n) < 0 && remember(f, x + i * n, p) < 0)
			return -1;
	size_t fresh = f->memory.n - first;
	if (!fresh)
		return 0;
	double *value = calloc(fresh * n, sizeof *value);
	if (!value)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < fresh * n; i++)
		value[i] =
		    to_value(&f->c->knob[i % n], f->memory.x[first * n + i]);
	struct knob_points k = {.arm = f->arm,
				.name = f->name,
				.n_knobs = n,
				.n_points = fresh,
				.value = value};
	int rc =
	    validation_ask(f->v, &k, f->o->validate,
			   f->memory.prediction + first * f->v->file->n, p);
	free(value);
	if (rc < 0)
		f->memory.n = first;
	return rc;
}

static double log_ratio(const struct fit *f, const struct prediction *is,
			size_t row, enum latency metric)
{
	double r = log(is[row].time[metric].mean /
		       f->v->file->row[row].time[metric].mean);
	return is[row].priced && isfinite(r) ? r : 0;
}

static int residuals(void *ctx, uint32_t n_points, const double *x, double *r,
		     struct problem *p)
{
	struct fit *f = ctx;
	size_t rows = f->v->file->n;
	if (learn(f, n_points, x, p) < 0)
		return -1;
	for (uint32_t i = 0; i < n_points; i++) {
		const struct prediction *is =
		    f->memory.prediction +
		    (size_t)recall(f, x + i * f->c->n) * rows;
		for (size_t row = 0; row < rows; row++) {
			int used = f->run_of[row] != SIZE_MAX &&
				   f->run_of[row] != f->left_out;
			double *to = r + (i * rows + row) * 2;
			to[0] = used ? log_ratio(f, is, row, LATENCY_TPOT) : 0;
			to[1] = used ? TTFT_WEIGHT *
					   log_ratio(f, is, row, LATENCY_TTFT)
				     : 0;
		}
	}
	return 0;
}

static void on_progress(void *ctx, uint32_t iteration, double cost)
{
	const struct fit *f = ctx;
	if (f->o->progress)
		f->o->progress(f->o->user, f->what, iteration, cost);
}

static int fit(struct fit *f, double *x, uint32_t iterations, struct problem *p)
{
	double *bound = calloc(2 * f->c->n, sizeof *bound), cost;
	if (!bound)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < f->c->n; i++) {
		const struct calibrated_knob *k = &f->c->knob[i];
		double least = k->before > 0
				   ? fmax(k->knob->min, k->before * 1e-4)
				   : fmax(k->knob->min, 0);
		bound[i] = to_parameter(k, least);
		bound[f->c->n + i] = to_parameter(k, k->knob->max);
	}
	struct leastsq q = {.n_params = (uint32_t)f->c->n,
			    .n_residuals = (uint32_t)(2 * f->v->file->n),
			    .min = bound,
			    .max = bound + f->c->n,
			    .step = 0.03,
			    .max_move = 0.7,
			    .robust = 0.05,
			    .ridge = 1e-4,
			    .max_iterations = iterations,
			    .tolerance = 2e-3,
			    .residuals = residuals,
			    .progress = on_progress,
			    .ctx = f};
	int rc = leastsq_fit(&q, x, &cost, p);
	free(bound);
	return rc;
}

/* ---- how good ---- */

struct tally {
	double sum[N_LATENCIES];
	size_t n[N_LATENCIES];
};

static void count(const struct fit *f, const struct prediction *is, size_t run,
		  struct tally *t)
{
	for (size_t row = 0; row < f->v->file->n; row++) {
		if (f->run_of[row] == SIZE_MAX ||
		    (run != SIZE_MAX && f->run_of[row] != run))
			continue;
		for (int k = 0; k < N_LATENCIES; k++) {
			double e = is[row].time[k].mean /
				       f->v->file->row[row].time[k].mean -
				   1;
			if (!isfinite(e))
				continue;
			t->sum[k] += fabs(e);
			t->n[k]++;
		}
	}
}

static struct calibration_error error_of(const struct tally *t)
{
	struct calibration_error e;
	for (int k = 0; k < N_LATENCIES; k++)
		e.metric[k] = t->n[k] ? t->sum[k] / (double)t->n[k] : 0;
	e.score =
	    (e.metric[LATENCY_TPOT] + TTFT_WEIGHT * e.metric[LATENCY_TTFT]) /
	    (1 + TTFT_WEIGHT);
	return e;
}

/* Adds the errors at x, over all runs or one. */
static int tally_at(struct fit *f, const double *x, size_t run, struct tally *t,
		    struct problem *p)
{
	if (learn(f, 1, x, p) < 0)
		return -1;
	count(f, f->memory.prediction + (size_t)recall(f, x) * f->v->file->n,
	      run, t);
	return 0;
}

/* ---- too few? ---- */

static const char *model_of(const struct fit *f, size_t row)
{
	const char *model = f->v->file->row[row].model;
	return model ? model : "";
}

static int model_seen(const struct fit *f, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (f->run_of[i] != SIZE_MAX &&
		    !strcmp(model_of(f, i), model_of(f, row)))
			return 1;
	return 0;
}

/* Of the runs that are used: different models; rows. */
static void survey(const struct fit *f, size_t *models, size_t *rows)
{
	*models = *rows = 0;
	for (size_t i = 0; i < f->v->file->n; i++) {
		if (f->run_of[i] == SIZE_MAX)
			continue;
		++*rows;
		*models += !model_seen(f, i);
	}
}

static int enough(const struct fit *f, struct problem *p)
{
	size_t models, rows, n = f->c->n;
	survey(f, &models, &rows);
	if (n > 1 && (f->c->n_runs < 3 || models < 3))
		return problem_set(p, EXIT_SAYS_NO,
				   "too few data: %zu runs of %zu models; more "
				   "than one knob needs at least 3 runs of "
				   "different models",
				   f->c->n_runs, models);
	if (n > 1 && rows < 2 * n)
		return problem_set(p, EXIT_SAYS_NO,
				   "too few data: %zu rows for %zu knobs; "
				   "there must be two for each",
				   rows, n);
	return 0;
}

/* A knob that hardly any model's runs depend on would be fitted to one model:
 * x + step of one knob against x. */
static int knob_matters(struct fit *f, size_t knob, const double *x,
			struct problem *p)
{
	double *moved = calloc(f->c->n + 1, sizeof *moved);
	double sum = 0;
	size_t models = 0, rows = 0;
	if (!moved)
		return problem_set(p, EXIT_USAGE, "out of memory");
	memcpy(moved, x, f->c->n * sizeof *x);
	double top =
	    to_parameter(&f->c->knob[knob], f->c->knob[knob].knob->max);
	moved[knob] += moved[knob] + 0.3 > top ? -0.3 : 0.3;
	int rc = learn(f, 1, x, p) < 0 || learn(f, 1, moved, p) < 0 ? -1 : 0;
	for (size_t i = 0; rc == 0 && i < f->v->file->n; i++) {
		const struct prediction *a =
		    f->memory.prediction + (size_t)recall(f, x) * f->v->file->n;
		const struct prediction *b =
		    f->memory.prediction +
		    (size_t)recall(f, moved) * f->v->file->n;
		double change = b[i].time[LATENCY_TPOT].mean /
				    a[i].time[LATENCY_TPOT].mean -
				1;
		if (f->run_of[i] == SIZE_MAX || !isfinite(change))
			continue;
		sum += fabs(change);
		rows++;
		if (fabs(change) > 1e-4 && !model_seen(f, i))
			models++;
	}
	free(moved);
	/* A difference of 0.03 is to change TPOT by a percent. */
	if (rows)
		f->c->knob[knob].scale =
		    fmax(1, fmin(15, 0.1 * (double)rows / fmax(sum, 1e-9)));
	if (rc == 0 && f->c->n > 1 && models < 2)
		rc = problem_set(p, EXIT_SAYS_NO,
				 "too few data: %s matters to runs of %zu "
				 "models; it must to at least 2",
				 f->name[knob], models);
	return rc;
}

/* ---- all of it ---- */

/* Which run each row belongs to: those that are simulated and unsaturated. */
static size_t number_runs(const struct validation *v, size_t *run_of)
{
	size_t n = 0;
	for (size_t i = 0; i < v->file->n; i++)
		run_of[i] = SIZE_MAX;
	for (size_t t = 0; t < v->trials.n; t++) {
		const struct trial *x = &v->trials.trial[t];
		size_t used = 0;
		for (size_t i = 0; !v->refused[t] && i < x->n_rows; i++)
			if (!validation_saturated(&v->file->row[x->row[i]])) {
				run_of[x->row[i]] = n;
				used++;
			}
		n += used > 0;
	}
	return n;
}

static int leave_one_out(struct fit *f, const double *best, struct problem *p)
{
	struct tally t = {{0}, {0}};
	double *x = calloc(f->c->n + 1, sizeof *x);
	int rc = x ? 0 : problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t run = 0; rc == 0 && run < f->c->n_runs; run++) {
		memcpy(x, best, f->c->n * sizeof *x);
		snprintf(f->what, sizeof f->what, "without run %zu of %zu",
			 run + 1, f->c->n_runs);
		f->left_out = run;
		rc = fit(f, x, 6, p);
		if (rc == 0)
			rc = tally_at(f, x, run, &t, p);
	}
	free(x);
	f->c->left_out = error_of(&t);
	return rc;
}

static int run(struct fit *f, double *x, struct problem *p)
{
	struct calibration *c = f->c;
	struct tally before = {{0}, {0}}, after = {{0}, {0}};
	size_t models;
	for (size_t i = 0; i < c->n; i++)
		x[i] = to_parameter(&c->knob[i], c->knob[i].before);
	survey(f, &models, &c->n_rows);
	if (enough(f, p) < 0 || tally_at(f, x, SIZE_MAX, &before, p) < 0)
		return -1;
	for (size_t i = 0; i < c->n; i++)
		if (knob_matters(f, i, x, p) < 0)
			return -1;
	f->memory.n = 0; /* its points are in other units */
	for (size_t i = 0; i < c->n; i++)
		x[i] = to_parameter(&c->knob[i], c->knob[i].before);
	snprintf(f->what, sizeof f->what, "all runs");
	if (fit(f, x, 30, p) < 0 || tally_at(f, x, SIZE_MAX, &after, p) < 0)
		return -1;
	for (size_t i = 0; i < c->n; i++)
		c->knob[i].after = to_value(&c->knob[i], x[i]);
	c->before = error_of(&before);
	c->after = error_of(&after);
	if (c->n_runs < 2) {
		c->left_out = c->before;
		return 0;
	}
	if (leave_one_out(f, x, p) < 0)
		return -1;
	c->accepted = c->left_out.score < c->before.score;
	return 0;
}

int calibrate(struct calibration *c, struct validation *v, size_t arm,
	      const sc_plugin *plugin, const void *start,
	      const char *const *knob, size_t n,
	      const struct calibrate_options *o, struct problem *p)
{
	struct fit f = {.c = c,
			.v = v,
			.o = o,
			.arm = arm,
			.name = knob,
			.left_out = SIZE_MAX};
	size_t *run_of = calloc(v->file->n + 1, sizeof *run_of);
	double *x = calloc(n + 1, sizeof *x);
	*c = (struct calibration){0};
	int rc = run_of && x ? find_knobs(c, plugin, start, knob, n, p)
			     : problem_set(p, EXIT_USAGE, "out of memory");
	if (rc == 0) {
		c->n_runs = number_runs(v, run_of);
		f.run_of = run_of;
		rc = run(&f, x, p);
	}
	free(f.memory.x);
	free(f.memory.prediction);
	free(run_of);
	free(x);
	return rc;
}

void calibration_free(struct calibration *c)
{
	free(c->knob);
	*c = (struct calibration){0};
}
