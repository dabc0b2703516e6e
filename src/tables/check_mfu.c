/* check_mfu.c -- Compares the MFU of a table with the work of its kernels. */
#include "tables/check_mfu.h"
#include <math.h>
#include <stdlib.h>
#include "math/statistics.h"

/* Peaks that MFU columns refer to, the most likely first. */
static const struct {
	double tflops;
	const char *of;
} known_peak[] = {
    {148, "an H20 in BF16"},
    {989.5, "an H100 or H200 in BF16"},
    {1979, "an H100 or H200 in FP8"},
    {312, "an A100 in BF16"},
    {296, "an H20 in FP8"},
    {989, "an H100 in BF16, rounded down"},
    {1978, "twice 989"},
    {624, "an A100 in INT8"},
    {756.5, "an H100 PCIe in BF16"},
    {362.05, "an L40S in BF16"},
    {2250, "a B200 in BF16"},
    {4500, "a B200 in FP8"},
    {1000, "an H100 in BF16, rounded up"},
};
enum { N_PEAKS = sizeof known_peak / sizeof *known_peak };

/* Returns the achieved TFLOP/s. */
static double rate(const struct checked_table *c, uint64_t r)
{
	double v[KERNEL_COLUMNS];
	for (int i = 0; i < KERNEL_COLUMNS; i++)
		v[i] = checked_value(&c->size[i], r);
	return c->kind->flops(v) / c->latency[r] * 1e-6;
}

/* Returns half of the last digit of the column. */
static double half_digit(const struct checked_table *c)
{
	for (int digits = 1; digits < 9; digits++) {
		double scale = pow(10, digits);
		uint64_t r = 0;
		while (r < c->t.view.n_rows &&
		       fabs(c->mfu[r] * scale - nearbyint(c->mfu[r] * scale)) <
			   1e-6)
			r++;
		if (r == c->t.view.n_rows)
			return 0.5 / scale;
	}
	return 1e-9;
}

static uint64_t rows_that_fit(const struct checked_table *c, double peak,
			      double half)
{
	uint64_t n = 0;
	for (uint64_t r = 0; r < c->t.view.n_rows; r++)
		n += fabs(rate(c, r) / peak - c->mfu[r]) <= half * 1.0001;
	return n;
}

/* Returns the median of the peaks that the rows imply, or 0 if no row does. */
static double median_peak(const struct checked_table *c)
{
	uint64_t n = 0;
	double *implied = calloc(c->t.view.n_rows, sizeof *implied), peak = 0;
	for (uint64_t r = 0; implied && r < c->t.view.n_rows; r++)
		if (c->mfu[r] > 0)
			implied[n++] = rate(c, r) / c->mfu[r];
	if (n) {
		stats_sort(implied, n);
		peak = implied[n / 2];
	}
	free(implied);
	return peak;
}

/* Returns the peak that most rows agree with; *of names its GPU. */
static double find_peak(const struct checked_table *c, double half,
			double noted, const char **of, uint64_t *fit)
{
	double best = 0;
	*fit = 0;
	*of = NULL;
	if (noted > 0) {
		best = noted;
		*fit = rows_that_fit(c, noted, half);
		*of = "what the MANIFEST says";
	}
	for (int i = 0; i < N_PEAKS; i++) {
		uint64_t n = rows_that_fit(c, known_peak[i].tflops, half);
		if (n > *fit) {
			*fit = n;
			best = known_peak[i].tflops;
			*of = known_peak[i].of;
		}
	}
	return best;
}

static void check_zeros(const struct checked_table *c, double peak)
{
	uint64_t n = 0, first = 0;
	for (uint64_t r = 0; r < c->t.view.n_rows; r++)
		if (c->mfu[r] == 0 && n++ == 0)
			first = r;
	if (n)
		checked_tell(
		    c, (int64_t)first, "zero_mfu", 0,
		    "rows with an MFU of 0: %llu, which is rounding: here it "
		    "is "
		    "%.3g",
		    (unsigned long long)n, rate(c, first) / peak);
}

static void check_above_1(const struct checked_table *c, double peak,
			  const char *of)
{
	uint64_t n = 0, worst = 0;
	double top = 0;
	for (uint64_t r = 0; r < c->t.view.n_rows; r++) {
		double mfu = c->mfu ? c->mfu[r] : rate(c, r) / peak;
		n += mfu > 1;
		if (mfu > top) {
			top = mfu;
			worst = r;
		}
	}
	if (n)
		checked_tell(
		    c, (int64_t)worst, "mfu_above_1", 1,
		    "rows with an MFU above 1: %llu, up to %.4g: a wrong "
		    "denominator, %.6g TFLOP/s (%s), where kernels reach %.4g",
		    (unsigned long long)n, top, peak, of ? of : "unknown",
		    rate(c, worst));
}

void tables_check_mfu(const struct checked_table *c, double noted)
{
	const char *of = "what the MANIFEST says";
	uint64_t fit, n = c->t.view.n_rows;
	if (!c->kind->flops)
		return;
	if (!c->mfu) {
		if (noted > 0)
			check_above_1(c, noted, of);
		return;
	}
	double half = half_digit(c);
	double peak = find_peak(c, half, noted, &of, &fit);
	if (10 * fit < 9 * n) { /* no known peak fits */
		peak = median_peak(c);
		of = NULL;
		fit = peak > 0 ? rows_that_fit(c, peak, half) : 0;
	}
	if (peak <= 0)
		return;
	checked_tell(
	    c, -1, "mfu_peak", 0,
	    "mfu is relative to %.6g TFLOP/s (%s): %llu of %llu rows agree",
	    peak, of ? of : "of no known GPU", (unsigned long long)fit,
	    (unsigned long long)n);
	check_zeros(c, peak);
	check_above_1(c, peak, of);
}
