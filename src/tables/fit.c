/* fit.c -- Fits the constants of a kernel law to a table. */
#include "tables/fit.h"
#include <stdio.h>
#include <stdlib.h>
#include "math/leastsq.h"
#include "stepcost/table.h"

/* The columns of a table that a law uses, and its rows in one number format. */
struct kernels {
	const struct sc_law_kind *kind;
	struct sc_law law;
	const double *shape[3], *row, *x, *us, *tp;
	const uint64_t *row_key; /* [n] rows */
	uint64_t n;
};

static double law_at(const struct kernels *q, const struct sc_law *law,
		     uint64_t row)
{
	double shape[3] = {0, 0, 0};
	for (int d = 0; d < 3 && q->shape[d]; d++)
		shape[d] = q->shape[d][row];
	if (q->tp && q->row) { /* heads of the whole model */
		shape[0] = ceil(shape[0] / q->tp[row]);
		shape[1] = fmax(1, floor(shape[1] / q->tp[row]));
	}
	return sc_law_us(law, shape, q->row ? q->row[row] : 1, q->x[row]);
}

/* Computes log(law / measured) for constants that are given as logarithms. */
static int residuals(void *ctx, uint32_t n_points, const double *x, double *r,
		     struct problem *p)
{
	const struct kernels *q = ctx;
	uint32_t n = q->kind->n_constants;
	(void)p;
	for (uint32_t i = 0; i < n_points; i++) {
		struct sc_law law = q->law;
		for (uint32_t j = 0; j < n; j++)
			law.c[j] = exp(x[i * n + j]);
		for (uint64_t k = 0; k < q->n; k++)
			r[i * q->n + k] = log(law_at(q, &law, q->row_key[k]) /
					      q->us[q->row_key[k]]);
	}
	return 0;
}

static int fit_points(struct kernels *q, struct kernel_fit *fit,
		      struct problem *p)
{
	double x[SC_LAW_CONSTANTS], min[SC_LAW_CONSTANTS],
	    max[SC_LAW_CONSTANTS], cost, sum = 0;
	struct leastsq solver = {.n_params = q->kind->n_constants,
				 .n_residuals = (uint32_t)q->n,
				 .min = min,
				 .max = max,
				 .step = 1e-5,
				 .max_move = 1,
				 .robust = 0.1,
				 .max_iterations = 200,
				 .tolerance = 1e-10,
				 .residuals = residuals,
				 .ctx = q};
	for (uint32_t i = 0; i < q->kind->n_constants; i++) {
		x[i] = log(q->kind->constant[i].start);
		min[i] = log(q->kind->constant[i].min);
		max[i] = log(q->kind->constant[i].max);
	}
	if (leastsq_fit(&solver, x, &cost, p) < 0)
		return -1;
	for (uint32_t i = 0; i < q->kind->n_constants; i++)
		q->law.c[i] = exp(x[i]);
	for (uint64_t k = 0; k < q->n; k++)
		sum += fabs(law_at(q, &q->law, q->row_key[k]) /
				q->us[q->row_key[k]] -
			    1);
	fit->law = q->law;
	fit->n_points = q->n;
	fit->mean_error = sum / (double)q->n;
	return 0;
}

static int columns_of(struct kernels *q, const sc_table *t, struct problem *p)
{
	const char *missing = NULL;
	q->x = sc_column(t, q->kind->x);
	q->us = sc_column(t, "latency_us");
	q->tp = sc_column(t, "tp");
	q->row = q->kind->row ? sc_column(t, q->kind->row) : NULL;
	if (q->kind->row && !q->row)
		missing = q->kind->row;
	for (int d = 0; d < 3 && q->kind->shape[d]; d++) {
		char name[32];
		snprintf(name, sizeof name, "model_%s", q->kind->shape[d]);
		q->shape[d] = sc_column(t, q->kind->shape[d]);
		if (!q->shape[d])
			q->shape[d] = sc_column(t, name);
		if (!q->shape[d])
			missing = q->kind->shape[d];
	}
	missing = !q->x ? q->kind->x : !q->us ? "latency_us" : missing;
	return missing ? problem_set(p, EXIT_INPUT, "%s: no column %s",
				     t->origin, missing)
		       : 0;
}

static int rates_of(struct sc_law *law, const sc_table *t, uint32_t format,
		    struct problem *p)
{
	char peak[64];
	int links = law->op == SC_OP_ALL_REDUCE;
	const char *rate =
	    links ? "link_bandwidth_gbs" : "memory_bandwidth_tbs";
	snprintf(peak, sizeof peak, "peak_tflops_%s", sc_format_name(format));
	law->element = sc_format_bytes(format);
	law->peak = 1e12 * sc_note_number(t, peak);
	law->bandwidth = (links ? 1e9 : 1e12) * sc_note_number(t, rate);
	if (!(law->peak > 0) || !(law->bandwidth > 0))
		return problem_set(p, EXIT_INPUT, "%s: the MANIFEST lacks %s",
				   t->origin, law->peak > 0 ? rate : peak);
	return 0;
}

static const char *const *formats_of(const sc_table *t)
{
	for (uint32_t i = 0; i < t->n_cols; i++)
		if (!strcmp(t->col_name[i], "dtype"))
			return t->text[i];
	return NULL;
}

static int fit_formats(struct kernels *q, const sc_table *t, uint64_t *row_key,
		       struct kernel_fit *fit, struct problem *p)
{
	const char *const *name = formats_of(t);
	int n = 0;
	if (!name)
		return problem_set(p, EXIT_INPUT, "%s: no column dtype",
				   t->origin);
	for (uint32_t format = 1; format < SC_FORMAT_CODES; format++) {
		q->n = 0;
		for (uint64_t i = 0; i < t->n_rows; i++)
			if (sc_format_kernels(sc_format_named(name[i])) ==
			    format)
				row_key[q->n++] = i;
		if (q->n < 3 * q->kind->n_constants)
			continue;
		fit[n].format = format;
		if (rates_of(&q->law, t, format, p) < 0 ||
		    fit_points(q, &fit[n], p) < 0)
			return -1;
		n++;
	}
	return n;
}

int kernel_fit_table(const sc_table *t, struct kernel_fit fit[SC_N_FORMATS],
		     struct problem *p)
{
	struct kernels q = {0};
	for (uint32_t i = 0; i < SC_LAW_OPS; i++)
		if (!strcmp(sc_law_kinds[i].op, t->op)) {
			q.kind = &sc_law_kinds[i];
			q.law.op = SC_OP_GEMM + i;
		}
	if (!q.kind)
		return 0;
	if (columns_of(&q, t, p) < 0)
		return -1;
	uint64_t *row_key = calloc(t->n_rows + 1, sizeof *row_key);
	if (!row_key)
		return problem_no_memory(p);
	q.row_key = row_key;
	int n = fit_formats(&q, t, row_key, fit, p);
	free(row_key);
	return n;
}
