/* mixer_fit.c -- Fits the laws of linear and sparse attention to the tables of
 * a set. */
#include "tables/mixer_fit.h"
#include <stdlib.h>
#include "tables/law_fit.h"

/* ---- one law ---- */

struct rows {
	struct sc_mixer_law law;
	struct sc_mixer_key row_key;
	const struct sc_mixer_point *point;
	uint64_t n;
};

static void residuals(const void *ctx, const double *c, double *r)
{
	const struct rows *q = ctx;
	struct sc_mixer_law law = q->law;
	uint32_t kind = sc_mixer_law_of(law.table, law.op);
	memcpy(law.c, c, sc_mixer_laws[kind].n * sizeof *c);
	for (uint64_t i = 0; i < q->n; i++) {
		struct sc_mixer m = sc_mixer_of(&q->row_key, &q->point[i]);
		r[i] = log(sc_mixer_us(&law, &m, &q->point[i].at) /
			   q->point[i].us);
	}
}

static int add_fit(struct mixer_fits *fits, const struct rows *q,
		   struct problem *p)
{
	const struct sc_mixer_constants *kind =
	    &sc_mixer_laws[sc_mixer_law_of(q->law.table, q->law.op)];
	struct mixer_fit fit = {
	    .row_key = q->row_key, .law = q->law, .n_points = q->n};
	const struct law_fit law = {.n_constants = kind->n,
				    .constant = kind->constant,
				    .n = q->n,
				    .residuals = residuals,
				    .ctx = q};
	if (q->n < 3 * (uint64_t)kind->n)
		return 0;
	if (law_fit(&law, fit.law.c, &fit.loss, &fit.mean_error, p) < 0)
		return -1;
	struct mixer_fit *item =
	    realloc(fits->item, (fits->n + 1) * sizeof *item);
	if (!item)
		return problem_no_memory(p);
	fits->item = item;
	item[fits->n++] = fit;
	return 0;
}

/* ---- a table ---- */

static int is_fitted(const struct sc_mixer_key *seen, size_t n,
		     const struct sc_mixer_key *row_key)
{
	for (size_t i = 0; i < n; i++)
		if (sc_mixer_same_key(&seen[i], row_key))
			return 1;
	return 0;
}

/* Returns the points of a pick, in its table from row `first` on. */
static uint64_t collect(const struct sc_mixer_columns *c, uint64_t first,
			uint64_t n, const struct sc_mixer_key *row_key,
			struct sc_mixer_point *to)
{
	struct sc_mixer_key is;
	uint64_t found = 0;
	for (uint64_t i = first; i < n; i++)
		if (sc_mixer_key_of(c, i, &is) &&
		    sc_mixer_same_key(&is, row_key))
			found += (uint64_t)sc_mixer_point_of(c, i, &to[found]);
	return sc_mixer_deduplicate(to, found);
}

/* point, seen: room for as many as the table has rows. */
static int fit_table(struct mixer_fits *fits, const sc_table *t,
		     const struct sc_rates *rates, struct sc_mixer_point *point,
		     struct sc_mixer_key *seen, struct problem *p)
{
	struct sc_mixer_columns c;
	size_t n_seen = 0;
	if (!sc_mixer_columns_of(&c, t))
		return 0;
	for (uint64_t i = 0; i < t->n_rows; i++) {
		struct rows q = {.point = point};
		if (!sc_mixer_key_of(&c, i, &q.row_key) ||
		    is_fitted(seen, n_seen, &q.row_key))
			continue;
		seen[n_seen++] = q.row_key;
		q.n = collect(&c, i, t->n_rows, &q.row_key, point);
		q.law = sc_mixer_start(&q.row_key, rates);
		if (add_fit(fits, &q, p) < 0)
			return -1;
	}
	return 0;
}

static int fit_alone(struct mixer_fits *fits, const sc_table *t,
		     struct problem *p)
{
	struct sc_rates rates = sc_rates_of_notes(t);
	if (sc_mixer_table(t->op) == SC_N_MIXERS)
		return 0;
	if (!(rates.bandwidth > 0) || !(rates.peak[SC_BF16] > 0))
		return problem_set(
		    p, EXIT_INPUT, "%s: the MANIFEST lacks %s", t->origin,
		    rates.bandwidth > 0 ? "peak_tflops_bf16"
					: "memory_bandwidth_tbs");
	struct sc_mixer_point *point = calloc(t->n_rows + 1, sizeof *point);
	struct sc_mixer_key *seen = calloc(t->n_rows + 1, sizeof *seen);
	int rc = point && seen ? fit_table(fits, t, &rates, point, seen, p)
			       : problem_no_memory(p);
	free(point);
	free(seen);
	return rc;
}

int mixer_fit_set(struct mixer_fits *fits, const sc_table *const *table,
		  uint32_t n, struct problem *p)
{
	int rc = 0;
	*fits = (struct mixer_fits){0};
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		rc = fit_alone(fits, table[i], p);
	return rc;
}

void mixer_fits_free(struct mixer_fits *fits)
{
	free(fits->item);
	*fits = (struct mixer_fits){0};
}
