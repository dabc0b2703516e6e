/* validation_html.c -- Writes a validation as a page with predicted over
 * measured times. */
#include <config.h>
#include "report/validation/validation.h"
#include <math.h>
#include <stdlib.h>
#include "draw/html.h"
#include "draw/svg.h"
#include "report/validation/validation_parts.h"

/* Points of all arms: measured, predicted, and both ends of the interval. */
struct points {
	double *x, *y, *low, *high;
	size_t n;
	struct figure_series *series; /* [arms + 1] */
	double least, most;           /* measured */
};

static void add_point(struct points *o, const struct validation *v, size_t arm,
		      size_t row, enum latency metric,
		      const struct scored *scored)
{
	const struct measured_row *r = &v->file->row[row];
	double x = r->time[metric].of[STATISTIC_MEAN];
	double y = validation_of(v, arm, row)->time[metric].of[STATISTIC_MEAN];
	char name[40];
	if (!validation_of(v, arm, row)->priced || !(x > 0) || !(y > 0))
		return;
	snprintf(name, sizeof name, "mean_%s_ms", latency_name[metric]);
	struct trust_interval is =
	    scores_interval(scored, r->id ? r->id : "", name);
	o->x[o->n] = x;
	o->y[o->n] = y;
	o->low[o->n] = is.n ? y * is.low : (double)NAN;
	o->high[o->n] = is.n ? y * is.high : (double)NAN;
	o->least = fmin(o->least, x);
	o->most = fmax(o->most, x);
	o->n++;
}

static void add_arm(struct points *o, const struct validation *v, size_t arm,
		    enum latency metric, enum fold_by by)
{
	size_t first = o->n;
	struct scored scored;
	struct problem p;
	validation_scores(v, arm, by, &scored, &p);
	for (size_t i = 0; i < v->file->n; i++)
		add_point(o, v, arm, i, metric, &scored);
	scored_free(&scored);
	o->series[arm] = (struct figure_series){.name = v->arm[arm],
						.mark = MARK_POINTS,
						.slot = (unsigned)arm,
						.x = o->x + first,
						.y = o->y + first,
						.n = o->n - first,
						.low = o->low + first,
						.high = o->high + first};
}

static void scatter(const struct validation *v, enum latency metric,
		    enum fold_by by, struct points *o, FILE *f)
{
	o->n = 0;
	o->least = INFINITY;
	o->most = 0;
	for (size_t k = 0; k < v->n_arms; k++)
		add_arm(o, v, k, metric, by);
	const double diagonal[2] = {o->least, o->most};
	o->series[v->n_arms] = (struct figure_series){
	    .mark = MARK_RULE, .x = diagonal, .y = diagonal, .n = 2};
	struct figure g = {.title = validation_title[metric],
			   .x_label = "measured mean, ms",
			   .y_label = "predicted mean, ms",
			   .scale_x = SCALE_LOG,
			   .scale_y = SCALE_LOG,
			   .series = o->series,
			   .n_series = v->n_arms + 1};
	if (o->n)
		svg_panels(f, &g);
}

/* Returns the arm that comes nearest as a sentence; the caller frees it.  NULL:
 * memory is out. */
static char *headline(const struct validation *v)
{
	struct error_summary best = {0};
	size_t nearest = 0;
	double most = 0;
	char *text;
	for (size_t k = 0; k < v->n_arms; k++) {
		struct error_summary s =
		    validation_summary(v, k, LATENCY_E2EL, ROWS_COMMON);
		if (!s.n)
			continue;
		most = fmax(most, s.mean);
		if (!best.n || s.mean < best.mean) {
			best = s;
			nearest = k;
		}
	}
	int n = best.n ? asprintf(&text,
				  "%s comes nearest: its mean error of E2E "
				  "latency is %.1f %% over %zu run%s; the "
				  "largest of %zu arms is %.1f %%.",
				  v->arm[nearest], 100 * best.mean, best.n,
				  best.n == 1 ? "" : "s", v->n_arms, 100 * most)
		       : asprintf(&text, "No run is priced by all arms.");
	return n < 0 ? NULL : text;
}

/* Writes the text of the command. */
static void errors(const struct validation *v, FILE *f)
{
	char *text = NULL;
	size_t size = 0;
	FILE *m = open_memstream(&text, &size);
	if (!m)
		return;
	validation_text(v, m);
	fclose(m);
	html_pre(f, text);
	free(text);
}

void validation_html(const struct validation *v, enum fold_by by, FILE *f)
{
	size_t n = v->n_arms * v->file->n + 1;
	double *x = calloc(4 * n, sizeof *x);
	struct points o = {.x = x,
			   .y = x + n,
			   .low = x + 2 * n,
			   .high = x + 3 * n,
			   .series = calloc(v->n_arms + 1, sizeof *o.series)};
	struct html_page page = {0};
	char *text = headline(v);
	if (x && o.series && html_page_begin(&page) == 0) {
		html_heading(page.f, "Predicted and measured");
		html_paragraph(page.f,
			       "On the dashed line, the prediction equals the "
			       "measurement. Whiskers are 90 % prediction "
			       "intervals from the errors of other runs.");
		for (int k = 0; k < N_LATENCIES; k++)
			scatter(v, validation_shown[k], by, &o, page.f);
		html_heading(page.f, "Errors");
		errors(v, page.f);
	}
	html_page_end(&page, f, "Predicted and measured", text ? text : "");
	free(text);
	free(x);
	free(o.series);
}
