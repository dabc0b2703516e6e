/* holm.c -- Holm's step-down correction. */
#include "math/holm.h"
#include <math.h>
#include <stdlib.h>

struct test {
	double p;
	size_t index;
};

static int by_p(const void *a, const void *b)
{
	const struct test *x = a, *y = b;
	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

int holm_adjust(const double *p, size_t n, double *adjusted)
{
	struct test *test = calloc(n + 1, sizeof *test);
	double most = 0;
	if (!test)
		return -1;
	for (size_t i = 0; i < n; i++)
		test[i] = (struct test){isnan(p[i]) ? 1 : p[i], i};
	qsort(test, n, sizeof *test, by_p);
	for (size_t j = 0; j < n; j++) {
		most = fmax(most, fmin(1, (double)(n - j) * test[j].p));
		adjusted[test[j].index] = most;
	}
	free(test);
	return 0;
}
