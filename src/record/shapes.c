/* shapes.c -- Sums differences by the shape of steps. */
#include "record/shapes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t up_to_power(uint64_t v)
{
	uint64_t p = 1;
	while (p < v)
		p *= 2;
	return v ? (uint32_t)p : 0;
}

struct step_shape step_shape_of(const sc_step *s)
{
	uint64_t longest = 0, fresh = 0;
	for (uint32_t i = 0; i < s->n_decode; i++)
		if (s->decode_ctx[i] > longest)
			longest = s->decode_ctx[i];
	for (uint32_t i = 0; i < s->n_prefill; i++) {
		uint64_t kv = (uint64_t)s->prefill_ctx[i] + s->prefill_new[i];
		fresh += s->prefill_new[i];
		if (kv > longest)
			longest = kv;
	}
	return (struct step_shape){.n_decode = up_to_power(s->n_decode),
				   .n_prefill = up_to_power(s->n_prefill),
				   .prefill_tokens = up_to_power(fresh),
				   .longest_kv = up_to_power(longest)};
}

/* ---- the table ---- */

static uint64_t hash(const struct step_shape *s)
{
	uint64_t h = s->n_decode;
	h = h * 0x9e3779b97f4a7c15u + s->n_prefill;
	h = h * 0x9e3779b97f4a7c15u + s->prefill_tokens;
	h = h * 0x9e3779b97f4a7c15u + s->longest_kv;
	return h ^ h >> 29;
}

static struct shape_difference *slot(const struct step_shapes *s,
				     const struct step_shape *shape)
{
	size_t at = hash(shape) & (s->cap - 1);
	while (s->item[at].steps &&
	       memcmp(&s->item[at].shape, shape, sizeof *shape) != 0)
		at = (at + 1) & (s->cap - 1);
	return &s->item[at];
}

static int grow(struct step_shapes *s)
{
	struct step_shapes more = {.cap = s->cap ? 2 * s->cap : 1024,
				   .n = s->n};
	more.item = calloc(more.cap, sizeof *more.item);
	if (!more.item)
		return -1;
	for (size_t i = 0; i < s->cap; i++)
		if (s->item[i].steps)
			*slot(&more, &s->item[i].shape) = s->item[i];
	free(s->item);
	*s = more;
	return 0;
}

int shapes_add(struct step_shapes *s, const struct step_shape *shape,
	       uint64_t place, double ns, const double weight[N_ATTRIBUTED])
{
	if (2 * s->n >= s->cap && grow(s) < 0)
		return -1;
	struct shape_difference *d = slot(s, shape);
	if (!d->steps) {
		d->shape = *shape;
		s->n++;
	}
	if (d->steps++ == 0 || fabs(ns) > fabs(d->example_ns)) {
		d->example = place;
		d->example_ns = ns;
	}
	for (int m = 0; m < N_ATTRIBUTED; m++)
		d->ns[m] += weight[m] * ns;
	return 0;
}

static int larger_first(const void *x, const void *y)
{
	const struct shape_difference *a = x, *b = y;
	double da = fabs(a->ns[ATTRIBUTION_STEPS]);
	double db = fabs(b->ns[ATTRIBUTION_STEPS]);
	if (da != db)
		return da < db ? 1 : -1;
	return memcmp(&a->shape, &b->shape, sizeof a->shape);
}

uint32_t shapes_largest(struct step_shapes *s, struct shape_difference *to,
			uint32_t room)
{
	uint32_t n = 0;
	if (s->cap)
		qsort(s->item, s->cap, sizeof *s->item, larger_first);
	for (size_t i = 0; i < s->cap && n < room; i++)
		if (s->item[i].ns[ATTRIBUTION_STEPS] != 0)
			to[n++] = s->item[i];
	return n;
}

void shapes_free(struct step_shapes *s)
{
	free(s->item);
	*s = (struct step_shapes){0};
}
