/* rng.c -- SplitMix64 streams, and draws from them. */
#include <config.h>
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

double rng_normal(struct rng *r)
{
	double x, y, s;
	do {
		x = 2 * rng_uniform(r) - 1;
		y = 2 * rng_uniform(r) - 1;
		s = x * x + y * y;
	} while (s >= 1 || s == 0);
	return x * sqrt(-2 * log(s) / s);
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
