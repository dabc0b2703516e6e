/* trace_summary.c -- Counts what `trace info` prints. */
#include "workload/trace/trace_summary.h"
#include <math.h>
#include <stdlib.h>

static int counts_add(struct counts *t, uint64_t value)
{
	uint64_t *count = map64_at(&t->count, value, NULL);
	if (!count)
		return -1;
	++*count;
	t->n++;
	t->sum += (double)value;
	return 0;
}

static int by_value(const void *va, const void *vb)
{
	const struct map64_entry *a = va, *b = vb;
	return a->key < b->key ? -1 : a->key > b->key;
}

static int counts_sort(struct counts *t)
{
	size_t n = 0;
	t->sorted = calloc(t->count.n + 1, sizeof *t->sorted);
	if (!t->sorted)
		return -1;
	for (size_t i = 0; i < t->count.cap; i++)
		if (t->count.entry[i].used)
			t->sorted[n++] = t->count.entry[i];
	qsort(t->sorted, n, sizeof *t->sorted, by_value);
	return 0;
}

/* Returns the value of rank 0 … n-1. */
static double ranked(const struct counts *t, uint64_t rank)
{
	size_t i = 0;
	while (rank >= t->sorted[i].value)
		rank -= t->sorted[i++].value;
	return (double)t->sorted[i].key;
}

double counts_percentile(const struct counts *t, double q)
{
	double at = q / 100 * (double)(t->n - 1);
	double low = ranked(t, (uint64_t)at), part = at - floor(at);
	return part > 0 ? low + (ranked(t, (uint64_t)at + 1) - low) * part
			: low;
}

double counts_mean(const struct counts *t)
{
	return t->sum / (double)t->n;
}

double counts_std(const struct counts *t)
{
	double mean = counts_mean(t), squares = 0;
	for (size_t i = 0; i < t->count.n; i++) {
		double d = (double)t->sorted[i].key - mean;
		squares += d * d * (double)t->sorted[i].value;
	}
	return sqrt(squares / (double)t->n);
}

/* Adds a gap; n: the number of gaps with it. */
static void gap(struct trace_summary *c, uint64_t n, int64_t ns)
{
	double d = (double)ns - c->gap_mean_ns;
	c->gap_mean_ns += d / (double)n;
	c->gap_squares += d * ((double)ns - c->gap_mean_ns);
	c->zero_gaps += ns == 0;
	if (ns > c->gap_max_ns)
		c->gap_max_ns = ns;
}

/* Adds the time of a row.  *first and *before: those of the first row, and of
 * the row before it. */
static void add_time(struct trace_summary *c, const struct trace_row *r,
		     int64_t *first, int64_t *before)
{
	if (c->timed == 0)
		*first = r->time_ns;
	else
		gap(c, c->timed, r->time_ns - *before);
	if (c->timed++ && r->time_ns < *before && !c->inversion)
		c->inversion = r->request.line;
	*before = r->time_ns;
}

static int by_time(const void *va, const void *vb)
{
	const int64_t *a = va, *b = vb;
	return *a < *b ? -1 : *a > *b;
}

/* Computes the gaps of a trace that is not in order of time. */
static int sorted_gaps(struct trace_summary *c, struct trace *t,
		       struct problem *p)
{
	struct trace_row row;
	int64_t *ns = calloc(c->timed, sizeof *ns);
	int rc = ns ? trace_rewind(t, p) : problem_no_memory(p);
	for (uint64_t i = 0; rc == 0 && i < c->timed;) {
		if (trace_next(t, &row, p) < 0)
			rc = -1;
		else if (!row.n_after)
			ns[i++] = row.time_ns;
	}
	c->gap_mean_ns = c->gap_squares = 0;
	c->gap_max_ns = 0;
	c->zero_gaps = 0;
	if (rc == 0) {
		qsort(ns, c->timed, sizeof *ns, by_time);
		for (uint64_t i = 1; i < c->timed; i++)
			gap(c, i, ns[i] - ns[i - 1]);
		c->span_ns = ns[c->timed - 1] - ns[0];
	}
	free(ns);
	return rc;
}

/* Counts a row in the summary. */
static int add(struct trace_summary *c, const struct trace_row *r)
{
	int is_new;
	if (counts_add(&c->input, (uint64_t)r->input_tokens) < 0 ||
	    counts_add(&c->output, (uint64_t)r->output_tokens) < 0 ||
	    (r->request.session &&
	     !map64_at(&c->sessions, r->request.session, NULL)))
		return -1;
	for (uint32_t i = 0; i < r->n_blocks; i++) {
		if (!map64_at(&c->blocks, r->block[i], &is_new))
			return -1;
		c->hash_ids++;
		c->hash_hits += !is_new;
	}
	c->requests++;
	c->cancelled += r->request.cancel_ns > 0;
	return 0;
}

int trace_summary_take(struct trace_summary *c, struct trace *t, uint64_t limit,
		       struct problem *p)
{
	struct trace_row row;
	int64_t first = 0, before = 0;
	int got = 0;
	*c = (struct trace_summary){0};
	while ((limit == 0 || c->requests < limit) &&
	       (got = trace_next(t, &row, p)) == 1) {
		if (!row.n_after)
			add_time(c, &row, &first, &before);
		if (add(c, &row) < 0)
			return problem_no_memory(p);
	}
	c->failed = trace_failed(t);
	c->span_ns = before - first;
	if (got < 0)
		return -1;
	if (c->requests == 0)
		return trace_no_requests(t, p);
	if (c->inversion && sorted_gaps(c, t, p) < 0)
		return -1;
	if (counts_sort(&c->input) < 0 || counts_sort(&c->output) < 0)
		return problem_no_memory(p);
	return 0;
}

double trace_summary_gap_cv(const struct trace_summary *c)
{
	return c->span_ns > 0 ? sqrt(c->gap_squares / (double)(c->timed - 1)) /
				    c->gap_mean_ns
			      : NAN;
}

double trace_summary_rate(const struct trace_summary *c)
{
	return c->span_ns > 0
		   ? 1e9 * (double)(c->timed - 1) / (double)c->span_ns
		   : NAN;
}

void trace_summary_free(struct trace_summary *c)
{
	map64_free(&c->input.count), free(c->input.sorted);
	map64_free(&c->output.count), free(c->output.sorted);
	map64_free(&c->sessions), map64_free(&c->blocks);
}
