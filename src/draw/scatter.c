/* scatter.c -- Collects the points of a figure. */
#include "draw/scatter.h"
#include <math.h>
#include <stdlib.h>

enum { X, Y, LOW, HIGH, LEFT, RIGHT, N_COLUMNS };

static double *at(const struct scatter *o, int column, size_t point)
{
	return o->x + (size_t)column * o->room + point;
}

int scatter_open(struct scatter *o, size_t points, size_t series)
{
	*o = (struct scatter){.x = calloc(N_COLUMNS * points + 1, sizeof *o->x),
			      .room = points,
			      .series = calloc(series + 2, sizeof *o->series)};
	return o->x && o->series ? 0 : -1;
}

void scatter_begin(struct scatter *o, const char *name, unsigned slot)
{
	int is_used = o->n_series && o->series[o->n_series - 1].n;
	o->n_series += is_used || !o->n_series;
	o->series[o->n_series - 1] =
	    (struct figure_series){.name = name,
				   .mark = MARK_POINTS,
				   .slot = slot % FIGURE_COLOURS,
				   .x = at(o, X, o->n),
				   .y = at(o, Y, o->n)};
}

void scatter_add(struct scatter *o, double x, double y)
{
	if (!(x > 0) || isnan(y))
		return;
	*at(o, X, o->n) = x;
	*at(o, Y, o->n) = y;
	for (int i = LOW; i < N_COLUMNS; i++)
		*at(o, i, o->n) = NAN;
	o->n++;
	o->series[o->n_series - 1].n++;
}

void scatter_whisker(struct scatter *o, double low, double high)
{
	struct figure_series *s = &o->series[o->n_series - 1];
	size_t first = o->n - s->n;
	s->low = at(o, LOW, first);
	s->high = at(o, HIGH, first);
	*at(o, LOW, o->n - 1) = low;
	*at(o, HIGH, o->n - 1) = high;
}

void scatter_whisker_x(struct scatter *o, double left, double right)
{
	struct figure_series *s = &o->series[o->n_series - 1];
	size_t first = o->n - s->n;
	s->left = at(o, LEFT, first);
	s->right = at(o, RIGHT, first);
	*at(o, LEFT, o->n - 1) = left;
	*at(o, RIGHT, o->n - 1) = right;
}

static size_t count_used(const struct scatter *o)
{
	return o->n_series - (o->n_series && !o->series[o->n_series - 1].n);
}

struct figure scatter_figure(const struct scatter *o, const char *title,
			     const char *x_label, const char *y_label)
{
	return (struct figure){.title = title,
			       .x_label = x_label,
			       .y_label = y_label,
			       .scale_x = SCALE_LOG,
			       .scale_y = SCALE_LOG,
			       .series = o->series,
			       .n_series = count_used(o)};
}

struct figure scatter_predicted(struct scatter *o, const char *title,
				const char *x_label, const char *y_label)
{
	struct figure g = scatter_figure(o, title, x_label, y_label);
	double least = INFINITY, most = 0;
	for (size_t i = 0; i < o->n; i++) {
		least = fmin(least, fmin(*at(o, X, i), *at(o, LEFT, i)));
		most = fmax(most, fmax(*at(o, X, i), *at(o, RIGHT, i)));
	}
	/* A single point has a diagonal, too. */
	o->diagonal[0] = least / 1.5;
	o->diagonal[1] = most * 1.5;
	o->series[g.n_series++] = (struct figure_series){
	    .mark = MARK_RULE, .x = o->diagonal, .y = o->diagonal, .n = 2};
	return g;
}

void scatter_free(struct scatter *o)
{
	free(o->x);
	free(o->series);
}
