/* statistics.c -- Means, percentiles and time series in bounded memory. */
#include "math/statistics.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Buckets: one per value below 2^9; above that, 2^9 per power of two, so that
 * the middle of a bucket is within 1/1024 of every value in it. */
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
	free(s->value);
	free(s->count);
	free(s->bucket);
	*s = (struct stats){0};
}

/* Returns how often value[i] was added. */
static uint64_t count_at(const struct stats *s, size_t i)
{
	return s->count ? s->count[i] : 1;
}

static void to_buckets(struct stats *s)
{
	s->bucket = calloc(BUCKETS, sizeof *s->bucket);
	if (!s->bucket) {
		s->out_of_memory = 1;
		return;
	}
	for (size_t i = 0; i < s->n_values; i++)
		s->bucket[bucket_of((uint64_t)s->value[i])] += count_at(s, i);
	free(s->value);
	free(s->count);
	s->value = NULL;
	s->count = NULL;
	s->n_values = s->cap = 0;
}

/* Makes room for one more value.  Returns 0 or -1. */
static int make_room(struct stats *s)
{
	if (s->n_values < s->cap)
		return 0;
	size_t cap = s->cap ? 2 * s->cap : 64;
	int64_t *value = realloc(s->value, cap * sizeof *value);
	if (value)
		s->value = value;
	uint64_t *count =
	    s->count ? realloc(s->count, cap * sizeof *count) : NULL;
	if (count)
		s->count = count;
	s->out_of_memory |= !value || (s->count && !count);
	if (s->out_of_memory)
		return -1;
	s->cap = cap;
	return 0;
}

/* From now on count[] says how often each value was added. */
static int begin_counts(struct stats *s)
{
	s->count = malloc(s->cap * sizeof *s->count);
	s->out_of_memory |= !s->count;
	for (size_t i = 0; s->count && i < s->n_values; i++)
		s->count[i] = 1;
	return s->count ? 0 : -1;
}

static void add_value(struct stats *s, const struct sample *x)
{
	size_t n = s->n_values;
	if (s->count && n && s->value[n - 1] == x->value) {
		s->count[n - 1] += x->count;
		return;
	}
	if (make_room(s) || (x->count > 1 && !s->count && begin_counts(s)))
		return;
	s->value[n] = x->value;
	if (s->count)
		s->count[n] = x->count;
	s->n_values++;
}

/* Updates everything that stays exact: count, sums, extremes. */
static void sum_up(struct stats *s, uint32_t n, const struct sample *x)
{
	int64_t min = s->n ? s->min : x->value, max = s->n ? s->max : x->value;
	uint64_t count = 0;
	unsigned __int128 sum = 0, squares = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t value = (uint64_t)x[i].value;
		unsigned __int128 all = (unsigned __int128)x[i].count * value;
		min = x[i].value < min ? x[i].value : min;
		max = x[i].value > max ? x[i].value : max;
		count += x[i].count;
		sum += all;
		squares += all * value;
	}
	s->min = min;
	s->max = max;
	s->n += count;
	s->sum += (__int128)sum;
	s->sum_of_squares += (__int128)squares;
}

static void keep(struct stats *s, uint32_t n, const struct sample *x)
{
	uint64_t *bucket = s->bucket;
	for (uint32_t i = 0; bucket && i < n; i++)
		bucket[bucket_of((uint64_t)x[i].value)] += x[i].count;
	for (uint32_t i = 0; !bucket && i < n; i++)
		add_value(s, &x[i]);
}

void stats_settle(struct stats *s)
{
	uint32_t n = s->n_buffer;
	if (n == 0)
		return;
	s->n_buffer = 0;
	sum_up(s, n, s->buffer);
	if (!s->bucket && s->n >= STATS_EXACT && !s->out_of_memory)
		to_buckets(s);
	keep(s, n, s->buffer);
}

/* A radix sort by value, least significant digit first.  It is stable, and
 * moves each value once per digit in which any two differ. */
