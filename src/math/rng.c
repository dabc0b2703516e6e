/* rng.c -- SplitMix64 streams, and random numbers drawn from them. */
#include "math/rng.h"
#include <math.h>
#include "base/hash.h"

static const uint64_t golden = 0x9e3779b97f4a7c15u;

uint64_t rng_streams(uint64_t seed, uint64_t purpose)
{
	return hash_mix(hash_mix(seed + golden) ^ (purpose + golden));
}

struct rng rng_stream_of(uint64_t streams, uint64_t index)
{
	return (struct rng){hash_mix(streams ^ hash_mix(index + golden))};
}

struct rng rng_stream(uint64_t seed, uint64_t purpose, uint64_t index)
{
	return rng_stream_of(rng_streams(seed, purpose), index);
}

uint64_t rng_next(struct rng *r)
{
	return hash_mix(r->state += golden);
}

double rng_uniform(struct rng *r)
{
	return ((double)(rng_next(r) >> 12) + 0.5) * 0x1p-52;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	uint64_t x, unfair = -n % n; /* 2^64 mod n */
	do
		x = rng_next(r);
	while (x < unfair);
	return x % n;
}

/* Draws a point of the square from -1 to 1.  Returns 1 if it lies in the unit
 * circle and is not 0. */
static int point(struct rng *r, double *x, double *s)
{
	double y;
	*x = 2 * rng_uniform(r) - 1;
	y = 2 * rng_uniform(r) - 1;
	*s = *x * *x + y * y;
	return (*s < 1) & (*s != 0);
}

static double normal_of(double x, double s)
{
	return x * sqrt(-2 * log(s) / s);
}

double rng_normal(struct rng *r)
{
	double x, s;
	while (!point(r, &x, &s))
		;
	return normal_of(x, s);
}

void rng_normals(uint64_t streams, uint64_t index, double to[RNG_TOGETHER])
{
	struct rng r[RNG_TOGETHER];
	double s[RNG_TOGETHER];
	uint32_t again[RNG_TOGETHER], left = RNG_TOGETHER;
	for (uint32_t i = 0; i < RNG_TOGETHER; i++) {
		r[i] = rng_stream_of(streams, index + i);
		again[i] = i;
	}
	while (left) {
		uint32_t n = left;
		left = 0;
		for (uint32_t k = 0; k < n; k++) {
			uint32_t i = again[k];
			again[left] = i;
			left += !point(&r[i], &to[i], &s[i]);
		}
	}
	for (uint32_t i = 0; i < RNG_TOGETHER; i++)
		to[i] = normal_of(to[i], s[i]);
}

double rng_exponential(struct rng *r)
{
	return -log(rng_uniform(r));
}

double rng_gamma(struct rng *r, double shape)
{
	if (shape < 1) {
		double g = rng_gamma(r, shape + 1);
		return g * pow(rng_uniform(r), 1 / shape);
	}
	double d = shape - 1 / 3., c = 1 / sqrt(9 * d);
	for (;;) {
		double x = rng_normal(r), v = 1 + c * x;
		if (v <= 0)
			continue;
		v = v * v * v;
		if (log(rng_uniform(r)) < 0.5 * x * x + d * (1 - v + log(v)))
			return d * v;
	}
}
