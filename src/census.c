#include <config.h>
#include "census.h"
#include <math.h>
#include <stdlib.h>

static int tally_add(struct tally *t, uint64_t value)
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

static int tally_sort(struct tally *t)
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

/* The value of rank 0 … n-1. */
static double ranked(const struct tally *t, uint64_t rank)
{
	size_t i = 0;
	while (rank >= t->sorted[i].value)
		rank -= t->sorted[i++].value;
	return (double)t->sorted[i].key;
}

double tally_percentile(const struct tally *t, double q)
{
	double at = q / 100 * (double)(t->n - 1);
	double low = ranked(t, (uint64_t)at), part = at - floor(at);
	return part > 0 ? low + (ranked(t, (uint64_t)at + 1) - low) * part
			: low;
}

double tally_mean(const struct tally *t)
{
	return t->sum / (double)t->n;
}

double tally_std(const struct tally *t)
{
	double mean = tally_mean(t), squares = 0;
	for (size_t i = 0; i < t->count.n; i++) {
		double d = (double)t->sorted[i].key - mean;
		squares += d * d * (double)t->sorted[i].value;
	}
	return sqrt(squares / (double)t->n);
}

static void gap(struct census *c, int64_t ns)
{
	double n = (double)c->requests, d = (double)ns - c->gap_mean_ns;
	c->gap_mean_ns += d / n;
	c->gap_squares += d * ((double)ns - c->gap_mean_ns);
	c->zero_gaps += ns == 0;
	if (ns > c->gap_max_ns)
		c->gap_max_ns = ns;
}

static int row(struct census *c, const struct trace_row *r)
{
	int is_new;
	if (tally_add(&c->input, (uint64_t)r->input_tokens) < 0 ||
	    tally_add(&c->output, (uint64_t)r->output_tokens) < 0 ||
	    (r->session && !map64_at(&c->sessions, r->session, NULL)))
		return -1;
	for (uint32_t i = 0; i < r->n_blocks; i++) {
		if (!map64_at(&c->blocks, r->block[i], &is_new))
			return -1;
		c->hash_ids++;
		c->hash_hits += !is_new;
	}
	return 0;
}

int census_take(struct census *c, struct replay *r, struct problem *p)
{
	struct request q;
	int64_t ns, first = 0, before = 0;
	int got;
	*c =
	    (struct census){.failed = r->n_failed, .sorted_from = r->inversion};
	while ((got = replay_peek(r, &ns, p)) == 1) {
		if (c->requests == 0)
			first = ns;
		else
			gap(c, ns - before);
		c->requests++;
		before = ns;
		if (row(c, &r->row) < 0)
			return problem_set(p, EXIT_USAGE, "out of memory");
		if (replay_take(r, &q, p) < 0)
			return -1;
	}
	c->span_ns = before - first;
	if (got == 0 && (tally_sort(&c->input) < 0 || tally_sort(&c->output)))
		return problem_set(p, EXIT_USAGE, "out of memory");
	return got;
}

double census_gap_cv(const struct census *c)
{
	return c->span_ns > 0
		   ? sqrt(c->gap_squares / (double)(c->requests - 1)) /
			 c->gap_mean_ns
		   : NAN;
}

double census_rate(const struct census *c)
{
	return c->span_ns > 0
		   ? 1e9 * (double)(c->requests - 1) / (double)c->span_ns
		   : NAN;
}

void census_free(struct census *c)
{
	map64_free(&c->input.count), free(c->input.sorted);
	map64_free(&c->output.count), free(c->output.sorted);
	map64_free(&c->sessions), map64_free(&c->blocks);
}
