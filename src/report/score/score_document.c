/* score_document.c -- A score as a document: the nearest arm, errors by
 * regimes, pairs. */
#include "report/score/score.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

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

const char *score_rank_text(char to[SCORE_RANK], const size_t rank[2])
{
	*to = '\0';
	if (rank[0] && rank[0] == rank[1])
		snprintf(to, SCORE_RANK, "%zu", rank[0]);
	else if (rank[0])
		snprintf(to, SCORE_RANK, "%zu-%zu", rank[0], rank[1]);
	return to;
}

/* ---- the answer ---- */

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

static void say_steps(const struct score *s, struct document *d)
{
	size_t n = s->set->n_deployments;
	document_say(d,
		     "%zu of %zu steps, %zu deployment%s. Errors are "
		     "|predicted / measured - 1|.",
		     s->set->n, s->set->n_given, n, n == 1 ? "" : "s");
	if (!isnan(s->repeat))
		document_say(d,
			     "Two runs of the same steps differ by %.1f %%: no "
			     "cost model can be nearer than %.1f %%.",
			     percent(s->repeat),
			     percent(s->repeat) * M_SQRT1_2);
	if (n < 3)
		document_say(d,
			     "Intervals are of these steps: fewer than three "
			     "deployments do not speak for others.");
	if (s->has_own_baseline && s->rows_by_default < s->set->n)
		document_say(d, "The baseline is fitted to these steps and "
				"asked about others of the same deployment.");
	if (s->rows_by_default)
		document_say(d,
			     "%zu steps are of deployments with fewer than 25: "
			     "there the baseline has the shipped figures of "
			     "plugin linear.",
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

void score_say_tables(const struct score *s, struct document *d)
{
	const char *before = "Tables: ";
	size_t n = 0;
	for (size_t k = 0; k < s->n && s->arm[k].tables; k++)
		n += (size_t)is_first_choice(s, k);
	FILE *f = n ? document_write(d) : NULL;
	for (size_t k = 0; f && k < s->n; k++) {
		if (!is_first_choice(s, k))
			continue;
		fprintf(f, "%s%s", before, s->arm[k].tables);
		before = "; ";
		if (n == 1)
			continue;
		fputs(" (", f);
		write_arms(s, s->arm[k].tables, f);
		fputc(')', f);
	}
	if (f)
		fputc('.', f);
	if (f && s->own_tables.n)
		write_own_tables(s, f);
	if (f)
		document_written(d, DOCUMENT_SENTENCE);
}

static void say_unpriced(const struct score *s, struct document *d)
{
	for (size_t k = 0; k < s->n; k++)
		for (size_t i = 0; i < s->set->n_deployments; i++)
			if (s->arm[k].why[i])
				document_say(
				    d, "%s does not price %s%s: %s",
				    s->arm[k].name,
				    s->arm[k].deployment[i].n ? "all of " : "",
				    s->set->deployment[i].name,
				    s->arm[k].why[i]);
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
	char rank[SCORE_RANK];
	columns_row(c, "%s", name);
	columns_cell(c, 0, 0, "%s",
		     a->rank[r][0] ? score_rank_text(rank, a->rank[r])
				   : "baseline");
	columns_cell(c, 0, 1, "%zu", a->regime[r].n);
	for (size_t k = 0; k < sizeof shown / sizeof *shown; k++)
		columns_cell(c, 0, 2 + k,
			     shown[k] == FIGURE_BIAS ? "%+.1f" : "%.1f",
			     percent(a->regime[r].of[shown[k]]));
}

/* Adds the table of a regime: the arm with the least error first. */
static void regime_table(const struct score *s, enum step_regime r,
			 struct document *d)
{
	static const char *const title[] = {"rank",     "steps", "mean %",
					    "median %", "p95 %", "bias %"};
	struct columns c = columns_begin(title, 6, "%s", step_regime_name[r]);
	struct order *o = calloc(s->n + 1, sizeof *o);
	char name[200];
	size_t n = 0;
	for (size_t k = 0; o && k < s->n; k++)
		if (s->arm[k].regime[r].n)
			o[n++] = (struct order){
			    k, s->arm[k].regime[r].of[FIGURE_MACRO_MEAN]};
	if (o)
		qsort(o, n, sizeof *o, by_mean);
	for (size_t k = 0; k < n; k++)
		if (write_names(s, o, n, k, r, name, sizeof name))
			arm_row(&c, s, o[k].arm, r, name);
	document_table(d, &c);
	free(o);
}

/* Adds the errors of all arms, as a figure and as a table for each kind of
 * steps. */
static void errors(const struct score *s, struct document *d)
{
	static const enum step_regime order[] = {REGIME_ALL, REGIME_DECODE,
						 REGIME_PREFILL, REGIME_CHUNK,
						 REGIME_MIXED};
	document_heading(d, "Mean errors");
	score_draw_errors(s, d);
	for (int i = 0; i < N_REGIMES; i++) {
		if (!s->group[order[i]].n)
			continue;
		/* On a phone a table has no head. */
		d->in = IN_PAGE;
		document_subheading(d, "%s", step_regime_name[order[i]]);
		d->in = IN_ALL;
		regime_table(s, order[i], d);
	}
}

/* ---- pairs ---- */

static const char *pair_text(const struct score *s, size_t row, size_t column)
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

/* Adds the table that compares each arm with each other. */
static void matrix(const struct score *s, struct document *d)
{
	struct columns c = {.n_groups = s->n, .per_group = 1, .is_plain = 1};
	columns_row(&c, "arm");
	for (size_t k = 0; k < s->n; k++)
		columns_cell(&c, k, 0, "%s", s->arm[k].name);
	for (size_t i = 0; i < s->n; i++) {
		columns_row(&c, "%s", s->arm[i].name);
		for (size_t k = 0; k < s->n; k++)
			columns_words(&c, k, 0, "%s", pair_text(s, i, k));
	}
	document_say(d, "The arm of a row against that of a column, over all "
			"steps; ? is not told apart.");
	document_table(d, &c);
}

static void say_nearer_than(const struct score *s, size_t arm,
			    struct document *d)
{
	const char *before = " is nearer than ";
	struct text t;
	FILE *f = text_begin(&t);
	for (size_t i = 0; f && i < s->n_pairs; i++) {
		const struct step_pair *x = &s->pair[i];
		size_t other = x->a == arm ? x->b : x->a;
		if (x->regime != REGIME_ALL || (x->a != arm && x->b != arm) ||
		    x->verdict != (x->a == arm ? PAIR_FIRST : PAIR_SECOND))
			continue;
		fprintf(f, "%s%s (%.1f)", before, s->arm[other].name,
			percent(fabs(x->difference)));
		before = ", ";
	}
	char *text = text_end(&t);
	if (text && *text)
		document_say(d, "%s%s", s->arm[arm].name, text);
	free(text);
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

/* Says which arms are nearer to the measured times than others. */
static void pairs(const struct score *s, struct document *d)
{
	document_heading(d, "Pairs");
	d->in = IN_PAGE;
	matrix(s, d);
	d->in = IN_ALL;
	if (!any_distinguishable(s)) {
		document_say(d, "No two arms are told apart on all of these "
				"steps.");
		return;
	}
	document_say(d, "Told apart, by points of mean error:");
	for (size_t k = 0; k < s->n; k++)
		say_nearer_than(s, k, d);
	document_say(d, "Other pairs are not told apart. An interval is of one "
			"pair alone: one without 0 in it may still not be told "
			"apart, because p is corrected for all pairs (Holm).");
}

static void say_equal(const struct score *s, struct document *d)
{
	for (size_t i = 0; i < s->n_pairs; i++) {
		const struct step_pair *x = &s->pair[i];
		enum equality is = equal_steps_verdict(&x->equal);
		if (x->regime == REGIME_ALL && is != EQUAL_DIFFER)
			document_say(
			    d, "%s and %s: %s on %llu steps (largest %.1e).",
			    s->arm[x->a].name, s->arm[x->b].name,
			    equality_name[is],
			    (unsigned long long)x->equal.steps,
			    x->equal.largest);
	}
}

/* ---- the worst steps ---- */

static void worst_steps(const struct score *s, struct document *d)
{
	static const char *const title[] = {"error %", "predicted us",
					    "measured us", "row for eval"};
	struct columns c = columns_begin(title, 4, "arm");
	for (size_t k = 0; k < s->n; k++) {
		size_t row = s->arm[k].regime[REGIME_ALL].worst;
		if (row == SIZE_MAX)
			continue;
		const struct step_row *r = &s->set->row[row];
		const struct steps *file = &r->file->steps;
		double us = s->arm[k].us[row], real = s->measured[row];
		columns_row(&c, "%s", s->arm[k].name);
		columns_cell(&c, 0, 0, "%+.1f", percent(us / real - 1));
		columns_cell(&c, 0, 1, "%.0f", us);
		columns_cell(&c, 0, 2, "%.0f", real);
		columns_words(&c, 0, 3, "%s,%s,%s", r->given->name,
			      steps_cell(file, r->given, STEP_DECODE),
			      steps_cell(file, r->given, STEP_PREFILL));
	}
	document_heading(d, "The worst step of each arm");
	document_table(d, &c);
}

/* ---- all of it ---- */

static void pictures(const struct score *s, struct document *d)
{
	d->in = IN_PAGE;
	document_heading(d, "Predicted and measured");
	score_draw_predictions(s, d);
	document_heading(d, "Where the errors are");
	score_draw_where(s, d);
	d->in = IN_ALL;
}

void score_document(const struct score *s, struct document *d)
{
	char *verdict = score_verdict(s);
	*d = (struct document){.title = "Cost models on measured steps",
			       .in = IN_ALL};
	for (size_t k = 0; k < s->n; k++)
		names_add(&d->arms, s->arm[k].name);
	document_ask(d,
		     "Which of %zu cost models is nearest to %zu measured "
		     "steps?",
		     s->n - (size_t)s->has_own_baseline, s->set->n);
	document_answer(d, "%s", verdict ? verdict : "");
	free(verdict);
	say_steps(s, d);
	score_say_tables(s, d);
	say_unpriced(s, d);
	errors(s, d);
	say_equal(s, d);
	pictures(s, d);
	pairs(s, d);
	worst_steps(s, d);
}
