/* coverage.c -- Adds up how much of a run was measured and how much guessed.
 * */
#include <config.h>
#include "cost/coverage.h"
#include <stdlib.h>

static uint32_t round_up(uint32_t x)
{
	uint32_t n = 1;
	while (n < x && n < UINT32_MAX / 2)
		n *= 2;
	return x ? n : 0;
}

static uint32_t max_of(const uint32_t *x, uint32_t n, uint32_t most)
{
	for (uint32_t i = 0; i < n; i++)
		most = x[i] > most ? x[i] : most;
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

static void add_guess(struct coverage *c, const struct guessed_shape *shape,
		      double time_us)
{
	struct guessed_shape *g = c->guessed, *lightest = g;
	struct guessed_shape *end = g + c->n_guessed;
	for (; g < end && !same_shape(g, shape); g++)
		if (g->time_us < lightest->time_us)
			lightest = g;
	if (g == end) {
		double inherited = 0;
		if (c->n_guessed < GUESSED_SHAPES) {
			c->n_guessed++;
		} else {
			g = lightest;
			inherited = g->time_us;
		}
		*g = *shape;
		g->time_us = inherited;
	}
	g->steps++;
	g->time_us += time_us;
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

void coverage_add(struct coverage *c, const sc_step *step, const sc_result *r,
		  uint32_t pool)
{
	double priced = 0, scale = 1;
	for (uint32_t i = 0; i < SC_N_PROVENANCE; i++)
		priced += r->lookup_us[i];
	c->total_us += r->total_us;
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
}
