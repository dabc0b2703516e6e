/* score_text.c -- Writes a score for a reader: the verdict first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/paragraph.h"
#include "report/columns.h"
#include "report/score/score.h"

enum { WIDTH = PARAGRAPH_COLUMNS };

/* An arm that prices less than this share of the rows is not called nearest. */
#define SHARE 0.95

static double percent(double v)
{
	return 100 * v;
}

static double mean_of(const struct score_arm *a)
{
	return a->regime[REGIME_ALL].of[FIGURE_MACRO_MEAN];
}

/* ---- the verdict ---- */

/* Returns the nearest arm that is not the baseline; SIZE_MAX: none. */
static size_t nearest(const struct score *s)
{
	size_t best = SIZE_MAX;
	int best_has_all = 0;
	for (size_t k = 0; k < s->n; k++) {
		const struct score_arm *a = &s->arm[k];
		int has_all = (double)a->priced >= SHARE * (double)s->set->n;
		if (k == s->baseline || !a->priced ||
		    (best != SIZE_MAX && has_all < best_has_all))
			continue;
		if (best == SIZE_MAX || has_all > best_has_all ||
		    mean_of(a) < mean_of(&s->arm[best])) {
			best = k;
			best_has_all = has_all;
		}
	}
	return best;
}

static const char *baseline_name(const struct score *s)
{
	const struct score_arm *a = &s->arm[s->baseline];
	if (!s->has_own_baseline)
		return a->name;
	return s->rows_by_default == a->priced ? "linear (as shipped)"
					       : "linear (five folds)";
}

/* Writes "2.4 points more, 95 %: 1.1 to 3.6" of a against b. */
static void write_difference(FILE *f, const struct step_pair *x, size_t a)
{
	double sign = x->a == a ? 1 : -1, d = sign * x->difference;
	double ends[2] = {sign * x->low, sign * x->high};
	double low = fmin(ends[0], ends[1]), high = fmax(ends[0], ends[1]);
	if (d < 0) {
		double turned = -low;
		low = -high;
		high = turned;
	}
	fprintf(f, "%.1f points %s", percent(fabs(d)), d < 0 ? "less" : "more");
	if (!isnan(low))
		fprintf(f, ", 95 %%: %.1f to %.1f", percent(low),
			percent(high));
	if (x->verdict == PAIR_UNDECIDED)
		fputs(", not told apart", f);
}

/* Returns 1 if any arm is nearer than the baseline. */
static int any_beats(const struct score *s)
{
	for (size_t i = 0; i < s->n_pairs; i++) {
		const struct step_pair *x = &s->pair[i];
		if (x->regime == REGIME_ALL &&
		    ((x->b == s->baseline && x->verdict == PAIR_FIRST) ||
		     (x->a == s->baseline && x->verdict == PAIR_SECOND)))
			return 1;
	}
	return 0;
}

static void against_baseline(const struct score *s, size_t best, FILE *f)
{
	const struct step_pair *x =
	    score_pair(s, best, s->baseline, REGIME_ALL);
	const char *name = s->arm[best].name;
	double own = percent(mean_of(&s->arm[best]));
	double theirs = percent(mean_of(&s->arm[s->baseline]));
	if (any_beats(s))
		fprintf(f,
			"%s is nearest to these steps: %.1f %%, the baseline "
			"%s %.1f %%",
			name, own, baseline_name(s), theirs);
	else
		fprintf(f,
			"No arm beats the baseline on these steps: %s %.1f %%, "
			"%s %.1f %%",
			baseline_name(s), theirs, name, own);
	if (x) {
		fputs(" (", f);
		write_difference(f, x, best);
		fputc(')', f);
	}
	fputc('.', f);
}

