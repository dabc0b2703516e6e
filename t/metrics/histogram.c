/* histogram.c -- Buckets against all values: the mean, and ranges that hold
 * every percentile. */
#include "metrics/histogram.h"
#include "math/statistics.h"
#include "tap.h"

static const double edge[] = {1, 2, 5, 10, 20, INFINITY};
enum { EDGES = 6 };

/* A report of v[n], as two engines with half of the values each. */
static struct histogram report(const double *v, size_t n)
{
	struct histogram h = {0};
	for (int half = 0; half < 2; half++)
		for (int e = EDGES - 1; e >= 0; e--) {
			double count = 0;
			for (size_t i = (size_t)half; i < n; i += 2)
				count += v[i] <= edge[e];
			if (histogram_add(&h, edge[e], count) < 0)
				bail_out("memory");
		}
	for (size_t i = 0; i < n; i++)
		h.sum += v[i];
	h.has_sum = 1;
	return h;
}

static void percentiles(void)
{
	double v[400], sum = 0;
	for (size_t n = 1; n <= 400; n += n < 20 ? 1 : 95) {
		int inside = 1;
		sum = 0;
		for (size_t i = 0; i < n; i++)
			sum += v[i] =
			    30 * fabs(sin((double)(i * i) + (double)n));
		struct histogram h = report(v, n);
		if (histogram_finish(&h))
			bail_out("histogram");
		near(histogram_mean(&h), sum / (double)n, 1e-12, "mean of %zu",
		     n);
		stats_sort(v, n);
		for (int k = 0; k <= 100; k++) {
			struct histogram_range r =
			    histogram_percentile(&h, k / 100.0);
			double is = stats_percentile(v, n, k / 100.0);
			inside &= r.low <= is && is <= r.high;
		}
		ok(inside, "percentiles of %zu values are in their ranges", n);
		histogram_free(&h);
	}
}

static void differences(void)
{
	double v[] = {0.5, 3, 7, 7, 30, 1};
	struct histogram all = report(v, 6), before = report(v, 4), other = {0},
			 later = report(v, 6);
	ok(!histogram_finish(&all) && !histogram_finish(&before) &&
	       !histogram_finish(&later),
	   "three reports");
	ok(!histogram_subtract(&all, &before) && all.total == 2 &&
	       fabs(histogram_mean(&all) - 15.5) < 1e-12,
	   "what came since");
	ok(all.count[0] == 1 && all.count[EDGES - 1] == 1, "by bucket");
	ok(histogram_subtract(&before, &later) != NULL, "a later page: %s",
	   histogram_subtract(&before, &later));
	histogram_add(&other, INFINITY, 1);
	histogram_finish(&other);
	ok(histogram_subtract(&later, &other) != NULL, "other buckets");
	histogram_drop_zeros(&later, 1);
	ok(later.total == 5 && later.count[0] == 1, "without one zero");
	histogram_drop_zeros(&later, 9);
	ok(later.total == 4 && later.count[0] == 0, "no more than there are");
	histogram_free(&all), histogram_free(&before);
	histogram_free(&later), histogram_free(&other);
}

int main(void)
{
	struct histogram h = {0};
	ok(histogram_finish(&h) != NULL, "no bucket");
	histogram_add(&h, 1, 5);
	ok(histogram_finish(&h) != NULL, "cut short");
	histogram_add(&h, INFINITY, 4);
	ok(histogram_finish(&h) != NULL, "falls: %s", histogram_finish(&h));
	histogram_free(&h);
	histogram_add(&h, INFINITY, 4);
	is(histogram_finish(&h),
	   "has buckets, and no _sum: the page is cut short", "no sum");
	histogram_free(&h);
	h = (struct histogram){0};
	histogram_add(&h, INFINITY, 0);
	ok(!histogram_finish(&h) && isnan(histogram_mean(&h)) &&
	       isnan(histogram_percentile(&h, 0.5).low),
	   "no value");
	histogram_free(&h);
	percentiles();
	differences();
	return done();
}
