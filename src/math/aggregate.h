/* math/aggregate.h -- one number of many, by the name of a function: all, any,
 * count, sum, min and max add a number at a time; mean, median, p10, p90, low
 * and high are of the whole sample.  [any thread] */
#pragma once
#include <stddef.h>

/* Adds x, which is number `row` counted from 0, to *out, which is 0 before the
 * first.  Returns 0, or -1 if no such function adds a number at a time. */
int aggregate_add(const char *fn, double x, size_t row, double *out);
/* Returns 1 for a function of the whole sample. */
int aggregate_is_of_sample(const char *fn);
/* Returns the mean, a percentile, or an end of the 95 % interval of the mean
 * (math/bootstrap.h); NaN without numbers.  Sorts v. */
double aggregate_sample(const char *fn, double *v, size_t n);