/* Without a baseline: the nearest arm, and the one after it. */
static void among_arms(const struct score *s, size_t best, FILE *f)
{
	size_t second = SIZE_MAX;
	for (size_t k = 0; k < s->n; k++)
		if (k != best && s->arm[k].priced &&
		    (second == SIZE_MAX ||
		     mean_of(&s->arm[k]) < mean_of(&s->arm[second])))
			second = k;
	fprintf(f, "%s is nearest to these steps: %.1f %%", s->arm[best].name,
		percent(mean_of(&s->arm[best])));
	if (second != SIZE_MAX) {
		const struct step_pair *x =
		    score_pair(s, second, best, REGIME_ALL);
		fprintf(f, "; then %s, %.1f %%", s->arm[second].name,
			percent(mean_of(&s->arm[second])));
		if (x) {
			fputs(" (", f);
			write_difference(f, x, second);
			fputc(')', f);
		}
	}
	fputc('.', f);
}

char *score_verdict(const struct score *s)
{
	size_t best = nearest(s);
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	if (best == SIZE_MAX)
		fputs("No arm prices these steps.", f);
	else if (s->baseline != SIZE_MAX && s->arm[s->baseline].priced)
		against_baseline(s, best, f);
	else
		among_arms(s, best, f);
	return text_end(&t);
}

/* ---- about the steps ---- */

static void about_steps(const struct score *s, FILE *f)
{
	size_t n = s->set->n_deployments;
	paragraph_print(f, WIDTH, 0,
			"%zu of %zu steps, %zu deployment%s. Errors are "
			"|predicted / measured - 1|.",
			s->set->n, s->set->n_given, n, n == 1 ? "" : "s");
	if (!isnan(s->repeat))
		paragraph_print(f, WIDTH, 0,
				"Two runs of the same steps differ by %.1f %%: "
				"no cost model can be nearer than %.1f %%.",
				percent(s->repeat),
				percent(s->repeat) * M_SQRT1_2);
	if (n < 3)
		fputs("Intervals are of these steps: two deployments do not "
		      "speak for others.\n",
		      f);
	if (s->has_own_baseline && s->rows_by_default < s->set->n)
		fputs("The baseline is fitted to these steps and asked about "
		      "others of the same deployment.\n",
		      f);
	if (s->rows_by_default)
		paragraph_print(f, WIDTH, 0,
				"%zu steps are of deployments with fewer than "
				"25: there the baseline has the shipped "
				"figures of plugin linear.",
				s->rows_by_default);
}

/* Writes "a, b": the arms with this choice of tables; NULL: with own ones. */
static void write_arms(const struct score *s, const char *tables, FILE *f)
{
	const char *before = "";
	for (size_t k = 0; k < s->n; k++) {
		const struct score_arm *a = &s->arm[k];
		if (tables ? strcmp(a->tables, tables) : !a->has_own_tables)
			continue;
		fprintf(f, "%s%s", before, a->name);
		before = ", ";
	}
}

/* Returns 1 if the arm has tables, and is the first with this choice. */
static int is_first_choice(const struct score *s, size_t arm)
{
	size_t first = 0;
	while (strcmp(s->arm[first].tables, s->arm[arm].tables))
		first++;
	return first == arm && *s->arm[arm].tables;
}

static void write_own_tables(const struct score *s, FILE *f)
{
	char sets[200];
	int any = 0;
	for (size_t k = 0; k < s->n; k++)
		any |= s->arm[k].has_own_tables;
	fprintf(f,
		" %s was measured with these steps, on the same machine. An "
		"arm with it (",
		names_join(&s->own_tables, sets, sizeof sets));
	if (any)
		write_arms(s, NULL, f);
	else
		fputs("none here: auto leaves it out", f);
	fputs(") shows how kernels add up to a step; one without it, how well "
	      "it predicts a machine.",
	      f);
}

void score_tables_text(const struct score *s, FILE *f)
{
	struct text t = {0};
	const char *before = "Tables: ";
	size_t n = 0;
	for (size_t k = 0; k < s->n && s->arm[k].tables; k++)
		n += (size_t)is_first_choice(s, k);
	FILE *m = n ? text_begin(&t) : NULL;
	for (size_t k = 0; m && k < s->n; k++) {
		if (!is_first_choice(s, k))
			continue;
		fprintf(m, "%s%s", before, s->arm[k].tables);
		before = "; ";
		if (n == 1)
			continue;
		fputs(" (", m);
		write_arms(s, s->arm[k].tables, m);
		fputc(')', m);
	}
	if (m)
		fputc('.', m);
	if (m && s->own_tables.n)
		write_own_tables(s, m);
	char *text = text_end(&t);
	if (text)
		paragraph_write(f, text, WIDTH, 0);
	free(text);
}

