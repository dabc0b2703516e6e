/* arena_figures.c -- Draws a leaderboard. */
#include "report/arena/arena.h"
#include <math.h>
#include <stdlib.h>
#include "draw/scatter.h"
#include "report/score/score.h"

/* Points of a set in a small figure: more would only hide each other. */
enum { POINTS = 200 };

static double mean_of(const struct arena_set *s, size_t arm)
{
	const struct step_figures *f = &s->score.arm[arm].regime[REGIME_ALL];
	return f->n ? f->of[FIGURE_MACRO_MEAN] : (double)INFINITY;
}

size_t arena_order(const struct arena_set *s, size_t *order)
{
	for (size_t k = 0; k < s->score.n; k++) {
		size_t at = k;
		for (; at && mean_of(s, order[at - 1]) > mean_of(s, k); at--)
			order[at] = order[at - 1];
		order[at] = k;
	}
	return s->score.n;
}

/* ---- over all sets ---- */

void arena_draw_skills(const struct arena *a, struct document *d)
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
	if (n)
		document_dots(d,
			      &(struct dots){"skill over all sets: 1 - error "
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

/* Adds a heat map of errors, arms by sets, or by sets and classes of steps. */
static void heat(const struct arena *a, int by_class, struct document *d)
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
		document_heatmap(
		    d, &(struct heatmap){
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

void arena_draw_heat(const struct arena *a, struct document *d)
{
	heat(a, 0, d);
	heat(a, 1, d);
	FILE *f = document_write(d);
	for (size_t i = 0; f && i < a->n; i++)
		fprintf(f, "%s%zu: %s", i ? "; " : "Sets: ", i + 1,
			a->set[i].name);
	document_written(d, DOCUMENT_SENTENCE);
}

/* ---- a set ---- */

/* Adds a figure of the arms' errors on one set. */
static void dots(const struct arena *a, const struct arena_set *s,
		 struct document *d)
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
		document_dots(d, &(struct dots){s->name, row, n});
	free(row);
	free(order);
}

void arena_draw_errors(const struct arena *a, struct document *d)
{
	for (size_t i = 0; i < a->n; i++)
		dots(a, &a->set[i], d);
}

/* ---- small multiples ---- */

/* Adds the points of an arm on a set, evenly over its rows. */
static void add_set(struct scatter *o, const struct arena_set *s, size_t arm)
{
	size_t every = 1 + (s->set.n - 1) / POINTS;
	for (size_t i = 0; i < s->set.n; i += every)
		scatter_add(o, s->score.measured[i], s->score.arm[arm].us[i]);
}

static void small_figure(const struct arena *a, size_t arm, struct document *d)
{
	struct scatter o;
	int rc = scatter_open(&o, POINTS * a->n, a->n);
	for (size_t i = 0; rc == 0 && i < a->n; i++) {
		/* One legend is enough. */
		scatter_begin(&o, arm ? NULL : a->set[i].name, (unsigned)i);
		add_set(&o, &a->set[i], arm);
	}
	if (o.n) {
		struct figure g =
		    scatter_predicted(&o, arena_arm_name(a, arm),
				      "measured, us", "predicted, us");
		document_figure(d, DOCUMENT_TILE, &g);
	}
	scatter_free(&o);
}

void arena_draw_predictions(const struct arena *a, struct document *d)
{
	for (size_t k = 0; k < a->n_arms; k++)
		small_figure(a, k, d);
}
