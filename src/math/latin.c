/* latin.c -- Draws a Latin hypercube sample of a grid. */
#include <config.h>
#include "math/latin.h"
#include <stdlib.h>
#include "base/hash.h"
#include "base/map64.h"
#include "math/rng.h"

/* Draws the values along one axis: every point gets its own stratum and takes
 * the value that the stratum falls into. */
static int draw_axis(size_t size, size_t axis, size_t n_axes, size_t n,
		     uint64_t seed, uint32_t *out)
{
	struct rng r = rng_stream(seed, RNG_SAMPLE, axis);
	size_t *stratum = calloc(n, sizeof *stratum);
	if (!stratum)
		return -1;
	for (size_t i = 0; i < n; i++) {
		size_t k = (size_t)rng_below(&r, i + 1);
		stratum[i] = stratum[k];
		stratum[k] = i;
	}
	for (size_t i = 0; i < n; i++) {
		/* If there are more values than strata, take a random one in
		 * the stratum. */
		size_t from = stratum[i] * size / n;
		size_t to = (stratum[i] + 1) * size / n;
		if (to > from + 1)
			from += (size_t)rng_below(&r, to - from);
		out[i * n_axes + axis] = (uint32_t)from;
	}
	free(stratum);
	return 0;
}

static uint64_t hash_of(const uint32_t *point, size_t n_axes)
{
	uint64_t h = 0;
	for (size_t a = 0; a < n_axes; a++)
		h = hash_mix(h ^ point[a]) + a + 1;
	return h;
}

/* How often each point occurs, by its hash. */
struct counts {
	struct map64 map;
	size_t n_axes;
	uint64_t nowhere; /* counts here once memory is out */
	int out_of_memory;
};

static uint64_t *count(struct counts *c, const uint32_t *point)
{
	uint64_t *at = map64_at(&c->map, hash_of(point, c->n_axes), NULL);
	c->out_of_memory |= !at;
	return at ? at : &c->nowhere;
}

/* Exchanges the values of two points along an axis.  If one of them then equals
 * a third point, exchanges them back.  Returns 1 if the exchange stays. */
static int exchange(struct counts *c, uint32_t *a, uint32_t *b, size_t axis)
{
	for (int twice = 0; twice < 2; twice++) {
		uint32_t was = a[axis];
		--*count(c, a), --*count(c, b);
		a[axis] = b[axis];
		b[axis] = was;
		++*count(c, a), ++*count(c, b);
		if (*count(c, a) == 1 && *count(c, b) == 1)
			return 1;
	}
	return 0;
}

static int make_different(size_t n_axes, size_t n, uint64_t seed, uint32_t *out)
{
	enum { TRIES = 200 };
	struct rng r = rng_stream(seed, RNG_SAMPLE, n_axes);
	struct counts c = {.n_axes = n_axes};
	for (size_t i = 0; i < n; i++)
		++*count(&c, out + i * n_axes);
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k<TRIES && * count(&c, out + i * n_axes)> 1;
		     k++) {
			size_t other = (size_t)rng_below(&r, n);
			size_t axis = (size_t)rng_below(&r, n_axes);
			if (out[i * n_axes + axis] !=
			    out[other * n_axes + axis])
				exchange(&c, out + i * n_axes,
					 out + other * n_axes, axis);
		}
	map64_free(&c.map);
	return c.out_of_memory ? -1 : 0;
}

int latin_sample(const size_t *size, size_t n_axes, size_t n, uint64_t seed,
		 uint32_t *out)
{
	for (size_t a = 0; a < n_axes; a++)
		if (draw_axis(size[a], a, n_axes, n, seed, out) < 0)
			return -1;
	return make_different(n_axes, n, seed, out);
}
