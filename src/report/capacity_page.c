/* capacity_page.c -- Writes a capacity as a page. */
#include <config.h>
#include "report/capacity_page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "draw/dots.h"
#include "draw/html.h"
#include "report/capacity_curve.h"
#include "report/capacity_parts.h"
#include "report/document.h"
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

/* ---- the headline ---- */

enum { FEW = 3 };

static void say_search(FILE *f, const struct deployments *d, size_t i)
{
	const struct capacity_answer *x = search_at(d, i);
	char rate[32], range[80], title[TITLE_SIZE],
	    *name = capacity_search_name(d, i);
	fputs(name ? name : "", f);
	free(name);
	if (!x) {
		fputs(" failed", f);
		return;
	}
	const struct capacity *c = &x->capacity;
	if (!is_found(x)) {
		fputs(":", f);
		capacity_none(f, d, c);
		return;
	}
	fprintf(f, " serves %s requests/s", capacity_rate(rate, c));
	int is_trace = c->basis == BASIS_STRETCHES;
	if (is_trace)
		fputs(" for this trace", f);
	if (strcmp(capacity_range(range, c), "-") != 0)
		fprintf(f, " (%s%s)", range,
			is_trace ? " if another like it came" : "");
	title_of(title, capacity_limited_by(c, &d->bounds));
	double gpus = answer_gpus(x, answer_units(x).high);
	fprintf(f, " on %.0f GPU%s, limited by %.*s", gpus,
		gpus == 1 ? "" : "s", (int)strcspn(title, ","), title);
}

/* The rates of a few arms; with several ways, or a rate to serve, the decision.
 * The caller frees it. */
static char *headline(const struct deployments *d)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	size_t n = deployments_n(d);
	int says_rates = n == 1 || (d->n_ways == 1 && n <= FEW && d->rate <= 0);
	for (size_t i = 0; says_rates && i < n; i++) {
		say_search(f, d, i);
		fputs(i + 1 < n ? "; " : ".", f);
	}
	if (!says_rates && d->decision.sentences.n)
		fputs(d->decision.sentences.item[0], f);
	fclose(f);
	return text;
}

/* ---- a dot for each search ---- */

static void rates(FILE *f, const struct deployments *d)
{
	size_t n = deployments_n(d);
	struct dots_row *row = calloc(n + 1, sizeof *row);
	char **name = calloc(n + 1, sizeof *name);
	for (size_t i = 0; row && name && i < n; i++) {
		const struct capacity_answer *x = search_at(d, i);
		const struct capacity *c = x ? &x->capacity : NULL;
		int has = is_found(x) && isfinite(c->high) && c->low < c->high;
		name[i] = capacity_search_name(d, i);
		row[i] = (struct dots_row){
		    .name = name[i] ? name[i] : "",
		    .slot = (unsigned)(i % d->n_arms),
		    .at = is_found(x) ? c->request_rate : (double)NAN,
		    .low = has ? c->low : (double)NAN,
		    .high = has ? c->high : (double)NAN,
		    .note = !x            ? "failed"
			    : is_found(x) ? NULL
					  : "no rate meets the bounds"};
	}
	const struct dots dots = {"Capacity of the fleet, requests/s", row, n};
	if (row && name)
		dots_html(f, &dots);
	for (size_t i = 0; name && i < n; i++)
		free(name[i]);
	free(name);
	free(row);
}

/* ---- tables ---- */

static void price_cell(struct columns *c, size_t at, double usd)
{
	if (isfinite(usd))
		columns_cell(c, 0, at, "%.4g", usd);
}

enum { RATE, RANGE, CLIENTS, TOKENS, GPUS, USD, USD_MTOK, LIMITED, N_CELLS };
static const char *const column[N_CELLS] = {"requests/s",
					    "interval",
					    "clients",
					    "tokens/s",
					    "GPUs",
					    "USD per hour",
					    "USD per million output tokens",
					    "limited by"};

static void found_row(struct columns *c, const struct deployments *d,
		      const struct capacity_answer *x)
{
	const struct capacity *k = &x->capacity;
	char text[80], title[TITLE_SIZE];
	double v[N_CAPACITY_FIGURES];
	answer_figures(x, v);
	columns_cell(c, 0, RATE, "%s", capacity_rate(text, k));
	columns_cell(c, 0, RANGE, "%s", capacity_range(text, k));
	if (k->clients)
		columns_cell(c, 0, CLIENTS, "%s",
			     capacity_whole(text, (double)k->clients_low,
					    (double)k->clients_high));
	if (isfinite(k->output_throughput))
		columns_cell(c, 0, TOKENS, "%.0f", k->output_throughput);
	columns_cell(c, 0, GPUS, "%s", capacity_gpus(text, v));
	price_cell(c, USD, v[FIGURE_USD_PER_HOUR_HIGH]);
	price_cell(c, USD_MTOK, v[FIGURE_USD_PER_MTOK]);
	columns_cell(c, 0, LIMITED, "%s",
		     title_of(title, capacity_limited_by(k, &d->bounds)));
}

static void none_row(struct columns *c, const struct deployments *d,
		     const struct capacity_answer *x)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		return;
	capacity_none(f, d, &x->capacity);
	fclose(f);
	columns_cell(c, 0, LIMITED, "%s", text);
	free(text);
}

