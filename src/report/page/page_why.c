/* page_why.c -- Writes why arms differ on a page: sentences, bars, tables. */
#include <config.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "draw/html.h"
#include "draw/svg.h"
#include "report/explain/explain.h"
#include "report/explain/parts.h"
#include "report/explain/routes.h"
#include "report/explain/swap.h"
#include "report/page/page_parts.h"

static const char *const title[ATTRIBUTION_STEPS] = {
    "Mean time to first token", "Mean time per output token",
    "Mean E2E latency"};

static const char *name_of(const struct explain *e, size_t arm)
{
	return e->study->arm[arm].name;
}

/* ---- bars ---- */

enum {
	BARS = CAUSES + 1 > (int)N_LATENCY_PARTS ? CAUSES + 1 : N_LATENCY_PARTS
};

/* A bar does not show less than this share of all bars. */
static const double shown_share = 1e-4;

/* Drops causes that a bar would not show; sets *all to the sum of sizes. */
static size_t seen(const double ns[N_COMPONENTS], struct cause to[CAUSES],
		   double *all)
{
	size_t n = explain_causes(ns, to);
	*all = 0;
	for (size_t i = 0; i < n; i++)
		*all += fabs(to[i].ns);
	while (n && fabs(to[n - 1].ns) < shown_share * *all)
		n--;
	return n;
}

/* The bars of one latency, and the text and numbers that they point to. */
struct bars {
	struct waterfall w;
	struct cause cause[CAUSES];
	const char *label[BARS];
	double change[BARS];
};

static void bars_begin(struct bars *b, int about)
{
	b->w = (struct waterfall){.title = title[about],
				  .unit = "difference, ms",
				  .label = b->label,
				  .change = b->change,
				  .sum_label = "difference"};
}

static void bars_add(struct bars *b, const char *label, double ns)
{
	b->label[b->w.n] = label;
	b->change[b->w.n++] = ns / 1e6;
}

static void bars_of_prices(struct bars *b, const struct explanation *x,
			   int about)
{
	double all, rest_ns = x->shares[about].feedback_ns;
	size_t n = seen(x->shares[about].component_ns, b->cause, &all);
	bars_begin(b, about);
	for (size_t i = 0; i < n; i++)
		bars_add(b, b->cause[i].name, b->cause[i].ns);
	bars_add(b, explain_rest(x),
		 fabs(rest_ns) < shown_share * all ? 0 : rest_ns);
}

/* Drops parts with bars too short to be seen. */
static size_t seen_parts(const struct explanation *x, int about,
			 struct part_change to[N_LATENCY_PARTS])
{
	size_t n = parts_changes(x, about, to);
	while (n > 1 && fabs(to[n - 1].ns) < shown_share * fabs(to[0].ns))
		n--;
	return n;
}

static void bars_of_parts(struct bars *b, const struct explanation *x,
			  int about)
{
	struct part_change part[N_LATENCY_PARTS];
	size_t n = seen_parts(x, about, part);
	bars_begin(b, about);
	for (size_t i = 0; i < n; i++)
		bars_add(b, latency_part_name[part[i].part], part[i].ns);
}

/* ---- tables ---- */

enum row_kind { ROW_OF, ROW_COST_MODEL, ROW_ABOUT, ROW_REST, ROW_BY, N_ROWS };

static double row_ms(const struct explanation *x, enum row_kind kind, int m)
{
	const struct shares *s = &x->shares[m];
	const double ns[N_ROWS] = {x->x->recorded_ns[m], s->cost_model_ns,
				   s->uncertainty_ns, s->feedback_ns,
				   x->x->recorded_ns[m] + s->real_ns};
	return ns[kind] / 1e6;
}

static void table_row(struct columns *c, const struct explanation *x,
		      enum row_kind kind, const char *label)
{
	int is_change = kind == ROW_COST_MODEL || kind == ROW_REST;
	columns_row(c, "%s", label);
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		double ms = row_ms(x, kind, m);
		if (isnan(ms))
			continue;
		columns_cell(c, (size_t)m, 0,
			     is_change           ? "%+.3f"
			     : kind == ROW_ABOUT ? "± %.3f"
						 : "%.3f",
			     ms);
	}
}

static void component_rows(struct columns *c, const struct explanation *x)
{
	for (int k = 0; k < N_COMPONENTS; k++) {
		double most = 0;
		for (int m = 0; m < ATTRIBUTION_STEPS; m++)
			most = fmax(most, fabs(x->shares[m].component_ns[k]));
		if (most < 500) /* ns: rounds to zero */
			continue;
		columns_row(c, "of it %s", component_name[k]);
		for (int m = 0; m < ATTRIBUTION_STEPS; m++)
			columns_cell(c, (size_t)m, 0, "%+.3f",
				     x->shares[m].component_ns[k] / 1e6);
	}
}

static void table(FILE *f, const struct explain *e, const struct explanation *x)
{
	struct columns c = {.n_groups = ATTRIBUTION_STEPS, .per_group = 1};
	columns_row(&c, "ms");
	for (int m = 0; m < ATTRIBUTION_STEPS; m++)
		columns_cell(&c, (size_t)m, 0, "%s", attributed_name[m]);
	table_row(&c, x, ROW_OF, name_of(e, x->of));
	table_row(&c, x, ROW_COST_MODEL, "cost model");
	table_row(&c, x, ROW_ABOUT, "uncertainty ±");
	component_rows(&c, x);
	table_row(&c, x, ROW_REST, explain_rest(x));
	table_row(&c, x, ROW_BY, name_of(e, x->by));
	page_table(f, &c);
	columns_free(&c);
}

