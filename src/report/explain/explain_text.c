/* explain_text.c -- Writes an explanation as text. */
#include <config.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/paragraph.h"
#include "report/columns.h"
#include "report/explain/explain.h"
#include "report/explain/parts.h"
#include "report/explain/routes.h"

struct page {
	FILE *f;
	size_t columns;
	const struct explain *e;
	const struct explanation *x;
};

static const char *arm(const struct page *g, size_t i)
{
	return g->e->study->arm[i].name;
}

/* ---- the table ---- */

static void write_table(const struct page *g, struct columns *c)
{
	columns_write(c, g->f, g->columns);
	columns_free(c);
}

/* Adds a row of times.  is_signed: the cells are differences and get a sign. */
static void row(struct columns *c, const char *label, const double *ns,
		int is_signed)
{
	columns_row(c, "  %s", label);
	for (size_t m = 0; m < ATTRIBUTION_STEPS; m++)
		columns_cell(c, m, 0, is_signed ? "%+.3f" : "%.3f",
			     ns[m] / 1e6);
}

static void head(struct columns *c)
{
	columns_row(c, "%s", "");
	for (size_t m = 0; m < ATTRIBUTION_STEPS; m++)
		columns_cell(c, m, 0, "%s", attributed_name[m]);
}

/* Returns 1 if every column would show zero. */
static int is_nothing(const double *ns)
{
	for (int m = 0; m < ATTRIBUTION_STEPS; m++)
		if (fabs(ns[m]) >= 500)
			return 0;
	return 1;
}

/* Adds the parts that both models name, in the steps of one direction. */
static void named(const struct page *g, struct columns *c, int component)
{
	const struct attribution *a = g->x->x;
	for (uint32_t i = 0; i < a->n_named; i++) {
		const struct named_difference *d = &a->named[i];
		char label[NAMED_SIZE + 16];
		if ((int)d->component != component || is_nothing(d->ns))
			continue;
		snprintf(label, sizeof label, "        %s", d->name);
		row(c, label, d->ns, 1);
	}
}

static void component(const struct page *g, struct columns *c, int k,
		      const char *indent)
{
	double part[ATTRIBUTION_STEPS];
	char label[64];
	for (int m = 0; m < ATTRIBUTION_STEPS; m++)
		part[m] = g->x->shares[m].component_ns[k];
	snprintf(label, sizeof label, "%s%s", indent, component_name[k]);
	if (!is_nothing(part))
		row(c, label, part, 1);
	named(g, c, k);
}

/* Adds all components.  Where the components of a phase have opposite signs,
 * their sum comes first. */
static void components(const struct page *g, struct columns *c)
{
	for (size_t i = 0; i < PHASES; i++) {
		const struct cause *phase = &explain_phase[i];
		double sum[ATTRIBUTION_STEPS];
		int is_opposed = 0;
		for (int m = 0; m < ATTRIBUTION_STEPS; m++) {
			const double *ns = g->x->shares[m].component_ns;
			sum[m] = explain_sum(phase, ns);
			is_opposed |= explain_is_opposed(phase, ns);
		}
		if (is_opposed) {
			char label[64];
			snprintf(label, sizeof label, "    %s", phase->name);
			row(c, label, sum, 1);
		}
		for (int k = (int)phase->first; k <= (int)phase->last; k++)
			component(g, c, k, is_opposed ? "      " : "    ");
	}
}

static void table(const struct page *g)
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
	head(&c);
	row(&c, arm(g, g->x->of), was, 0);
	row(&c, "+ cost model", cost, 1);
	if (!isnan(about[0]))
		row(&c, "    uncertainty ±", about, 0);
	components(g, &c);
	snprintf(label, sizeof label, "+ %s", explain_rest(g->x));
	row(&c, label, rest, 1);
	row(&c, arm(g, g->x->by), is, 0);
	write_table(g, &c);
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

static void where(const struct page *g)
{
	static const char *const phase[] = {"prefill", "decode", "mixed"};
	const struct attribution *a = g->x->x;
	struct cause c = explain_cause(a, ATTRIBUTION_E2EL);
	double in_phase, at_kv;
	if (c.ns == 0)
		return;
	int in = largest_bin(a, &c, REGIME_PHASE, &in_phase);
	int kv = largest_bin(a, &c, REGIME_MEAN_KV, &at_kv);
	paragraph_print(
	    g->f, g->columns, 2,
	    "Largest cause of the E2E difference in %s's steps: %s, %+.3f ms "
	    "(%.0f %% of all %s). %.0f %% of it comes from %s steps, %.0f %% "
	    "from steps with a mean KV length of %" PRIu64 " to %" PRIu64 ".",
	    arm(g, g->x->of), c.name, c.ns / 1e6, 100 * c.share,
	    c.ns > 0 ? "increases" : "decreases", 100 * in_phase, phase[in],
	    100 * at_kv, UINT64_C(1) << kv, (UINT64_C(2) << kv) - 1);
}

/* ---- steps ---- */

static void us_cell(struct columns *c, size_t group, double us, int is_signed)
{
	if (isnan(us))
		columns_cell(c, group, 0, "-");
	else
		columns_cell(c, group, 0, is_signed ? "%+.1f" : "%.1f", us);
}

static void us_row(struct columns *c, const char *label, double a, double b)
{
	columns_row(c, "  %s", label);
	us_cell(c, 0, a, 0);
	us_cell(c, 1, b, 0);
	us_cell(c, 2, b - a, 1);
}

