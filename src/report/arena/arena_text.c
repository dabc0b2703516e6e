/* arena_text.c -- Writes a leaderboard for a reader: the verdict first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/paragraph.h"
#include "report/arena/arena.h"
#include "report/columns.h"
#include "report/score/score.h"

enum { WIDTH = PARAGRAPH_COLUMNS };

static double percent(double v)
{
	return 100 * v;
}

static const struct step_figures *all_of(const struct arena_set *s, size_t arm)
{
	return &s->score.arm[arm].regime[REGIME_ALL];
}

static const char *baseline_name(const struct arena_set *s)
{
	return s->score.has_own_baseline ? "linear"
					 : s->score.arm[s->score.baseline].name;
}

const char *arena_rank(char to[ARENA_RANK], const size_t rank[2])
{
	*to = '\0';
	if (rank[0] && rank[0] == rank[1])
		snprintf(to, ARENA_RANK, "%zu", rank[0]);
	else if (rank[0])
		snprintf(to, ARENA_RANK, "%zu-%zu", rank[0], rank[1]);
	return to;
}

static double key_of(const struct arena_set *s, size_t arm)
{
	const struct step_figures *f = all_of(s, arm);
	return f->n ? f->of[FIGURE_MACRO_MEAN] : (double)INFINITY;
}

size_t arena_order(const struct arena_set *s, size_t *order)
{
	for (size_t k = 0; k < s->score.n; k++) {
		size_t at = k;
		while (at > 0 && key_of(s, order[at - 1]) > key_of(s, k)) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = k;
	}
	return s->score.n;
}

/* ---- the verdict ---- */

static void over_all(const struct arena *a, FILE *f)
{
	const struct arena_overall *o = a->overall;
	size_t i = 0;
	while (i < a->n_arms && o[i].place != 1)
		i++;
	if (i == a->n_arms) {
		fputs("No arm prices all sets without having been fitted to "
		      "one of them.",
		      f);
		return;
	}
	fprintf(f, "%s leads over %zu set%s: skill %.2f, ",
		arena_arm_name(a, o[i].arm), a->n_with_baseline,
		a->n_with_baseline == 1 ? "" : "s", o[i].skill);
	if (o[i].skill > 0)
		fprintf(f, "%.0f %% less error than the baseline.",
			percent(o[i].skill));
	else
		fprintf(f,
			"%.1f times the error of the baseline, which no arm "
			"beats over all.",
			1 - o[i].skill);
}

/* Names the arms that beat the baseline of a set.  Returns how many. */
static size_t winners(const struct arena *a, const struct arena_set *s, FILE *f)
{
	size_t n = 0;
	for (size_t k = 0; k < a->n_arms; k++)
		if (arena_beats_baseline(s, k))
			fprintf(f, "%s%s", n++ ? ", " : " ",
				arena_arm_name(a, k));
	if (n)
		fprintf(f, " beat%s %s on %s.", n == 1 ? "s" : "",
			baseline_name(s), s->name);
	return n;
}

/* Says on which sets an arm beats the baseline, and on which none does. */
static void on_sets(const struct arena *a, FILE *f)
{
	const char *before = " No arm beats the baseline on";
	size_t without = 0;
	for (size_t i = 0; i < a->n; i++)
		if (a->set[i].score.baseline != SIZE_MAX)
			without += winners(a, &a->set[i], f) == 0;
	for (size_t i = 0; without && i < a->n; i++) {
		const struct arena_set *s = &a->set[i];
		size_t won = 0;
		for (size_t k = 0; k < a->n_arms; k++)
			won += (size_t)arena_beats_baseline(s, k);
		if (s->score.baseline == SIZE_MAX || won)
			continue;
		fprintf(f, "%s %s", before, s->name);
		before = ",";
	}
	if (without)
		fputc('.', f);
}

char *arena_verdict(const struct arena *a)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	if (a->n_with_baseline)
		over_all(a, f);
	else
		fputs("No set has a baseline, so there is no order over all "
		      "sets.",
		      f);
	on_sets(a, f);
	return text_end(&t);
}

/* ---- over all sets ---- */

