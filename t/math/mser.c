/* The initial transient of a series, against the definition. */
#include "math/mser.h"
#include "math/rng.h"
#include "tap.h"

enum { MOST = 400 };
static double x[MOST];

/* Each d tried by itself. */
static size_t by_definition(size_t n)
{
	double z[MOST / 5 + 1], least = INFINITY;
	size_t m = n / 5, best = 0;
	for (size_t i = 0; i < m; i++) {
		z[i] = 0;
		for (size_t k = 0; k < 5; k++)
			z[i] += x[5 * i + k] / 5;
	}
	for (size_t d = 0; d <= m / 2; d++) {
		double mean = 0, sum = 0, rest = (double)(m - d);
		for (size_t i = d; i < m; i++)
			mean += z[i] / rest;
		for (size_t i = d; i < m; i++)
			sum += (z[i] - mean) * (z[i] - mean);
		if (sum / rest / rest < least) {
			least = sum / rest / rest;
			best = d;
		}
	}
	return 5 * best;
}

int main(void)
{
	struct rng r = rng_stream(7, 0, 0);
	int steady, same = 1, cut = 0;
	for (int k = 0; k < 200; k++) {
		size_t n = 20 + (size_t)(rng_uniform(&r) * (MOST - 20));
		double tau = 1 + 60 * rng_uniform(&r);
		for (size_t i = 0; i < n; i++)
			x[i] = 50 + 60 * exp(-(double)i / tau) +
			       4 * rng_uniform(&r);
		size_t got = mser_cut(x, n, &steady);
		same &= got == by_definition(n);
		same &= steady == (got < 5 * (n / 5 / 2));
		cut += got > 0;
	}
	ok(same, "the cut of the definition, in 200 series");
	ok(cut > 100, "most of them have a transient: %d", cut);
	for (size_t i = 0; i < 100; i++)
		x[i] = 3;
	ok(mser_cut(x, 100, &steady) == 0 && steady, "a constant has none");
	for (size_t i = 0; i < 100; i++)
		x[i] = -(double)i;
	ok(mser_cut(x, 100, &steady) == 50 && !steady,
	   "a line is not steady: half of it is cut");
	x[3] = 1e6;
	ok(mser_cut(x, 104, &steady) == mser_cut(x, 100, &steady),
	   "an incomplete batch is dropped");
	ok(mser_cut(x, 4, &steady) == 0 && steady, "too few samples");
	return done();
}
