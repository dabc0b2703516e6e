/* errors.c -- Sums up a validation's errors. */
#include "validate/score/errors.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "math/statistics.h"

struct error_summary error_summary_of(double *error, size_t n)
{
	struct error_summary s = {n, NAN, NAN, NAN, NAN};
	double sum = 0, bias = 0;
	if (!n)
		return s;
	for (size_t i = 0; i < n; i++) {
		bias += error[i];
		error[i] = fabs(error[i]);
		sum += error[i];
	}
	stats_sort(error, n);
	s.mean = sum / (double)n;
	s.bias = bias / (double)n;
	s.median = stats_percentile(error, n, .5);
	s.p90 = stats_percentile(error, n, .9);
	return s;
}

int validation_chosen(const struct validation *v, size_t row,
		      enum row_choice choice)
{
	int saturated = validation_saturated(&v->file->row[row]);
	return choice == ROWS_SATURATED
		   ? saturated
		   : !saturated &&
			 (choice == ROWS_OWN || validation_common(v, row));
}

static int is_of(const struct validation *v, size_t arm, size_t row,
		 const struct grouping *g, const char *group)
{
	char is[80];
	if (!g)
		return 1;
	g->value(v, arm, row, is, sizeof is);
	return !strcmp(is, group);
}

struct error_summary validation_summary_of(const struct validation *v,
					   size_t arm, enum run_latency metric,
					   enum statistic statistic,
					   enum row_choice choice,
					   const struct grouping *g,
					   const char *group)
{
	double *error = calloc(v->file->n + 1, sizeof *error);
	size_t n = 0;
	for (size_t i = 0; error && i < v->file->n; i++) {
		double e = validation_error(v, arm, i, metric, statistic);
		if (!isnan(e) && validation_chosen(v, i, choice) &&
		    is_of(v, arm, i, g, group))
			error[n++] = e;
	}
	struct error_summary s = error_summary_of(error, n);
	free(error);
	return s;
}

struct error_summary validation_throughput(const struct validation *v,
					   size_t arm, const struct grouping *g,
					   const char *group)
{
	double *error = calloc(v->file->n + 1, sizeof *error);
	size_t n = 0;
	for (size_t i = 0; error && i < v->file->n; i++) {
		double e = validation_throughput_error(v, arm, i);
		if (!isnan(e) && is_of(v, arm, i, g, group))
			error[n++] = e;
	}
	struct error_summary s = error_summary_of(error, n);
	free(error);
	return s;
}

struct error_summary validation_apart(const struct validation *v, size_t arm,
				      int metric, const struct grouping *g,
				      const char *group)
{
	double *error = calloc(v->file->n + 1, sizeof *error);
	size_t n = 0;
	for (size_t i = 0; error && i < v->file->n; i++) {
		double e =
		    metric == APART_THROUGHPUT
			? validation_implied_error(v, arm, i)
			: validation_error(v, arm, i, (enum run_latency)metric,
					   STATISTIC_MEAN);
		if (!isnan(e) && measured_is_apart(&v->file->row[i]) &&
		    is_of(v, arm, i, g, group))
			error[n++] = e;
	}
	struct error_summary s = error_summary_of(error, n);
	free(error);
	return s;
}

struct error_summary validation_summary(const struct validation *v, size_t arm,
					enum run_latency metric,
					enum row_choice choice)
{
	return validation_summary_of(v, arm, metric, STATISTIC_MEAN, choice,
				     NULL, NULL);
}

struct names grouping_values(const struct validation *v, size_t arm,
			     const struct grouping *g)
{
	struct names all = {0};
	char is[80];
	int tells = 0;
	for (size_t i = 0; i < v->file->n; i++) {
		g->value(v, arm, i, is, sizeof is);
		tells |= strcmp(is, "-") != 0;
		names_add_new(&all, is);
	}
	if (!tells)
		names_free(&all);
	return all;
}