static void table(FILE *f, const struct deployments *d)
{
	struct columns c = {.n_groups = 1, .per_group = N_CELLS};
	columns_row(&c, "serving");
	for (size_t k = 0; k < N_CELLS; k++)
		columns_cell(&c, 0, k, "%s", column[k]);
	for (size_t i = 0; i < deployments_n(d); i++) {
		const struct capacity_answer *x = search_at(d, i);
		char *name = capacity_search_name(d, i);
		columns_row(&c, "%s", name ? name : "");
		free(name);
		if (!x)
			columns_cell(&c, 0, LIMITED, "failed");
		else if (is_found(x))
			found_row(&c, d, x);
		else
			none_row(&c, d, x);
	}
	const char **arm = calloc(d->n_arms, sizeof *arm);
	const struct html_arms arms = {arm, arm ? d->n_arms : 0};
	for (size_t i = 0; i < arms.n; i++)
		arm[i] = capacity_arm(d, 0, i);
	columns_html(&c, &arms, f);
	free(arm);
	columns_free(&c);
}

/* ---- sentences ---- */

/* Writes a text of several lines as a paragraph. */
static void paragraph(FILE *f, const struct deployments *d,
		      void (*write)(FILE *f, const struct deployments *d))
{
	char *text = NULL;
	size_t size;
	FILE *m = open_memstream(&text, &size);
	if (!m)
		return;
	write(m, d);
	fclose(m);
	if (*text)
		html_paragraph(f, text);
	free(text);
}

static void findings(FILE *f, const struct deployments *d)
{
	html_verdicts_begin(f);
	for (size_t i = 0; i < d->decision.sentences.n; i++)
		html_verdict(f, d->decision.sentences.item[i]);
	for (size_t i = 0; i < deployments_n(d); i++) {
		const struct names *said =
		    deployments_said(d, i / d->n_arms, i % d->n_arms);
		for (size_t k = 0; k < said->n; k++)
			html_verdict(f, said->item[k]);
	}
	html_verdicts_end(f);
}

/* Returns the sentence, "" if there is none; the caller frees it.  NULL: memory
 * is out. */
static char *far_end(const struct deployments *d,
		     const struct capacity_answer *x)
{
	char *text = NULL;
	size_t size;
	FILE *m = open_memstream(&text, &size);
	if (!m)
		return NULL;
	capacity_far_end(m, d, x);
	fclose(m);
	if (*text) {
		*text = 'A';
		text[strcspn(text, "\n")] = '.';
	}
	return text;
}

static void fleets(FILE *f, const struct deployments *d)
{
	for (size_t i = 0; i < deployments_n(d); i++) {
		const struct capacity_answer *x = search_at(d, i);
		char *name = capacity_search_name(d, i), *line = NULL;
		char *text = x ? capacity_fleet(x) : NULL;
		if (name && text && *text &&
		    asprintf(&line, "%s: %s", name, text) >= 0)
			html_paragraph(f, line);
		free(line);
		free(text);
		free(name);
	}
}

static void support(FILE *f, const struct deployments *d)
{
	for (size_t i = 0; i < deployments_n(d); i++) {
		const struct capacity_answer *x = search_at(d, i);
		char *name = capacity_search_name(d, i), *line = NULL;
		char *text = x ? support_text(&x->trusted.support) : NULL;
		char *far = x ? far_end(d, x) : NULL;
		char *energy = x ? capacity_energy(x) : NULL;
		if (name && text && far &&
		    asprintf(&line, "%s: %s. %s%s%s%s", name, text, far,
			     energy && *energy ? " Its " : "",
			     energy ? energy : "",
			     energy && *energy ? "." : "") >= 0)
			html_paragraph(f, line);
		free(line);
		free(energy);
		free(text);
		free(far);
		free(name);
	}
}

/* With several ways: the set-up of the first; the table names the ways. */
static void facts(FILE *f, const struct deployments *d)
{
	char *text[N_SIMULATED];
	for (int i = 0; i < N_SIMULATED; i++)
		text[i] = simulated_part(&d->way[0].config, d->n_arms,
					 (enum simulated_part)i);
	html_facts_begin(f);
	for (int i = 0; i < N_SIMULATED; i++)
		html_fact(f, simulated_label[i], text[i]);
	html_facts_end(f);
	for (int i = 0; i < N_SIMULATED; i++)
		free(text[i]);
}

/* ---- the page ---- */

static int body(const struct deployments *d, FILE *f, struct problem *p)
{
	rates(f, d);
	html_heading(f, "Latency against load");
	html_paragraph(f,
		       "Dashed: the bound. Large dots: the highest load that "
		       "meets the bounds, with its interval. Lines: means of "
		       "the simulated runs at each load.");
	if (capacity_curves(d, f, p) < 0)
		return -1;
	html_heading(f, "Rates, GPUs and prices");
	table(f, d);
	fleets(f, d);
	paragraph(f, d, capacity_prices);
	html_heading(f, "Findings");
	findings(f, d);
	paragraph(f, d, capacity_rests_on);
	html_heading(f, "Support");
	support(f, d);
	paragraph(f, d, capacity_far_choices);
	html_heading(f, "Simulated set-up");
	facts(f, d);
	return 0;
}

int capacity_page(const struct deployments *d, FILE *f, struct problem *p)
{
	struct html_page page = {0};
	char *text = headline(d);
	int rc = text && html_page_begin(&page) == 0 ? body(d, page.f, p)
						     : problem_no_memory(p);
	const char *const answer = text ? text : "";
	const struct html_head head = {"Capacity", NULL, NULL, &answer, 1};
	int ended = html_page_end(&page, f, &head);
	if (rc == 0 && ended < 0)
		rc = problem_no_memory(p);
	free(text);
	return rc;
}
