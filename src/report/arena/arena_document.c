/* arena_document.c -- A leaderboard as a document: who leads, then the sets. */
#include "report/arena/arena.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/score/score.h"

static const struct step_figures *all_of(const struct arena_set *s, size_t arm)
{
	return &s->score.arm[arm].regime[REGIME_ALL];
}

static double mean_percent(const struct arena_set *s, size_t arm)
{
	return 100 * all_of(s, arm)->of[FIGURE_MACRO_MEAN];
}

static const char *baseline_name(const struct arena_set *s)
{
	return s->score.has_own_baseline ? "linear"
					 : s->score.arm[s->score.baseline].name;
}

/* ---- the answer ---- */

static void answer_leader(const struct arena *a, struct document *d)
{
	const struct arena_overall *o = a->overall, *end = o + a->n_arms;
	char than[80];
	while (o < end && o->place != 1)
		o++;
	if (o == end) {
		document_answer(d, "No arm prices all sets without having been "
				   "fitted to one of them.");
		return;
	}
	if (o->skill > 0)
		snprintf(than, sizeof than,
			 "%.0f %% less error than the baseline",
			 100 * o->skill);
	else
		snprintf(than, sizeof than,
			 "%.1f times the error of the baseline, which no arm "
			 "beats over all",
			 1 - o->skill);
	document_answer(d, "%s leads over %zu set%s: skill %.2f, %s.",
			arena_arm_name(a, o->arm), a->n_with_baseline,
			a->n_with_baseline == 1 ? "" : "s", o->skill, than);
}

static size_t count_winners(const struct arena *a, const struct arena_set *s)
{
	size_t n = 0;
	for (size_t k = 0; k < a->n_arms; k++)
		n += (size_t)arena_beats_baseline(s, k);
	return n;
}

/* Names the arms that beat the baseline of a set. */
static void answer_winners(const struct arena *a, const struct arena_set *s,
			   struct document *d)
{
	const char *before = "";
	FILE *f = document_write(d);
	for (size_t k = 0; f && k < a->n_arms; k++)
		if (arena_beats_baseline(s, k)) {
			fprintf(f, "%s%s", before, arena_arm_name(a, k));
			before = ", ";
		}
	if (f && *before)
		fprintf(f, " beat%s %s on %s.",
			count_winners(a, s) == 1 ? "s" : "", baseline_name(s),
			s->name);
	document_answered(d);
}

static void answer_losers(const struct arena *a, struct document *d)
{
	const char *before = "No arm beats the baseline on ";
	FILE *f = document_write(d);
	for (size_t i = 0; f && i < a->n; i++) {
		const struct arena_set *s = &a->set[i];
		if (s->score.baseline == SIZE_MAX || count_winners(a, s))
			continue;
		fprintf(f, "%s%s", before, s->name);
		before = ", ";
	}
	if (f && *before == ',')
		fputc('.', f);
	document_answered(d);
}

void arena_answer(const struct arena *a, struct document *d)
{
	if (a->n_with_baseline)
		answer_leader(a, d);
	else
		document_answer(d, "No set has a baseline, so there is no "
				   "order over all sets.");
	for (size_t i = 0; i < a->n; i++)
		answer_winners(a, &a->set[i], d);
	answer_losers(a, d);
}

/* ---- over all sets ---- */

static const char *reason(const struct arena_set *s, size_t arm)
{
	const char *why = arena_why(s, arm);
	return why ? why : "no price";
}

/* Returns 1 if the arm lacks the set for this reason. */
static int is_lacking(const struct arena_set *s, size_t arm, const char *why)
{
	return s->score.baseline != SIZE_MAX && !s->arm[arm].has_most &&
	       !strcmp(reason(s, arm), why);
}

/* Writes a line for each reason, with the sets that it is the reason of. */
static void write_lacks(const struct arena *a, size_t arm, FILE *f)
{
	for (size_t i = 0; i < a->n; i++) {
		const char *why = reason(&a->set[i], arm), *before = " lacks ";
		size_t first = 0;
		while (first < i && !is_lacking(&a->set[first], arm, why))
			first++;
		if (first < i || !is_lacking(&a->set[i], arm, why))
			continue;
		fputs(arena_arm_name(a, arm), f);
		for (size_t k = i; k < a->n; k++)
			if (is_lacking(&a->set[k], arm, why)) {
				fprintf(f, "%s%s", before, a->set[k].name);
				before = ", ";
			}
		fprintf(f, ": %s\n", why);
	}
}

