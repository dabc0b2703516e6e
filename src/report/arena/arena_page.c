/* arena_page.c -- Writes a leaderboard as a page. */
#include <math.h>
#include <stdlib.h>
#include "base/text.h"
#include "draw/heatmap.h"
#include "draw/html.h"
#include "draw/svg.h"
#include "report/identity.h"
#include "report/arena/arena.h"
#include "report/score/score.h"

/* Points of a set in a small figure: more would only hide each other. */
enum { POINTS = 200 };

/* ---- over all sets ---- */

static void skills(const struct arena *a, FILE *f)
{
	struct dots_row *row = calloc(a->n_arms + 1, sizeof *row);
	size_t n = 0;
	for (size_t i = 0; row && i < a->n_arms; i++) {
		const struct arena_overall *o = &a->overall[i];
		row[n++] = (struct dots_row){
		    .name = arena_arm_name(a, o->arm),
		    .slot = (unsigned)o->arm,
		    .at = o->skill,
		    .low = (double)NAN,
		    .high = (double)NAN,
		    .note = isnan(o->skill) ? "does not price all sets"
			    : o->fitted_to  ? "fitted to some of them"
					    : NULL};
	}
	if (n && a->n_with_baseline)
		dots_html(f, &(struct dots){"skill over all sets: 1 - error "
					    "over that of the baseline",
					    row, n});
	free(row);
}

/* ---- arms by sets, and by classes of their steps ---- */

struct column {
	size_t set;
	enum step_regime regime;
	char name[24];
};

/* Returns the rows of a class of a set. */
static size_t rows_of(const struct arena_set *s, enum step_regime r)
{
	return r == REGIME_ALL       ? s->set.n
	       : s->score.group[r].n ? s->score.group[r].bin->n
				     : 0;
}

/* Fills in a column for each set, or for each class of steps that it has.
 * Returns how many. */
static size_t columns(const struct arena *a, int by_class, struct column *c)
{
	size_t n = 0;
	for (size_t i = 0; i < a->n; i++)
		for (int r = 0; r < N_REGIMES; r++) {
			if (by_class ? r == REGIME_ALL || a->set[i].is_runs ||
					   !rows_of(&a->set[i], r)
				     : r != REGIME_ALL)
				continue;
			c[n] = (struct column){.set = i, .regime = r};
			snprintf(c[n].name, sizeof c[n].name,
				 by_class ? "%zu %s" : "%zu", i + 1,
				 step_regime_name[r]);
			n++;
		}
	return n;
}

/* Its mean error, %; NaN: it prices less than most rows of the class. */
static double error_of(const struct arena *a, const struct column *c,
		       size_t arm)
{
	const struct arena_set *s = &a->set[c->set];
	const struct step_figures *of = &s->score.arm[arm].regime[c->regime];
	double least = SHARE_OF_A_SET * (double)rows_of(s, c->regime);
	return of->n && (double)of->n >= least ? 100 * of->of[FIGURE_MACRO_MEAN]
					       : (double)NAN;
}

static void heat(const struct arena *a, int by_class, FILE *f)
{
	struct column *c = calloc(a->n * N_REGIMES + 1, sizeof *c);
	size_t n = c ? columns(a, by_class, c) : 0;
	double *value = calloc(n * a->n_arms + 1, sizeof *value);
	const char **x = calloc(n + 1, sizeof *x);
	const char **y = calloc(a->n_arms + 1, sizeof *y);
	for (size_t k = 0; value && x && y && k < a->n_arms; k++) {
		y[k] = arena_arm_name(a, k);
		for (size_t i = 0; i < n; i++) {
			x[i] = c[i].name;
			value[k * n + i] = error_of(a, &c[i], k);
		}
	}
	if (n && value && x && y)
		heatmap_svg(
		    f, &(struct heatmap){
			   .title = "Mean error, %",
			   .x_label = by_class ? "set, class of steps" : "set",
			   .y_label = "",
			   .x = x,
			   .y = y,
			   .n_x = n,
			   .n_y = a->n_arms,
			   .value = value});
	free(c);
	free(value);
	free(x);
	free(y);
}

static void names_of_sets(const struct arena *a, FILE *f)
{
	html_facts_begin(f);
	for (size_t i = 0; i < a->n; i++) {
		char number[24];
		snprintf(number, sizeof number, "%zu", i + 1);
		html_fact(f, number, a->set[i].name);
	}
	html_facts_end(f);
}

/* ---- a set ---- */