static void shapes(FILE *f, const struct explanation *x)
{
	struct columns c = {.n_groups = 4, .per_group = 1};
	columns_row(&c, "shape (numbers up to)");
	columns_cell(&c, 0, 0, "steps");
	columns_cell(&c, 1, 0, "step time, ms");
	columns_cell(&c, 2, 0, "mean E2E, ms");
	columns_cell(&c, 3, 0, "place of an example");
	for (uint32_t i = 0; i < x->x->n_shapes; i++) {
		const struct shape_difference *d = &x->x->shape[i];
		columns_row(&c, "%u decode, %u prefill of %u, KV %u",
			    d->shape.n_decode, d->shape.n_prefill,
			    d->shape.prefill_tokens, d->shape.longest_kv);
		columns_cell(&c, 0, 0, "%" PRIu64, d->steps);
		columns_cell(&c, 1, 0, "%+.3f", d->ns[ATTRIBUTION_STEPS] / 1e6);
		columns_cell(&c, 2, 0, "%+.3f", d->ns[ATTRIBUTION_E2EL] / 1e6);
		columns_cell(&c, 3, 0, "%" PRIu64, d->example);
	}
	html_subheading(f, "Step shapes that differ most");
	page_table(f, &c);
	columns_free(&c);
}

/* ---- a pair of arms ---- */

static void sentences(FILE *f, const struct explain *e,
		      const struct explanation *x)
{
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		char *text = explain_sentence_of(e, x, m);
		if (text)
			html_paragraph(f, text);
		free(text);
	}
}

/* The same steps at the other arm's prices. */
static void prices(FILE *f, const struct explain *e,
		   const struct explanation *x)
{
	struct bars b;
	if (explain_is_split(x))
		html_subheading(f,
				"The prices alone, on a schedule that stays");
	html_row_begin(f);
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		bars_of_prices(&b, x, m);
		svg_waterfall(f, &b.w);
	}
	html_row_end(f);
	table(f, e, x);
	shapes(f, x);
}

/* Where the time of the requests went. */
static void parts(FILE *f, const struct explain *e, const struct explanation *x)
{
	struct columns c;
	struct bars b;
	if (x->routes_differ) {
		html_subheading(f, "Routing");
		routes_table(&c, x);
		page_table(f, &c);
		columns_free(&c);
		html_paragraph(f, routes_legend);
	}
	html_row_begin(f);
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		bars_of_parts(&b, x, m);
		if (b.w.n)
			svg_waterfall(f, &b.w);
	}
	html_row_end(f);
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		html_subheading(f, title[m]);
		parts_table(&c, e, x, m);
		page_table(f, &c);
		columns_free(&c);
	}
	html_paragraph(f, parts_legend);
}

static void pair(FILE *f, const struct explain *e, const struct explanation *x)
{
	int is_split = explain_is_split(x);
	char heading[256];
	snprintf(heading, sizeof heading, "Why %s is not %s", name_of(e, x->by),
		 name_of(e, x->of));
	html_heading(f, heading);
	if (!x->error || is_split)
		sentences(f, e, x);
	if (is_split)
		parts(f, e, x);
	if (x->error)
		html_paragraph(f, x->error);
	else if (!is_split || explain_prices_differ(x))
		prices(f, e, x);
}

int page_why_plot(FILE *f, const struct explain *e, int about)
{
	const struct explanation *x = e->pair;
	struct bars b = {0};
	char heading[256];
	if (e->n && explain_is_split(x))
		bars_of_parts(&b, x, about);
	else if (e->n && !x->error)
		bars_of_prices(&b, x, about);
	if (!b.w.n)
		return -1;
	snprintf(heading, sizeof heading, "%s: %s against %s", title[about],
		 name_of(e, x->by), name_of(e, x->of));
	b.w.title = heading;
	svg_waterfall_alone(f, &b.w);
	return 0;
}

void page_why(FILE *f, const struct explain *e)
{
	for (size_t i = 0; i < e->n; i += 2)
		pair(f, e, &e->pair[i]);
	if (e->n)
		html_paragraph(
		    f, "Cost model: the same steps with the same requests at "
		       "the other arm's step times; each request arrives at "
		       "the same point of the same step. Each figure is the "
		       "mean over both arms' steps, ± half of the difference "
		       "between them. Feedback: the faster or slower clock "
		       "then changes batches, queues and the cache.");
}

/* ---- swaps of one part ---- */

void page_swap(FILE *f, const struct swap *s, const struct explain *e)
{
	struct columns c;
	char *text = NULL;
	size_t size;
	FILE *m = open_memstream(&text, &size);
	if (m) {
		swap_legend(s, m);
		fclose(m);
	}
	char heading[256];
	snprintf(heading, sizeof heading,
		 "One part at a time: %s with that part of %s",
		 name_of(e, s->of), name_of(e, s->by));
	html_heading(f, heading);
	swap_effects(&c, s, e);
	page_table(f, &c);
	columns_free(&c);
	swap_tails(&c, s, e);
	page_table(f, &c);
	columns_free(&c);
	html_paragraph(f, text ? text : "");
	free(text);
}
