/* sweep_effects.c -- The command `sweep effects`: the effects of axes with two
 * values each, over a full grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/cmd.h"
#include "cmd/sweep/sweep_rows.h"
#include "report/results/effects.h"
#include "study/effects.h"

struct options {
	const char *where;
	int64_t order;
};
static const struct options defaults = {.order = 3};

static const struct option_def option[] = {
    OPTION(TEXT, "where", "EXPR", where, "only rows for which this holds"),
    OPTION(INT, "order", "N", order, "interactions of up to N axes", .min = 1,
	   .max = FACTORIAL_MOST),
};

/* The grid: axes with two values, arms, seeds. */
struct axis {
	long column;
	struct names value;
};
struct grid {
	struct reader *r;
	struct axis *axis; /* [n_axes] */
	size_t n_axes;
	struct names arm, seed;
	long at_arm, at_seed, at_metric[N_EFFECT_METRICS];
	double *y; /* [metrics][arms][seeds][2^k]; NaN: no figure */
};

static int add(struct names *to, const struct reader *r, long column)
{
	char buf[32];
	return names_add_new(to, reader_text(r, (size_t)column, buf));
}

static size_t index_of(const struct names *l, const struct reader *r,
		       long column)
{
	char buf[32];
	const char *text = reader_text(r, (size_t)column, buf);
	size_t i = 0;
	while (i < l->n && strcmp(l->item[i], text) != 0)
		i++;
	return i;
}

static int find_columns(struct grid *g, struct problem *p)
{
	size_t n = reader_n_columns(g->r);
	g->axis = calloc(n + 1, sizeof *g->axis);
	g->at_arm = g->at_seed = -1;
	if (!g->axis)
		return problem_no_memory(p);
	for (size_t i = 0; i < n; i++) {
		const struct reader_head *h = reader_head(g->r, i);
		if (h->role == READER_ARM)
			g->at_arm = (long)i;
		else if (h->role == READER_SEED)
			g->at_seed = (long)i;
		else if (h->role == READER_AXIS &&
			 strcmp(h->name, "workload.seed") != 0)
			g->axis[g->n_axes++].column = (long)i;
	}
	for (int k = 0; k < N_EFFECT_METRICS; k++)
		if ((g->at_metric[k] =
			 reader_column(g->r, effect_metric[k], p)) < 0)
			return -1;
	return 0;
}

/* Finds the values of axes, the arms and the seeds. */
static int find_values(struct grid *g, struct problem *p)
{
	int more, rc = 0;
	while ((more = reader_next(g->r, p)) > 0 && rc == 0) {
		rc = add(&g->arm, g->r, g->at_arm) < 0 ||
			     add(&g->seed, g->r, g->at_seed) < 0
			 ? -1
			 : 0;
		for (size_t i = 0; rc == 0 && i < g->n_axes; i++)
			rc = add(&g->axis[i].value, g->r, g->axis[i].column);
	}
	return rc < 0 ? problem_no_memory(p) : more;
}

/* Axes with one value have no part. */
static int keep_switches(struct grid *g, struct problem *p)
{
	size_t n = 0;
	for (size_t i = 0; i < g->n_axes; i++) {
		struct axis *a = &g->axis[i];
		const char *name = reader_head(g->r, (size_t)a->column)->name;
		if (a->value.n > 2)
			return problem_set(
			    p, EXIT_USAGE,
			    "axis %s has %zu values; effects are "
			    "of two (--where chooses)",
			    name, a->value.n);
		if (a->value.n < 2) {
			names_free(&a->value);
			continue;
		}
		struct axis kept = *a;
		*a = (struct axis){0};
		g->axis[n++] = kept;
	}
	g->n_axes = n;
	return n >= FACTORIAL_LEAST && n <= FACTORIAL_MOST
		   ? 0
		   : problem_set(p, EXIT_USAGE,
				 "%zu axes have two values; effects are of %d "
				 "to %d",
				 n, FACTORIAL_LEAST, FACTORIAL_MOST);
}

static double *runs_of(const struct grid *g, int figure, size_t arm)
{
	size_t runs = (size_t)1 << g->n_axes;
	return g->y + ((size_t)figure * g->arm.n + arm) * g->seed.n * runs;
}

static int read_figures(struct grid *g, struct problem *p)
{
	size_t runs = (size_t)1 << g->n_axes, rows = 0;
	size_t all = g->arm.n * g->seed.n * runs;
	int more;
	g->y = calloc(N_EFFECT_METRICS * all + 1, sizeof *g->y);
	if (!g->y)
		return problem_no_memory(p);
	while ((more = reader_next(g->r, p)) > 0) {
		size_t bits = 0, arm = index_of(&g->arm, g->r, g->at_arm);
		size_t seed = index_of(&g->seed, g->r, g->at_seed);
		for (size_t i = 0; i < g->n_axes; i++)
			bits |=
			    index_of(&g->axis[i].value, g->r, g->axis[i].column)
			    << i;
		for (int k = 0; k < N_EFFECT_METRICS; k++)
			runs_of(g, k, arm)[seed * runs + bits] =
			    reader_cell(g->r, (size_t)g->at_metric[k])->number;
		rows++;
	}
	if (more == 0 && rows != all)
		return problem_set(
		    p, EXIT_INPUT,
		    "the store has %zu of the %zu rows of a full "
		    "grid: effects need each combination of %zu "
		    "axes, under every arm and seed",
		    rows, all, g->n_axes);
	return more;
}

