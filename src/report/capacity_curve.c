/* capacity_curve.c -- Draws a bounded latency against the load. */
#include "report/capacity_curve.h"
#include <math.h>
#include <stdlib.h>
#include "draw/svg.h"
#include "report/capacity_parts.h"
#include "report/titles.h"

/* Runs with loads that differ by less are one point of a curve. */
#define ALIKE 0.03
enum { BOUND_POINTS = 2 };

/* A figure of one bound: for each search a curve and its answer. */
struct curve {
	const struct deployments *d;
	size_t bound;
	struct figure_series *series; /* [2 * searches + 1] */
	size_t n;
	double *x, *y; /* [searches * CAPACITY_TRIED] */
	struct answer {
		double load, low, high, value;
	} * answer; /* [searches] */
	double ends[BOUND_POINTS], limits[BOUND_POINTS];
	char **name; /* [searches] */
	char title[TITLE_SIZE + 40], label[TITLE_SIZE], rule[TITLE_SIZE + 40];
	int is_closed;
};

static int is_share(const struct curve *c)
{
	return c->d->bounds.bound[c->bound].latency == LATENCY_GOOD;
}

/* A latency is drawn in ms; a share of good requests has no such figure for a
 * run, so its excess is drawn, which must be at most 1. */
static double limit_of(const struct curve *c)
{
	return is_share(c) ? 1 : c->d->bounds.bound[c->bound].limit;
}

static double value_of(const struct curve *c, const struct capacity_tried *t)
{
	return is_share(c) ? t->excess[c->bound] : t->value[c->bound];
}

/* ---- points ---- */

struct tried_at {
	double x, y;
};

static int by_x(const void *a, const void *b)
{
	const struct tried_at *p = a, *q = b;
	return p->x != q->x ? (p->x > q->x) - (p->x < q->x)
			    : (p->y > q->y) - (p->y < q->y);
}

/* Means over runs of nearly the same load, ascending.  Returns how many. */
/* Fills in the points of the curve: means of the simulations at nearly the same
 * load. */
static size_t means(const struct curve *c, const struct capacity_search *s,
		    double *x, double *y)
{
	struct tried_at at[CAPACITY_TRIED];
	size_t n = 0, points = 0;
	for (uint32_t i = 0; i < s->n_tried; i++)
		if (isfinite(value_of(c, &s->tried[i])))
			at[n++] = (struct tried_at){s->tried[i].load,
						    value_of(c, &s->tried[i])};
	qsort(at, n, sizeof *at, by_x);
	for (size_t i = 0; i < n;) {
		double sum_x = 0, sum_y = 0;
		size_t first = i;
		for (; i < n && at[i].x <= at[first].x * (1 + ALIKE); i++) {
			sum_x += at[i].x;
			sum_y += at[i].y;
		}
		x[points] = sum_x / (double)(i - first);
		y[points++] = sum_y / (double)(i - first);
	}
	return points;
}

/* Returns the point that marks the answer on the curve of a bound.  If another
 * bound limits, the curve does not reach its limit there: the point is at the
 * value that was seen. */
static struct answer answer_of(const struct curve *c, const struct capacity *k)
{
	struct answer a = {k->request_rate, k->low, k->high, limit_of(c)};
	if (k->clients)
		a = (struct answer){(double)k->clients, (double)k->clients_low,
				    (double)k->clients_high, limit_of(c)};
	if (k->limited_by != (int32_t)c->bound && !is_share(c))
		a.value = k->seen.value[c->bound];
	if (!(a.low < a.high) || !isfinite(a.high))
		a.low = a.high = NAN;
	return a;
}

static void add_search(struct curve *c, size_t i)
{
	const struct deployments *d = c->d;
	const struct capacity_answer *x =
	    deployments_at(d, i / d->n_arms, i % d->n_arms);
	double *px = c->x + i * CAPACITY_TRIED, *py = c->y + i * CAPACITY_TRIED;
	if (!x)
		return;
	/* A colour for each arm; for each candidate of a single one. */
	unsigned slot = (unsigned)(d->n_arms > 1 ? i % d->n_arms : i);
	unsigned candidate = (unsigned)(i / d->n_arms);
	c->is_closed |= x->capacity.clients > 0;
	c->series[c->n++] = (struct figure_series){
	    .name = c->name[i],
	    .mark = MARK_POINTS,
	    .slot = slot,
	    .dash = d->n_candidates > 1 ? candidate + 1 : 0,
	    .x = px,
	    .y = py,
	    .n = means(c, &d->left[i].search, px, py)};
	if (x->capacity.verdict != CAPACITY_FOUND)
		return;
	struct answer *a = &c->answer[i];
	*a = answer_of(c, &x->capacity);
	c->series[c->n++] = (struct figure_series){.mark = MARK_ANSWER,
						   .slot = slot,
						   .x = &a->load,
						   .y = &a->value,
						   .n = 1,
						   .left = &a->low,
						   .right = &a->high};
}

