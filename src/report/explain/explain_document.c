/* explain_document.c -- Why arms differ: sentences, bars, tables. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include "draw/html.h"
#include "draw/svg.h"
#include "report/explain/explain.h"
#include "report/explain/parts.h"
#include "report/explain/routes.h"

static const char *const title[ATTRIBUTION_STEPS] = {
    "Mean time to first token", "Mean time per output token",
    "Mean E2E latency"};

/* A pair of arms. */
struct pair {
	const struct explain *e;
	const struct explanation *x;
	struct document *d;
};

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

/* Leaves out causes that a bar would not show. */
static void bars_of_prices(struct bars *b, const struct explanation *x,
			   int about)
{
	double all = 0, rest_ns = x->shares[about].feedback_ns;
	size_t n = explain_causes(x->shares[about].component_ns, b->cause);
	for (size_t i = 0; i < n; i++)
		all += fabs(b->cause[i].ns);
	bars_begin(b, about);
	for (size_t i = 0; i < n; i++)
		if (fabs(b->cause[i].ns) >= shown_share * all)
			bars_add(b, b->cause[i].name, b->cause[i].ns);
	bars_add(b, explain_rest(x),
		 fabs(rest_ns) < shown_share * all ? 0 : rest_ns);
}

static void bars_of_parts(struct bars *b, const struct explanation *x,
			  int about)
{
	struct part_change part[N_LATENCY_PARTS];
	size_t n = parts_changes(x, about, part);
	bars_begin(b, about);
	for (size_t i = 0; i < n; i++)
		if (i == 0 ||
		    fabs(part[i].ns) >= shown_share * fabs(part[0].ns))
			bars_add(b, latency_part_name[part[i].part],
				 part[i].ns);
}

typedef void bars_fn(struct bars *b, const struct explanation *x, int about);

static void draw(const struct pair *g, bars_fn *fill)
{
	struct bars b;
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		FILE *f = document_write(g->d);
		fill(&b, g->x, m);
		if (f && b.w.n)
			svg_waterfall(f, &b.w);
		document_written(g->d, DOCUMENT_TILE);
	}
}

int explain_plot(FILE *f, const struct explain *e, int about)
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

/* ---- the table of prices ---- */

/* Adds a row of times.  is_signed: the cells are differences and get a sign.
 * A row that would show only zeros is left out if is_optional. */
static void row(struct columns *c, const char *label, const double *ns,
		int is_signed, int is_optional)
{
	enum { ROUNDS_TO_ZERO = 500 };
	int any = !is_optional;
	for (size_t m = 0; m < ATTRIBUTION_STEPS; m++)
		any |= fabs(ns[m]) >= ROUNDS_TO_ZERO;
	if (!any)
		return;
	columns_row(c, "%s", label);
	for (size_t m = 0; m < ATTRIBUTION_STEPS; m++)
		if (!isnan(ns[m])) {
			columns_cell(c, m, 0, is_signed ? "%+.3f" : "%.3f",
				     ns[m] / 1e6);
			columns_value(c, m, 0, ns[m] / 1e6);
		}
}

/* Adds the parts that both models name, in the steps of one direction. */
static void named(const struct pair *g, struct columns *c, int component)
{
	const struct attribution *a = g->x->x;
	for (uint32_t i = 0; i < a->n_named; i++) {
		const struct named_difference *d = &a->named[i];
		char label[NAMED_SIZE + 16];
		snprintf(label, sizeof label, "      %s", d->name);
		if ((int)d->component == component)
			row(c, label, d->ns, 1, 1);
	}
}

static void component(const struct pair *g, struct columns *c, int k,
		      const char *indent)
{
	double part[ATTRIBUTION_STEPS];
	char label[64];
	for (int m = 0; m < ATTRIBUTION_STEPS; m++)
		part[m] = g->x->shares[m].component_ns[k];
	snprintf(label, sizeof label, "%s%s", indent, component_name[k]);
	row(c, label, part, 1, 1);
	named(g, c, k);
}

/* Adds all components.  Where the components of a phase have opposite signs,
 * their sum comes first. */
static void components(const struct pair *g, struct columns *c)
{
	for (size_t i = 0; i < PHASES; i++) {
		const struct cause *phase = &explain_phase[i];
		double sum[ATTRIBUTION_STEPS];
		int is_opposed = 0;
		char label[64];
		for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
			const double *ns = g->x->shares[m].component_ns;
			sum[m] = explain_sum(phase, ns);
			is_opposed |= explain_is_opposed(phase, ns);
		}
		snprintf(label, sizeof label, "  %s", phase->name);
		if (is_opposed)
			row(c, label, sum, 1, 0);
		for (int k = (int)phase->first; k <= (int)phase->last; k++)
			component(g, c, k, is_opposed ? "    " : "  ");
	}
}

/* Adds the table that leads from the figures of one arm to those of the other.
 */