/* Refuses seeds that changed no figure: the intervals would have width 0. */
static int check_seeds(const struct grid *g, struct problem *p)
{
	int equal = sweep_find_equal_seeds(g->r, p);
	return equal > 0 ? problem_set(p, EXIT_USAGE,
				       "each of the %zu seeds gave the same "
				       "runs, so that effects would have "
				       "intervals of width 0; choose one, as "
				       "with --where 'seed == %s'",
				       g->seed.n, g->seed.item[0])
			 : equal;
}

/* ---- output ---- */

struct output {
	const struct cmdline *line;
	struct document text;
	struct jw json;
};

/* The effects on a metric of one arm, if all its runs have it. */
static int one(const struct grid *g, int figure, size_t arm,
	       const char *const *factor, struct output *o)
{
	const struct options *how = o->line->own;
	unsigned k = (unsigned)g->n_axes, order = (unsigned)how->order;
	const double *y = runs_of(g, figure, arm);
	for (size_t i = 0; i < g->seed.n << k; i++)
		if (isnan(y[i]))
			return 0;
	size_t n = factorial_count(k, order);
	struct effect *item = calloc(n + 1, sizeof *item);
	if (!item || factorial_effects(item, y, g->seed.n, k, order) < 0) {
		free(item);
		return -1;
	}
	const struct effects_of e = {
	    factor,
	    k,
	    effect_metric[figure],
	    metric_find(effect_metric[figure])->decimals,
	    item,
	    n,
	    g->arm.item[arm]};
	if (o->line->format == FORMAT_JSON)
		effects_json(&e, &o->json);
	else
		effects_table(&e, &o->text);
	free(item);
	return 0;
}

static int write_all(const struct grid *g, struct output *o, FILE *f)
{
	const char *factor[FACTORIAL_MOST];
	int rc = 0;
	for (size_t i = 0; i < g->n_axes; i++)
		factor[i] = reader_head(g->r, (size_t)g->axis[i].column)->name;
	o->text.in = IN_TEXT;
	document_say(&o->text,
		     "From the first value of an axis to the second, mean over "
		     "all values of the others; %zu seed%s.",
		     g->seed.n, g->seed.n == 1 ? "" : "s");
	jw_start(&o->json, f);
	if (o->line->format == FORMAT_JSON) {
		jw_object(&o->json, NULL);
		jw_int(&o->json, "schema", JSON_SCHEMA);
		jw_text(&o->json, "stepcost", PACKAGE_VERSION);
		jw_text(&o->json, "command", "sweep effects");
		jw_array(&o->json, "effects");
	}
	for (size_t arm = 0; rc == 0 && arm < g->arm.n; arm++)
		for (int k = 0; rc == 0 && k < N_EFFECT_METRICS; k++)
			rc = one(g, k, arm, factor, o);
	if (o->line->format == FORMAT_JSON) {
		jw_end(&o->json);
		jw_end(&o->json);
		jw_finish(&o->json);
	} else {
		document_text(&o->text, o->line->all ? IN_FULL : IN_SHORT, f);
	}
	return rc;
}

static int write_effects(const struct cmdline *c, struct store *s,
			 struct reader *r, struct problem *p)
{
	struct grid g = {.r = r};
	struct output o = {.line = c};
	struct outfile out = {0};
	(void)s;
	int rc = find_columns(&g, p) < 0 || find_values(&g, p) < 0 ||
			 keep_switches(&g, p) < 0 || read_figures(&g, p) < 0 ||
			 check_seeds(&g, p) < 0 || open_output(&out, c, p) < 0
		     ? -1
		     : 0;
	if (rc == 0)
		rc = write_all(&g, &o, out.f) < 0 ? problem_no_memory(p)
						  : outfile_commit(&out, p);
	outfile_discard(&out);
	document_free(&o.text);
	for (size_t i = 0; i < g.n_axes; i++)
		names_free(&g.axis[i].value);
	names_free(&g.arm);
	names_free(&g.seed);
	free(g.axis);
	free(g.y);
	return rc;
}

static int run(const struct cmdline *c)
{
	const struct options *o = c->own;
	return sweep_read(c, o->where, NULL, write_effects);
}

const struct command command_sweep_effects = {
    .name = "sweep effects",
    .args = "FILE.db",
    .summary = "effects of axes with two values each, and of their "
	       "interactions, over a full grid",
    .formats = WRITES_TEXT | WRITES_JSON,
    .min_args = 1,
    .max_args = 1,
    .has_no_config = 1,
    .has_short = 1,
    OWN_OPTIONS(option, struct options),
    .defaults = &defaults,
    .run = run,
};
