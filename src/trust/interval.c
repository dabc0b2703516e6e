/* interval.c -- Computes intervals of predictions from the errors of other
 * runs: row by row, or for a model without runs by deployments. */
#include <config.h>
#include "trust/interval.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "math/statistics.h"

/* A question, for rows with the same place_loading only or for all. */
struct query {
	const struct interval_of *q;
	int at_same_load;
};

enum { ENOUGH = 20, ENOUGH_FOR_BOTH_ENDS = 60, ENOUGH_DEPLOYMENTS = 3 };

/* ---- a model with runs: row by row ---- */

/* From specific to general. */
enum group { BY_FAMILY, BY_FORMAT, BY_CLASS, ALL, N_GROUPS };

static int is_in(enum group g, const struct trust_place *a,
		 const struct trust_place *b)
{
	return (g > BY_CLASS || !strcmp(a->model_class, b->model_class)) &&
	       (g > BY_FORMAT || !strcmp(a->weight_format, b->weight_format)) &&
	       (g > BY_FAMILY || !strcmp(a->gpu_family, b->gpu_family));
}

static void name_group(enum group g, const struct interval_of *q, char *to,
		       size_t size)
{
	const struct trust_place *at = q->at;
	if (g == ALL)
		snprintf(to, size, "all");
	else if (g == BY_CLASS)
		snprintf(to, size, "%s", at->model_class);
	else if (g == BY_FORMAT)
		snprintf(to, size, "%s %s", at->model_class, at->weight_format);
	else
		snprintf(to, size, "%s %s on %s", at->model_class,
			 at->weight_format, at->gpu_family);
	size_t n = strlen(to);
	if (q->scored->model_is_new)
		snprintf(to + n, size - n, ", models left out");
}

static void name_load(const struct query *s, struct trust_interval *to)
{
	size_t n = strlen(to->group);
	snprintf(to->group + n, sizeof to->group - n, "%s",
		 s->at_same_load ? ", light load" : "");
}

static int counts(const struct query *s, const struct scored_row *x)
{
	const struct interval_of *q = s->q;
	return !x->saturated && !strcmp(x->metric, q->metric) &&
	       !(q->without_fold && !strcmp(x->fold, q->without_fold)) &&
	       (!s->at_same_load || x->at.loading == q->at->loading);
}

static double residual(const struct scored_row *x)
{
	return log(x->measured / x->predicted);
}

/* Writes the residuals of a group, sorted, to r[scored->n].  Returns how
 * many. */
static size_t residuals(const struct query *s, enum group g, double *r)
{
	const struct interval_of *q = s->q;
	size_t n = 0;
	for (size_t i = 0; i < q->scored->n; i++) {
		const struct scored_row *x = &q->scored->row[i];
		if (counts(s, x) && is_in(g, &x->at, q->at))
			r[n++] = residual(x);
	}
	stats_sort(r, n);
	return n;
}

/* Returns the k-th smallest of n, counted from 1; the first or last if k is
 * outside. */
static double kth(const double *sorted, size_t n, double k)
{
	return sorted[k < 1 ? 0 : k > (double)n ? n - 1 : (size_t)k - 1];
}

/* Sets the ends of the interval; r[n] is reordered. */
static void set_ends(struct trust_interval *to, double *r, size_t n)
{
	double c = to->coverage, median = stats_percentile(r, n, .5);
	/* Tolerance, because (n + 1) c for 59 rows must not become 53.99999. */
	double slack = 1e-9 * (double)n;
	if (n >= ENOUGH_FOR_BOTH_ENDS) {
		double low = ((double)n + 1) * (1 - c) / 2;
		double high = ((double)n + 1) * (1 + c) / 2;
		to->low = exp(kth(r, n, floor(low + slack)));
		to->high = exp(kth(r, n, ceil(high - slack)));
		return;
	}
	for (size_t i = 0; i < n; i++)
		r[i] = fabs(r[i] - median);
	stats_sort(r, n);
	double reach = kth(r, n, ceil(((double)n + 1) * c - slack));
	to->low = exp(median - reach);
	to->high = exp(median + reach);
}

static void by_rows(const struct query *s, struct trust_interval *to)
{
	const struct interval_of *q = s->q;
	double *r = calloc(q->scored->n + 1, sizeof *r);
	int g = 0;
	size_t n = 0;
	while (r && g < N_GROUPS &&
	       (n = residuals(s, (enum group)g, r)) < ENOUGH)
		g++;
	if (r && g < ALL && q->extrapolated)
		n = residuals(s, (enum group)++ g, r);
	if (r && g < N_GROUPS) {
		to->n = (uint32_t)n;
		name_group((enum group)g, q, to->group, sizeof to->group);
		name_load(s, to);
		set_ends(to, r, n);
	}
	free(r);
}

/* ---- a model without runs: by deployments ---- */

enum wide { ENGINE_AND_CLASS, ENGINE, EVERYTHING, N_WIDE };

struct weighed {
	const struct trust_place *at;
	double residual, weight;
};

static int is_within(enum wide g, const struct trust_place *a,
		     const struct trust_place *b)
{
	return (g > ENGINE_AND_CLASS ||
		!strcmp(a->model_class, b->model_class)) &&
	       (g > ENGINE || !strcmp(a->engine, b->engine));
}

