/* interval.c -- Computes intervals of predictions from the errors of other
 * runs: row by row, or for a model without runs by deployments. */
#include "trust/interval.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "math/statistics.h"

/* A question, for rows with the same place_loading only or for all. */
struct query {
	const struct interval_of *q;
	int at_same_load;
	/* The figure that all runs of a group have: it chooses the group of
	 * every figure. */
	const char *common;
	/* An interval is tried on a measured run: then rows of its publisher,
	 * which this is, and of its deployment are left out.  NULL: it is not
	 * tried. */
	const char *without_publisher;
};

enum { ENOUGH = 20, ENOUGH_FOR_BOTH_ENDS = 60 };
/* The next one exceeds the errors of nine in one case of ten; of three, which
 * are enough where there are no more, in one of four. */
enum { ENOUGH_DEPLOYMENTS = 9, FEWEST_DEPLOYMENTS = 3 };

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

/* Orders places by deployment. */
static int deployments_differ(const struct trust_place *a,
			      const struct trust_place *b)
{
	int d = (a->n_params > b->n_params) - (a->n_params < b->n_params);
	if (!d)
		d = strcmp(a->engine, b->engine);
	if (!d)
		d = strcmp(a->gpu_family, b->gpu_family);
	return d ? d : strcmp(a->weight_format, b->weight_format);
}

static int counts(const struct query *s, const char *metric,
		  const struct scored_row *x)
{
	const struct interval_of *q = s->q;
	if (s->without_publisher &&
	    (!strcmp(x->publisher, s->without_publisher) ||
	     !deployments_differ(&x->at, q->at)))
		return 0;
	return !x->saturated && !strcmp(x->metric, metric) &&
	       !(q->without_fold && !strcmp(x->fold, q->without_fold)) &&
	       (!s->at_same_load || x->at.loading == q->at->loading);
}

static double residual(const struct scored_row *x)
{
	return log(x->measured / x->predicted);
}

/* Writes the residuals of a group, sorted, to r[scored->n].  Returns how
 * many. */