static void unpriced(const struct score *s, FILE *f)
{
	for (size_t k = 0; k < s->n; k++)
		for (size_t d = 0; d < s->set->n_deployments; d++)
			if (s->arm[k].why[d])
				paragraph_print(
				    f, WIDTH, 2, "%s does not price %s%s: %s",
				    s->arm[k].name,
				    s->arm[k].deployment[d].n ? "all of " : "",
				    s->set->deployment[d].name,
				    s->arm[k].why[d]);
}

/* ---- the tables ---- */

struct order {
	size_t arm;
	double mean;
};

static int by_mean(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	if (x->mean != y->mean)
		return x->mean < y->mean ? -1 : 1;
	return x->arm < y->arm ? -1 : x->arm > y->arm;
}

static int are_one(const struct score *s, size_t a, size_t b,
		   enum step_regime r)
{
	const struct step_pair *x = score_pair(s, a, b, r);
	return x && x->verdict == PAIR_EQUAL;
}

/* Writes the arm's name with those that are equal to it; returns 0 if an
 * earlier one has it in its line. */
static int write_names(const struct score *s, const struct order *o, size_t n,
		       size_t at, enum step_regime r, char *to, size_t size)
{
	size_t used = (size_t)snprintf(to, size, "%s", s->arm[o[at].arm].name);
	for (size_t k = 0; k < at; k++)
		if (are_one(s, o[k].arm, o[at].arm, r))
			return 0;
	for (size_t k = at + 1; k < n && used < size; k++)
		if (are_one(s, o[k].arm, o[at].arm, r))
			used +=
			    (size_t)snprintf(to + used, size - used, " = %s",
					     s->arm[o[k].arm].name);
	return 1;
}

static void arm_row(struct columns *c, const struct score *s, size_t arm,
		    enum step_regime r, const char *name)
{
	static const enum step_figure shown[] = {
	    FIGURE_MACRO_MEAN, FIGURE_MEDIAN, FIGURE_P95, FIGURE_BIAS};
	const struct score_arm *a = &s->arm[arm];
	const size_t *rank = a->rank[r];
	columns_row(c, "  %s", name);
	if (!rank[0])
		columns_cell(c, 0, 0, "baseline");
	else if (rank[0] == rank[1])
		columns_cell(c, 0, 0, "%zu", rank[0]);
	else
		columns_cell(c, 0, 0, "%zu-%zu", rank[0], rank[1]);
	columns_cell(c, 0, 1, "%zu", a->regime[r].n);
	for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
		columns_cell(c, 0, 2 + k,
			     shown[k] == FIGURE_BIAS ? "%+.1f" : "%.1f",
			     percent(a->regime[r].of[shown[k]]));
}

static void regime_rows(struct columns *c, const struct score *s,
			enum step_regime r)
{
	struct order *o = calloc(s->n + 1, sizeof *o);
	char name[200];
	size_t n = 0;
	for (size_t k = 0; o && k < s->n; k++)
		if (s->arm[k].regime[r].n)
			o[n++] = (struct order){
			    k, s->arm[k].regime[r].of[FIGURE_MACRO_MEAN]};
	if (o)
		qsort(o, n, sizeof *o, by_mean);
	columns_row(c, "%s", step_regime_name[r]);
	for (size_t k = 0; k < n; k++)
		if (write_names(s, o, n, k, r, name, sizeof name))
			arm_row(c, s, o[k].arm, r, name);
	free(o);
}

