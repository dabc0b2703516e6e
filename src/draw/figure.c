/* figure.c -- The colours of figures, and the scales of their axes. */
#include "draw/figure.h"
#include <math.h>
#include "draw/axis.h"

/* Okabe and Ito's palette in darker shades; colour-blind readers can tell these
 * colours apart. */
const char *const figure_colour[FIGURE_COLOURS] = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b",
    "#56b4e9", "#5b4b8a", "#6b6b6b", "#7a3b1d", "#1b1b1b"};

struct span {
	double lo, hi; /* of the positive values */
	int has_other; /* zero or negative values */
};

static void span_add(struct span *s, const double *v, size_t n)
{
	for (size_t i = 0; v && i < n; i++) {
		if (!isfinite(v[i]))
			continue;
		if (v[i] <= 0)
			s->has_other = 1;
		else if (v[i] < s->lo)
			s->lo = v[i];
		if (v[i] > s->hi)
			s->hi = v[i];
	}
}

static int is_log(enum figure_scale scale, const struct span *s)
{
	return scale == SCALE_LOG ||
	       (scale == SCALE_BY_RANGE && !s->has_other &&
		axis_wants_log(s->lo, s->hi));
}

int figure_log_x(const struct figure *g)
{
	struct span s = {INFINITY, 0, 0};
	for (size_t i = 0; i < g->n_series; i++)
		span_add(&s, g->series[i].x, g->series[i].n);
	return is_log(g->scale_x, &s);
}

int figure_log_y(const struct figure *g)
{
	struct span s = {INFINITY, 0, 0};
	for (size_t i = 0; i < g->n_series; i++)
		span_add(&s, g->series[i].y, g->series[i].n);
	return is_log(g->scale_y, &s);
}