static void table(const struct pair *g)
{
	double was[ATTRIBUTION_STEPS], is[ATTRIBUTION_STEPS];
	double cost[ATTRIBUTION_STEPS], about[ATTRIBUTION_STEPS];
	double rest[ATTRIBUTION_STEPS];
	char label[64];
	struct columns c = {.n_groups = ATTRIBUTION_STEPS, .per_group = 1};
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		const struct shares *s = &g->x->shares[m];
		was[m] = g->x->x->recorded_ns[m];
		is[m] = was[m] + s->real_ns;
		cost[m] = s->cost_model_ns;
		about[m] = s->uncertainty_ns;
		rest[m] = s->feedback_ns;
	}
	columns_row(&c, "ms");
	for (size_t m = 0; m < ATTRIBUTION_STEPS; m++)
		columns_metric_cell(&c, m, 0, attributed_name[m]);
	row(&c, name_of(g->e, g->x->of), was, 0, 0);
	row(&c, "+ cost model", cost, 1, 0);
	row(&c, "  uncertainty ±", about, 0, 1);
	components(g, &c);
	snprintf(label, sizeof label, "+ %s", explain_rest(g->x));
	row(&c, label, rest, 1, 0);
	row(&c, name_of(g->e, g->x->by), is, 0, 0);
	document_table(g->d, &c);
}

/* ---- where the difference arises ---- */

static double in_bin(const struct attribution *x, const struct cause *c,
		     enum regime_kind kind, int bin)
{
	double sum = 0;
	for (int k = (int)c->first; k <= (int)c->last; k++)
		sum += x->regime_ns[ATTRIBUTION_E2EL][kind][k][bin];
	return sum;
}

/* Returns the bin that holds most of a cause; *share: its share of all bins
 * with the same sign. */
static int largest_bin(const struct attribution *x, const struct cause *c,
		       enum regime_kind kind, double *share)
{
	int best = 0;
	double all = 0;
	for (int b = 0; b < REGIME_BINS; b++) {
		double ns = in_bin(x, c, kind, b);
		if (ns * c->ns > in_bin(x, c, kind, best) * c->ns)
			best = b;
		if (ns * c->ns > 0)
			all += ns;
	}
	*share = all != 0 ? in_bin(x, c, kind, best) / all : 0;
	return best;
}

/* Says in which steps the largest cause lies: phase and KV length. */
static void where(const struct pair *g)
{
	static const char *const phase[] = {"prefill", "decode", "mixed"};
	const struct attribution *a = g->x->x;
	struct cause c = explain_cause(a, ATTRIBUTION_E2EL);
	double in_phase, at_kv;
	if (c.ns == 0)
		return;
	int in = largest_bin(a, &c, REGIME_PHASE, &in_phase);
	int kv = largest_bin(a, &c, REGIME_MEAN_KV, &at_kv);
	document_say(
	    g->d,
	    "Largest cause of the E2E difference in %s's steps: %s, %+.3f ms "
	    "(%.0f %% of all %s). %.0f %% of it comes from %s steps, %.0f %% "
	    "from steps with a mean KV length of %" PRIu64 " to %" PRIu64 ".",
	    name_of(g->e, g->x->of), c.name, c.ns / 1e6, 100 * c.share,
	    c.ns > 0 ? "increases" : "decreases", 100 * in_phase, phase[in],
	    100 * at_kv, UINT64_C(1) << kv, (UINT64_C(2) << kv) - 1);
}

/* ---- steps ---- */

static void us_row(struct columns *c, const char *label, double a, double b)
{
	columns_row(c, "%s", label);
	columns_number(c, 0, 0, a, 1, "");
	columns_number(c, 1, 0, b, 1, "");
	if (isfinite(b - a))
		columns_cell(c, 2, 0, "%+.1f", b - a);
}

/* Tells a step, as a row for `eval` if that is short. */
static void divergence(const struct pair *g, const char *what,
		       const struct divergence *at)
{
	struct columns c = {.n_groups = 3, .per_group = 1};
	FILE *f = at->found ? document_write(g->d) : NULL;
	if (!f)
		return;
	fprintf(f, "%s: step %" PRIu64 " of replica %u, as a row for eval:\n",
		what, at->step_index, at->replica);
	explain_step(f, g->x->steps, at->place);
	document_written(g->d, DOCUMENT_SENTENCE);
	columns_row(&c, "us");
	columns_cell(&c, 0, 0, "%s", name_of(g->e, g->x->of));
	columns_cell(&c, 1, 0, "%s", name_of(g->e, g->x->by));
	columns_cell(&c, 2, 0, "difference");
	us_row(&c, "total", at->a_us, at->b_us);
	for (int i = 0; i < N_PARTS; i++)
		if (!isnan(at->a_part_us[i]) || !isnan(at->b_part_us[i]))
			us_row(&c, part_name[i], at->a_part_us[i],
			       at->b_part_us[i]);
	document_table(g->d, &c);
}