static int is_lacking(const struct arena_set *s, size_t arm)
{
	return s->score.baseline != SIZE_MAX && !s->arm[arm].has_most;
}

static const char *reason(const struct arena_set *s, size_t arm)
{
	const char *why = arena_why(s, arm);
	return why ? why : "no price";
}

/* Writes a line for each reason, with the sets that it is the reason of. */
static void lacks(const struct arena *a, size_t arm, FILE *f)
{
	for (size_t i = 0; i < a->n; i++) {
		char names[400] = "";
		size_t used = 0, first = i;
		if (!is_lacking(&a->set[i], arm))
			continue;
		const char *why = reason(&a->set[i], arm);
		for (size_t k = 0; k < a->n && used < sizeof names; k++) {
			const struct arena_set *s = &a->set[k];
			if (!is_lacking(s, arm) || strcmp(reason(s, arm), why))
				continue;
			first = k < first ? k : first;
			used +=
			    (size_t)snprintf(names + used, sizeof names - used,
					     "%s%s", used ? ", " : "", s->name);
		}
		if (first == i)
			paragraph_print(f, WIDTH, 4, "  %s lacks %s: %s",
					arena_arm_name(a, arm), names, why);
	}
}

static void overall(const struct arena *a, FILE *f)
{
	struct columns c = {.n_groups = 1, .per_group = 3};
	if (!a->n_with_baseline)
		return;
	columns_row(&c, "over all sets");
	columns_cell(&c, 0, 0, "place");
	columns_cell(&c, 0, 1, "sets");
	columns_cell(&c, 0, 2, "skill");
	for (size_t i = 0; i < a->n_arms; i++) {
		const struct arena_overall *o = &a->overall[i];
		columns_row(&c, "%s%s", arena_arm_name(a, o->arm),
			    o->fitted_to ? " *" : "");
		if (o->place)
			columns_cell(&c, 0, 0, "%zu", o->place);
		columns_cell(&c, 0, 1, "%zu of %zu", o->sets,
			     a->n_with_baseline);
		if (!isnan(o->skill))
			columns_cell(&c, 0, 2, "%+.2f", o->skill);
	}
	columns_write(&c, f, WIDTH, 0);
	columns_free(&c);
	for (size_t i = 0; i < a->n_arms; i++)
		lacks(a, a->overall[i].arm, f);
	fputc('\n', f);
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
	char rank[ARENA_RANK];
	double mean = percent(all_of(s, arm)->of[FIGURE_MACRO_MEAN]);
	if (!x->has_most)
		columns_cell(c, arm + 1, 0, "–");
	else if (x->rank[0])
		columns_cell(c, arm + 1, 0, "%.1f%s (%s)", mean,
			     mark(x->fitted), arena_rank(rank, x->rank));
	else
		columns_cell(c, arm + 1, 0, "%.1f%s", mean, mark(x->fitted));
}

static void matrix(const struct arena *a, FILE *f)
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
				     percent(all_of(s, s->score.baseline)
						 ->of[FIGURE_MACRO_MEAN]));
		for (size_t k = 0; k < a->n_arms; k++)
			matrix_cell(&c, s, k);
	}
	columns_write(&c, f, WIDTH, 0);
	columns_free(&c);
	paragraph_write(f,
			"–: the arm prices less than 95 % of the set. *: it "
			"was fitted to the set, so it has no rank there. ?: "
			"perhaps it was.",
			WIDTH, 0);
}

/* ---- the leaderboard of a set ---- */

enum { RANK, N, MACRO, MEAN, MEDIAN, P95, BIAS, FROM, TO, FITTED, N_CELLS };

static void to_best(struct columns *c, const struct arena_set *s, size_t arm)
{
	const struct step_pair *x = s->arm[arm].to_best;
	double sign = x && x->a == arm ? 1 : -1;
	if (!x || isnan(x->low))
		return;
	columns_cell(c, 0, FROM, "%+.1f",
		     percent(sign * (sign > 0 ? x->low : x->high)));
	columns_cell(c, 0, TO, "%+.1f",
		     percent(sign * (sign > 0 ? x->high : x->low)));
}

