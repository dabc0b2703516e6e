/* math/rng.h -- random numbers as a pure function of (seed, purpose, index):
 * the same seed gives every arm the same requests, in whatever order they are
 * drawn, and a new purpose changes no other stream.
 *
 * The generator is SplitMix64 (Steele, Lea & Flood, OOPSLA 2014); a stream is
 * its sequence from a start that is hashed from the three.  Test vectors:
 * t/math/rng.c.  Only log, pow and sqrt of libm are used. */
#pragma once
#include <stdint.h>

struct rng {
	uint64_t state;
};

enum rng_purpose {
	RNG_ARRIVAL = 1,
	RNG_INPUT,
	RNG_OUTPUT,
	RNG_THINK,
	RNG_PROMPT_ORDER,
	RNG_PROMPT_GROUP,
	RNG_ROUTING,
	RNG_TRACE,
	RNG_BOOTSTRAP,
	RNG_REPLICATION,
	RNG_ITEMS,
	RNG_ITEM_TOKENS,
	RNG_ADAPTER,
	RNG_FAILURES,
	RNG_DIURNAL,
	RNG_SAMPLE = 64, /* not used in simulations */
};

struct rng rng_stream(uint64_t seed, uint64_t purpose, uint64_t index);
/* The same in two steps, for many streams of one seed and purpose. */
uint64_t rng_streams(uint64_t seed, uint64_t purpose);
struct rng rng_stream_of(uint64_t streams, uint64_t index);
uint64_t rng_next(struct rng *r);
/* Returns a number in (0, 1), never 0 and never 1; 52 bits. */
double rng_uniform(struct rng *r);
/* Returns a number in 0 … n-1, without bias; n >= 1. */
uint64_t rng_below(struct rng *r, uint64_t n);
/* Mean 0, standard deviation 1 (Marsaglia's polar method). */
double rng_normal(struct rng *r);
/* Computes the first rng_normal() of each of the streams index, index + 1, …
 * All streams advance in common steps: a processor cannot predict which points
 * the polar method rejects, and so it computes one logarithm while the next one
 * begins. */
enum { RNG_TOGETHER = 64 };
void rng_normals(uint64_t streams, uint64_t index, double to[RNG_TOGETHER]);
/* Mean 1. */
double rng_exponential(struct rng *r);
/* Mean = shape, variance = shape (Marsaglia & Tsang 2000). */
double rng_gamma(struct rng *r, double shape);
