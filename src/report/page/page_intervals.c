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
