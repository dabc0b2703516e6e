/* operator_fit.c -- Fits the constants of operator laws to the tables of a
 * set. */
#include <config.h>
#include "tables/operator_fit.h"
#include <stdlib.h>
#include "math/leastsq.h"

enum { STARTS = 8 };
static const double huber = 0.15, pull = 1e-4;

/* ---- constants on the scale of a fit ---- */

static double moved(const struct sc_oplaw_constant *k, double c)
{
	if (k->most > 0)
		return log(c / (k->most - c));
	return log(c - k->least);
}

static double constant(const struct sc_oplaw_constant *k, double x)
{
	if (k->most > 0)
		return k->most / (1 + exp(-x));
	return k->least + exp(x);
}

/* ---- one law ---- */

struct rows {
	const struct sc_oplaw_kind *kind;
	struct sc_oplaw law;
	const struct sc_op_point *point;
	uint64_t n;
};

static void set_constants(struct sc_oplaw *law,
			  const struct sc_oplaw_kind *kind, const double *x)
{
	for (uint32_t i = 0; i < kind->n_constants; i++)
		law->c[i] = constant(&kind->constant[i], x[i]);
}

/* Returns law / measured for one row. */
static double ratio(const struct sc_oplaw *law, const struct sc_op_point *p)
{
	return sc_oplaw_us(law, p->key, p->row, p->x) / p->us;
}

static int residuals(void *ctx, uint32_t n_points, const double *x, double *r,
		     struct problem *p)
{
	const struct rows *q = ctx;
	struct sc_oplaw law = q->law;
	(void)p;
	for (uint32_t i = 0; i < n_points; i++) {
		set_constants(&law, q->kind, x + i * q->kind->n_constants);
		for (uint64_t k = 0; k < q->n; k++)
			r[i * q->n + k] = log(ratio(&law, &q->point[k]));
	}
	return 0;
}

/* Sets start number i: the prior, or else a row of a design in which the
 * constants go up and down independently of each other (a Hadamard matrix). */
static void begin(double *x, const double *prior, uint32_t n, uint32_t i)
{
	for (uint32_t j = 0; j < n; j++) {
		int odd = __builtin_popcount(i & (j + 1)) & 1;
		x[j] = prior[j] + (i == 0 ? 0 : odd ? -1.5 : 1.5);
	}
}

/* Returns the mean loss from the sum that leastsq.h minimises. */
static double mean_loss(const struct rows *q, double cost)
{
	return cost / (2 * (double)q->n);
}

static int fit_rows(struct rows *q, struct operator_fit *fit, struct problem *p)
{
	double x[SC_OPLAW_CONSTANTS], prior[SC_OPLAW_CONSTANTS],
	    min[SC_OPLAW_CONSTANTS], max[SC_OPLAW_CONSTANTS], cost;
	uint32_t n = q->kind->n_constants;
	struct leastsq solver = {.n_params = n,
				 .n_residuals = (uint32_t)q->n,
				 .min = min,
				 .max = max,
				 .step = 1e-5,
				 .max_move = 1,
				 .huber = huber,
				 .ridge = 2 * pull * (double)q->n,
				 .prior = prior,
				 .max_iterations = 200,
				 .tolerance = 1e-8,
				 .residuals = residuals,
				 .ctx = q};
	for (uint32_t i = 0; i < n; i++) {
		const struct sc_oplaw_constant *k = &q->kind->constant[i];
		prior[i] = moved(k, k->start);
		min[i] = prior[i] - 20;
		max[i] = prior[i] + 20;
	}
	for (uint32_t i = 0; i < STARTS; i++) {
		begin(x, prior, n, i);
		if (leastsq_fit(&solver, x, &cost, p) < 0)
			return -1;
		if (i > 0 && mean_loss(q, cost) >= fit->loss)
			continue;
		fit->loss = mean_loss(q, cost);
		set_constants(&fit->law, q->kind, x);
	}
	return 0;
}

/* ---- the laws of a set ---- */

