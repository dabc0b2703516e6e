/* statistics.c -- Means, percentiles and time series in bounded memory. */
#include <config.h>
#include "math/statistics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Buckets: below 2^9 one for each value; above, 2^9 for each power of two, so
 * that the middle of a bucket is within 1/1024 of all that is in it. */
#define SUB_BITS 9
#define SUB (1u << SUB_BITS)
#define BUCKETS ((64u - SUB_BITS) * SUB)

static size_t bucket_of(uint64_t v)
{
	if (v < SUB)
		return (size_t)v;
	unsigned shift = 63u - (unsigned)__builtin_clzll(v) - SUB_BITS;
	return (size_t)((shift << SUB_BITS) + (v >> shift));
}

static double bucket_middle(size_t i)
{
	if (i < SUB)
		return (double)i;
	unsigned shift = (unsigned)(i >> SUB_BITS) - 1;
	uint64_t low = (uint64_t)(i - ((size_t)shift << SUB_BITS)) << shift;
	return (double)low + 0.5 * (double)(((uint64_t)1 << shift) - 1);
}

void stats_free(struct stats *s)
{
	free(s->run);
	free(s->bucket);
	*s = (struct stats){0};
}

static void to_buckets(struct stats *s)
{
	s->bucket = calloc(BUCKETS, sizeof *s->bucket);
	if (!s->bucket) {
		s->out_of_memory = 1;
		return;
	}
	for (size_t i = 0; i < s->n_runs; i++)
		s->bucket[bucket_of((uint64_t)s->run[i].value)] +=
		    s->run[i].count;
	free(s->run);
	s->run = NULL;
	s->n_runs = s->cap = 0;
}

static void add_run(struct stats *s, int64_t value, uint64_t count)
{
	if (s->n_runs && s->run[s->n_runs - 1].value == value) {
		s->run[s->n_runs - 1].count += count;
		return;
	}
	if (s->n_runs == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		void *more = realloc(s->run, cap * sizeof *s->run);
		if (!more) {
			s->out_of_memory = 1;
			return;
		}
		s->run = more;
		s->cap = cap;
	}
	s->run[s->n_runs++] = (struct stats_run){value, count};
}

/* Sums of the n values; min and max take part in them. */
static void sum_up(struct stats *s, uint32_t n, const int64_t *value,
		   uint64_t count)
{
	__int128 sum = 0, squares = 0;
	if (s->n == 0)
		s->min = s->max = value[0];
	for (uint32_t i = 0; i < n; i++) {
		int64_t v = value[i];
		s->min = v < s->min ? v : s->min;
		s->max = v > s->max ? v : s->max;
		sum += v;
		squares += (__int128)v * v;
	}
	s->n += n * count;
	s->sum += sum * (__int128)count;
	s->sum_of_squares += squares * (__int128)count;
}

void stats_add_each(struct stats *s, uint32_t n, const int64_t *value,
		    uint64_t count)
{
	if (count == 0)
		return;
	sum_up(s, n, value, count);
	if (!s->bucket && s->n >= STATS_EXACT && !s->out_of_memory)
		to_buckets(s);
	for (uint32_t i = 0; i < n; i++)
		if (s->bucket)
			s->bucket[bucket_of((uint64_t)value[i])] += count;
		else
			add_run(s, value[i], count);
}

void stats_add(struct stats *s, int64_t value, uint64_t count)
{
	stats_add_each(s, 1, &value, count);
}

/* By value, least significant digit first; the sort is stable and touches
 * each run once per digit that differs at all. */
#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)
static void sort_runs(struct stats *s)
{
	struct stats_run *from = s->run;
	struct stats_run *to = malloc(s->cap * sizeof *to);
	if (!to) {
		s->out_of_memory = 1;
		return;
	}
	for (unsigned shift = 0; shift < 63 && s->max >> shift;
	     shift += DIGIT_BITS) {
		size_t at[DIGITS] = {0}, sum = 0;
		for (size_t i = 0; i < s->n_runs; i++)
			at[from[i].value >> shift & (DIGITS - 1)]++;
		for (size_t d = 0; d < DIGITS; d++) {
			size_t count = at[d];
			at[d] = sum;
			sum += count;
		}
		for (size_t i = 0; i < s->n_runs; i++)
			to[at[from[i].value >> shift & (DIGITS - 1)]++] =
			    from[i];
		struct stats_run *swap = from;
		from = to;
		to = swap;
	}
	s->run = from;
	free(to);
}

/* The k-th and the next smallest sample, k from 0. */
static void neighbours(const struct stats *s, uint64_t k, double *a, double *b)
{
	uint64_t seen = 0;
	int found = 0;
	size_t n = s->bucket ? BUCKETS : s->n_runs;
	*a = *b = (double)s->max;
	for (size_t i = 0; i < n; i++) {
		uint64_t count = s->bucket ? s->bucket[i] : s->run[i].count;
		if (count == 0)
			continue;
		seen += count;
		if (seen <= k)
			continue;
		double v =
		    s->bucket ? bucket_middle(i) : (double)s->run[i].value;
		v = fmin(fmax(v, (double)s->min), (double)s->max);
		if (!found) {
			*a = v;
			found = 1;
		}
		if (seen > k + 1) {
			*b = v;
			return;
		}
	}
}

