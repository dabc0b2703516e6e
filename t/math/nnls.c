#include "math/nnls.h"
#include "tap.h"

enum { M = 40 };

static double a[3 * M], b[M], x[3];

/* The conditions of Karush, Kuhn and Tucker: at the optimum the gradient is 0
 * for coefficients above 0, and does not point downhill for those at 0. */
static int is_optimal(size_t n)
{
	for (size_t j = 0; j < n; j++) {
		double gradient = 0, scale = 0;
		for (size_t i = 0; i < M; i++) {
			double r = -b[i];
			for (size_t k = 0; k < n; k++)
				r += a[k * M + i] * x[k];
			gradient += a[j * M + i] * r;
			scale += fabs(a[j * M + i] * b[i]);
		}
		if (x[j] < 0 || gradient < -1e-9 * scale ||
		    (x[j] > 0 && gradient > 1e-9 * scale))
			return 0;
	}
	return 1;
}

static double noise(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed / 4294967296. - .5;
}

int main(void)
{
	unsigned seed = 7;
	for (size_t i = 0; i < M; i++) {
		a[i] = 1;
		a[M + i] = (double)i;
		a[2 * M + i] = 1e6 * (double)(i * i);
		b[i] = 3 + .5 * (double)i;
	}
	ok(nnls(a, b, 3, M, x) == 0, "solved");
	near(x[0], 3, 1e-9, "the first");
	near(x[1], .5, 1e-9, "the second");
	ok(fabs(x[2]) < 1e-14, "the third has none");
	int good = 0, at_0 = 0;
	for (int k = 0; k < 200; k++) {
		for (size_t i = 0; i < 3 * M; i++)
			a[i] = noise(&seed) + (i >= M);
		for (size_t i = 0; i < M; i++)
			b[i] = noise(&seed);
		nnls(a, b, 3, M, x);
		good += is_optimal(3);
		at_0 += x[0] == 0 || x[1] == 0 || x[2] == 0;
	}
	ok(good == 200, "the optimum, 200 times");
	ok(at_0 > 50, "mostly at a bound");
	for (size_t i = 0; i < M; i++)
		a[M + i] = 2 * a[i];
	ok(nnls(a, b, 2, M, x) == 0 && (x[0] == 0 || x[1] == 0),
	   "columns that depend on each other are not used together");
	for (size_t i = 0; i < M; i++)
		b[i] = -fabs(a[i]) - 1, a[i] = fabs(a[i]);
	ok(nnls(a, b, 1, M, x) == 0 && x[0] == 0, "nothing helps: 0");
	return done();
}
