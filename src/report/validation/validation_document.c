/* validation_document.c -- A validation as a document: the arm that comes
 * nearest, one table, then errors by groups. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "report/validation/compared.h"
#include "report/validation/coverage.h"
#include "report/validation/own_run.h"
#include "report/validation/scatter.h"
#include "report/validation/validation.h"
#include "report/validation/validation_parts.h"

/* Puts the best arm first: by the mean error of E2E latency, then of TPOT. */
static void order_arms(const struct validation *v, size_t *order)
{
	for (size_t k = 0; k < v->n_arms; k++) {
		double e[2], o[2];
		size_t at = k;
		for (; at > 0; at--) {
			e[0] = validation_summary(v, k, RUN_E2EL, ROWS_COMMON)
				   .mean;
			o[0] = validation_summary(v, order[at - 1], RUN_E2EL,
						  ROWS_COMMON)
				   .mean;
			e[1] = validation_summary(v, k, RUN_TPOT, ROWS_COMMON)
				   .mean;
			o[1] = validation_summary(v, order[at - 1], RUN_TPOT,
						  ROWS_COMMON)
				   .mean;
			int by = isnan(e[0]) ? 1 : 0;
			if (!(e[by] < o[by]))
				break;
			order[at] = order[at - 1];
		}
		order[at] = k;
	}
}

/* ---- errors as columns ---- */

enum { MEAN, MEDIAN, P90, BIAS, N_ERRORS };
static const char *const error_name[N_ERRORS] = {"mean", "median", "p90",
						 "bias"};

static void error_cells(struct columns *c, size_t group,
			const struct error_summary *s, int is_short)
{
	const double v[N_ERRORS] = {s->mean, s->median, s->p90, s->bias};
	for (size_t k = 0; s->n && k < N_ERRORS; k++) {
		if (is_short && k != MEAN && k != BIAS)
			continue;
		columns_cell(c, group, k, k == BIAS ? "%+.1f" : "%.1f",
			     100 * v[k]);
		columns_value(c, group, k, 100 * v[k]);
	}
}

static void error_head(struct columns *c, size_t group, const char *metric)
{
	for (size_t k = 0; k < N_ERRORS; k++)
		columns_cell(c, group, k, "%s %s", metric, error_name[k]);
}

/* Latencies with columns for percentiles, in which only the mean error is
 * shown. */
static const enum run_latency tail_metric[] = {RUN_E2EL, RUN_TTFT};
enum { N_TAILS = sizeof tail_metric / sizeof *tail_metric };
enum {
	ROWS,
	LATENCIES,
	TAILS = LATENCIES + N_RUN_LATENCIES,
	N_GROUPS = TAILS + N_TAILS
};

/* A table of errors in every latency: groups of columns. */
static struct columns errors_begin(const char *label, int has_tails)
{
	struct columns c = {
	    .n_groups = N_GROUPS, .per_group = N_ERRORS, .is_plain = 1};
	columns_row(&c, "%s", label);
	for (size_t k = 0; k < N_RUN_LATENCIES; k++)
		error_head(&c, LATENCIES + k,
			   validation_title[validation_shown[k]]);
	columns_cell(&c, ROWS, 0, "rows");
	for (size_t k = 0; has_tails && k < N_TAILS; k++)
		for (size_t i = STATISTIC_P90; i <= STATISTIC_P99; i++)
			columns_cell(&c, TAILS + k, i - STATISTIC_P90,
				     "%s of %s",
				     validation_title[tail_metric[k]],
				     statistic_name[i]);
	return c;
}

/* Which rows of the file count. */
struct chosen {
	const struct validation *v;
	enum row_choice choice;
	const struct grouping *g; /* NULL: all */
	int is_short;
};

static void tail_cells(struct columns *c, const struct chosen *of, size_t arm)
{
	for (size_t k = 0; k < N_TAILS; k++)
		for (int i = STATISTIC_P90; i <= STATISTIC_P99; i++) {
			struct error_summary s = validation_summary_of(
			    of->v, arm, tail_metric[k], (enum statistic)i,
			    of->choice, NULL, NULL);
			if (s.n)
				columns_cell(c, TAILS + k,
					     (size_t)(i - STATISTIC_P90),
					     "%.1f", 100 * s.mean);
		}
}

static void errors_row(struct columns *c, const struct chosen *of, size_t arm,
		       const char *label, const char *group)
{
	struct error_summary s[N_RUN_LATENCIES];
	size_t n = 0;
	for (int k = 0; k < N_RUN_LATENCIES; k++) {
		s[k] = validation_summary_of(of->v, arm, validation_shown[k],
					     STATISTIC_MEAN, of->choice, of->g,
					     group);
		n = s[k].n > n ? s[k].n : n;
	}
	if (!n && (of->g || of->choice == ROWS_SATURATED))
		return;
	columns_row(c, "%s", label);
	columns_cell(c, ROWS, 0, "%zu", n);
	for (size_t k = 0; k < N_RUN_LATENCIES; k++)
		error_cells(c, LATENCIES + k, &s[k], of->is_short);
	if (!of->g && !of->is_short)
		tail_cells(c, of, arm);
}

