/* estimates.c -- Finds a shape by its hash, and the lightest shape in two
 * looks. */
#include "cost/estimates.h"
#include <stdlib.h>
#include <string.h>

/* Without branches, here and below, because they would be mispredicted. */
static int same_shape(const struct guessed_shape *a,
		      const struct guessed_shape *b)
{
	return (a->provenance == b->provenance) & (a->n_decode == b->n_decode) &
	       (a->n_prefill == b->n_prefill) & (a->pool == b->pool) &
	       (a->prefill_tokens == b->prefill_tokens) &
	       (a->max_context == b->max_context);
}

/* Returns the chain of a shape: a hash with odd factors, which affect the
 * highest bits. */
static uint32_t chain_of(const struct guessed_shape *s)
{
	uint32_t h = s->n_decode * 0x9e3779b1u + s->n_prefill * 0x85ebca77u +
		     s->prefill_tokens * 0xc2b2ae3du +
		     s->max_context * 0x27d4eb2fu +
		     s->provenance * 0x165667b1u + s->pool * 0xd3a2646du;
	return h >> 24;
}
_Static_assert(GUESSED_CHAINS == 1 << 8, "chain_of()");

/* Times are not negative, so their bits, read as whole numbers, have the same
 * order. */
static uint64_t order_of(double time_us)
{
	uint64_t bits;
	memcpy(&bits, &time_us, sizeof bits);
	return bits;
}

static void find_least(struct estimates *g, uint32_t group)
{
	const struct guessed_shape *s = &g->shape[group * GUESSED_GROUP];
	uint64_t least = order_of(s->time_us);
	for (uint32_t i = 1; i < GUESSED_GROUP; i++) {
		uint64_t order = order_of(s[i].time_us);
		least = order < least ? order : least;
	}
	g->least[group] = least;
}

/* Returns the place of the lightest shape, the first of several; all places are
 * taken. */
static uint32_t lightest(const struct estimates *g)
{
	uint32_t group = 0, place = 0;
	uint64_t least = g->least[0];
	for (uint32_t i = 1; i < GUESSED_SHAPES / GUESSED_GROUP; i++) {
		group = g->least[i] < least ? i : group;
		least = g->least[i] < least ? g->least[i] : least;
	}
	const struct guessed_shape *s = &g->shape[group * GUESSED_GROUP];
	for (uint32_t i = GUESSED_GROUP; i-- > 0;)
		place = order_of(s[i].time_us) == least ? i : place;
	return group * GUESSED_GROUP + place;
}

static void leave_chain(struct estimates *g, uint32_t place)
{
	uint8_t *at = &g->first[g->chain[place]];
	while (*at != place + 1)
		at = &g->next[*at - 1];
	*at = g->next[place];
}

/* Takes a place for a shape that has none.  The shape inherits the time of the
 * place. */
static uint32_t take_place(struct estimates *g,
			   const struct guessed_shape *shape, uint32_t chain)
{
	uint32_t place = g->n;
	double inherited_us = 0;
	if (g->n < GUESSED_SHAPES) {
		g->n++;
	} else {
		place = lightest(g);
		inherited_us = g->shape[place].time_us;
		leave_chain(g, place);
	}
	g->shape[place] = *shape;
	g->shape[place].steps = 0;
	g->shape[place].time_us = inherited_us;
	g->chain[place] = (uint8_t)chain;
	g->next[place] = g->first[chain];
	g->first[chain] = (uint8_t)(place + 1);
	return place;
}

uint32_t estimates_place(struct estimates *g, const struct guessed_shape *shape)
{
	uint32_t chain = chain_of(shape), next = g->first[chain];
	while (next && !same_shape(&g->shape[next - 1], shape))
		next = g->next[next - 1];
	return next ? next - 1 : take_place(g, shape, chain);
}

void estimates_add(struct estimates *g, uint32_t place, double time_us)
{
	g->shape[place].steps++;
	g->shape[place].time_us += time_us;
	find_least(g, place / GUESSED_GROUP);
}

static int heavier(const void *a, const void *b)
{
	const struct guessed_shape *x = a, *y = b;
	return (x->time_us < y->time_us) - (x->time_us > y->time_us);
}

void estimates_heaviest(const struct estimates *g,
			struct guessed_shape out[GUESSED_SHAPES])
{
	memcpy(out, g->shape, g->n * sizeof *out);
	qsort(out, g->n, sizeof *out, heavier);
}