static size_t residuals(const struct query *s, const char *metric, enum group g,
			double *r)
{
	const struct interval_of *q = s->q;
	size_t n = 0;
	for (size_t i = 0; i < q->scored->n; i++) {
		const struct scored_row *x = &q->scored->row[i];
		if (counts(s, metric, x) && is_in(g, &x->at, q->at))
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

/* Returns 1 if some group has enough runs; the interval has no rows where they
 * lack this figure. */
static int by_rows(const struct query *s, struct trust_interval *to)
{
	const struct interval_of *q = s->q;
	double *r = calloc(q->scored->n + 1, sizeof *r);
	int g = 0;
	while (r && g < N_GROUPS &&
	       residuals(s, s->common, (enum group)g, r) < ENOUGH)
		g++;
	const int has_group = r && g < N_GROUPS;
	if (has_group && g < ALL && q->extrapolated)
		g++;
	size_t n = has_group ? residuals(s, q->metric, (enum group)g, r) : 0;
	if (n >= ENOUGH) {
		to->n = (uint32_t)n;
		name_group((enum group)g, q, to->group, sizeof to->group);
		name_load(s, to);
		set_ends(to, r, n);
	}
	free(r);
	return has_group;
}

/* ---- a model without runs: by deployments ---- */

enum wide { ENGINE_AND_CLASS, ENGINE, EVERYTHING };

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

static int by_deployment(const void *one, const void *other)
{
	return deployments_differ(((const struct weighed *)one)->at,
				  ((const struct weighed *)other)->at);
}

/* Whether the rows name models and have none of this one. */
static int is_new(const struct query *s)
{
	const struct interval_of *q = s->q;
	int named = 0;
	for (size_t i = 0; i < q->scored->n; i++) {
		const struct scored_row *x = &q->scored->row[i];
		if (!counts(s, s->common, x) || !x->at.n_params)
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

static size_t gather(const struct query *s, const char *metric, enum wide g,
		     struct weighed *w)
{
	const struct interval_of *q = s->q;
	size_t n = 0;
	for (size_t i = 0; i < q->scored->n; i++) {
		const struct scored_row *x = &q->scored->row[i];
		if (counts(s, metric, x) && is_within(g, &x->at, q->at))
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
		 "%s%s%s, %zu deployment%s, models left out", class,
		 *class ? " under " : "", g == EVERYTHING ? "all" : at->engine,
		 k, k == 1 ? "" : "s");
}

/* Returns 1 if some group has enough deployments, as by_rows(). */
static int by_deployments(const struct query *s, struct trust_interval *to)
{
	const struct interval_of *q = s->q;
	struct weighed *w = calloc(q->scored->n + 1, sizeof *w);
	int g = 0;
	while (w && g < EVERYTHING &&
	       weigh(w, gather(s, s->common, (enum wide)g, w)) <
		   ENOUGH_DEPLOYMENTS)
		g++;
	const int has_group = w && weigh(w, gather(s, s->common, (enum wide)g,
						   w)) >= FEWEST_DEPLOYMENTS;
	size_t n = has_group ? gather(s, q->metric, (enum wide)g, w) : 0;
	size_t k = w ? weigh(w, n) : 0;
	if (k >= FEWEST_DEPLOYMENTS) {
		qsort(w, n, sizeof *w, by_residual);
		to->n = (uint32_t)n;
		to->low = exp(end_of(w, n, k, 1, to->coverage));
		to->high = exp(end_of(w, n, k, -1, to->coverage));
		name_wide((enum wide)g, q->at, k, to);
		name_load(s, to);
	}
	free(w);
	return has_group;
}

/* ---- either ---- */

/* Whether the place has a light load, and some errors are of closed loops,
 * which say little of it. */
static int is_by_load(const struct interval_of *q)
{
	if (q->at->loading != LOADING_LIGHT)
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

/* A GPU that no scored run is of: other GPUs say nothing of its kernels. */
static int is_unknown_gpu(const struct interval_of *q)
{
	for (size_t i = 0; i < q->scored->n; i++)
		if (!strcmp(q->scored->row[i].at.gpu_family, q->at->gpu_family))
			return 0;
	return 1;
}

/* Latencies of a result are judged by the same runs: those with a TPOT, which
 * have the others too. */
static const char *common_of(const struct interval_of *q)
{
	static const char tpot[] = "mean_tpot_ms";
	if (!strstr(q->metric, "_ms"))
		return q->metric;
	for (size_t i = 0; i < q->scored->n; i++)
		if (!strcmp(q->scored->row[i].metric, tpot))
			return tpot;
	return q->metric;
}

/* Writes how much more a percentile errs than the mean of its run, sorted, to
 * r[scored->n], of all runs that have both.  Returns how many. */
static size_t errors_beyond_mean(const struct interval_of *q, const char *mean,
				 double *r)
{
	size_t n = 0;
	for (size_t i = 0; i < q->scored->n; i++) {
		const struct scored_row *x = &q->scored->row[i];
		const struct scored_row *y =
		    !x->saturated && !strcmp(x->metric, q->metric)
			? scored_of_run(q->scored, i, mean)
			: NULL;
		if (y &&
		    !(q->without_fold && !strcmp(x->fold, q->without_fold)))
			r[n++] = residual(x) - residual(y);
	}
	stats_sort(r, n);
	return n;
}

static struct trust_interval of_group(const struct interval_of *q,
				      const char *without_publisher);

/* A percentile that too few runs of the group have errs as its mean does, and
 * as percentiles err beyond their means elsewhere. */
static void from_mean(const struct query *s, struct trust_interval *to)
{
	char mean[40];
	struct interval_of q = *s->q;
	double *r = calloc(q.scored->n + 1, sizeof *r);
	snprintf(mean, sizeof mean, "mean_%s", s->q->metric + 4);
	size_t n = r ? errors_beyond_mean(s->q, mean, r) : 0;
	q.metric = mean;
	if (n >= ENOUGH)
		*to = of_group(&q, s->without_publisher);
	if (n >= ENOUGH && to->n) {
		const double c = to->coverage, of = (double)n + 1;
		to->low *= exp(fmin(0, kth(r, n, floor(of * (1 - c) / 2))));
		to->high *= exp(fmax(0, kth(r, n, ceil(of * (1 + c) / 2))));
	}
	free(r);
}

/* The interval as wide as the errors of the group. */
static struct trust_interval of_group(const struct interval_of *q,
				      const char *without_publisher)
{
	struct trust_interval to = {
	    .low = NAN, .high = NAN, .coverage = q->coverage};
	if (is_unclaimed(q) || is_unknown_gpu(q))
		return to;
	struct query s = {q, is_by_load(q), common_of(q), without_publisher};
	do {
		if (is_new(&s) ? by_deployments(&s, &to) : by_rows(&s, &to))
			break;
	} while (s.at_same_load--);
	if (!to.n && q->metric[0] == 'p')
		from_mean(&s, &to);
	return to;
}

/* ---- publishers never seen ---- */

static const char *const latency_mean[SCORED_LATENCIES] = {
    "mean_ttft_ms", "mean_tpot_ms", "mean_e2el_ms"};
static const char *const latency_part[SCORED_LATENCIES] = {"ttft", "tpot",
							   "e2el"};

static int is_alike(const struct scored_row *a, const struct scored_row *b)
{
	return !strcmp(a->publisher, b->publisher) &&
	       !deployments_differ(&a->at, &b->at) &&
	       !strcmp(a->at.model_class, b->at.model_class) &&
	       a->at.loading == b->at.loading;
}

static int is_tried(const struct interval_of *of, const struct scored_row *x)
{
	return *x->publisher && !x->saturated &&
	       !strcmp(x->metric, of->metric) &&
	       !(of->without_fold && !strcmp(x->fold, of->without_fold));
}

/* Writes how far the rows like row `first` lie outside the one interval that
 * others give them, below 0 for inside; marks them. */
static size_t try_alike(const struct interval_of *of, size_t first,
			unsigned char *is_done, double *beyond)
{
	const struct scored *s = of->scored;
	const struct scored_row *like = &s->row[first];
	struct interval_of q = *of;
	q.at = &like->at;
	const struct trust_interval in = of_group(&q, like->publisher);
	size_t n = 0;
	for (size_t i = first; i < s->n; i++) {
		const struct scored_row *x = &s->row[i];
		if (!is_tried(of, x) || !is_alike(x, like))
			continue;
		is_done[i] = 1;
		if (in.n)
			beyond[n++] = fmax(residual(x) - log(in.high),
					   log(in.low) - residual(x));
	}
	return n;
}

/* Returns what must be added at both ends to hold the coverage of the rows of
 * each publisher. */
static double widening_of(const struct interval_of *of, unsigned char *is_done,
			  double *beyond)
{
	const struct scored *s = of->scored;
	double most = 0;
	memset(is_done, 0, s->n);
	for (size_t first = 0; first < s->n; first++) {
		const char *publisher = s->row[first].publisher;
		size_t n = 0;
		if (is_done[first] || !is_tried(of, &s->row[first]))
			continue;
		for (size_t i = first; i < s->n; i++)
			if (!is_done[i] && is_tried(of, &s->row[i]) &&
			    !strcmp(s->row[i].publisher, publisher))
				n += try_alike(of, i, is_done, beyond + n);
		stats_sort(beyond, n);
		if (n)
			most = fmax(most,
				    kth(beyond, n,
					ceil((double)n * of->coverage - 1e-9)));
	}
	return most;
}

void trust_prepare(struct scored *s, const struct interval_of *asked)
{
	unsigned char *is_done = malloc(s->n + 1);
	double *beyond = calloc(s->n + 1, sizeof *beyond);
	struct interval_of of = *asked;
	of.scored = s;
	for (int k = 0; is_done && beyond && k < SCORED_LATENCIES; k++) {
		of.metric = latency_mean[k];
		if (!asked->metric || strstr(asked->metric, latency_part[k]))
			s->widening[k] = widening_of(&of, is_done, beyond);
	}
	free(is_done);
	free(beyond);
}

/* ---- all of it ---- */

struct trust_interval trust_interval_of(const struct interval_of *q)
{
	struct trust_interval to = of_group(q, NULL);
	for (int k = 0; to.n && k < SCORED_LATENCIES; k++)
		if (strstr(q->metric, latency_part[k])) {
			to.low *= exp(-q->scored->widening[k]);
			to.high *= exp(q->scored->widening[k]);
		}
	return to;
}
