/* identify.c -- Finds knobs that the runs do not tell apart. */
#include "validate/fit/identify.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static int make_room(struct identified *to, size_t n, struct problem *p)
{
	*to = (struct identified){calloc(n + 1, sizeof *to->apart),
				  calloc(n + 1, sizeof *to->from),
				  calloc(n + 1, sizeof *to->left)};
	return to->apart && to->from && to->left ? 0 : problem_no_memory(p);
}

static double length(const double *a, size_t n)
{
	return sqrt(dot(a, a, n));
}

/* Takes from rest[] what the direction `base` of length 1 has of it. */
static void project(double *rest, const double *base, size_t n_rows)
{
	double part = dot(rest, base, n_rows);
	for (size_t k = 0; k < n_rows; k++)
		rest[k] -= part * base[k];
}

/* Returns the fitted knob with the effect that is most like this one's. */
static size_t most_like(const struct identified *t, const double *effect,
			size_t knob, size_t n, size_t n_rows)
{
	const double *e = effect + knob * n_rows;
	double best = -1;
	size_t found = knob;
	for (size_t i = 0; i < n; i++) {
		const double *o = effect + i * n_rows;
		double like =
		    fabs(dot(e, o, n_rows)) / (length(o, n_rows) + 1e-300);
		if (t->apart[i] && i != knob && like > best) {
			best = like;
			found = i;
		}
	}
	return found;
}

/* Returns the open knob with the most of its effect left; n: none is open. */
static size_t widest(const double *rest, const int *open, size_t n,
		     size_t n_rows)
{
	size_t found = n;
	double most = -1;
	for (size_t i = 0; i < n; i++) {
		double left = length(rest + i * n_rows, n_rows);
		if (open[i] && left > most) {
			most = left;
			found = i;
		}
	}
	return found;
}

/* rest[n][n_rows] begins as the effects; open[n] begins as 1. */
static void tell_apart(struct identified *to, const double *effect,
		       double *rest, int *open, size_t n, size_t n_rows)
{
	size_t i;
	int any = 0;
	while ((i = widest(rest, open, n, n_rows)) < n) {
		double *own = rest + i * n_rows;
		double left = length(own, n_rows);
		double whole = length(effect + i * n_rows, n_rows);
		open[i] = 0;
		to->left[i] = whole > 0 ? left / whole : 0;
		to->apart[i] = to->left[i] > IDENTIFY_SHARE &&
			       (!any || left > IDENTIFY_LEAST);
		if (!to->apart[i])
			continue;
		any = 1;
		for (size_t k = 0; k < n_rows; k++)
			own[k] /= left;
		for (size_t k = 0; k < n; k++)
			if (open[k])
				project(rest + k * n_rows, own, n_rows);
	}
}

int identify_effects(struct identified *to, const double *effect, size_t n,
		     size_t n_rows, struct problem *p)
{
	double *rest = calloc(n * n_rows + 1, sizeof *rest);
	int *open = calloc(n + 1, sizeof *open);
	int rc = make_room(to, n, p);
	if (rc == 0 && (!rest || !open))
		rc = problem_no_memory(p);
	if (rc == 0) {
		memcpy(rest, effect, n * n_rows * sizeof *rest);
		for (size_t i = 0; i < n; i++)
			open[i] = 1;
		tell_apart(to, effect, rest, open, n, n_rows);
		for (size_t i = 0; i < n; i++)
			to->from[i] = most_like(to, effect, i, n, n_rows);
	}
	free(rest);
	free(open);
	return rc;
}

static double change(const struct prediction *a, const struct prediction *b,
		     enum run_latency metric)
{
	double ratio = b->time[metric].of[STATISTIC_MEAN] /
		       a->time[metric].of[STATISTIC_MEAN];
	return ratio > 0 && isfinite(ratio) ? log(ratio) : 0;
}

/* The effect of a knob on two figures of each row. */
static int effect_of(struct refit *f, const double *x, size_t knob,
		     double *effect, struct problem *p)
{
	double *moved = calloc(f->n + 1, sizeof *moved);
	int rc = moved ? 0 : problem_no_memory(p);
	if (rc == 0) {
		refit_step(f, x, knob, moved);
		rc = refit_learn(f, 1, moved, p);
	}
	if (rc == 0)
		rc = refit_learn(f, 1, x, p);
	const struct prediction *a = rc ? NULL : refit_recall(f, x);
	const struct prediction *b = rc ? NULL : refit_recall(f, moved);
	for (size_t i = 0; rc == 0 && i < f->v->file->n; i++) {
		if (f->run_of[i] == SIZE_MAX)
			continue;
		effect[2 * i] = change(&a[i], &b[i], RUN_TPOT);
		effect[2 * i + 1] =
		    sqrt(REFIT_TTFT_WEIGHT) * change(&a[i], &b[i], RUN_TTFT);
	}
	free(moved);
	return rc;
}

int identify(struct identified *to, struct refit *f, const double *x,
	     struct problem *p)
{
	size_t n_rows = 2 * f->v->file->n;
	double *effect = calloc(f->n * n_rows + 1, sizeof *effect);
	int rc = effect ? 0 : problem_no_memory(p);
	*to = (struct identified){0};
	for (size_t i = 0; rc == 0 && i < f->n; i++)
		rc = effect_of(f, x, i, effect + i * n_rows, p);
	if (rc == 0)
		rc = identify_effects(to, effect, f->n, n_rows, p);
	free(effect);
	return rc;
}

void identified_free(struct identified *to)
{
	free(to->apart), free(to->from), free(to->left);
	*to = (struct identified){0};
}
