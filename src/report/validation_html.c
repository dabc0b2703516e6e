/* validation_html.c -- Writes a validation as a page: predicted over measured
 * times. */
#include <config.h>
#include "report/validation.h"
#include <math.h>
#include <stdlib.h>
#include "draw/html.h"
#include "draw/svg.h"
#include "report/validation_parts.h"

static void scatter(const struct validation *v, enum latency metric, double *x,
		    double *y, struct figure_series *series, FILE *f)
{
	size_t n = 0;
	double least = INFINITY, most = 0;
	for (size_t k = 0; k < v->n_arms; k++) {
		size_t first = n;
		for (size_t i = 0; i < v->file->n; i++) {
			x[n] = v->file->row[i].time[metric].of[STATISTIC_MEAN];
			y[n] = validation_of(v, k, i)
				   ->time[metric]
				   .of[STATISTIC_MEAN];
			if (!validation_of(v, k, i)->priced || !(x[n] > 0) ||
			    !(y[n] > 0))
				continue;
			least = fmin(least, x[n]);
			most = fmax(most, x[n]);
			n++;
		}
		series[k] = (struct figure_series){.name = v->arm[k],
						   .mark = MARK_POINTS,
						   .slot = (unsigned)k,
						   .x = x + first,
						   .y = y + first,
						   .n = n - first};
	}
	const double diagonal[2] = {least, most};
	series[v->n_arms] = (struct figure_series){.mark = MARK_LINE,
						   .slot = FIGURE_COLOURS - 1,
						   .x = diagonal,
						   .y = diagonal,
						   .n = 2};
	struct figure g = {.title = validation_title[metric],
			   .x_label = "measured mean, ms",
			   .y_label = "predicted mean, ms",
			   .log_x = 1,
			   .log_y = 1,
			   .series = series,
			   .n_series = v->n_arms + 1};
	if (n)
		svg_panels(f, &g);
}

void validation_html(const struct validation *v, FILE *f)
{
	size_t n = v->n_arms * v->file->n + 1;
	double *x = calloc(2 * n, sizeof *x);
	struct figure_series *s = calloc(v->n_arms + 1, sizeof *s);
	html_begin(f, "Predicted and measured");
	html_paragraph(f, "On the line, predicted is what was measured.");
	for (int k = 0; x && s && k < N_LATENCIES; k++)
		scatter(v, validation_shown[k], x, x + n, s, f);
	fputs("<pre>\n", f);
	char *text = NULL;
	size_t size = 0;
	FILE *m = open_memstream(&text, &size);
	if (m) {
		validation_text(v, m);
		fclose(m);
		svg_text(f, text);
		free(text);
	}
	fputs("</pre>\n", f);
	html_end(f);
	free(x);
	free(s);
}