/* is_own: all rows that an arm prices, and the saturated ones below. */
static void leaderboard(struct document *d, const struct validation *v,
			const size_t *order, int is_short, int is_own)
{
	struct columns c = errors_begin(
	    is_own ? "rows that the arm prices" : "leaderboard", !is_short);
	const struct chosen all = {v, is_own ? ROWS_OWN : ROWS_COMMON, NULL,
				   is_short};
	const struct chosen full = {v, ROWS_SATURATED, NULL, is_short};
	for (size_t k = 0; k < v->n_arms; k++) {
		errors_row(&c, &all, order[k], v->arm[order[k]], NULL);
		if (is_own)
			errors_row(&c, &full, order[k], "  saturated", NULL);
	}
	document_table(d, &c);
}

static void say_rows(struct document *d, const struct validation *v)
{
	size_t common = 0, saturated = 0;
	for (size_t i = 0; i < v->file->n; i++) {
		common += (size_t)validation_chosen(v, i, ROWS_COMMON);
		saturated += (size_t)validation_saturated(&v->file->row[i]);
	}
	document_say(
	    d,
	    "%s%s: %zu rows, %zu of them unsaturated and priced by all arms, "
	    "%zu saturated. Errors of predicted means, percent; bias: the "
	    "prediction is longer (+) or shorter (-).",
	    v->file->path[0], v->file->n_paths > 1 ? " and others" : "",
	    v->file->n, common, saturated);
}

/* ---- by groups ---- */

/* A property that is the same in all rows makes no groups. */
static void groups(struct document *d, const struct validation *v, size_t arm,
		   const struct grouping *g)
{
	struct names is = grouping_values(v, arm, g);
	struct columns c = errors_begin(g->name, 0);
	const struct chosen of = {v, ROWS_OWN, g, 0};
	for (size_t i = 0; is.n > 1 && i < is.n; i++)
		errors_row(&c, &of, arm, is.item[i], is.item[i]);
	document_table(d, &c);
	names_free(&is);
}

static void throughput_row(struct columns *c, const char *label,
			   const struct error_summary *s)
{
	if (!s->n)
		return;
	columns_row(c, "%s", label);
	columns_cell(c, ROWS, 0, "%zu", s->n);
	error_cells(c, 1, s, 0);
}

/* Adds the errors of offline throughput, of all rows and by group. */
static void throughput(struct document *d, const struct validation *v,
		       size_t arm)
{
	struct error_summary s = validation_throughput(v, arm, NULL, NULL);
	struct columns c = {.n_groups = 2, .per_group = N_ERRORS};
	if (!s.n)
		return;
	document_heading(d, "%s, offline throughput in output tokens a second",
			 v->arm[arm]);
	columns_row(&c, "throughput");
	columns_cell(&c, ROWS, 0, "rows");
	error_head(&c, 1, "error");
	throughput_row(&c, "all", &s);
	for (size_t g = 0; g < n_groupings; g++) {
		struct names is = grouping_values(v, arm, &grouping[g]);
		for (size_t i = 0; is.n > 1 && i < is.n; i++) {
			s = validation_throughput(v, arm, &grouping[g],
						  is.item[i]);
			throughput_row(&c, is.item[i], &s);
		}
		names_free(&is);
	}
	document_table(d, &c);
}

/* ---- prefill and decode apart ---- */

static const int apart_metric[] = {RUN_TPOT, RUN_TTFT, APART_THROUGHPUT};
enum { N_APART = sizeof apart_metric / sizeof *apart_metric };

static void apart_row(struct columns *c, const struct validation *v, size_t arm,
		      const char *what, const struct grouping *g)
{
	struct error_summary s =
	    validation_apart(v, arm, apart_metric[0], g, what);
	if (!s.n)
		return;
	columns_row(c, "%s", what);
	columns_cell(c, ROWS, 0, "%zu", s.n);
	for (size_t k = 0; k < N_APART; k++) {
		s = validation_apart(v, arm, apart_metric[k], g, what);
		error_cells(c, 1 + k, &s, 0);
	}
}

