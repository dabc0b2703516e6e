/* aggregate.c -- Makes one number of many. */
#include "math/aggregate.h"
#include <math.h>
#include <string.h>
#include "math/bootstrap.h"
#include "math/statistics.h"

int aggregate_add(const char *fn, double x, size_t row, double *out)
{
	if (!strcmp(fn, "all"))
		*out = (row == 0 || *out != 0) && x != 0;
	else if (!strcmp(fn, "any"))
		*out = *out != 0 || x != 0;
	else if (!strcmp(fn, "count"))
		*out += x != 0;
	else if (!strcmp(fn, "sum"))
		*out += x;
	else if (!strcmp(fn, "min"))
		*out = row && *out <= x ? *out : x;
	else if (!strcmp(fn, "max"))
		*out = row && *out >= x ? *out : x;
	else
		return -1;
	return 0;
}

int aggregate_is_of_sample(const char *fn)
{
	return !strcmp(fn, "mean") || !strcmp(fn, "median") ||
	       !strcmp(fn, "p10") || !strcmp(fn, "p90") || !strcmp(fn, "low") ||
	       !strcmp(fn, "high");
}

double aggregate_sample(const char *fn, double *v, size_t n)
{
	double mean = 0;
	if (!n)
		return (double)NAN;
	for (size_t i = 0; i < n; i++)
		mean += v[i] / (double)n;
	if (!strcmp(fn, "mean"))
		return mean;
	if (!strcmp(fn, "low"))
		return bootstrap_mean(v, n).low;
	if (!strcmp(fn, "high"))
		return bootstrap_mean(v, n).high;
	stats_sort(v, n);
	return stats_percentile(v, n,
				!strcmp(fn, "median") ? 0.5
				: !strcmp(fn, "p10")  ? 0.1
						      : 0.9);
}