static void table(const struct score *s, FILE *f)
{
	static const char *const title[] = {"rank",     "steps", "mean %",
					    "median %", "p95 %", "bias %"};
	static const enum step_regime order[] = {REGIME_ALL, REGIME_DECODE,
						 REGIME_PREFILL, REGIME_CHUNK,
						 REGIME_MIXED};
	struct columns c = {.n_groups = 1, .per_group = 6};
	columns_row(&c, "%s", "");
	for (size_t k = 0; k < 6; k++)
		columns_cell(&c, 0, k, "%s", title[k]);
	for (int i = 0; i < N_REGIMES; i++)
		if (s->group[order[i]].n)
			regime_rows(&c, s, order[i]);
	columns_write(&c, f, WIDTH, 0);
	columns_free(&c);
}

/* ---- pairs ---- */

static void nearer_than(const struct score *s, size_t arm, FILE *f)
{
	size_t n = 0;
	struct text t;
	FILE *m = text_begin(&t);
	for (size_t i = 0; m && i < s->n_pairs; i++) {
		const struct step_pair *x = &s->pair[i];
		size_t other = x->a == arm ? x->b : x->a;
		if (x->regime != REGIME_ALL || (x->a != arm && x->b != arm) ||
		    x->verdict != (x->a == arm ? PAIR_FIRST : PAIR_SECOND))
			continue;
		fprintf(m, "%s%s (%.1f)", n++ ? ", " : "", s->arm[other].name,
			percent(fabs(x->difference)));
	}
	if (m && fclose(m) == 0 && n)
		paragraph_print(f, WIDTH, 4, "  %s is nearer than %s",
				s->arm[arm].name, t.s);
	free(t.s);
}

/* Returns 1 if an arm is nearer than another one. */
static int any_distinguishable(const struct score *s)
{
	for (size_t i = 0; i < s->n_pairs; i++)
		if (s->pair[i].regime == REGIME_ALL &&
		    (s->pair[i].verdict == PAIR_FIRST ||
		     s->pair[i].verdict == PAIR_SECOND))
			return 1;
	return 0;
}

static void is_distinguishable(const struct score *s, FILE *f)
{
	if (!any_distinguishable(s)) {
		fputs("\nNo two arms are told apart on all of these steps.\n",
		      f);
		return;
	}
	fputs("\nTold apart, by points of mean error:\n", f);
	for (size_t k = 0; k < s->n; k++)
		nearer_than(s, k, f);
	paragraph_print(f, WIDTH, 0,
			"Other pairs are not told apart. An interval is of one "
			"pair alone: one without 0 in it may still not be told "
			"apart, because p is corrected for all pairs (Holm).");
}

static void equalities(const struct score *s, FILE *f)
{
	for (size_t i = 0; i < s->n_pairs; i++) {
		const struct step_pair *x = &s->pair[i];
		enum equality is = equal_steps_verdict(&x->equal);
		if (x->regime != REGIME_ALL || is == EQUAL_DIFFER)
			continue;
		fprintf(f, "%s and %s: %s on %llu steps (largest %.1e).\n",
			s->arm[x->a].name, s->arm[x->b].name, equality_name[is],
			(unsigned long long)x->equal.steps, x->equal.largest);
	}
}

static void worst_rows(const struct score *s, FILE *f)
{
	fputs("\nThe worst step of each arm, as a row for `eval`:\n", f);
	for (size_t k = 0; k < s->n; k++) {
		size_t row = s->arm[k].regime[REGIME_ALL].worst;
		if (row == SIZE_MAX)
			continue;
		const struct step_row *r = &s->set->row[row];
		const struct steps *file = &r->file->steps;
		double us = s->arm[k].us[row], real = s->measured[row];
		fprintf(f, "  %s: %+.1f %%, %.0f for %.0f us\n    %s,%s,%s\n",
			s->arm[k].name, percent(us / real - 1), us, real,
			r->given->name, steps_cell(file, r->given, STEP_DECODE),
			steps_cell(file, r->given, STEP_PREFILL));
	}
}

void score_text(const struct score *s, FILE *f)
{
	char *verdict = score_verdict(s);
	paragraph_write(f, verdict ? verdict : "", WIDTH, 0);
	free(verdict);
	about_steps(s, f);
	score_tables_text(s, f);
	unpriced(s, f);
	fputc('\n', f);
	table(s, f);
	equalities(s, f);
	is_distinguishable(s, f);
	worst_rows(s, f);
}