/* Adds the table of places, and says what arms without a place lack. */
static void overall(const struct arena *a, struct document *d)
{
	static const char *const head[] = {"place", "sets", "skill",
					   "fitted to"};
	struct columns c = columns_begin(head, 4, "arm");
	for (size_t i = 0; i < a->n_arms; i++) {
		const struct arena_overall *o = &a->overall[i];
		columns_row(&c, "%s", arena_arm_name(a, o->arm));
		if (o->place)
			columns_cell(&c, 0, 0, "%zu", o->place);
		columns_cell(&c, 0, 1, "%zu of %zu", o->sets,
			     a->n_with_baseline);
		if (!isnan(o->skill))
			columns_cell(&c, 0, 2, "%+.2f", o->skill);
		if (o->fitted_to)
			columns_cell(&c, 0, 3, "%zu", o->fitted_to);
	}
	document_table(d, &c);
	FILE *f = document_write(d);
	for (size_t i = 0; f && i < a->n_arms; i++)
		write_lacks(a, a->overall[i].arm, f);
	document_written(d, DOCUMENT_SENTENCE);
}

/* ---- sets by arms ---- */

static const char *mark(enum fitted f)
{
	return f == FITTED_YES ? "*" : f == FITTED_PERHAPS ? "?" : "";
}

static void matrix_cell(struct columns *c, const struct arena_set *s,
			size_t arm)
{
	const struct arena_arm *x = &s->arm[arm];
	char rank[SCORE_RANK];
	if (!x->has_most)
		columns_cell(c, arm + 1, 0, "–");
	else if (x->rank[0])
		columns_cell(c, arm + 1, 0, "%.1f%s (%s)", mean_percent(s, arm),
			     mark(x->fitted), score_rank_text(rank, x->rank));
	else
		columns_cell(c, arm + 1, 0, "%.1f%s", mean_percent(s, arm),
			     mark(x->fitted));
}

/* Adds the table of errors, a row for each set and a column for each arm. */
static void matrix(const struct arena *a, struct document *d)
{
	struct columns c = {
	    .n_groups = a->n_arms + 1, .per_group = 1, .is_plain = 1};
	columns_row(&c, "macro mean %%, and rank");
	columns_cell(&c, 0, 0, "baseline");
	for (size_t k = 0; k < a->n_arms; k++)
		columns_cell(&c, k + 1, 0, "%s", arena_arm_name(a, k));
	for (size_t i = 0; i < a->n; i++) {
		const struct arena_set *s = &a->set[i];
		columns_row(&c, "%s", s->name);
		if (s->score.baseline != SIZE_MAX)
			columns_cell(&c, 0, 0, "%.1f",
				     mean_percent(s, s->score.baseline));
		for (size_t k = 0; k < a->n_arms; k++)
			matrix_cell(&c, s, k);
	}
	document_table(d, &c);
	document_say(d,
		     "–: the arm prices less than 95 %% of the set. *: it was "
		     "fitted to the set, so it has no rank there. ?: perhaps "
		     "it was.");
}

/* ---- the leaderboard of a set ---- */

enum { RANK, N, MACRO, MEAN, MEDIAN, P95, BIAS, FROM, TO, FITTED, N_CELLS };

static void to_best(struct columns *c, const struct arena_set *s, size_t arm)
{
	const struct step_pair *x = s->arm[arm].to_best;
	if (!x || isnan(x->low))
		return;
	int first = x->a == arm;
	columns_cell(c, 0, FROM, "%+.1f", 100 * (first ? x->low : -x->high));
	columns_cell(c, 0, TO, "%+.1f", 100 * (first ? x->high : -x->low));
}

static void board_row(struct columns *c, const struct arena *a,
		      const struct arena_set *s, size_t k)
{
	static const enum step_figure shown[] = {FIGURE_MACRO_MEAN, FIGURE_MEAN,
						 FIGURE_MEDIAN, FIGURE_P95,
						 FIGURE_BIAS};
	const struct step_figures *e = all_of(s, k);
	char rank[SCORE_RANK];
	if (!e->n)
		return;
	columns_row(c, "%s", s->score.arm[k].name);
	columns_cell(c, 0, N, "%zu", e->n);
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
		columns_cell(c, 0, MACRO + i,
			     shown[i] == FIGURE_BIAS ? "%+.1f" : "%.1f",
			     100 * e->of[shown[i]]);
	if (k >= a->n_arms)
		return;
	columns_cell(c, 0, RANK, "%s", score_rank_text(rank, s->arm[k].rank));
	to_best(c, s, k);
	columns_words(c, 0, FITTED, "%s", fitted_name[s->arm[k].fitted]);
}

