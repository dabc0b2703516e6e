/* interval.c -- Computes intervals of predictions from the errors of other
 * runs. */
#include <config.h>
#include "trust/interval.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "math/statistics.h"

enum { ENOUGH = 20, ENOUGH_FOR_BOTH_ENDS = 60 };

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

/* Writes the residuals of a group, sorted, to r[scored->n].  Returns how
 * many. */
static size_t residuals(const struct interval_of *q, enum group g, double *r)
{
	size_t n = 0;
	for (size_t i = 0; i < q->scored->n; i++) {
		const struct scored_row *x = &q->scored->row[i];
		if (!x->saturated && !strcmp(x->metric, q->metric) &&
		    is_in(g, &x->at, q->at) &&
		    !(q->without_fold && !strcmp(x->fold, q->without_fold)))
			r[n++] = log(x->measured / x->predicted);
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

struct trust_interval trust_interval_of(const struct interval_of *q)
{
	struct trust_interval to = {
	    .low = NAN, .high = NAN, .coverage = q->coverage};
	double *r = calloc(q->scored->n + 1, sizeof *r);
	int g = 0;
	size_t n = 0;
	while (r && g < N_GROUPS &&
	       (n = residuals(q, (enum group)g, r)) < ENOUGH)
		g++;
	if (r && g < ALL && q->extrapolated)
		n = residuals(q, (enum group)++ g, r);
	if (r && g < N_GROUPS) {
		to.n = (uint32_t)n;
		name_group((enum group)g, q, to.group, sizeof to.group);
		set_ends(&to, r, n);
	}
	free(r);
	return to;
}