static void apart_table(struct document *d, const struct validation *v,
			size_t arm, const struct grouping *g)
{
	static const char *const title[N_APART] = {"TPOT", "TTFT",
						   "throughput"};
	struct columns c = {
	    .n_groups = N_APART + 1, .per_group = N_ERRORS, .is_plain = 1};
	columns_row(&c, "%s", g ? g->name : "apart");
	for (size_t k = 0; k < N_APART; k++)
		error_head(&c, 1 + k, title[k]);
	columns_cell(&c, ROWS, 0, "rows");
	struct names is = {0};
	if (g)
		is = grouping_values(v, arm, g);
	else
		apart_row(&c, v, arm, "all", NULL);
	for (size_t i = 0; i < is.n; i++)
		apart_row(&c, v, arm, is.item[i], g);
	document_table(d, &c);
	names_free(&is);
}

/* Adds the errors of rows with separate prefill and decode pools. */
static void apart(struct document *d, const struct validation *v, size_t arm)
{
	if (!validation_apart(v, arm, RUN_TPOT, NULL, NULL).n)
		return;
	document_heading(d, "%s, prefill and decode apart", v->arm[arm]);
	document_say(
	    d,
	    "Errors in percent. Throughput is implied: clients x output tokens "
	    "/ (TTFT + TPOT x (output tokens - 1)), measured and predicted "
	    "alike. Not modelled: experts that are copied or loaded unevenly "
	    "beyond the routing, transfers that begin before the prompt ends "
	    "or share a link, overlap of two batches, routers that look at KV "
	    "caches, ranks that wait for each other's prompts.");
	apart_table(d, v, arm, NULL);
	for (size_t g = 0; g < n_apart_groupings; g++)
		apart_table(d, v, arm, &apart_grouping[g]);
}

/* The remarks on a simulated run that was not steady. */
enum mark { MARK_REJECTED = SATURATION_NOTHING + 1, N_MARKS };

static int has_mark(const struct validation *v, size_t arm, size_t row,
		    int mark)
{
	const struct prediction *is = validation_of(v, arm, row);
	return is->priced && (mark == MARK_REJECTED
				  ? is->rejected > 0
				  : is->saturation == (enum saturation)mark);
}

static void say_marked(const struct validation *v, size_t arm, int mark,
		       FILE *f)
{
	size_t n = 0, told = 0;
	for (size_t i = 0; i < v->file->n; i++)
		n += (size_t)has_mark(v, arm, i, mark);
	if (!n)
		return;
	fprintf(f, "%s: %zu rows %s in the simulation:", v->arm[arm], n,
		mark == MARK_REJECTED ? "with rejected requests"
				      : saturation_name[mark]);
	for (size_t i = 0; i < v->file->n && told < 3; i++)
		if (has_mark(v, arm, i, mark))
			fprintf(f, "%s %s", told++ ? "," : "",
				v->file->row[i].id ? v->file->row[i].id : "?");
	fputs(n > told ? " …\n" : "\n", f);
}

/* Prints each reason once, with how often it occurs. */
static void say_reasons(const struct validation *v, size_t arm, FILE *f)
{
	char **why = v->why + arm * v->row_replays.n;
	for (size_t i = 0; i < v->row_replays.n; i++) {
		size_t n = 0, first = i;
		for (size_t k = 0; why[i] && k < v->row_replays.n; k++)
			if (why[k] && !strcmp(why[k], why[i])) {
				n++;
				first = k < first ? k : first;
			}
		if (n && first == i)
			fprintf(f, "%s: %zu runs not priced: %s\n", v->arm[arm],
				n, why[i]);
	}
}

/* Returns how many runs have no configuration for the same reason as run i; 0
 * if an earlier run has that reason. */
static size_t refused_alike(const struct validation *v, size_t i)
{
	size_t n = 0;
	for (size_t k = 0; k < v->row_replays.n; k++) {
		int same =
		    v->refused[k] && !strcmp(v->refused[k], v->refused[i]);
		if (same && k < i)
			return 0;
		n += (size_t)same;
	}
	return n;
}

static void say_refused(const struct validation *v, FILE *f)
{
	for (size_t i = 0; i < v->row_replays.n; i++) {
		size_t n = v->refused[i] ? refused_alike(v, i) : 0;
		const char *name = v->row_replays.row_replay[i].name;
		if (n == 1)
			fprintf(f, "%s: not simulated: %s\n", name,
				v->refused[i]);
		else if (n)
			fprintf(f, "%zu runs not simulated (%s …): %s\n", n,
				name, v->refused[i]);
	}
}

static void say_left_out(const struct validation *v, FILE *f)
{
	const struct row_replays *t = &v->row_replays;
	for (size_t i = 0; i < t->n_left_out; i++) {
		const char *id = v->file->row[t->left_out[i].row].id;
		size_t n = row_replays_left_out(t, i);
		if (n)
			fprintf(f, "%zu rows not simulated (%s …): %s\n", n,
				id ? id : "?", t->left_out[i].why);
	}
}

/* ---- the answer ---- */

