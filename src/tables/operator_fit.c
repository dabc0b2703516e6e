/* operator_fit.c -- Fits the constants of operator laws to the tables of a
 * set. */
#include "tables/operator_fit.h"
#include <stdlib.h>
#include "tables/law_fit.h"

/* ---- one law ---- */

struct rows {
	struct sc_oplaw law;
	const struct sc_op_point *point;
	uint64_t n;
};

static void residuals(const void *ctx, const double *c, double *r)
{
	const struct rows *q = ctx;
	struct sc_oplaw law = q->law;
	memcpy(law.c, c, sc_oplaw_kinds[law.op].n_constants * sizeof *c);
	for (uint64_t i = 0; i < q->n; i++) {
		const struct sc_op_point *p = &q->point[i];
		r[i] = log(sc_oplaw_us(&law, p->key, p->row, p->x) / p->us);
	}
}

/* ---- the laws of a set ---- */

/* Returns the number of picks of an op, and sets the i-th. */
static int row_key_number(struct sc_op_key *row_key, uint32_t i)
{
	static const char *const kv[] = {"bf16", "fp8"};
	static const char *const routing[] = {"power_law_1.2", "balanced",
					      "grouped"};
	uint32_t dtypes = SC_N_KERNEL_DTYPES, ways = 1;
	switch (row_key->op) {
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
	row_key->dtype = sc_kernel_dtypes[i / ways].name;
	row_key->kv = ways == 2 ? kv[i % ways] : NULL;
	row_key->routing = ways == 3 ? routing[i % ways] : NULL;
	return 1;
}

static int add_fit(struct operator_fits *fits, const struct rows *q,
		   const struct sc_op_key *row_key, struct problem *p)
{
	const struct sc_oplaw_kind *kind = &sc_oplaw_kinds[row_key->op];
	struct operator_fit fit = {
	    .row_key = *row_key, .law = q->law, .n_points = q->n};
	const struct law_fit law = {.n_constants = kind->n_constants,
				    .constant = kind->constant,
				    .n = q->n,
				    .residuals = residuals,
				    .ctx = q};
	if (law_fit(&law, fit.law.c, &fit.loss, &fit.mean_error, p) < 0)
		return -1;
	struct operator_fit *item =
	    realloc(fits->item, (fits->n + 1) * sizeof *item);
	if (!item)
		return problem_no_memory(p);
	fits->item = item;
	item[fits->n++] = fit;
	return 0;
}

static int fit_row_key(struct operator_fits *fits,
		       const struct sc_op_key *row_key,
		       const sc_table *const *table, uint32_t n,
		       struct sc_op_point *points, struct problem *p)
{
	const sc_table *any = NULL;
	struct rows q = {.point = points};
	for (uint32_t i = 0; i < n; i++) {
		uint64_t found = sc_op_collect(row_key, table[i], points + q.n);
		any = found ? table[i] : any;
		q.n += found;
	}
	q.n = sc_op_deduplicate(row_key->op, points, q.n);
	if (q.n < sc_op_enough(row_key->op))
		return 0;
	struct sc_rates rates = sc_rates_of_notes(any);
	if (!(rates.bandwidth > 0) || !(rates.peak[SC_BF16] > 0))
		return problem_set(
		    p, EXIT_INPUT, "%s: the MANIFEST lacks %s", any->origin,
		    rates.bandwidth > 0 ? "peak_tflops_bf16"
					: "memory_bandwidth_tbs");
	q.law = sc_op_law(row_key, &rates);
	return add_fit(fits, &q, row_key, p);
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
		struct sc_op_key row_key = {.op = op};
		for (uint32_t i = 0; rc == 0 && row_key_number(&row_key, i);
		     i++)
			rc = fit_row_key(fits, &row_key, table, n, points, p);
	}
	free(points);
	return rc;
}

void operator_fits_free(struct operator_fits *fits)
{
	free(fits->item);
	*fits = (struct operator_fits){0};
}
