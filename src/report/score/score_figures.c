/* score_figures.c -- Draws a score. */
#include "report/score/score.h"
#include <math.h>
#include <stdlib.h>
#include "draw/scatter.h"
#include "draw/svg.h"

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

void score_draw_errors(const struct score *s, struct document *d)
{
	unsigned in = d->in;
	struct dots_row *row = calloc(s->n + 1, sizeof *row);
	char title[60];
	d->in = IN_PAGE;
	document_say(d, "Whiskers are 95 %% intervals of the mean: over "
			"deployments where there are three, else over these "
			"steps.");
	for (int r = N_REGIMES; row && r-- > 0;) {
		if (!s->group[r].n)
			continue;
		for (size_t k = 0; k < s->n; k++)
			row[k] = score_dot(s, k, (enum step_regime)r);
		snprintf(title, sizeof title, "%s: mean error, %%",
			 step_regime_name[r]);
		document_dots(d, &(struct dots){title, row, s->n});
	}
	d->in = in;
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

/* Adds a point for each row of a regime.  y: the predicted time, or, with `of`
 * other than measured_x, the error in percent. */
static void add_rows(struct scatter *o, const struct score *s, size_t arm,
		     enum step_regime r, x_fn of)
{
	const struct step_group g = score_group(s, r);
	for (size_t i = 0; i < g.n; i++) {
		double us = s->arm[arm].us[g.row[i]];
		scatter_add(o, of(s, g.row[i]),
			    of == measured_x
				? us
				: 100 * (us / s->measured[g.row[i]] - 1));
	}
}

/* One arm, a colour for each regime. */
static void regimes_figure(const struct score *s, size_t arm,
			   struct document *d)
{
	struct scatter o;
	int rc = scatter_open(&o, s->set->n, REGIME_ALL);
	for (int r = 0; rc == 0 && r < REGIME_ALL; r++) {
		scatter_begin(&o, step_regime_name[r], (unsigned)r);
		add_rows(&o, s, arm, (enum step_regime)r, measured_x);
	}
	if (o.n) {
		struct figure g = scatter_predicted(
		    &o, s->arm[arm].name, "measured, us", "predicted, us");
		document_figure(d, DOCUMENT_TILE, &g);
	}
	scatter_free(&o);
}

void score_draw_predictions(const struct score *s, struct document *d)
{
	for (size_t k = 0; k < s->n; k++)
		regimes_figure(s, k, d);
}

/* All arms, a series for each.  Returns 0, or -1 if memory is out. */
static int all_arms(struct scatter *o, const struct score *s, x_fn of)
{
	int rc = scatter_open(o, s->n * s->set->n, s->n);
	for (size_t k = 0; rc == 0 && k < s->n; k++) {
		scatter_begin(o, s->arm[k].name, (unsigned)k);
		add_rows(o, s, k, REGIME_ALL, of);
	}
	return rc;
}

static void errors_over(const struct score *s, x_fn of, const char *title,
			const char *label, struct document *d)
{
	struct scatter o;
	int rc = all_arms(&o, s, of);
	struct figure g = scatter_figure(&o, title, label, "error, %");
	g.scale_y = SCALE_LINEAR;
	FILE *f = rc == 0 && o.n ? document_write(d) : NULL;
	if (f) {
		svg_panels(f, &g);
		document_written(d, DOCUMENT_FIGURE);
	}
	scatter_free(&o);
}

void score_draw_where(const struct score *s, struct document *d)
{
	errors_over(s, batch_x, "Error over the batch", "decodes", d);
	errors_over(s, context_x, "Error over the context",
		    "mean context of decodes, tokens", d);
	errors_over(s, new_x, "Error over new tokens", "new prompt tokens", d);
}

int score_plot(const struct score *s, struct plot *to, struct problem *p)
{
	struct scatter o;
	int rc = all_arms(&o, s, measured_x);
	struct figure g = scatter_figure(&o, "Predicted and measured steps",
					 "measured, us", "predicted, us");
	rc = rc < 0 ? problem_no_memory(p) : plot_figure(to, &g, p);
	scatter_free(&o);
	return rc;
}
