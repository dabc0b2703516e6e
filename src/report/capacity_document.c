/* capacity_document.c -- A capacity as a document: the decision, one row for
 * each candidate and arm, then what the rows rest on. */
#include "report/capacity_document.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "base/text.h"
#include "draw/dots.h"
#include "report/capacity_curve.h"
#include "report/capacity_parts.h"
#include "report/results/rests_on.h"
#include "report/results/simulated.h"
#include "report/results/support.h"
#include "report/titles.h"

static const struct capacity_answer *search_at(const struct deployments *d,
					       size_t i)
{
	return deployments_at(d, i / d->n_arms, i % d->n_arms);
}

static int is_found(const struct capacity_answer *x)
{
	return x && x->capacity.verdict == CAPACITY_FOUND;
}

static const char *why_failed(const struct deployments *d, size_t i)
{
	const struct job *j = deployments_job(d, i / d->n_arms, i % d->n_arms);
	return search_at(d, i) ? NULL : j->problem ? j->problem->text : "";
}

/* Writes the text of one more part. */
typedef void write_fn(FILE *f, const struct deployments *d);

static void say_by(struct document *d, const struct deployments *of,
		   write_fn *write)
{
	FILE *f = document_write(d);
	if (f)
		write(f, of);
	document_written(d, DOCUMENT_SENTENCE);
}

/* ---- the question ---- */

static void write_bounds(FILE *f, const struct deployments *of)
{
	for (size_t i = 0; i < of->bounds.n; i++) {
		fputs(i ? " and " : "", f);
		title_bound(f, slo_bound_name(&of->bounds.bound[i]),
			    of->bounds.bound[i].limit);
	}
}

/* Writes the question that the command answers. */
static void question(struct document *d, const struct deployments *of)
{
	const struct config *c = &of->candidate[0].config;
	const char *model = c->model.view.n_groups ? c->model.name : "no model";
	struct text t;
	FILE *f = text_begin(&t);
	if (!f) {
		d->failed = 1;
		return;
	}
	write_bounds(f, of);
	fclose(f);
	if (of->rate > 0)
		document_ask(d,
			     "How many GPUs carry %g requests/s to %s with %s?",
			     of->rate, model, t.s);
	else
		document_ask(d,
			     "How many requests/s to %s are carried with %s?",
			     model, t.s);
	free(t.s);
	d->in = IN_SHORT;
	document_say(d, "%s", d->question ? d->question : "");
	d->in = IN_ALL;
}

/* ---- the answer ---- */

enum { FEW = 3 };

static void answer_search(struct document *d, const struct deployments *of,
			  size_t i)
{
	const struct capacity_answer *x = search_at(of, i);
	const struct capacity *c = x ? &x->capacity : NULL;
	char rate[32], range[80], title[TITLE_SIZE],
	    *name = capacity_search_name(of, i);
	FILE *f = x ? document_write(d) : NULL;
	if (!f) {
		free(name);
		return;
	}
	fputs(name ? name : "", f);
	free(name);
	if (is_found(x)) {
		double gpus = answer_gpus(x, answer_units(x).high);
		int has_range = strcmp(capacity_range(range, c), "-") != 0;
		title_of(title, capacity_limited_by(c, &of->bounds));
		fprintf(f, " carries %s requests/s", capacity_rate(rate, c));
		fprintf(f, "%s%s%s%s on %.0f GPU%s, limited by %.*s",
			c->basis == BASIS_STRETCHES ? " of this trace" : "",
			has_range ? " [" : "", has_range ? range : "",
			has_range ? "]" : "", gpus, gpus == 1 ? "" : "s",
			(int)strcspn(title, ","), title);
	} else {
		fputc(':', f);
		capacity_none(f, of, c);
	}
	fputc('.', f);
	document_answered(d);
}

enum { PESSIMISTIC_TEXT = 40 };
/* Writes the answer if the arm errs here by as much as its intervals allow: a
 * rate; of a fleet its GPUs.  Returns buf. */
