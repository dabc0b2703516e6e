/* score_page.c -- Writes a score as a page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "draw/dots.h"
#include "draw/html.h"
#include "draw/svg.h"
#include "report/identity.h"
#include "report/score/score.h"

/* ---- a dot for each arm ---- */

struct dots_row score_dot(const struct score *s, size_t arm, enum step_regime r)
{
	const struct score_arm *a = &s->arm[arm];
	const struct step_times own = {a->us, a->us, a->us};
	const struct step_times real = {s->measured, s->measured, s->measured};
	struct step_pair x = {0};
	struct dots_row row = {.name = a->name,
			       .slot = (unsigned)arm,
			       .at = (double)NAN,
			       .low = (double)NAN,
			       .high = (double)NAN,
			       .note = a->regime[r].n ? NULL : "no step"};
	if (step_pair_compare(&x, s->set, s->measured, &own, &real,
			      score_group(s, r)) == 0 &&
	    x.units) {
		row.at = 100 * x.difference;
		row.low = 100 * x.low;
		row.high = 100 * x.high;
	}
	return row;
}

static void dots(const struct score *s, FILE *f)
{
	struct dots_row *row = calloc(s->n + 1, sizeof *row);
	char title[60];
	html_row_begin(f);
	for (int r = N_REGIMES; row && r-- > 0;) {
		if (!s->group[r].n)
			continue;
		for (size_t k = 0; k < s->n; k++)
			row[k] = score_dot(s, k, (enum step_regime)r);
		snprintf(title, sizeof title, "%s: mean error, %%",
			 step_regime_name[r]);
		dots_html(f, &(struct dots){title, row, s->n});
	}
	html_row_end(f);
	free(row);
}

/* ---- scatter plots ---- */

/* Returns the x of a point; NaN: none. */
typedef double (*x_fn)(const struct score *s, size_t row);

static double measured_x(const struct score *s, size_t row)
{
	return s->measured[row];
}

static double batch_x(const struct score *s, size_t row)
{
	return s->set->row[row].given->step.n_decode;
}

static double context_x(const struct score *s, size_t row)
{
	return composition_mean_context(&s->set->row[row].given->step);
}

static double new_x(const struct score *s, size_t row)
{
	const sc_step *step = &s->set->row[row].given->step;
	double sum = 0;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		sum += step->prefill_new[i];
	return sum;
}

/* A point for each row of a regime; y: the predicted time, or, with `of` other
 * than measured_x, the error in percent.  Returns how many. */
static size_t points(const struct score *s, size_t arm, enum step_regime r,
		     x_fn of, double *x, double *y)
{
	const struct step_group g = score_group(s, r);
	size_t n = 0;
	for (size_t i = 0; i < g.n; i++) {
		double us = s->arm[arm].us[g.row[i]], at = of(s, g.row[i]);
		if (isnan(us) || !(at > 0))
			continue;
		x[n] = at;
		y[n++] = of == measured_x
			     ? us
			     : 100 * (us / s->measured[g.row[i]] - 1);
	}
	return n;
}

/* One arm, a colour for each regime. */
static void regimes_figure(const struct score *s, size_t arm, FILE *f)
{
	size_t most = s->set->n + 1;
	double *v = calloc(2 * REGIME_ALL * most + 4, sizeof *v);
	struct figure_series series[REGIME_ALL + 1];
	size_t n = 0;
	double least = (double)INFINITY, greatest = 0, diagonal[2];
	for (int r = 0; v && r < REGIME_ALL; r++) {
		double *x = v + 2 * (size_t)r * most, *y = x + most;
		size_t k =
		    points(s, arm, (enum step_regime)r, measured_x, x, y);
		for (size_t i = 0; i < k; i++) {
			least = fmin(least, x[i]);
			greatest = fmax(greatest, x[i]);
		}
		if (k)
			series[n++] =
			    (struct figure_series){.name = step_regime_name[r],
						   .mark = MARK_POINTS,
						   .slot = (unsigned)r,
						   .x = x,
						   .y = y,
						   .n = k};
	}
	diagonal[0] = least / 1.5;
	diagonal[1] = greatest * 1.5;
	series[n] = (struct figure_series){
	    .mark = MARK_RULE, .x = diagonal, .y = diagonal, .n = 2};
	const struct figure g = {.title = s->arm[arm].name,
				 .x_label = "measured, us",
				 .y_label = "predicted, us",
				 .scale_x = SCALE_LOG,
				 .scale_y = SCALE_LOG,
				 .series = series,
				 .n_series = n + 1};
	if (n)
		svg_figure(f, &g);
	free(v);
}