/* As numpy: linear between neighbours, from the nearer end. */
static double quantile_of_sorted(const struct stats *s, double q)
{
	if (s->n == 0)
		return 0;
	double at = q * (double)(s->n - 1), low = floor(at), t = at - low, a, b;
	neighbours(s, (uint64_t)low, &a, &b);
	return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
}

double stats_quantile(struct stats *s, double q)
{
	if (!s->bucket && s->n_runs > 1)
		sort_runs(s);
	return quantile_of_sorted(s, q);
}

void stats_summarise(struct stats *s, struct stats_summary *out)
{
	*out = (struct stats_summary){.n = s->n, .exact = !s->bucket};
	if (s->n == 0) {
		out->mean = out->std = out->min = out->max = NAN;
		out->p50 = out->p90 = out->p95 = out->p99 = NAN;
		return;
	}
	/* About a whole number near the mean nothing overflows or cancels. */
	__int128 n = (__int128)s->n, m = s->sum / n, rest = s->sum - n * m;
	__int128 squares = s->sum_of_squares - 2 * m * s->sum + n * m * m;
	double offset = (double)rest / (double)n;
	double variance = (double)squares / (double)n - offset * offset;
	out->mean = (double)m + offset;
	out->std = sqrt(fmax(variance, 0));
	out->min = (double)s->min;
	out->max = (double)s->max;
	out->p50 = stats_quantile(s, 0.5);
	out->p90 = quantile_of_sorted(s, 0.9);
	out->p95 = quantile_of_sorted(s, 0.95);
	out->p99 = quantile_of_sorted(s, 0.99);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

void stats_sort(double *v, size_t n)
{
	qsort(v, n, sizeof *v, ascending);
}

double stats_percentile(const double *sorted, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;
	return i + 1 < n
		   ? sorted[i] + (sorted[i + 1] - sorted[i]) * (at - (double)i)
		   : sorted[i];
}

static void merge_bin(struct series_bin *to, const struct series_bin *from)
{
	to->steps += from->steps;
	to->busy_ns += from->busy_ns;
	to->sequences += from->sequences;
	to->tokens += from->tokens;
	to->blocks += from->blocks;
	if (to->max_blocks < from->max_blocks)
		to->max_blocks = from->max_blocks;
	if (to->max_sequences < from->max_sequences)
		to->max_sequences = from->max_sequences;
	if (to->max_waiting < from->max_waiting)
		to->max_waiting = from->max_waiting;
}

static void halve(struct series *s)
{
	for (uint32_t i = 0; i < SERIES_BINS; i += 2) {
		struct series_bin pair = s->bin[i];
		merge_bin(&pair, &s->bin[i + 1]);
		s->bin[i / 2] = pair;
	}
	memset(s->bin + SERIES_BINS / 2, 0, SERIES_BINS / 2 * sizeof *s->bin);
	s->n_bins = (s->n_bins + 1) / 2;
	s->width_ns *= 2;
	s->shift++;
}

/* The bin of a step that starts then. */
static struct series_bin *bin_at(struct series *s, int64_t start_ns)
{
	if (s->width_ns == 0) {
		s->shift = 20; /* about a millisecond */
		s->width_ns = (int64_t)1 << s->shift;
	}
	while (start_ns >> s->shift >= SERIES_BINS)
		halve(s);
	uint32_t i = (uint32_t)(start_ns >> s->shift);
	if (s->n_bins <= i)
		s->n_bins = i + 1;
	return &s->bin[i];
}

/* Of the steps, those that start in the same bin as step i. */
static uint32_t n_together(const struct series *s, const struct series_steps *x,
			   uint32_t i)
{
	int64_t bin = x->start_ns[i] >> s->shift;
	uint32_t n = x->n - i;
	while (x->start_ns[i + n - 1] >> s->shift != bin)
		n--;
	return n;
}

static void add_to_bin(struct series_bin *b, const struct series_steps *x,
		       uint32_t from, uint32_t n)
{
	b->steps += n;
	b->sequences += (uint64_t)n * x->sequences;
	for (uint32_t i = from; i < from + n; i++) {
		b->busy_ns += (uint64_t)(x->end_ns[i] - x->start_ns[i]);
		b->tokens += x->tokens[i];
		b->blocks += x->blocks[i];
		if (b->max_blocks < x->blocks[i])
			b->max_blocks = x->blocks[i];
	}
	if (b->max_sequences < x->sequences)
		b->max_sequences = x->sequences;
	if (b->max_waiting < x->waiting)
		b->max_waiting = x->waiting;
}

void series_add(struct series *s, const struct series_steps *x)
{
	uint32_t n;
	for (uint32_t i = 0; i < x->n; i += n) {
		struct series_bin *b = bin_at(s, x->start_ns[i]);
		n = n_together(s, x, i);
		add_to_bin(b, x, i, n);
	}
}