static const char *pessimistic_text(char buf[PESSIMISTIC_TEXT],
				    const struct capacity_answer *x)
{
	const struct capacity *far = &x->pessimistic;
	if (far->verdict == CAPACITY_NONE)
		return strcpy(buf, "none");
	if (!answer_pessimistic_is_known(x))
		return strcpy(buf, "not known");
	if (far->question != QUESTION_FLEET)
		return verdict_number(buf, far->request_rate,
				      far->request_rate / 50);
	double gpus = answer_gpus(x, far->units_high);
	snprintf(buf, PESSIMISTIC_TEXT, "%.0f GPU%s", gpus,
		 gpus > 1 ? "s" : "");
	return buf;
}

/* Returns the answer for the candidate that an arm chooses; NULL: there is
 * none. */
static const struct capacity_answer *of_choice(const struct deployments *of,
					       size_t arm)
{
	size_t k =
	    of->n_candidates == 1 ? 0 : of->decision.choice[arm].candidate;
	return k < of->n_candidates ? deployments_at(of, k, arm) : NULL;
}

static void write_pessimistic(FILE *f, const struct deployments *of)
{
	const char *between = "";
	for (size_t arm = 0; arm < of->n_arms; arm++) {
		char text[PESSIMISTIC_TEXT];
		const struct capacity_answer *x = of_choice(of, arm);
		if (!x || !x->has_pessimistic)
			continue;
		fprintf(f, "%s%s", between, pessimistic_text(text, x));
		if (x->pessimistic.question != QUESTION_FLEET &&
		    strpbrk(text, "0123456789"))
			fputs(" requests/s", f);
		if (of->n_arms > 1)
			fprintf(f, " (%s)", capacity_arm(of, 0, arm));
		between = ", ";
	}
	fputs(".", f);
}

/* The answer for each arm's choice if the arm errs by as much as its intervals
 * allow. */
static void answer_pessimistic(struct document *d, const struct deployments *of)
{
	int by_runs = 0, by_model = 0;
	for (size_t arm = 0; arm < of->n_arms; arm++) {
		const struct capacity_answer *x = of_choice(of, arm);
		by_model |= x && x->is_own;
		by_runs |= x && x->has_pessimistic && !x->is_own;
	}
	FILE *f = by_runs || by_model ? document_write(d) : NULL;
	if (!f)
		return;
	fprintf(f,
		"Pessimistic, with every %s at the worse end of %s interval: ",
		!by_runs   ? "step"
		: by_model ? "bounded figure or step"
			   : "bounded figure",
		by_runs ? "its 90 %" : "the model's own 90 %");
	write_pessimistic(f, of);
	document_answered(d);
}

/* Returns 1 if the sentence tells why a search failed. */
static int is_failure(const struct deployments *of, const char *sentence)
{
	for (size_t i = 0; i < deployments_n(of); i++) {
		const char *why = why_failed(of, i);
		if (why && *why && strstr(sentence, why))
			return 1;
	}
	return 0;
}

/* The rates of a few arms; with several candidates, or a rate to carry, the
 * decision.  Failures come last: they are no answer. */
static void answer(struct document *d, const struct deployments *of)
{
	size_t n = deployments_n(of);
	const struct names *s = &of->decision.sentences;
	if (n == 1 || (of->n_candidates == 1 && n <= FEW && of->rate <= 0)) {
		for (size_t i = 0; i < n; i++)
			answer_search(d, of, i);
		if (n == 1) {
			answer_pessimistic(d, of);
			return;
		}
	}
	for (size_t i = 0; i < s->n; i++)
		if (!is_failure(of, s->item[i]))
			document_answer(d, "%s", s->item[i]);
	answer_pessimistic(d, of);
	if (!d->answer.n)
		document_answer(d, "No candidate gave an answer.");
}

static void failures(struct document *d, const struct deployments *of)
{
	for (size_t i = 0; i < deployments_n(of); i++) {
		const char *why = why_failed(of, i);
		char *name = capacity_search_name(of, i);
		if (why)
			document_say(d, "%s failed: %s", name ? name : "", why);
		free(name);
	}
}