/* The bound, from the lowest load to the highest. */
static void add_bound(struct curve *c)
{
	double lo = INFINITY, hi = -INFINITY;
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->series[i].n; k++) {
			lo = fmin(lo, c->series[i].x[k]);
			hi = fmax(hi, c->series[i].x[k]);
		}
	c->ends[0] = lo;
	c->ends[1] = hi;
	c->limits[0] = c->limits[1] = limit_of(c);
	snprintf(c->rule, sizeof c->rule, "bound: %.4g%s", limit_of(c),
		 is_share(c) ? "" : " ms");
	c->series[c->n++] = (struct figure_series){.name = c->rule,
						   .mark = MARK_RULE,
						   .x = c->ends,
						   .y = c->limits,
						   .n = BOUND_POINTS};
}

/* ---- a figure ---- */

static int curve_make(struct curve *c, const struct deployments *d,
		      size_t bound, struct problem *p)
{
	size_t n = deployments_n(d);
	*c = (struct curve){
	    .d = d,
	    .bound = bound,
	    .series = calloc(2 * n + 1, sizeof *c->series),
	    .x = calloc(2 * n * CAPACITY_TRIED + 1, sizeof *c->x),
	    .answer = calloc(n + 1, sizeof *c->answer),
	    .name = calloc(n + 1, sizeof *c->name)};
	if (!c->series || !c->x || !c->answer || !c->name)
		return problem_no_memory(p);
	c->y = c->x + n * CAPACITY_TRIED;
	for (size_t i = 0; i < n; i++) {
		c->name[i] = capacity_search_name(d, i);
		add_search(c, i);
	}
	add_bound(c);
	title_of(c->label, slo_bound_name(&d->bounds.bound[bound]));
	if (is_share(c))
		snprintf(c->label, sizeof c->label,
			 "missed requests / allowed");
	snprintf(c->title, sizeof c->title, "%s against %s", c->label,
		 c->is_closed ? "clients" : "requests/s");
	return 0;
}

static struct figure figure_of(const struct curve *c)
{
	return (struct figure){.title = c->title,
			       .x_label =
				   c->is_closed ? "clients" : "requests/s",
			       .y_label = c->label,
			       .scale_y = SCALE_BY_RANGE,
			       .series = c->series,
			       .n_series = c->n};
}

static void curve_free(struct curve *c)
{
	for (size_t i = 0; c->name && i < deployments_n(c->d); i++)
		free(c->name[i]);
	free(c->name);
	free(c->series);
	free(c->x);
	free(c->answer);
}

/* Returns 1 if the bound limits a search; the first bound also stands for
 * searches that no bound limits. */
static int limits(const struct deployments *d, size_t bound)
{
	int any = 0;
	for (size_t i = 0; i < deployments_n(d); i++) {
		const struct capacity_answer *x =
		    deployments_at(d, i / d->n_arms, i % d->n_arms);
		if (x && x->capacity.limited_by == (int32_t)bound)
			return 1;
		any |= x && x->capacity.limited_by >= 0;
	}
	return bound == 0 && !any;
}

int capacity_curves(const struct deployments *d, FILE *f, struct problem *p)
{
	int rc = 0;
	for (size_t k = 0; rc == 0 && k < d->bounds.n; k++) {
		struct curve c;
		if (!limits(d, k))
			continue;
		rc = curve_make(&c, d, k, p);
		const struct figure g = figure_of(&c);
		if (rc == 0)
			svg_figure(f, &g);
		curve_free(&c);
	}
	return rc;
}

int capacity_plot(const struct deployments *d, struct plot *to,
		  struct problem *p)
{
	size_t k = 0;
	struct curve c;
	while (k + 1 < d->bounds.n && !limits(d, k))
		k++;
	int rc = curve_make(&c, d, k, p);
	const struct figure g = figure_of(&c);
	if (rc == 0)
		rc = plot_figure(to, &g, p);
	curve_free(&c);
	return rc;
}
