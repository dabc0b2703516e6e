/* recommend_document.c -- A recommendation as a document: the winners, one row
 * for each, then what the choice loses, and what could not be. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "base/text.h"
#include "draw/dots.h"
#include "recommend/pessimistic.h"
#include "report/capacity_parts.h"
#include "report/recommend/pareto_rows.h"
#include "report/recommend/parts.h"
#include "report/recommend/recommend.h"
#include "report/results/rests_on.h"
#include "report/results/simulated.h"
#include "report/titles.h"

static int has_winner(const struct recommend *r, size_t arm)
{
	return r->best[arm] != SIZE_MAX;
}

/* ---- texts that are written to a file ---- */

typedef void write_fn(const struct recommend *r, FILE *f);

/* Returns the text that `write` writes; the caller frees it.  NULL: no
 * memory. */
static char *text_by(const struct recommend *r, write_fn *write)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	write(r, f);
	return text_end(&t);
}

static void say_by(struct document *d, const struct recommend *r,
		   write_fn *write)
{
	document_own(d, DOCUMENT_SENTENCE, NULL, text_by(r, write));
}

/* Returns the configuration as the reader sees it; the caller frees it. */
static char *configuration(const struct recommend *r, size_t point)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	recommend_point(r, point, f);
	return text_end(&t);
}

/* ---- the question ---- */

static void write_bounds(const struct recommend *r, FILE *f)
{
	const struct bounds *b = &r->sweep.bounds;
	for (size_t i = 0; i < b->n; i++) {
		fputs(i ? " and " : "", f);
		title_bound(f, slo_bound_name(&b->bound[i]), b->bound[i].limit);
	}
}

/* Writes the question that the command answers, and how large the search is. */
static void question(struct document *d, const struct recommend *r)
{
	const struct config *c = &r->sweep.config;
	const char *model = c->model.view.n_groups ? c->model.name : "no model";
	char *bounds = text_by(r, write_bounds);
	struct recommend_counts n = recommend_count(r);
	const char *s = strcmp(r->from->gpus, "1") ? "s" : "";
	if (r->from->rate > 0)
		document_ask(d,
			     "Which configuration of at most %s GPU%s serves "
			     "%g requests/s to %s with %s?",
			     r->from->gpus, s, r->from->rate, model,
			     bounds ? bounds : "");
	else
		document_ask(d,
			     "Which configuration of at most %s GPU%s serves "
			     "most requests to %s with %s?",
			     r->from->gpus, s, model, bounds ? bounds : "");
	d->in = IN_SHORT;
	document_say(d, "%s", d->question ? d->question : "");
	d->in = IN_ALL;
	document_say(d,
		     "%" PRIu64 " configurations; %" PRIu64
		     " simulations to race, %" PRIu64 " to search.",
		     n.points, n.race, n.search);
	free(bounds);
}

/* ---- the answer ---- */

/* The winner's rate if the arm errs by as much as its intervals allow. */
static void write_pessimistic(const struct recommend *r, size_t arm, FILE *f)
{
	double rate = pessimistic_rate(r, arm, 0);
	if (rate > 0)
		fprintf(f, " (pessimistic: %.3g)", rate);
	else
		fputs(" (pessimistic: the bounds hold at no rate)", f);
}

static void answer_arm(struct document *d, const struct recommend *r,
		       size_t arm)
{
	FILE *f = document_write(d);
	if (!f)
		return;
	if (!has_winner(r, arm)) {
		recommend_nearest(r, arm, f);
	} else {
		const struct capacity *c =
		    &recommend_found(r, arm, r->best[arm])->capacity;
		char rate[32], range[80];
		double v[RECOMMEND_FIGURES];
		recommend_figures(r, arm, r->best[arm], v);
		fprintf(f, "%s: ", recommend_arm_name(r, arm));
		recommend_point(r, r->arm[arm].winner, f);
		fprintf(f, " serves %s requests/s", capacity_rate(rate, c));
		if (strcmp(capacity_range(range, c), "-") != 0)
			fprintf(f, " [%s]", range);
		if (isfinite(v[RECOMMEND_USD_PER_MTOK]))
			fprintf(f, " at %.3g USD/Mtok",
				v[RECOMMEND_USD_PER_MTOK]);
		if (pessimistic_is_known(&r->arm[arm]))
			write_pessimistic(r, arm, f);
	}
	fputc('.', f);
	document_answered(d);
}

static void answer(struct document *d, const struct recommend *r)
{
	char *agreement = text_by(r, recommend_agreement), *line = agreement;
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		answer_arm(d, r, i);
	for (char *rest = line; rest && (line = strsep(&rest, "\n")) != NULL;)
		document_answer(d, "%s", line);
	d->failed |= !agreement;
	free(agreement);
}

/* ---- pictures ---- */