/* ---- a picture ---- */

/* The figure that candidates are compared by: what they cost for a rate, or
 * what a GPU carries. */
static double per_gpu(const struct deployments *of,
		      const struct capacity_answer *x, double rate)
{
	double v[N_CAPACITY_FIGURES];
	answer_figures(x, v);
	if (of->rate > 0)
		return of->decision.is_priced ? v[FIGURE_USD_PER_HOUR_HIGH]
					      : v[FIGURE_GPUS_HIGH];
	double gpus = answer_gpus(x, answer_units(x).high);
	return gpus > 0 ? rate / gpus : (double)NAN;
}

static struct dots_row dot_of(const struct deployments *of, size_t i,
			      const char *name)
{
	const struct capacity_answer *x = search_at(of, i);
	struct dots_row row = {
	    .name = name,
	    .slot = (unsigned)(of->n_arms > 1 ? i % of->n_arms : i),
	    .at = NAN,
	    .low = NAN,
	    .high = NAN};
	if (!is_found(x)) {
		row.note = x ? "no rate meets the bounds" : "failed";
		return row;
	}
	const struct capacity *c = &x->capacity;
	row.at = per_gpu(of, x, c->request_rate);
	if (of->rate <= 0 && isfinite(c->high) && c->low < c->high) {
		row.low = per_gpu(of, x, c->low);
		row.high = per_gpu(of, x, c->high);
	}
	return row;
}

/* Adds a figure with what each candidate carries, or costs. */
static void dots(struct document *d, const struct deployments *of)
{
	size_t n = deployments_n(of);
	struct dots_row *row = calloc(n + 1, sizeof *row);
	char **name = calloc(n + 1, sizeof *name);
	char title[80] = "requests/s carried by a GPU";
	for (size_t i = 0; row && name && i < n; i++) {
		name[i] = capacity_search_name(of, i);
		row[i] = dot_of(of, i, name[i] ? name[i] : "");
	}
	if (of->rate > 0)
		snprintf(title, sizeof title, "%s for %g requests/s",
			 of->decision.is_priced ? "USD per hour" : "GPUs",
			 of->rate);
	const struct dots is = {title, row, n};
	if (row && name)
		document_dots(d, &is);
	for (size_t i = 0; name && i < n; i++)
		free(name[i]);
	free(name);
	free(row);
}

static int curves(struct document *d, const struct deployments *of,
		  struct problem *p)
{
	document_heading(d, "Latency against load");
	document_say(d, "Dashed: the bound. Large dots: the highest load that "
			"meets the bounds, with its interval. Small dots: "
			"means of the simulated runs at each load.");
	FILE *f = document_write(d);
	int rc = f ? capacity_curves(of, f, p) : problem_no_memory(p);
	document_written(d, DOCUMENT_FIGURE);
	return rc;
}

/* ---- one table ---- */

enum { ARM, RATE, RANGE, PESSIMISTIC, GPUS, USD, USD_MTOK, LIMITED, N_CELLS };
static const char *const column[N_CELLS] = {
    "arm",  "requests/s", "interval", "pessimistic",
    "GPUs", "USD/h",      "USD/Mtok", "limited by"};

static void price_cell(struct columns *c, size_t at, double usd)
{
	char number[NUMBER_SIZE];
	if (!isfinite(usd))
		return;
	columns_cell(c, 0, at, "%s", number_short(number, usd));
	columns_value(c, 0, at, usd);
}

static void pessimistic_cell(struct columns *c, const struct capacity_answer *x)
{
	char text[PESSIMISTIC_TEXT];
	if (x->has_pessimistic)
		columns_cell(c, 0, PESSIMISTIC, "%s",
			     pessimistic_text(text, x));
}