static void board_row(struct columns *c, const struct arena *a,
		      const struct arena_set *s, size_t k)
{
	static const enum step_figure shown[] = {FIGURE_MACRO_MEAN, FIGURE_MEAN,
						 FIGURE_MEDIAN, FIGURE_P95,
						 FIGURE_BIAS};
	const struct step_figures *e = all_of(s, k);
	char rank[ARENA_RANK];
	if (!e->n)
		return;
	columns_row(c, "%s", s->score.arm[k].name);
	columns_cell(c, 0, N, "%zu", e->n);
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
		columns_cell(c, 0, MACRO + i,
			     shown[i] == FIGURE_BIAS ? "%+.1f" : "%.1f",
			     percent(e->of[shown[i]]));
	if (k >= a->n_arms)
		return;
	columns_cell(c, 0, RANK, "%s", arena_rank(rank, s->arm[k].rank));
	to_best(c, s, k);
	columns_words(c, 0, FITTED, "%s", fitted_name[s->arm[k].fitted]);
}

static void within_margin(const struct arena *a, const struct arena_set *s,
			  FILE *f)
{
	size_t n = 0;
	for (size_t k = 0; k < a->n_arms; k++)
		if (step_pair_is_within(s->arm[k].to_best, s->score.margin))
			fprintf(f, "%s%s", n++ ? ", " : "  ",
				arena_arm_name(a, k));
	if (n)
		fprintf(f, " within %g points of the best (90 %% interval).\n",
			percent(s->score.margin));
}

static void board(const struct arena *a, const struct arena_set *s, FILE *f)
{
	static const char *const head[N_CELLS] = {
	    "rank",  "n",      "macro %", "mean %", "median %",
	    "p95 %", "bias %", "from",    "to",     "fitted"};
	struct columns c = {.n_groups = 1, .per_group = N_CELLS};
	size_t *order = calloc(s->score.n + 1, sizeof *order);
	size_t n = order ? arena_order(s, order) : 0;
	fputc('\n', f);
	paragraph_print(
	    f, WIDTH, 2, "%s: %zu of %zu %s, %zu deployment%s%s.", s->name,
	    s->set.n, s->set.n_given, s->is_runs ? "runs" : "steps",
	    s->set.n_deployments, s->set.n_deployments == 1 ? "" : "s",
	    s->set.n_deployments < 3 ? "; verdicts speak for these alone" : "");
	score_tables_text(&s->score, f);
	columns_row(&c, "%s", "");
	for (size_t i = 0; i < N_CELLS; i++)
		columns_cell(&c, 0, i, "%s", head[i]);
	for (size_t i = 0; i < n; i++)
		board_row(&c, a, s, order[i]);
	columns_write(&c, f, WIDTH, 0);
	within_margin(a, s, f);
	for (size_t k = 0; k < a->n_arms; k++)
		if (all_of(s, k)->n < s->set.n && arena_why(s, k))
			paragraph_print(f, WIDTH, 4,
					"  %s prices %zu of %zu: %s",
					arena_arm_name(a, k), all_of(s, k)->n,
					s->set.n, arena_why(s, k));
	columns_free(&c);
	free(order);
}

void arena_text(const struct arena *a, FILE *f)
{
	char *verdict = arena_verdict(a);
	paragraph_write(f, verdict ? verdict : "", WIDTH, 0);
	free(verdict);
	paragraph_write(f,
			"Errors are |predicted / measured - 1|. Skill: 1 - the "
			"mean error over that of the baseline, each set with "
			"the same weight.",
			WIDTH, 0);
	fputc('\n', f);
	overall(a, f);
	matrix(a, f);
	paragraph_write(f,
			"In the next tables n is the rows that an arm prices; "
			"macro is the mean over deployments, where a set has "
			"three, else the mean, and ranks go by it; from and to "
			"are the 95 % interval of its mean error "
			"minus that of the best ranked arm, in points; fitted: "
			"its coefficients were fitted to such measurements.",
			WIDTH, 0);
	for (size_t i = 0; i < a->n; i++)
		board(a, &a->set[i], f);
}
