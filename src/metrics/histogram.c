/* histogram.c -- Buckets, their mean, and where a percentile lies. */
#include "metrics/histogram.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int grow(struct histogram *h)
{
	uint32_t cap = h->cap ? 2 * h->cap : 32;
	double *edge = realloc(h->edge, cap * sizeof *edge);
	if (edge)
		h->edge = edge;
	double *count = edge ? realloc(h->count, cap * sizeof *count) : NULL;
	if (!count)
		return -1;
	h->count = count;
	h->cap = cap;
	return 0;
}

int histogram_add(struct histogram *h, double edge, double cumulative)
{
	uint32_t i = 0;
	while (i < h->n && h->edge[i] < edge)
		i++;
	if (i < h->n && h->edge[i] == edge) {
		h->count[i] += cumulative;
		return 0;
	}
	if (h->n == h->cap && grow(h) < 0)
		return -1;
	memmove(h->edge + i + 1, h->edge + i, (h->n - i) * sizeof *h->edge);
	memmove(h->count + i + 1, h->count + i, (h->n - i) * sizeof *h->count);
	h->edge[i] = edge;
	h->count[i] = cumulative;
	h->n++;
	return 0;
}

const char *histogram_finish(struct histogram *h)
{
	if (h->n == 0 || !isinf(h->edge[h->n - 1]))
		return "has no bucket with le=\"+Inf\": the page is cut short";
	for (uint32_t i = 0; i < h->n; i++)
		if (!isfinite(h->count[i]) ||
		    h->count[i] < (i ? h->count[i - 1] : 0))
			return "has a bucket with fewer values than the bucket "
			       "before it";
	h->total = h->count[h->n - 1];
	for (uint32_t i = h->n - 1; i > 0; i--)
		h->count[i] -= h->count[i - 1];
	if (!isfinite(h->sum) || (h->total > 0 && !h->has_sum))
		return "has buckets, and no _sum: the page is cut short";
	return NULL;
}

const char *histogram_subtract(struct histogram *h,
			       const struct histogram *before)
{
	if (before->n != h->n || (h->n && memcmp(before->edge, h->edge,
						 h->n * sizeof *h->edge) != 0))
		return "has other buckets than in the earlier page";
	for (uint32_t i = 0; i < h->n; i++) {
		if (h->count[i] < before->count[i])
			return "has fewer values than in the earlier page: it "
			       "is a later page, or the server was started "
			       "again";
		h->count[i] -= before->count[i];
	}
	h->total -= before->total;
	h->sum = fmax(0, h->sum - before->sum);
	return NULL;
}

void histogram_drop_zeros(struct histogram *h, double n)
{
	if (h->n == 0)
		return;
	n = fmin(n, h->count[0]);
	h->count[0] -= n;
	h->total -= n;
}

double histogram_mean(const struct histogram *h)
{
	return h->total > 0 ? h->sum / h->total : NAN;
}

/* Returns the bucket of the value with that rank, from 0. */
static uint32_t bucket_of(const struct histogram *h, double rank)
{
	double below = 0;
	uint32_t i = 0;
	for (; i + 1 < h->n; i++) {
		below += h->count[i];
		if (rank < below)
			break;
	}
	return i;
}

struct histogram_range histogram_percentile(const struct histogram *h, double q)
{
	struct histogram_range r = {NAN, NAN};
	if (!(h->total > 0))
		return r;
	double rank = q * (h->total - 1);
	uint32_t low = bucket_of(h, floor(rank));
	r.low = low ? h->edge[low - 1] : 0;
	r.high = h->edge[bucket_of(h, ceil(rank))];
	return r;
}

void histogram_free(struct histogram *h)
{
	free(h->edge), free(h->count);
	*h = (struct histogram){0};
}