static void board(const struct arena *a, const struct arena_set *s,
		  struct document *d)
{
	static const char *const head[N_CELLS] = {
	    "rank",  "n",      "macro %", "mean %", "median %",
	    "p95 %", "bias %", "from",    "to",     "fitted"};
	struct columns c = columns_begin(head, N_CELLS, "arm");
	size_t *order = calloc(s->score.n + 1, sizeof *order);
	size_t n = order ? arena_order(s, order) : 0;
	for (size_t i = 0; i < n; i++)
		board_row(&c, a, s, order[i]);
	document_table(d, &c);
	free(order);
}

/* Writes which arms are as near as the best, and why an arm lacks rows. */
static void write_remarks(const struct arena *a, const struct arena_set *s,
			  FILE *f)
{
	const char *before = "";
	for (size_t k = 0; k < a->n_arms; k++)
		if (step_pair_is_within(s->arm[k].to_best, s->score.margin)) {
			fprintf(f, "%s%s", before, arena_arm_name(a, k));
			before = ", ";
		}
	if (*before)
		fprintf(f, " within %g points of the best (90 %% interval).\n",
			100 * s->score.margin);
	for (size_t k = 0; k < a->n_arms; k++)
		if (all_of(s, k)->n < s->set.n && arena_why(s, k))
			fprintf(f, "%s prices %zu of %zu: %s\n",
				arena_arm_name(a, k), all_of(s, k)->n, s->set.n,
				arena_why(s, k));
}

static void one_set(const struct arena *a, const struct arena_set *s,
		    struct document *d)
{
	size_t n = s->set.n_deployments;
	document_subheading(d, "%s: %zu of %zu %s, %zu deployment%s%s", s->name,
			    s->set.n, s->set.n_given,
			    s->is_runs ? "runs" : "steps", n, n == 1 ? "" : "s",
			    n < 3 ? "; verdicts speak for these alone" : "");
	score_say_tables(&s->score, d);
	board(a, s, d);
	FILE *f = document_write(d);
	if (f)
		write_remarks(a, s, f);
	document_written(d, DOCUMENT_SENTENCE);
}

/* ---- all of it ---- */

static void pictures(const struct arena *a, struct document *d)
{
	d->in = IN_PAGE;
	document_heading(d, "Mean errors, %%");
	document_say(d, "Whiskers are 95 %% intervals of the mean: over "
			"deployments where there are three, else over these "
			"steps or runs.");
	arena_draw_errors(a, d);
	document_heading(d, "Predicted and measured");
	arena_draw_predictions(a, d);
	d->in = IN_ALL;
}

void arena_document(const struct arena *a, struct document *d)
{
	*d = (struct document){.title = "Cost models ranked by measurements",
			       .in = IN_ALL};
	for (size_t k = 0; k < a->n_arms; k++)
		names_add(&d->arms, arena_arm_name(a, k));
	names_add(&d->arms, SCORE_BASELINE);
	document_ask(d,
		     "Which of %zu cost models is nearest to %zu set%s of "
		     "measurements?",
		     a->n_arms, a->n, a->n == 1 ? "" : "s");
	arena_answer(a, d);
	document_say(d, "Errors are |predicted / measured - 1|. Skill: 1 - the "
			"mean error over that of the baseline, each set with "
			"the same weight.");
	if (a->n_with_baseline) {
		document_heading(d, "Over all sets");
		arena_draw_skills(a, d);
		overall(a, d);
	}
	document_heading(d, "Cost models by sets");
	d->in = IN_PAGE;
	arena_draw_heat(a, d);
	d->in = IN_ALL;
	matrix(a, d);
	pictures(a, d);
	document_heading(d, "Set by set");
	document_say(d,
		     "n: rows that an arm prices. macro: the mean over "
		     "deployments, where a set has three, else the mean; ranks "
		     "go by it. from and to: the 95 %% interval of its mean "
		     "error minus that of the best ranked arm, in points. "
		     "fitted: its coefficients were fitted to such "
		     "measurements.");
	for (size_t i = 0; i < a->n; i++)
		one_set(a, &a->set[i], d);
}
