/* coverage.c -- Adds up how much of a run was measured and how much guessed.
 * */
#include <config.h>
#include "cost/coverage.h"
#include <stdlib.h>

static uint32_t round_up(uint32_t x)
{
	if (x < 2)
		return x;
	int bits = 32 - __builtin_clz(x - 1);
	return bits < 31 ? 1u << bits : 1u << 31;
}

typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));

/* With vectors: no -O2 makes them of such a loop. */
static uint32_t max_of(const uint32_t *x, uint32_t n, uint32_t most)
{
	four top = {0, 0, 0, 0};
	uint32_t i = 0;
	for (; i + 4 <= n; i += 4) {
		four v = *(const four *)(x + i), more = v > top;
		top = (v & more) | (top & ~more);
	}
	for (; i < n; i++)
		most = x[i] > most ? x[i] : most;
	for (i = 0; i < 4; i++)
		most = top[i] > most ? top[i] : most;
	return most;
}

static struct guessed_shape shape_of(const sc_step *s, uint32_t pool)
{
	uint32_t tokens = 0;
	for (uint32_t i = 0; i < s->n_prefill; i++)
		tokens += s->prefill_new[i];
	uint32_t longest = max_of(s->decode_ctx, s->n_decode, 0);
	return (struct guessed_shape){
	    .pool = pool,
	    .n_decode = s->n_decode,
	    .n_prefill = s->n_prefill,
	    .prefill_tokens = round_up(tokens),
	    .max_context =
		round_up(max_of(s->prefill_ctx, s->n_prefill, longest)),
	};
}

static int same_shape(const struct guessed_shape *a,
		      const struct guessed_shape *b)
{
	return a->provenance == b->provenance && a->n_decode == b->n_decode &&
	       a->n_prefill == b->n_prefill && a->pool == b->pool &&
	       a->prefill_tokens == b->prefill_tokens &&
	       a->max_context == b->max_context;
}

/* Shapes that are alike have the same; few others do. */
static uint32_t hash_of(const struct guessed_shape *s)
{
	uint32_t h = s->n_decode;
	h = h * 31 + s->n_prefill;
	h = h * 31 + s->prefill_tokens;
	h = h * 31 + s->max_context;
	h = h * 31 + s->provenance;
	h = h * 31 + s->pool;
	return h;
}

/* The place of that shape; c->n_guessed: it has none. */
static uint32_t place_of(const struct coverage *c,
			 const struct guessed_shape *shape, uint32_t hash)
{
	uint32_t i = c->hint[(hash ^ hash >> 9) % COVERAGE_HINTS];
	if (i < c->n_guessed && same_shape(&c->guessed[i], shape))
		return i;
	for (i = 0; i < c->n_guessed; i++)
		if (c->hash[i] == hash && same_shape(&c->guessed[i], shape))
			break;
	return i;
}

static uint32_t lightest(const struct coverage *c)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < c->n_guessed; i++)
		if (c->guessed[i].time_us < c->guessed[best].time_us)
			best = i;
	return best;
}

static void add_guess(struct coverage *c, const struct guessed_shape *shape,
		      double time_us)
{
	uint32_t hash = hash_of(shape), i = place_of(c, shape, hash);
	if (i == c->n_guessed) {
		double inherited = 0;
		if (c->n_guessed < GUESSED_SHAPES) {
			c->n_guessed++;
		} else {
			i = lightest(c);
			inherited = c->guessed[i].time_us;
		}
		c->guessed[i] = *shape;
		c->guessed[i].time_us = inherited;
		c->hash[i] = hash;
	}
	c->hint[(hash ^ hash >> 9) % COVERAGE_HINTS] = (uint8_t)i;
	c->guessed[i].steps++;
	c->guessed[i].time_us += time_us;
}

static void add_guesses(struct coverage *c, const sc_step *step,
			const double *lookup_us, double scale, uint32_t pool)
{
	struct guessed_shape shape = shape_of(step, pool);
	for (uint32_t i = SC_CLAMPED; i <= SC_FALLBACK; i++) {
		shape.provenance = i;
		if (lookup_us[i] > 0)
			add_guess(c, &shape, lookup_us[i] * scale);
	}
}

void coverage_add_lookups(struct coverage *c, const sc_step *step,
			  const sc_result *r, uint32_t pool)
{
	double priced = 0, scale = 1;
	for (uint32_t i = 0; i < SC_N_PROVENANCE; i++)
		priced += r->lookup_us[i];
	if (!(priced > 0)) {
		c->time_us[COVERAGE_NONE] += r->total_us;
		return;
	}
	if (priced > r->total_us)
		scale = r->total_us / priced;
	else
		c->time_us[COVERAGE_NONE] += r->total_us - priced;
	for (uint32_t i = 0; i < SC_N_PROVENANCE; i++)
		c->time_us[i] += r->lookup_us[i] * scale;
	if (r->lookup_us[SC_CLAMPED] > 0 || r->lookup_us[SC_SUBSTITUTED] > 0 ||
	    r->lookup_us[SC_FALLBACK] > 0)
		add_guesses(c, step, r->lookup_us, scale, pool);
}

static int heavier(const void *a, const void *b)
{
	const struct guessed_shape *x = a, *y = b;
	return (x->time_us < y->time_us) - (x->time_us > y->time_us);
}

void coverage_sort(struct coverage *c)
{
	qsort(c->guessed, c->n_guessed, sizeof *c->guessed, heavier);
	for (uint32_t i = 0; i < c->n_guessed; i++)
		c->hash[i] = hash_of(&c->guessed[i]);
}
