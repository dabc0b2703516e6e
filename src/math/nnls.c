/* nnls.c -- Non-negative least squares over all sets of columns. */
#include "math/nnls.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column that has less than this share of its length left beside the others
 * depends on them. */
#define LEAST_LEFT 1e-11

struct work {
	size_t n, m;
	double *q;                  /* [n][m] orthogonal columns, of length 1 */
	double *rest;               /* [m] the rest of b */
	double scale[NNLS_COLUMNS]; /* lengths of the columns */
};

static double dot(const double *a, const double *b, size_t m)
{
	double sum = 0;
	for (size_t i = 0; i < m; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Removes the part along q from v.  Returns its length. */
static double project_out(double *v, const double *q, size_t m)
{
	double along = dot(v, q, m);
	for (size_t i = 0; i < m; i++)
		v[i] -= along * q[i];
	return along;
}

/* Solves for the k columns of used[]: x[k], for columns of length 1.  Returns
 * the sum of squares that is left, or INFINITY if the columns depend on each
 * other. */
static double solve(struct work *w, const double *a, const double *b,
		    const size_t *used, size_t k, double *x)
{
	double r[NNLS_COLUMNS][NNLS_COLUMNS];
	memcpy(w->rest, b, w->m * sizeof *b);
	for (size_t j = 0; j < k; j++) {
		double *q = w->q + j * w->m;
		for (size_t i = 0; i < w->m; i++)
			q[i] = a[used[j] * w->m + i] / w->scale[used[j]];
		for (size_t e = 0; e < j; e++)
			r[e][j] = project_out(q, w->q + e * w->m, w->m);
		r[j][j] = sqrt(dot(q, q, w->m));
		if (!(r[j][j] > LEAST_LEFT))
			return (double)INFINITY;
		for (size_t i = 0; i < w->m; i++)
			q[i] /= r[j][j];
		x[j] = project_out(w->rest, q, w->m);
	}
	for (size_t j = k; j-- > 0;) {
		for (size_t e = j + 1; e < k; e++)
			x[j] -= r[j][e] * x[e];
		x[j] /= r[j][j];
	}
	return dot(w->rest, w->rest, w->m);
}

static int all_above_0(const double *x, size_t k)
{
	for (size_t j = 0; j < k; j++)
		if (!(x[j] > 0))
			return 0;
	return 1;
}

/* Solves for every set of columns, and keeps the best solution above 0. */
static void try_all_sets(struct work *w, const double *a, const double *b,
			 double *x)
{
	double best = dot(b, b, w->m);
	for (size_t set = 1; set < (size_t)1 << w->n; set++) {
		size_t used[NNLS_COLUMNS], k = 0;
		double is[NNLS_COLUMNS];
		for (size_t j = 0; j < w->n; j++)
			if (set >> j & 1 && w->scale[j] > 0)
				used[k++] = j;
		double left = solve(w, a, b, used, k, is);
		if (!(left < best) || !all_above_0(is, k))
			continue;
		best = left;
		memset(x, 0, w->n * sizeof *x);
		for (size_t j = 0; j < k; j++)
			x[used[j]] = is[j] / w->scale[used[j]];
	}
}

int nnls(const double *a, const double *b, size_t n, size_t m, double *x)
{
	struct work w = {.n = n,
			 .m = m,
			 .q = calloc(n * m + 1, sizeof *w.q),
			 .rest = calloc(m + 1, sizeof *w.rest)};
	int rc = w.q && w.rest ? 0 : -1;
	memset(x, 0, n * sizeof *x);
	for (size_t j = 0; rc == 0 && j < n; j++)
		w.scale[j] = sqrt(dot(a + j * m, a + j * m, m));
	if (rc == 0)
		try_all_sets(&w, a, b, x);
	free(w.q);
	free(w.rest);
	return rc;
}