/* Adds a figure of the arms' winners, and a picture of the Pareto fronts. */
static void dots(struct document *d, const struct recommend *r)
{
	size_t n = r->sweep.arms.n;
	struct dots_row *row = calloc(n + 1, sizeof *row);
	for (size_t i = 0; row && i < n; i++) {
		const struct capacity *c =
		    has_winner(r, i)
			? &recommend_found(r, i, r->best[i])->capacity
			: NULL;
		int has = c && isfinite(c->high) && c->low < c->high;
		row[i] = (struct dots_row){
		    .name = recommend_arm_name(r, i),
		    .slot = (unsigned)i,
		    .at = c ? c->request_rate : (double)NAN,
		    .low = has ? c->low : (double)NAN,
		    .high = has ? c->high : (double)NAN,
		    .note = c ? NULL : "no configuration meets the bounds"};
	}
	const struct dots is = {"The winner of each arm, requests/s", row, n};
	if (row)
		document_dots(d, &is);
	free(row);
	FILE *f = document_write(d);
	if (f)
		pareto_picture(r, f);
	document_written(d, DOCUMENT_FIGURE);
}

static void write_pareto_legend(const struct recommend *r, FILE *f)
{
	fputs("Dots: runs that met the bounds. Lines: those that no other "
	      "run beats in both, ",
	      f);
	pareto_title(r, f);
	fputc('.', f);
}

/* ---- tables ---- */

enum {
	RATE,
	RANGE,
	PESSIMISTIC,
	PER_GPU,
	PER_USER,
	USD,
	GPUS,
	LIMITED,
	CONFIGURATION,
	N_CELLS
};
static const char *const column[N_CELLS] = {
    "requests/s", "interval", "pessimistic", "tok/s/GPU",    "tok/s/user",
    "USD/Mtok",   "GPUs",     "limited by",  "configuration"};

static void number_cell(struct columns *c, size_t at, double v)
{
	char number[NUMBER_SIZE];
	if (!isfinite(v))
		return;
	columns_cell(c, 0, at, "%s", number_short(number, v));
	columns_value(c, 0, at, v);
}

static void figures_row(struct columns *c, const struct recommend *r,
			size_t point, const double v[RECOMMEND_FIGURES])
{
	char *text = configuration(r, point);
	number_cell(c, RATE, v[RECOMMEND_RATE]);
	number_cell(c, PER_GPU, v[RECOMMEND_TOKENS_PER_GPU]);
	number_cell(c, PER_USER, v[RECOMMEND_TOKENS_PER_USER]);
	number_cell(c, USD, v[RECOMMEND_USD_PER_MTOK]);
	number_cell(c, GPUS, v[RECOMMEND_GPUS]);
	columns_words(c, 0, CONFIGURATION, "%s", text ? text : "");
	free(text);
}

/* The rate that is left at the worse end of the arm's intervals. */
static void pessimistic_cell(struct columns *c, const struct recommend *r,
			     size_t arm, size_t point)
{
	const struct recommend_arm *a = &r->arm[arm];
	for (size_t k = 0; pessimistic_is_known(a) && k < a->n_pessimistic;
	     k++) {
		double rate = pessimistic_rate(r, arm, k);
		if (a->entry[a->pessimistic[k].entry].point != point ||
		    !a->pessimistic[k].is_done)
			continue;
		if (rate > 0)
			number_cell(c, PESSIMISTIC, rate);
		else
			columns_cell(c, 0, PESSIMISTIC, "none");
		return;
	}
}

/* k: of the shortlist. */
static void searched_row(struct columns *c, const struct recommend *r,
			 size_t arm, size_t k)
{
	const struct capacity *found = &recommend_found(r, arm, k)->capacity;
	char text[80];
	double v[RECOMMEND_FIGURES];
	recommend_figures(r, arm, k, v);
	figures_row(c, r, r->shortlist[k], v);
	if (isfinite(v[RECOMMEND_RATE])) {
		columns_cell(c, 0, RATE, "%s", capacity_rate(text, found));
		columns_value(c, 0, RATE, v[RECOMMEND_RATE]);
		if (strcmp(capacity_range(text, found), "-") != 0)
			columns_cell(c, 0, RANGE, "%s", text);
	}
	pessimistic_cell(c, r, arm, r->shortlist[k]);
	columns_words(c, 0, LIMITED, "%s", recommend_limit(r, found));
}

/* Winners first, then the best of another shape. */
static void winners(struct document *d, const struct recommend *r)
{
	struct columns c = columns_begin(column, N_CELLS, "arm");
	for (int second = 0; second < 2; second++)
		for (size_t i = 0; i < r->sweep.arms.n; i++)
			for (size_t k = 0; k < r->n_shortlist; k++) {
				const struct recommend_arm *a = &r->arm[i];
				if (r->shortlist[k] !=
				    (second ? a->runner_up : a->winner))
					continue;
				columns_row(&c, "%s%s",
					    recommend_arm_name(r, i),
					    second ? ", other shape" : "");
				searched_row(&c, r, i, k);
			}
	document_table(d, &c);
}