/* Orders rows by deployment. */
static int by_deployment(const void *one, const void *other)
{
	const struct trust_place *a = ((const struct weighed *)one)->at;
	const struct trust_place *b = ((const struct weighed *)other)->at;
	int d = (a->n_params > b->n_params) - (a->n_params < b->n_params);
	if (!d)
		d = strcmp(a->engine, b->engine);
	if (!d)
		d = strcmp(a->gpu_family, b->gpu_family);
	return d ? d : strcmp(a->weight_format, b->weight_format);
}

/* Whether the rows name models and have none of this one. */
static int is_new(const struct query *s)
{
	const struct interval_of *q = s->q;
	int named = 0;
	for (size_t i = 0; i < q->scored->n; i++) {
		const struct scored_row *x = &q->scored->row[i];
		if (!counts(s, x) || !x->at.n_params)
			continue;
		if (x->at.n_params == q->at->n_params)
			return 0;
		named = 1;
	}
	return named;
}

/* Gives each row one divided by the rows of its deployment, and orders them by
 * it.  Returns how many deployments there are. */
static size_t weigh(struct weighed *w, size_t n)
{
	size_t k = 0, end;
	qsort(w, n, sizeof *w, by_deployment);
	for (size_t i = 0; i < n; i = end, k++) {
		for (end = i; end < n && !by_deployment(&w[i], &w[end]); end++)
			;
		for (size_t j = i; j < end; j++)
			w[j].weight = 1 / (double)(end - i);
	}
	return k;
}

static size_t gather(const struct query *s, enum wide g, struct weighed *w)
{
	const struct interval_of *q = s->q;
	size_t n = 0;
	for (size_t i = 0; i < q->scored->n; i++) {
		const struct scored_row *x = &q->scored->row[i];
		if (counts(s, x) && is_within(g, &x->at, q->at))
			w[n++] = (struct weighed){&x->at, residual(x), 0};
	}
	return n;
}

static int by_residual(const void *a, const void *b)
{
	double x = ((const struct weighed *)a)->residual;
	double y = ((const struct weighed *)b)->residual;
	return (x > y) - (x < y);
}

/* Returns the first residual, in steps of 1 or -1 from the first or last, at
 * which the weights are a share (1 - coverage) / 2 of k + 1. */
static double end_of(const struct weighed *w, size_t n, size_t k, int step,
		     double coverage)
{
	double sum = .5, enough = ((double)k + 1) * (1 - coverage) / 2 - 1e-9;
	const struct weighed *x = step > 0 ? w : w + n - 1;
	for (size_t i = 1; i < n && (sum += x->weight) < enough; i++)
		x += step;
	return x->residual;
}

static void name_wide(enum wide g, const struct trust_place *at, size_t k,
		      struct trust_interval *to)
{
	const char *class = g == ENGINE_AND_CLASS ? at->model_class : "";
	snprintf(to->group, sizeof to->group,
		 "%s%s%s, %zu deployments, models left out", class,
		 *class ? " under " : "", g == EVERYTHING ? "all" : at->engine,
		 k);
}

static void by_deployments(const struct query *s, struct trust_interval *to)
{
	const struct interval_of *q = s->q;
	struct weighed *w = calloc(q->scored->n + 1, sizeof *w);
	for (int g = 0; w && g < N_WIDE && !to->n; g++) {
		size_t n = gather(s, (enum wide)g, w), k = weigh(w, n);
		if (k < ENOUGH_DEPLOYMENTS)
			continue;
		qsort(w, n, sizeof *w, by_residual);
		to->n = (uint32_t)n;
		to->low = exp(end_of(w, n, k, 1, to->coverage));
		to->high = exp(end_of(w, n, k, -1, to->coverage));
		name_wide((enum wide)g, q->at, k, to);
		name_load(s, to);
	}
	free(w);
}

/* ---- either ---- */

/* Whether the TTFT of a light load is asked for, and some errors are of closed
 * loops, which say little of it. */
static int is_by_load(const struct interval_of *q)
{
	if (!strstr(q->metric, "_ttft_") || q->at->loading != LOADING_LIGHT)
		return 0;
	for (size_t i = 0; i < q->scored->n; i++)
		if (q->scored->row[i].at.loading == LOADING_LOOP)
			return 1;
	return 0;
}

/* Prompts of 107 published runs of a model with linear layers were predicted 61
 * to 73 % too short.  Errors of other models say nothing of that. */
static int is_unclaimed(const struct interval_of *q)
{
	return !strcmp(q->at->model_class, "linear") &&
	       strstr(q->metric, "ttft");
}

struct trust_interval trust_interval_of(const struct interval_of *q)
{
	struct trust_interval to = {
	    .low = NAN, .high = NAN, .coverage = q->coverage};
	if (is_unclaimed(q))
		return to;
	struct query s = {q, is_by_load(q)};
	do {
		if (is_new(&s))
			by_deployments(&s, &to);
		else
			by_rows(&s, &to);
	} while (!to.n && s.at_same_load--);
	return to;
}
