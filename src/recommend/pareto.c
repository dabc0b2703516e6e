/* pareto.c -- Collects runs that met the bounds, and marks the best of them. */
#include "recommend/pareto.h"
#include <stdlib.h>
#include "base/grow.h"
#include "base/map64.h"
#include "math/pareto.h"

/* The lowest rung, as a share of the rate that was reached. */
#define LOWEST 0.2

int pareto_add(struct recommend_arm *a, size_t point,
	       const struct work_served *served, struct problem *p)
{
	if (!MAKE_ROOM(a->met, a->n_met, a->met_cap))
		return problem_no_memory(p);
	a->met[a->n_met++] =
	    (struct recommend_met){.point = point, .served = *served};
	return 0;
}

/* ---- the ladder ---- */

static double reach(const struct race_track *t)
{
	return t->met > 0 ? t->met : t->asked;
}

int pareto_rate_steps(struct recommend_arm *a, struct problem *p)
{
	struct map64 best = {0}; /* shape -> index of an entry                */
	int rc = 0;
	a->n_rate_steps = 0;
	a->rate_steps = calloc(a->n + 1, sizeof *a->rate_steps);
	if (!a->rate_steps)
		return problem_no_memory(p);
	for (size_t i = 0; rc == 0 && i < a->n; i++) {
		int is_new;
		uint64_t *at = map64_at(&best, a->entry[i].shape, &is_new);
		if (!at)
			rc = problem_no_memory(p);
		else if (is_new ||
			 reach(&a->race.track[i]) > reach(&a->race.track[*at]))
			*at = i;
	}
	for (size_t i = 0; rc == 0 && i < a->n; i++)
		if (*map64_at(&best, a->entry[i].shape, NULL) == i &&
		    reach(&a->race.track[i]) > 0)
			a->rate_steps[a->n_rate_steps++] = i;
	map64_free(&best);
	return rc;
}

double pareto_rate_step(const struct recommend_arm *a, size_t entry,
			size_t rung)
{
	double step = (1 - LOWEST) / (PARETO_RUNGS - 1);
	return reach(&a->race.track[entry]) * (LOWEST + step * (double)rung);
}

/* ---- the front ---- */

static int compare(double a, double b)
{
	return (a > b) - (a < b);
}

static int by_point(const void *a, const void *b)
{
	const struct recommend_met *x = a, *y = b;
	const struct work_served *s = &x->served, *t = &y->served;
	int c = (x->point > y->point) - (x->point < y->point);
	if (!c)
		c = compare(s->request_rate, t->request_rate);
	if (!c)
		c = compare(s->output_throughput, t->output_throughput);
	return c ? c : compare(s->mean_tpot_ms, t->mean_tpot_ms);
}

static void drop_equal(struct recommend_arm *a)
{
	size_t n = 0;
	for (size_t i = 0; i < a->n_met; i++)
		if (n == 0 || by_point(&a->met[n - 1], &a->met[i]) != 0)
			a->met[n++] = a->met[i];
	a->n_met = n;
}

int pareto_mark(const struct recommend *r, struct recommend_arm *a,
		struct problem *p)
{
	struct pareto_point *at = calloc(a->n_met + 1, sizeof *at);
	if (!at)
		return problem_no_memory(p);
	if (a->n_met)
		qsort(a->met, a->n_met, sizeof *a->met, by_point);
	drop_equal(a);
	for (size_t i = 0; i < a->n_met; i++) {
		double v[RECOMMEND_FIGURES];
		recommend_figures_of(&a->survey[a->met[i].point],
				     &a->met[i].served, v);
		at[i] =
		    (struct pareto_point){v[r->front[0]], v[r->front[1]], 0};
	}
	long got =
	    pareto_front(at, a->n_met, recommend_figure[r->front[0]].better,
			 recommend_figure[r->front[1]].better);
	for (size_t i = 0; i < a->n_met; i++)
		a->met[i].is_on_front = at[i].on_front;
	free(at);
	return got < 0 ? problem_no_memory(p) : 0;
}