/* Adds the table of the Pareto fronts of all arms. */
static void front(struct document *d, const struct recommend *r)
{
	struct columns c = columns_begin(column, N_CELLS, "arm, on the front");
	char *title = text_by(r, pareto_title);
	document_heading(d, "Pareto front: %s", title ? title : "");
	free(title);
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		struct pareto_rows rows;
		pareto_rows(&rows, r, i, 0);
		for (size_t k = 0; k < rows.n; k++) {
			columns_row(&c, "%s", recommend_arm_name(r, i));
			figures_row(&c, r, rows.row[k].point, rows.row[k].v);
		}
		free(rows.row);
	}
	document_table(d, &c);
}

/* Adds the table of regrets: what the choice of one arm loses if another arm is
 * right. */
static void regret(struct document *d, const struct recommend *r)
{
	size_t n = r->sweep.arms.n;
	struct columns c = {.n_groups = n, .per_group = 1, .is_plain = 1};
	if (n < 2 || recommend_is_none(r))
		return;
	document_heading(d, "Rate lost if you deploy the row's choice and the "
			    "column's cost model is right");
	columns_row(&c, "choice of");
	for (size_t k = 0; k < n; k++)
		columns_cell(&c, k, 0, "%s", recommend_arm_name(r, k));
	for (size_t i = 0; i < n; i++) {
		columns_row(&c, "%s", recommend_arm_name(r, i));
		for (size_t k = 0; k < n; k++) {
			double lost = 100 * regret_of(&r->regret, i, k);
			if (isfinite(lost))
				columns_number(&c, k, 0, lost, 1, " %");
		}
	}
	document_table(d, &c);
}

static void rests_on(struct document *d, const struct recommend *r)
{
	size_t n = 0;
	struct rests_on *item = calloc(r->sweep.arms.n + 1, sizeof *item);
	d->failed |= !item;
	for (size_t i = 0; item && i < r->sweep.arms.n; i++)
		if (has_winner(r, i))
			item[n++] = (struct rests_on){
			    recommend_arm_name(r, i),
			    &recommend_found(r, i, r->best[i])->trusted};
	rests_on_say(item, n, d);
	free(item);
}

/* ---- what could not be ---- */

/* Names the configurations that were not tried, and the reasons. */
static void untried(struct document *d, const struct recommend *r)
{
	struct recommend_counts c = recommend_count(r);
	if (c.untried)
		document_say(d,
			     "--budget left %" PRIu64
			     " configurations untried (all arms together).",
			     c.untried);
	if (r->prefill_replicas)
		document_say(d,
			     "[engine] prefill_replicas = %" PRId64
			     " is left out: replicas for prefill and decode "
			     "are searched as [engine:prefill] and "
			     "[engine:decode].",
			     r->prefill_replicas);
	if (r->candidates.has_no_roles)
		document_say(d, "Only replicas that do both prefill and decode "
				"were tried: [engine] pools = together.");
}

static void write_reasons(const struct recommend *r, FILE *f)
{
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		if (!r->arm[i].reasons.n)
			continue;
		fprintf(f, "%s: ", recommend_arm_name(r, i));
		recommend_reasons(&r->arm[i], f);
		fputs(".\n", f);
	}
}

/* ---- all of it ---- */

/* Adds the parts that only --all and the page show. */
static void details(struct document *d, const struct recommend *r)
{
	say_by(d, r, recommend_energy);
	say_by(d, r, recommend_pessimistic_ends);
	say_by(d, r, recommend_assumption);
	if (r->max_model_len)
		document_say(d,
			     "max_model_len = %" PRIu64
			     ", the longest request of the workload.",
			     r->max_model_len);
	front(d, r);
	document_heading(d, "Configurations that are not possible");
	say_by(d, r, write_reasons);
	document_heading(d,
			 "Simulated set-up before a configuration is chosen");
	simulated_facts(&r->sweep.config, r->sweep.arms.n, d);
}

void recommend_document(const struct recommend *r, int has_figures,
			struct document *d)
{
	*d = (struct document){.title = "Recommendation", .in = IN_ALL};
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		names_add(&d->arms, recommend_arm_name(r, i));
	question(d, r);
	answer(d, r);
	d->in = IN_PAGE;
	if (has_figures) {
		dots(d, r);
		say_by(d, r, write_pareto_legend);
	}
	d->in = IN_ALL;
	winners(d, r);
	if (!recommend_is_none(r))
		say_by(d, r, recommend_limits);
	regret(d, r);
	rests_on(d, r);
	say_by(d, r, recommend_outside);
	say_by(d, r, recommend_loops);
	say_by(d, r, recommend_short);
	untried(d, r);
	d->in = IN_SHORT;
	if (r->from->lists_front)
		front(d, r);
	document_say(d,
		     "--all has %spessimistic rates, impossible "
		     "configurations%s.",
		     r->from->lists_front ? "" : "the Pareto front, ",
		     r->from->one_draw ? "" : "; --one-draw is faster");
	d->in = IN_DETAILS;
	details(d, r);
}