/* Returns the number of picks of an op, and sets the i-th. */
static int pick_number(struct sc_op_pick *pick, uint32_t i)
{
	static const char *const kv[] = {"bf16", "fp8"};
	static const char *const routing[] = {"power_law_1.2", "balanced",
					      "grouped"};
	uint32_t dtypes = SC_N_KERNEL_DTYPES, ways = 1;
	switch (pick->op) {
	case SC_OPLAW_DECODE:
	case SC_OPLAW_PREFILL:
	case SC_OPLAW_MLA_DECODE:
	case SC_OPLAW_MLA_PREFILL:
		dtypes = 1; /* only the first: bf16 */
		ways = 2;
		break;
	case SC_OPLAW_MODULE_DECODE:
	case SC_OPLAW_MODULE_PREFILL:
		ways = 2;
		break;
	case SC_OPLAW_MOE:
		ways = 3;
		break;
	default:
		break;
	}
	if (i >= dtypes * ways)
		return 0;
	pick->dtype = sc_kernel_dtypes[i / ways].name;
	pick->kv = ways == 2 ? kv[i % ways] : NULL;
	pick->routing = ways == 3 ? routing[i % ways] : NULL;
	return 1;
}

static int add_fit(struct operator_fits *fits, struct rows *q,
		   const struct sc_op_pick *pick, struct problem *p)
{
	struct operator_fit fit = {
	    .pick = *pick, .law = q->law, .n_points = q->n};
	double sum = 0;
	if (fit_rows(q, &fit, p) < 0)
		return -1;
	for (uint64_t i = 0; i < q->n; i++)
		sum += fabs(ratio(&fit.law, &q->point[i]) - 1);
	fit.mean_error = sum / (double)q->n;
	struct operator_fit *item =
	    realloc(fits->item, (fits->n + 1) * sizeof *item);
	if (!item)
		return problem_no_memory(p);
	fits->item = item;
	item[fits->n++] = fit;
	return 0;
}

static int fit_pick(struct operator_fits *fits, const struct sc_op_pick *pick,
		    const sc_table *const *table, uint32_t n,
		    struct sc_op_point *points, struct problem *p)
{
	const sc_table *any = NULL;
	struct rows q = {.kind = &sc_oplaw_kinds[pick->op], .point = points};
	for (uint32_t i = 0; i < n; i++) {
		uint64_t found = sc_op_collect(pick, table[i], points + q.n);
		any = found ? table[i] : any;
		q.n += found;
	}
	q.n = sc_op_settle(pick->op, points, q.n);
	if (q.n < sc_op_enough(pick->op))
		return 0;
	struct sc_rates rates = sc_rates_of_notes(any);
	if (!(rates.bandwidth > 0) || !(rates.peak[SC_BF16] > 0))
		return problem_set(
		    p, EXIT_INPUT, "%s: the MANIFEST lacks %s", any->origin,
		    rates.bandwidth > 0 ? "peak_tflops_bf16"
					: "memory_bandwidth_tbs");
	q.law = sc_op_law(pick, &rates);
	return add_fit(fits, &q, pick, p);
}

int operator_fit_set(struct operator_fits *fits, const sc_table *const *table,
		     uint32_t n, struct problem *p)
{
	uint64_t rows = 1;
	int rc = 0;
	*fits = (struct operator_fits){0};
	for (uint32_t i = 0; i < n; i++)
		rows += table[i]->n_rows;
	struct sc_op_point *points = calloc(rows, sizeof *points);
	if (!points)
		return problem_no_memory(p);
	for (uint32_t op = 0; op < SC_N_OPLAWS; op++) {
		struct sc_op_pick pick = {.op = op};
		for (uint32_t i = 0; rc == 0 && pick_number(&pick, i); i++)
			rc = fit_pick(fits, &pick, table, n, points, p);
	}
	free(points);
	return rc;
}

void operator_fits_free(struct operator_fits *fits)
{
	free(fits->item);
	*fits = (struct operator_fits){0};
}
