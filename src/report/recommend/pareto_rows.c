/* pareto_rows.c -- Writes and draws the Pareto front. */
#include "report/recommend/pareto_rows.h"
#include <math.h>
#include <stdlib.h>
#include "draw/svg.h"
#include "report/recommend/parts.h"
#include "report/titles.h"

static int by_x(const void *a, const void *b)
{
	const struct pareto_row *p = a, *q = b;
	if (p->x != q->x)
		return p->x < q->x ? 1 : -1;
	if (p->y != q->y)
		return p->y < q->y ? 1 : -1;
	return (p->point > q->point) - (p->point < q->point);
}

void pareto_rows(struct pareto_rows *f, const struct recommend *r, size_t arm,
		 int is_all)
{
	const struct recommend_arm *a = &r->arm[arm];
	*f = (struct pareto_rows){calloc(a->n_met + 1, sizeof *f->row), 0};
	for (size_t i = 0; f->row && i < a->n_met; i++) {
		struct pareto_row *x = &f->row[f->n];
		if (!is_all && !a->met[i].is_on_front)
			continue;
		x->point = a->met[i].point;
		recommend_figures_of(&a->survey[x->point], &a->met[i].served,
				     x->v);
		x->x = x->v[r->front[0]];
		x->y = x->v[r->front[1]];
		f->n += isfinite(x->x) && isfinite(x->y);
	}
	if (f->n)
		qsort(f->row, f->n, sizeof *f->row, by_x);
}

static const char *title(const struct recommend *r, int axis,
			 char buf[TITLE_SIZE])
{
	return title_of(buf, recommend_figure[r->front[axis]].name);
}

void pareto_title(const struct recommend *r, FILE *f)
{
	char x[TITLE_SIZE], y[TITLE_SIZE];
	fprintf(f, "%s against %s", title(r, 0, x), title(r, 1, y));
}

/* ---- a picture ---- */

/* For each arm all runs, and those on the front. */
enum { RUNS, FRONT, KINDS };
struct picture {
	struct figure_series *series; /* [arms * KINDS] */
	size_t n;
	double **number; /* [arms * KINDS] x, then y */
};

static void add_series(struct picture *c, const struct recommend *r, size_t arm,
		       int kind)
{
	struct pareto_rows rows;
	pareto_rows(&rows, r, arm, kind == RUNS);
	double *x = calloc(2 * rows.n + 1, sizeof *x);
	for (size_t i = 0; x && i < rows.n; i++) {
		x[i] = rows.row[i].x;
		x[rows.n + i] = rows.row[i].y;
	}
	c->number[c->n] = x;
	c->series[c->n++] = (struct figure_series){
	    .name = kind == FRONT ? recommend_arm_name(r, arm) : NULL,
	    .mark = kind == FRONT ? MARK_LINE : MARK_POINTS,
	    .slot = (unsigned)arm,
	    .x = x,
	    .y = x ? x + rows.n : NULL,
	    .n = x ? rows.n : 0};
	free(rows.row);
}

void pareto_picture(const struct recommend *r, FILE *f)
{
	size_t n = KINDS * r->sweep.arms.n;
	char x[TITLE_SIZE], y[TITLE_SIZE];
	struct picture c = {calloc(n + 1, sizeof *c.series), 0,
			    calloc(n + 1, sizeof *c.number)};
	for (size_t i = 0; c.series && c.number && i < n; i++)
		add_series(&c, r, i / KINDS, (int)(i % KINDS));
	const struct figure g = {.title = "Pareto front",
				 .x_label = title(r, 0, x),
				 .y_label = title(r, 1, y),
				 .series = c.series,
				 .n_series = c.n};
	svg_figure(f, &g);
	for (size_t i = 0; i < c.n; i++)
		free(c.number[i]);
	free(c.number);
	free(c.series);
}