#define DIGIT_BITS 10
#define DIGITS (1u << DIGIT_BITS)
struct samples {
	int64_t *value;
	uint64_t *count; /* NULL: each counts once */
};

static void sort_by_digit(const struct samples *from, const struct samples *to,
			  size_t n, unsigned shift)
{
	size_t at[DIGITS] = {0}, sum = 0;
	for (size_t i = 0; i < n; i++)
		at[from->value[i] >> shift & (DIGITS - 1)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t count = at[d];
		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++) {
		size_t place = at[from->value[i] >> shift & (DIGITS - 1)]++;
		to->value[place] = from->value[i];
		if (from->count)
			to->count[place] = from->count[i];
	}
}

static void sort_values(struct stats *s)
{
	struct samples from = {s->value, s->count}, swap;
	struct samples to = {malloc(s->cap * sizeof *to.value), NULL};
	if (s->count)
		to.count = malloc(s->cap * sizeof *to.count);
	if (!to.value || (s->count && !to.count)) {
		s->out_of_memory = 1;
		free(to.value);
		free(to.count);
		return;
	}
	for (unsigned shift = 0; shift < 63 && s->max >> shift;
	     shift += DIGIT_BITS) {
		sort_by_digit(&from, &to, s->n_values, shift);
		swap = from;
		from = to;
		to = swap;
	}
	s->value = from.value;
	s->count = from.count;
	free(to.value);
	free(to.count);
}

/* Returns the k-th smallest sample and the next one; k counts from 0. */
static void neighbours(const struct stats *s, uint64_t k, double *a, double *b)
{
	uint64_t seen = 0;
	int found = 0;
	size_t n = s->bucket ? BUCKETS : s->n_values;
	*a = *b = (double)s->max;
	for (size_t i = 0; i < n; i++) {
		uint64_t count = s->bucket ? s->bucket[i] : count_at(s, i);
		if (count == 0)
			continue;
		seen += count;
		if (seen <= k)
			continue;
		double v = s->bucket ? bucket_middle(i) : (double)s->value[i];
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

/* As numpy: linear between neighbours, computed from the nearer end. */
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
	stats_settle(s);
	if (!s->bucket && s->n_values > 1)
		sort_values(s);
	return quantile_of_sorted(s, q);
}

double stats_share_above(struct stats *s, int64_t value)
{
	uint64_t above = 0;
	stats_settle(s);
	size_t n = s->bucket ? BUCKETS : s->n_values;
	for (size_t i = 0; i < n; i++)
		if (s->bucket ? s->bucket[i] && bucket_middle(i) > (double)value
			      : s->value[i] > value)
			above += s->bucket ? s->bucket[i] : count_at(s, i);
	return s->n ? (double)above / (double)s->n : 0;
}

void stats_summarise(struct stats *s, struct stats_summary *out)
{
	stats_settle(s);
	*out = (struct stats_summary){.n = s->n, .exact = !s->bucket};
	if (s->n == 0) {
		out->mean = out->std = out->min = out->max = NAN;
		out->p50 = out->p90 = out->p95 = out->p99 = NAN;
		return;
	}
	/* Shifted by a whole number near the mean, so nothing overflows or
	 * cancels. */
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

static inline void merge_bin(struct series_bin *to,
			     const struct series_bin *from)
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

/* Returns the index of the bin for steps that start at start_ns. */
static uint32_t bin_at(struct series *s, int64_t start_ns)
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
	return i;
}

void series_add(struct series *s, const struct series_steps *x, uint32_t n)
{
	for (uint32_t i = 0; i < n;) {
		uint32_t place = bin_at(s, x[i].start_ns);
		struct series_bin sum = s->bin[place];
		do
			merge_bin(&sum, &x[i++].sum);
		while (i < n && x[i].start_ns >> s->shift == place);
		s->bin[place] = sum;
	}
}