static void limit_cell(struct columns *c, const struct deployments *of,
		       const struct capacity_answer *x)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return;
	if (is_found(x))
		capacity_limit(f, of, x);
	else
		capacity_none(f, of, &x->capacity);
	if (x->capacity.clients)
		fprintf(f, ", %u clients", (unsigned)x->capacity.clients);
	if (x->capacity.rejected_share > 0)
		fprintf(f, ", %.2g %% rejected",
			100 * x->capacity.rejected_share);
	if (x->capacity.stopped_by == STOP_LIMIT)
		fputs(", stopped by --request-limit", f);
	if (x->capacity.stopped_by == STOP_RUNS)
		fprintf(f, ", stopped after %u replications",
			x->capacity.replications);
	if (x->capacity.stopped_by == STOP_INTERRUPTED)
		fputs(", interrupted", f);
	fclose(f);
	columns_words(c, 0, LIMITED, "%s", t.s + strspn(t.s, " "));
	free(t.s);
}

static void found_row(struct columns *c, const struct capacity_answer *x)
{
	char text[80];
	double v[N_CAPACITY_FIGURES];
	answer_figures(x, v);
	columns_cell(c, 0, RATE, "%s%s", isinf(x->capacity.high) ? ">=" : "",
		     capacity_rate(text, &x->capacity));
	columns_value(c, 0, RATE, x->capacity.request_rate);
	if (strcmp(capacity_range(text, &x->capacity), "-") != 0)
		columns_cell(c, 0, RANGE, "%s", text);
	pessimistic_cell(c, x);
	columns_cell(c, 0, GPUS, "%s", capacity_gpus(text, v));
	columns_value(c, 0, GPUS, v[FIGURE_GPUS_HIGH]);
	price_cell(c, USD, v[FIGURE_USD_PER_HOUR_HIGH]);
	price_cell(c, USD_MTOK, v[FIGURE_USD_PER_MTOK]);
}

/* Adds the table of all searches. */
static void table(struct document *d, const struct deployments *of)
{
	struct columns c = columns_begin(column, N_CELLS, "candidate");
	for (size_t i = 0; i < deployments_n(of); i++) {
		const struct capacity_answer *x = search_at(of, i);
		columns_row(&c, "%s", of->candidate[i / of->n_arms].name);
		columns_words(&c, 0, ARM, "%s",
			      capacity_arm(of, i / of->n_arms, i % of->n_arms));
		if (is_found(x))
			found_row(&c, x);
		if (x)
			limit_cell(&c, of, x);
		else
			columns_words(&c, 0, LIMITED, "failed");
	}
	document_table(d, &c);
}

/* ---- sentences ---- */

/* Says a text about each search, if there is one; once if it is the same for
 * all. */
static void each(struct document *d, const struct deployments *of,
		 char *(*text_of)(const struct deployments *of,
				  const struct capacity_answer *x))
{
	size_t n = deployments_n(of), same = 0;
	char **text = calloc(n + 1, sizeof *text);
	d->failed |= !text;
	for (size_t i = 0; text && i < n; i++) {
		const struct capacity_answer *x = search_at(of, i);
		text[i] = x ? text_of(of, x) : NULL;
		d->failed |= x && !text[i];
		same += text[0] && text[i] && !strcmp(text[0], text[i]);
	}
	int is_one = same == n;
	for (size_t i = 0; text && i < n; i++) {
		const char *said = text[i] && (!is_one || !i) ? text[i] : "";
		int is_named = *said && !is_one;
		char *name = is_named ? capacity_search_name(of, i) : NULL;
		d->failed |= is_named && !name;
		if (*said)
			document_say(d, "%s%s%s", name ? name : "",
				     is_named ? ": " : "", said);
		free(name);
		free(text[i]);
	}
	free(text);
}

static char *fleet(const struct deployments *of,
		   const struct capacity_answer *x)
{
	(void)of;
	return capacity_fleet(x);
}

static char *energy(const struct deployments *of,
		    const struct capacity_answer *x)
{
	(void)of;
	return capacity_energy(x);
}

static char *tokens(const struct deployments *of,
		    const struct capacity_answer *x)
{
	char *text;
	(void)of;
	if (!is_found(x) || !isfinite(x->capacity.output_throughput))
		return strdup("");
	return asprintf(&text, "%.0f output tokens/s",
			x->capacity.output_throughput) < 0
		   ? NULL
		   : text;
}