/* Returns 1 if the runs that all arms price have that latency. */
static int answer_by(struct document *d, const struct validation *v,
		     enum run_latency metric)
{
	struct error_summary best = {0};
	size_t nearest = 0;
	double most = 0;
	for (size_t k = 0; k < v->n_arms; k++) {
		struct error_summary s =
		    validation_summary(v, k, metric, ROWS_COMMON);
		if (!s.n)
			continue;
		most = fmax(most, s.mean);
		if (!best.n || s.mean < best.mean) {
			best = s;
			nearest = k;
		}
	}
	if (!best.n)
		return 0;
	char others[80] = "";
	if (v->n_arms > 1)
		snprintf(others, sizeof others,
			 "; the largest of %zu arms is %.1f %%", v->n_arms,
			 100 * most);
	document_answer(
	    d,
	    "%s comes nearest: its mean error of %s is %.1f %% "
	    "over %zu run%s%s.",
	    v->arm[nearest],
	    metric == RUN_E2EL ? "E2E latency" : validation_title[metric],
	    100 * best.mean, best.n, best.n == 1 ? "" : "s", others);
	return 1;
}

/* By the first latency that readers ask for and that was measured. */
static int answer(struct document *d, const struct validation *v)
{
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		if (answer_by(d, v, validation_shown[k]))
			return 1;
	document_answer(d, "No run is priced by all arms.");
	return 0;
}

/* ---- all of it ---- */

/* An id of the file that is not known: CONFIG answers for it. */
static void say_answered(const struct validation *v, FILE *f)
{
	static const char *const section[N_SERVED] = {"model", "hardware"};
	for (int k = 0; k < N_SERVED; k++)
		if (v->row_replays.answered[k])
			fprintf(f,
				"No %s is known as %s: [%s] of the "
				"configuration is used.\n",
				served_name[k], v->row_replays.answered[k],
				section[k]);
}

/* Names the rows that were left out, refused or overloaded. */
static void remarks(struct document *d, const struct validation *v)
{
	FILE *f = document_write(d);
	for (size_t k = 0; f && k < v->n_arms; k++) {
		for (int i = SATURATION_BACKLOGGED; i < N_MARKS; i++)
			say_marked(v, k, i, f);
		say_reasons(v, k, f);
	}
	if (f) {
		say_answered(v, f);
		say_refused(v, f);
		say_left_out(v, f);
	}
	document_written(d, DOCUMENT_SENTENCE);
}

static void pictures(struct document *d, const struct validation *v,
		     enum fold_by by)
{
	d->in = IN_PAGE;
	document_say(d, "On the dashed line, the prediction equals the "
			"measurement. Whiskers are 90 %% prediction intervals "
			"from the errors of other runs.");
	FILE *f = document_write(d);
	if (f)
		scatter_all(v, by, f);
	document_written(d, DOCUMENT_FIGURE);
}

static void many_runs(struct document *d, const struct validation *v,
		      enum fold_by by, const size_t *order)
{
	int has_answer = answer(d, v);
	pictures(d, v, by);
	d->in = IN_ALL;
	say_rows(d, v);
	d->in = IN_SHORT;
	leaderboard(d, v, order, 1, !has_answer);
	d->in = IN_DETAILS;
	leaderboard(d, v, order, 0, 0);
	leaderboard(d, v, order, 0, 1);
	d->in = IN_ALL;
	remarks(d, v);
	d->in = IN_DETAILS;
	for (size_t k = 0; k < v->n_arms; k++) {
		document_heading(d, "%s, rows that it prices, unsaturated",
				 v->arm[k]);
		for (size_t g = 0; g < n_groupings; g++)
			groups(d, v, k, &grouping[g]);
		throughput(d, v, k);
		apart(d, v, k);
	}
	d->in = IN_SHORT;
	document_say(d, "--all has the errors by groups.");
}

void validation_document(const struct validation *v, enum fold_by by,
			 struct document *d)
{
	size_t *order = calloc(v->n_arms + 1, sizeof *order);
	*d = (struct document){.title = "Predicted and measured", .in = IN_ALL};
	d->failed = !order;
	for (size_t i = 0; i < v->n_arms; i++)
		names_add(&d->arms, v->arm[i]);
	document_ask(d, "How near do %zu cost models come to %s%s?", v->n_arms,
		     v->file->path[0],
		     v->file->n_paths > 1 ? " and others" : "");
	if (order)
		order_arms(v, order);
	if (order && own_run_is_alone(v)) {
		own_run_document(v, order, d);
		remarks(d, v);
	} else if (order) {
		many_runs(d, v, by, order);
	}
	d->in = IN_DETAILS;
	coverage_of_errors(d, v, by);
	coverage_of_models(d, v);
	free(order);
}