static void dots(const struct arena *a, const struct arena_set *s, FILE *f)
{
	struct dots_row *row = calloc(s->score.n + 1, sizeof *row);
	size_t *order = calloc(s->score.n + 1, sizeof *order);
	size_t n = row && order ? arena_order(s, order) : 0;
	for (size_t i = 0; i < n; i++) {
		row[i] = score_dot(&s->score, order[i], REGIME_ALL);
		if (row[i].note)
			row[i].note = "outside of its domain";
		else if (order[i] < a->n_arms &&
			 s->arm[order[i]].fitted == FITTED_YES)
			row[i].note = "fitted to it";
	}
	if (n)
		dots_html(f, &(struct dots){s->name, row, n});
	free(row);
	free(order);
}

/* ---- small multiples ---- */

/* Fills in the points of an arm on a set, at most POINTS of them, evenly over
 * its rows.  Returns how many. */
static size_t points(const struct arena_set *s, size_t arm, double *x,
		     double *y)
{
	size_t n = 0, every = 1 + (s->set.n - 1) / POINTS;
	for (size_t i = 0; i < s->set.n; i += every) {
		double us = s->score.arm[arm].us[i];
		if (isnan(us))
			continue;
		x[n] = s->score.measured[i];
		y[n++] = us;
	}
	return n;
}

static void small_figure(const struct arena *a, size_t arm, FILE *f)
{
	double *v = calloc(2 * (size_t)POINTS * a->n + 4, sizeof *v);
	struct figure_series *series = calloc(a->n + 1, sizeof *series);
	double least = (double)INFINITY, greatest = 0, diagonal[2];
	size_t n = 0;
	for (size_t i = 0; v && series && i < a->n; i++) {
		double *x = v + 2 * (size_t)POINTS * i, *y = x + POINTS;
		size_t m = points(&a->set[i], arm, x, y);
		for (size_t k = 0; k < m; k++) {
			least = fmin(least, x[k]);
			greatest = fmax(greatest, x[k]);
		}
		if (m)
			series[n++] = (struct figure_series){
			    /* one legend is enough */
			    .name = arm ? NULL : a->set[i].name,
			    .mark = MARK_POINTS,
			    .slot = (unsigned)i % FIGURE_COLOURS,
			    .x = x,
			    .y = y,
			    .n = m};
	}
	diagonal[0] = least / 1.5;
	diagonal[1] = greatest * 1.5;
	if (n) {
		series[n] = (struct figure_series){
		    .mark = MARK_RULE, .x = diagonal, .y = diagonal, .n = 2};
		svg_figure(f, &(struct figure){.title = arena_arm_name(a, arm),
					       .x_label = "measured, us",
					       .y_label = "predicted, us",
					       .scale_x = SCALE_LOG,
					       .scale_y = SCALE_LOG,
					       .series = series,
					       .n_series = n + 1});
	}
	free(v);
	free(series);
}

/* ---- the page ---- */

static void text_of(const struct arena *a, FILE *f)
{
	struct text t;
	FILE *m = text_begin(&t);
	if (!m)
		return;
	arena_text(a, m);
	if (fclose(m) == 0)
		html_pre(f, t.s);
	free(t.s);
}

static void body(const struct arena *a, FILE *f)
{
	html_heading(f, "Over all sets");
	skills(a, f);
	html_heading(f, "Cost models by sets");
	heat(a, 0, f);
	heat(a, 1, f);
	names_of_sets(a, f);
	html_heading(f, "Mean errors, %");
	html_paragraph(f, "Whiskers are 95 % intervals of the mean: over "
			  "deployments where there are three, else over these "
			  "steps or runs.");
	html_row_begin(f);
	for (size_t i = 0; i < a->n; i++)
		dots(a, &a->set[i], f);
	html_row_end(f);
	html_heading(f, "Predicted and measured");
	html_row_begin(f);
	for (size_t k = 0; k < a->n_arms; k++)
		small_figure(a, k, f);
	html_row_end(f);
	html_heading(f, "Figures");
	text_of(a, f);
}

void arena_html(const struct arena *a, const char *command, FILE *f)
{
	struct html_page page = {0};
	char *verdict = arena_verdict(a);
	if (html_page_begin(&page) == 0) {
		body(a, page.f);
		identity_foot(page.f);
	}
	const char *const first = verdict ? verdict : "";
	const struct html_head head = {"The arena: cost models ranked by "
				       "measurements",
				       NULL, command, &first, 1};
	html_page_end(&page, f, &head);
	free(verdict);
}