/* How near scored runs are, and the answer at the worse end of intervals. */
static char *support(const struct deployments *of,
		     const struct capacity_answer *x)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	support_write(&x->trusted.support, f);
	if (x->has_pessimistic)
		fputs("; ", f);
	capacity_pessimistic_end(f, of, x);
	fclose(f);
	t.s[strcspn(t.s, "\n")] = '\0';
	return t.s;
}

/* What the chosen candidate of each arm rests on; of one that chooses none, its
 * first. */
static void rests_on(struct document *d, const struct deployments *of)
{
	size_t n = 0;
	struct rests_on *item = calloc(of->n_arms + 1, sizeof *item);
	d->failed |= !item;
	for (size_t arm = 0; item && arm < of->n_arms; arm++) {
		const struct capacity_answer *x = of_choice(of, arm);
		if (!x)
			x = deployments_at(of, 0, arm);
		if (x)
			item[n++] = (struct rests_on){capacity_arm(of, 0, arm),
						      &x->trusted};
	}
	rests_on_say(item, n, d);
	free(item);
}

/* Each warning once, whichever search it is of. */
static void warnings(struct document *d, const struct deployments *of)
{
	struct names once = {0};
	for (size_t i = 0; i < deployments_n(of); i++) {
		const struct names *said =
		    deployments_said(of, i / of->n_arms, i % of->n_arms);
		for (size_t k = 0; k < said->n; k++)
			names_add_new(&once, said->item[k]);
	}
	for (size_t i = 0; i < once.n; i++)
		document_say(d, "%s", once.item[i]);
	names_free(&once);
}

static void setups(struct document *d, const struct deployments *of)
{
	const char **name = calloc(of->n_candidates, sizeof *name);
	const struct config **config = calloc(of->n_candidates, sizeof *config);
	document_heading(d, "Simulated set-up");
	for (size_t i = 0; name && config && i < of->n_candidates; i++) {
		name[i] = of->candidate[i].name;
		config[i] = &of->candidate[i].config;
	}
	if (name && config)
		simulated_facts_of(config, name, of->n_candidates, d);
	free(name);
	free(config);
}

/* ---- all of it ---- */

/* Adds the parts that only --all and the page show. */
static void details(struct document *d, const struct deployments *of)
{
	document_heading(d, "Simulations, support and choices");
	say_by(d, of, capacity_rests_on);
	if (of->n_candidates > 1)
		document_say(d,
			     "Each arm chooses the candidate with the least "
			     "%s%s, at the lower end of its interval.",
			     of->decision.is_priced ? "USD" : "GPUs",
			     of->rate > 0             ? " for the required rate"
			     : of->decision.is_priced ? " per output token"
						      : " per request/s");
	each(d, of, tokens);
	each(d, of, support);
	say_by(d, of, capacity_pessimistic_choices);
	each(d, of, energy);
	document_heading(d, "Notes and warnings");
	warnings(d, of);
	setups(d, of);
}

int capacity_document(const struct deployments *of, int has_figures,
		      struct document *d, struct problem *p)
{
	int rc = 0;
	*d = (struct document){.title = "Capacity", .in = IN_ALL};
	for (size_t i = 0; i < of->n_arms; i++)
		names_add(&d->arms, capacity_arm(of, 0, i));
	question(d, of);
	answer(d, of);
	d->in = IN_PAGE;
	if (has_figures)
		dots(d, of);
	d->in = IN_ALL;
	table(d, of);
	rests_on(d, of);
	each(d, of, fleet);
	say_by(d, of, capacity_prices);
	failures(d, of);
	d->in = IN_SHORT;
	document_say(d, "--all has support, simulations, warnings%s.",
		     of->how.one_draw
			 ? ""
			 : "; --one-draw is faster, without intervals");
	d->in = IN_PAGE;
	if (has_figures)
		rc = curves(d, of, p);
	d->in = IN_DETAILS;
	details(d, of);
	return rc;
}
