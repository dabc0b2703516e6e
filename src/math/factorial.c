/* factorial.c -- Effects of switches that were all combined. */
#include "math/factorial.h"
#include <math.h>
#include <stdlib.h>
#include "math/holm.h"
#include "math/student.h"

/* A sum of up to 256 figures that cancel is not exactly 0. */
#define ROUNDING 1e-13

double factorial_effect(const double *y, unsigned k, unsigned set)
{
	unsigned runs = 1u << k;
	double sum = 0, size = 0;
	for (unsigned i = 0; i < runs; i++) {
		/* switches of the set at their first value */
		int lows = __builtin_popcount(set & ~i);
		sum += lows & 1 ? -y[i] : y[i];
		size += fabs(y[i]);
	}
	return fabs(sum) > ROUNDING * size ? sum / (runs / 2.) : 0;
}

size_t factorial_count(unsigned k, unsigned order)
{
	size_t n = 0;
	for (unsigned set = 1; set < 1u << k; set++)
		n += (unsigned)__builtin_popcount(set) <= order;
	return n;
}

static int larger_first(const void *x, const void *y)
{
	const struct effect *a = x, *b = y;
	double da = fabs(a->effect), db = fabs(b->effect);
	if (da != db)
		return da < db ? 1 : -1;
	return a->set < b->set ? -1 : a->set > b->set;
}

/* p[2n], of[repeats]: room. */
static int fill(struct effect *to, size_t n, const double *y, size_t repeats,
		unsigned k, double *of, double *p)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t r = 0; r < repeats; r++)
			of[r] = factorial_effect(y + (r << k), k, to[i].set);
		struct student_mean m = student_mean(of, repeats);
		to[i].effect = m.mean;
		to[i].low = m.mean - m.half;
		to[i].high = m.mean + m.half;
		to[i].p = p[i] = m.p;
	}
	if (holm_adjust(p, n, p + n) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		to[i].p_adjusted = isnan(p[i]) ? p[i] : p[n + i];
	qsort(to, n, sizeof *to, larger_first);
	return 0;
}

int factorial_effects(struct effect *to, const double *y, size_t repeats,
		      unsigned k, unsigned order)
{
	size_t n = 0;
	for (unsigned set = 1; set < 1u << k; set++)
		if ((unsigned)__builtin_popcount(set) <= order)
			to[n++] = (struct effect){.set = set};
	double *room = calloc(2 * n + repeats + 1, sizeof *room);
	int rc = room ? fill(to, n, y, repeats, k, room + 2 * n, room) : -1;
	free(room);
	return rc;
}
