/* page_intervals.c -- Draws the predictions of arms, with 90 % intervals as
 * whiskers. */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "draw/html.h"
#include "draw/svg.h"
#include "report/page/page_parts.h"
#include "report/results/support.h"

/* For each arm: its number, its prediction, and both ends of the interval. */
struct arms_drawn {
	struct figure_series *series;
	double *x, *y, *low, *high;
};

/* Returns how many arms have an interval for trusted_metric[k]. */
static size_t add_arms(struct arms_drawn *d, const struct study *s, int k)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct arm_result *a = &s->arm[i];
		int has = !a->error &&
			  interval_ends(&a->trusted, &a->record->outcome, k,
					&d->y[i], &d->low[i], &d->high[i]);
		d->x[i] = (double)(i + 1);
		d->series[i] = (struct figure_series){.name = a->name,
						      .mark = MARK_POINTS,
						      .slot = (unsigned)i,
						      .x = d->x + i,
						      .y = d->y + i,
						      .n = has ? 1 : 0,
						      .low = d->low + i,
						      .high = d->high + i};
		n += d->series[i].n;
	}
	return n;
}

static void draw_metric(FILE *f, const struct study *s, struct arms_drawn *d,
			const char *name)
{
	const struct figure g = {.title = name,
				 .x_label = "arm",
				 .y_label = "ms",
				 .series = d->series,
				 .n_series = s->n};
	for (int k = 0; k < N_TRUSTED; k++)
		if (!strcmp(trusted_metric[k], name) && add_arms(d, s, k))
			svg_figure(f, &g);
}

/* Adds the row of trusted_metric[k].  Returns the number of arms with an
 * interval. */
static size_t add_row(struct columns *c, const struct study *s, int k)
{
	double v, low, high;
	size_t n = 0;
	columns_row(c, "%s", trusted_metric[k]);
	for (size_t i = 0; i < s->n; i++) {
		const struct arm_result *a = &s->arm[i];
		if (a->error || !interval_ends(&a->trusted, &a->record->outcome,
					       k, &v, &low, &high))
			continue;
		columns_cell(c, i, 0, "%.4g (%.4g to %.4g)", v, low, high);
		columns_cell(c, i, 1, "%u", a->trusted.interval[k].n);
		n++;
	}
	return n;
}

void page_interval_table(FILE *f, const struct study *s)
{
	struct columns c = {.n_groups = s->n, .per_group = 2};
	size_t n = 0;
	columns_row(&c, "metric");
	for (size_t i = 0; i < s->n; i++) {
		columns_cell(&c, i, 0, "%s", s->arm[i].name);
		columns_cell(&c, i, 1, "runs");
	}
	for (int k = 0; k < N_TRUSTED; k++)
		n += add_row(&c, s, k);
	if (n) {
		html_heading(f, "Intervals", "intervals");
		html_paragraph(f, "A prediction, the interval that holds 90 % "
				  "of measured runs, and the number of runs "
				  "that it rests on.");
		page_table(f, &c);
	}
	columns_free(&c);
}

void page_intervals(FILE *f, const struct study *s)
{
	double *block = calloc(4 * s->n + 1, sizeof *block);
	struct arms_drawn d = {
	    .series = calloc(s->n + 1, sizeof *d.series),
	    .x = block,
	    .y = block + s->n,
	    .low = block + 2 * s->n,
	    .high = block + 3 * s->n,
	};
	html_row_begin(f);
	if (block && d.series) {
		draw_metric(f, s, &d, "mean_ttft_ms");
		draw_metric(f, s, &d, "mean_tpot_ms");
		draw_metric(f, s, &d, "mean_e2el_ms");
	}
	html_row_end(f);
	free(block);
	free(d.series);
}