/* Adds the table of step shapes with the largest differences. */
static void shapes(const struct pair *g)
{
	enum { STEPS, TIME, E2E, EXAMPLE, N_CELLS };
	static const char *const head[N_CELLS] = {"steps", "step time, ms",
						  "mean E2E, ms", "an example"};
	const struct attribution *a = g->x->x;
	struct columns c =
	    columns_begin(head, N_CELLS, "step shapes (numbers up to)");
	for (uint32_t i = 0; i < a->n_shapes; i++) {
		const struct shape_difference *d = &a->shape[i];
		char prefill[48] = "";
		if (d->shape.n_prefill)
			snprintf(prefill, sizeof prefill, " + %u prefill of %u",
				 d->shape.n_prefill, d->shape.prefill_tokens);
		columns_row(&c, "%u decode%s, KV %u", d->shape.n_decode,
			    prefill, d->shape.longest_kv);
		columns_cell(&c, 0, STEPS, "%" PRIu64, d->steps);
		columns_cell(&c, 0, TIME, "%+.3f",
			     d->ns[ATTRIBUTION_STEPS] / 1e6);
		columns_cell(&c, 0, E2E, "%+.3f",
			     d->ns[ATTRIBUTION_E2EL] / 1e6);
		columns_cell(&c, 0, EXAMPLE, "step %" PRIu64, d->example);
	}
	document_table(g->d, &c);
}

/* ---- all parts together ---- */

/* Where the time of the requests went. */
static void parts(const struct pair *g)
{
	struct columns c;
	if (g->x->routes_differ) {
		routes_table(&c, g->x);
		document_table(g->d, &c);
	}
	draw(g, bars_of_parts);
	for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
		parts_table(&c, g->e, g->x, m);
		document_table(g->d, &c);
	}
}

/* The same steps at the other arm's prices. */
static void prices(const struct pair *g, unsigned in)
{
	if (explain_is_split(g->x))
		document_say(g->d,
			     "The prices alone, on a schedule that stays:");
	draw(g, bars_of_prices);
	table(g);
	g->d->in = in & IN_DETAILS;
	where(g);
	divergence(g, "First step to differ by more than 1 %", &g->x->x->first);
	divergence(g, "Step that differs most", &g->x->x->largest_difference);
	shapes(g);
	g->d->in = in;
}

/* Adds the sentences about the pair: one or two in a text, one for each latency
 * in a page. */
static void sentences(const struct pair *g, unsigned in)
{
	char *all = explain_sentence(g->e, g->x);
	g->d->in = in & IN_TEXT;
	int has_ttft = all && strstr(all, " TTFT ");
	document_own(g->d, DOCUMENT_SENTENCE, NULL, all);
	if (has_ttft)
		document_own(g->d, DOCUMENT_SENTENCE, NULL,
			     explain_sentence_of(g->e, g->x, ATTRIBUTION_TPOT));
	g->d->in = in & IN_PAGE;
	for (int m = 0; m < ATTRIBUTION_STEPS; m++)
		document_own(g->d, DOCUMENT_SENTENCE, NULL,
			     explain_sentence_of(g->e, g->x, m));
	g->d->in = in;
}

static void write_pair(const struct pair *g)
{
	const struct explanation *x = g->x;
	int is_split = explain_is_split(x);
	const char *no_parts =
	    x->split_of.error ? x->split_of.error : x->split_by.error;
	if (explain_are_one(g->e, x)) {
		char *text = explain_sentence(g->e, x);
		document_say(g->d, "%s", text ? text : "");
		free(text);
		return;
	}
	document_heading(g->d, "Why %s is not %s", name_of(g->e, x->by),
			 name_of(g->e, x->of));
	if (!x->error || is_split)
		sentences(g, g->d->in);
	if (is_split)
		parts(g);
	if (no_parts)
		document_say(g->d, "No parts: %s", no_parts);
	if (x->error)
		document_say(g->d, "No attribution: %s", x->error);
	else if (!is_split || explain_prices_differ(x))
		prices(g, g->d->in);
}

/* Only the JSON document has the exchanged views. */
void explain_document(const struct explain *e, struct document *d)
{
	int is_split = 0, has_prices = 0, has_routes = 0;
	unsigned in = d->in;
	for (size_t i = 0; i < e->n; i += 2) {
		const struct pair g = {e, &e->pair[i], d};
		write_pair(&g);
		is_split |= explain_is_split(g.x);
		has_routes |= explain_is_split(g.x) && g.x->routes_differ;
		has_prices |=
		    !explain_are_one(e, g.x) &&
		    (!explain_is_split(g.x) || explain_prices_differ(g.x));
	}
	d->in = in & IN_DETAILS;
	if (has_routes)
		document_say(d, "%s", routes_legend);
	if (is_split)
		document_say(d, "%s", parts_legend);
	if (has_prices)
		document_say(
		    d,
		    "Cost model: the same steps with the same requests at the "
		    "other arm's step times; each request arrives at the same "
		    "point of the same step. Each figure is the mean over both "
		    "arms' steps, ± half of the difference between them. "
		    "Feedback: the faster or slower clock then changes "
		    "batches, queues and the cache.");
	d->in = in;
}