/* Prints the step as a row for `eval` if that fits on a line. */
static void step(const struct page *g, const struct parting *at)
{
	char *text = NULL;
	size_t size;
	FILE *m = open_memstream(&text, &size);
	if (!m)
		return;
	explain_step(m, g->x->steps, at->place);
	fclose(m);
	if (strlen(text) + 4 <= g->columns)
		fprintf(g->f, "    %s\n", text);
	else
		fputs("    the row is too long for a line; --format json has "
		      "it as \"as_eval\"\n",
		      g->f);
	free(text);
}

static void parting(const struct page *g, const char *title,
		    const struct parting *at)
{
	struct columns c = {.n_groups = 3, .per_group = 1};
	if (!at->found)
		return;
	paragraph_print(g->f, g->columns, 2,
			"%s: step %" PRIu64 " of replica %u, as a row for eval",
			title, at->step_index, at->replica);
	step(g, at);
	columns_row(&c, "  us");
	columns_cell(&c, 0, 0, "%s", arm(g, g->x->of));
	columns_cell(&c, 1, 0, "%s", arm(g, g->x->by));
	columns_cell(&c, 2, 0, "difference");
	us_row(&c, "total", at->a_us, at->b_us);
	for (int i = 0; i < N_PARTS; i++)
		if (!isnan(at->a_part_us[i]) || !isnan(at->b_part_us[i]))
			us_row(&c, part_name[i], at->a_part_us[i],
			       at->b_part_us[i]);
	write_table(g, &c);
}

static void shapes(const struct page *g)
{
	const struct attribution *a = g->x->x;
	struct columns c = {.n_groups = 3, .per_group = 1};
	columns_row(&c, "Step shapes (numbers up to)");
	columns_cell(&c, 0, 0, "steps");
	columns_cell(&c, 1, 0, "step time ms");
	columns_cell(&c, 2, 0, "mean E2E ms");
	for (uint32_t i = 0; i < a->n_shapes; i++) {
		const struct shape_difference *d = &a->shape[i];
		char prefill[48] = "";
		if (d->shape.n_prefill)
			snprintf(prefill, sizeof prefill, " + %u prefill of %u",
				 d->shape.n_prefill, d->shape.prefill_tokens);
		columns_row(&c, "  %u decode%s, KV %u", d->shape.n_decode,
			    prefill, d->shape.longest_kv);
		columns_cell(&c, 0, 0, "%" PRIu64, d->steps);
		columns_cell(&c, 1, 0, "%+.3f", d->ns[ATTRIBUTION_STEPS] / 1e6);
		columns_cell(&c, 2, 0, "%+.3f", d->ns[ATTRIBUTION_E2EL] / 1e6);
	}
	if (a->n_shapes)
		columns_write(&c, g->f, g->columns);
	columns_free(&c);
}

/* ---- all parts together ---- */

static void parts(const struct page *g)
{
	const char *error = g->x->split_of.error;
	struct columns c;
	if (explain_is_split(g->x) && g->x->routes_differ) {
		routes_table(&c, g->x);
		write_table(g, &c);
	}
	for (int m = 0; m < ATTRIBUTION_STEPS && explain_is_split(g->x); m++) {
		parts_table(&c, g->e, g->x, m);
		write_table(g, &c);
	}
	if (!error)
		error = g->x->split_by.error;
	if (error)
		paragraph_print(g->f, g->columns, 2, "  no parts: %s", error);
}

/* The same steps at the other arm's prices. */
static void prices(const struct page *g)
{
	if (explain_is_split(g->x)) {
		if (!explain_prices_differ(g->x))
			return;
		fputs("  The prices alone, on a schedule that stays\n", g->f);
	}
	table(g);
	where(g);
	parting(g, "First step to differ by more than 1 %", &g->x->x->first);
	parting(g, "Step that differs most", &g->x->x->widest);
	shapes(g);
}

static void pair(const struct page *g)
{
	fprintf(g->f, "\nWhy %s is not %s\n", arm(g, g->x->by),
		arm(g, g->x->of));
	if (!g->x->error || explain_is_split(g->x)) {
		char *sentence = explain_sentence(g->e, g->x);
		paragraph_write(g->f, sentence ? sentence : "", g->columns, 0);
		free(sentence);
	}
	parts(g);
	if (g->x->error)
		paragraph_print(g->f, g->columns, 2, "  no attribution: %s",
				g->x->error);
	else
		prices(g);
}

void explain_text(const struct explain *e, FILE *f)
{
	struct page g = {.f = f, .columns = paragraph_width(f), .e = e};
	int is_split = 0, has_prices = 0, has_routes = 0;
	/* Only the JSON document has the exchanged views. */
	for (size_t i = 0; i < e->n; i += 2) {
		g.x = &e->pair[i];
		pair(&g);
		is_split |= explain_is_split(g.x);
		has_routes |= explain_is_split(g.x) && g.x->routes_differ;
		has_prices |=
		    !explain_is_split(g.x) || explain_prices_differ(g.x);
	}
	if (has_routes)
		paragraph_print(f, g.columns, 0, "\n%s", routes_legend);
	if (is_split)
		paragraph_print(f, g.columns, 0, "\n%s", parts_legend);
	if (has_prices)
		paragraph_write(
		    f,
		    "\nCost model: the same steps with the same requests at "
		    "the other arm's step times; each request arrives at the "
		    "same point of the same step. Each figure is the mean over "
		    "both arms' steps, ± half of the difference between them. "
		    "Feedback: the faster or slower clock then changes "
		    "batches, queues and the cache.",
		    g.columns, 0);
}
