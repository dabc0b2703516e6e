/* fit_apart.c -- Finds knobs that act in the same direction. */
#include "steps/fit_apart.h"
#include <math.h>
#include "math/eigen.h"

#define MOST_COSINE 0.99
#define LEAST_EIGENVALUE 1e-4

static double dot(const double *a, const double *b, const double *weight,
		  size_t m)
{
	double sum = 0;
	for (size_t i = 0; i < m; i++)
		sum += weight[i] * a[i] * b[i];
	return sum;
}

/* Returns 1 if the knobs of a set cannot be told apart. */
static int are_alike(const double *cosine, size_t n, unsigned set)
{
	double a[FIT_KNOBS * FIT_KNOBS];
	size_t at[FIT_KNOBS], k = 0;
	for (size_t i = 0; i < n; i++)
		if (set >> i & 1)
			at[k++] = i;
	for (size_t i = 0; i < k; i++)
		for (size_t c = 0; c < k; c++)
			a[i * k + c] = cosine[at[i] * n + at[c]];
	if (k == 2 && fabs(a[1]) > MOST_COSINE)
		return 1;
	return eigen_least(a, k) < LEAST_EIGENVALUE;
}

static int holds_earlier(const struct fit_apart *to, unsigned set)
{
	for (size_t i = 0; i < to->n_sets; i++)
		if ((to->set[i] & set) == to->set[i])
			return 1;
	return 0;
}

void fit_apart(struct fit_apart *to, const double *j, const double *weight,
	       size_t n, size_t m, unsigned among)
{
	double cosine[FIT_KNOBS * FIT_KNOBS], all = 0;
	*to = (struct fit_apart){.n_sets = 0};
	for (size_t i = 0; i < m; i++)
		all += weight[i];
	for (size_t i = 0; i < n; i++)
		to->norm[i] = sqrt(dot(j + i * m, j + i * m, weight, m) / all);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			cosine[i * n + k] =
			    dot(j + i * m, j + k * m, weight, m) /
			    (to->norm[i] * to->norm[k] * all);
	for (int size = 2; size <= (int)n; size++)
		for (unsigned set = 1; set < 1u << n; set++)
			if (__builtin_popcount(set) == size &&
			    (set & among) == set && to->n_sets < FIT_SETS &&
			    !holds_earlier(to, set) &&
			    are_alike(cosine, n, set))
				to->set[to->n_sets++] = set;
}