/* All arms, a series for each.  Returns 0, or -1 if memory is out. */
struct all_arms {
	double *v;
	struct figure_series *series;
	size_t n;
};
static int all_arms(struct all_arms *o, const struct score *s, x_fn of)
{
	size_t most = s->set->n + 1;
	*o = (struct all_arms){.v = calloc(2 * s->n * most + 1, sizeof *o->v),
			       .series = calloc(s->n + 1, sizeof *o->series)};
	if (!o->v || !o->series)
		return -1;
	for (size_t k = 0; k < s->n; k++) {
		double *x = o->v + 2 * k * most, *y = x + most;
		size_t n = points(s, k, REGIME_ALL, of, x, y);
		if (n)
			o->series[o->n++] =
			    (struct figure_series){.name = s->arm[k].name,
						   .mark = MARK_POINTS,
						   .slot = (unsigned)k,
						   .x = x,
						   .y = y,
						   .n = n};
	}
	return 0;
}

static void all_arms_free(struct all_arms *o)
{
	free(o->v);
	free(o->series);
}

static void errors_over(const struct score *s, x_fn of, const char *title,
			const char *label, FILE *f)
{
	struct all_arms o;
	int rc = all_arms(&o, s, of);
	const struct figure g = {.title = title,
				 .x_label = label,
				 .y_label = "error, %",
				 .scale_x = SCALE_LOG,
				 .scale_y = SCALE_LINEAR,
				 .series = o.series,
				 .n_series = o.n};
	if (rc == 0 && o.n)
		svg_panels(f, &g);
	all_arms_free(&o);
}

int score_plot(const struct score *s, struct plot *to, struct problem *p)
{
	struct all_arms o;
	int rc = all_arms(&o, s, measured_x);
	const struct figure g = {.title = "Predicted and measured steps",
				 .x_label = "measured, us",
				 .y_label = "predicted, us",
				 .scale_x = SCALE_LOG,
				 .scale_y = SCALE_LOG,
				 .series = o.series,
				 .n_series = o.n};
	rc = rc < 0 ? problem_no_memory(p) : plot_figure(to, &g, p);
	all_arms_free(&o);
	return rc;
}

/* ---- the pairs ---- */

static const char *cell_of(const struct score *s, size_t row, size_t column)
{
	const struct step_pair *x = score_pair(s, row, column, REGIME_ALL);
	if (!x)
		return "";
	if (x->verdict == PAIR_EQUAL)
		return "equal";
	if (x->verdict == PAIR_UNDECIDED)
		return "?";
	return (x->verdict == PAIR_FIRST) == (x->a == row) ? "nearer"
							   : "farther";
}

static void matrix(const struct score *s, FILE *f)
{
	size_t wide = s->n + 1;
	struct html_column *column = calloc(wide, sizeof *column);
	const char **cell = calloc(wide * s->n + 1, sizeof *cell);
	for (size_t i = 0; column && cell && i < s->n; i++) {
		column[0] = (struct html_column){"", 1};
		column[i + 1] = (struct html_column){s->arm[i].name, 1};
		cell[i * wide] = s->arm[i].name;
		for (size_t k = 0; k < s->n; k++)
			cell[i * wide + k + 1] = cell_of(s, i, k);
	}
	if (column && cell)
		html_table(f, &(struct html_arms){0}, NULL, column, wide, cell,
			   s->n);
	free(column);
	free(cell);
}

/* ---- the page ---- */

static void text_of(const struct score *s, FILE *f)
{
	struct text t;
	FILE *m = text_begin(&t);
	if (!m)
		return;
	score_text(s, m);
	if (fclose(m) == 0)
		html_pre(f, t.s);
	free(t.s);
}

static void body(const struct score *s, FILE *f)
{
	html_heading(f, "Mean errors");
	html_paragraph(f, "Whiskers are 95 % intervals of the mean: over "
			  "deployments where there are three, else over these "
			  "steps.");
	dots(s, f);
	html_heading(f, "Predicted and measured");
	html_row_begin(f);
	for (size_t k = 0; k < s->n; k++)
		regimes_figure(s, k, f);
	html_row_end(f);
	html_heading(f, "Where the errors are");
	errors_over(s, batch_x, "Error over the batch", "decodes", f);
	errors_over(s, context_x, "Error over the context",
		    "mean context of decodes, tokens", f);
	errors_over(s, new_x, "Error over new tokens", "new prompt tokens", f);
	html_heading(f, "Pairs");
	html_paragraph(f, "The arm of a row against that of a column, over all "
			  "steps; ? is not told apart.");
	matrix(s, f);
	html_heading(f, "Figures");
	text_of(s, f);
}

void score_html(const struct score *s, FILE *f)
{
	struct html_page page = {0};
	char *verdict = score_verdict(s);
	if (html_page_begin(&page) == 0) {
		body(s, page.f);
		identity_foot(page.f);
	}
	const char *const first = verdict ? verdict : "";
	const struct html_head head = {"Cost models on measured steps", NULL,
				       NULL, &first, 1};
	html_page_end(&page, f, &head);
	free(verdict);
}
