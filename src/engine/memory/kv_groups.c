/* kv_groups.c -- Deals the layers of a model out to KV-cache groups. */
#include <config.h>
#include "engine/memory/kv_groups.h"
#include <math.h>
#include <stdio.h>
#include "base/whole.h"

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* The largest page is everyone's: layers with a smaller one put more tokens
 * into it. */
static int add_layers(struct kv_groups *g, const struct kv_layers *l,
		      uint32_t block_size, struct problem *p)
{
	double times = g->page_bytes / (l->token_bytes * block_size);
	if (times != floor(times) || times * block_size > UINT32_MAX / 2)
		return problem_set(p, EXIT_USAGE,
				   "KV-cache groups: a layer's page of %.8g "
				   "bytes does not divide the largest, %.8g",
				   l->token_bytes * block_size, g->page_bytes);
	uint32_t size = (uint32_t)times * block_size, k = 0;
	while (k < g->n_kinds && (g->kind[k].window != l->window ||
				  g->kind[k].block_size != size))
		k++;
	if (k == KV_KINDS)
		return problem_set(p, EXIT_USAGE,
				   "KV-cache groups: more than %d kinds of "
				   "layers",
				   KV_KINDS);
	if (k == g->n_kinds)
		g->kind[g->n_kinds++] =
		    (struct kv_kind){.window = l->window, .block_size = size};
	g->kind[k].n_layers += l->n;
	return 0;
}

/* Groups of about as many layers as the smallest kind has. */
static void cut_kinds(struct kv_groups *g, double padding)
{
	uint32_t least = UINT32_MAX, most = 0;
	for (uint32_t k = 0; k < g->n_kinds; k++) {
		uint32_t n = g->kind[k].n_layers;
		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	uint32_t size = most < padding * least ? most : least;
	for (uint32_t k = 0; k < g->n_kinds; k++) {
		struct kv_kind *kind = &g->kind[k];
		kind->n_groups = whole_divide_up(kind->n_layers, size);
		uint32_t largest =
		    whole_divide_up(kind->n_layers, kind->n_groups);
		if (g->n_layers < largest)
			g->n_layers = largest;
	}
}

static int find_units(struct kv_groups *g, struct problem *p)
{
	uint64_t all = g->key_unit = g->kind[0].block_size;
	for (uint32_t k = 1; k < g->n_kinds; k++) {
		uint32_t size = g->kind[k].block_size;
		g->key_unit = common_divisor(g->key_unit, size);
		all = all / common_divisor((uint32_t)all, size) * size;
		if (all > UINT32_MAX / 2)
			return problem_set(p, EXIT_USAGE,
					   "KV-cache groups: block sizes "
					   "without a common multiple");
	}
	g->hit_unit = (uint32_t)all;
	return 0;
}

int kv_groups_make(struct kv_groups *g, const struct kv_layers *layer, size_t n,
		   uint32_t block_size, double padding, struct problem *p)
{
	*g = (struct kv_groups){0};
	for (size_t i = 0; i < n; i++)
		if (g->page_bytes < layer[i].token_bytes * block_size)
			g->page_bytes = layer[i].token_bytes * block_size;
	for (size_t i = 0; i < n; i++)
		if (add_layers(g, &layer[i], block_size, p) < 0)
			return -1;
	if (g->n_kinds == 0)
		return 0;
	cut_kinds(g, padding);
	return find_units(g, p);
}

static int same_kind(const struct kv_kind *a, const struct kv_kind *b)
{
	return a->window == b->window && a->block_size == b->block_size &&
	       a->n_layers == b->n_layers && a->n_groups == b->n_groups;
}

int kv_groups_same(const struct kv_groups *a, const struct kv_groups *b)
{
	if (a->n_kinds != b->n_kinds || a->page_bytes != b->page_bytes)
		return 0;
	for (uint32_t k = 0; k < a->n_kinds; k++)
		if (!same_kind(&a->kind[k], &b->kind[k]))
			return 0;
	return 1;
}

uint32_t kv_groups_count(const struct kv_groups *g)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < g->n_kinds; k++)
		n += g->kind[k].n_groups;
	return n;
}

double kv_groups_blocks(const struct kv_groups *g, double kv_bytes)
{
	return floor(floor(kv_bytes / g->page_bytes) / g->n_layers);
}

uint64_t kv_kind_most(const struct kv_kind *k, uint64_t in_flight,
		      uint64_t max_len)
{
	uint64_t size = k->block_size, most = max_len ? max_len : UINT32_MAX;
	if (k->window && k->window - 1 + in_flight < most)
		most = k->window - 1 + in_flight;
	return (most + size - 1) / size + (k->window != 0);
}

uint64_t kv_groups_need(const struct kv_groups *g, uint64_t tokens,
			uint64_t in_flight, uint64_t max_len)
{
	uint64_t need = 0;
	for (uint32_t k = 0; k < g->n_kinds; k++) {
		const struct kv_kind *kind = &g->kind[k];
		uint64_t n = (tokens + kind->block_size - 1) / kind->block_size;
		uint64_t most = kv_kind_most(kind, in_flight, max_len);
		need += kind->n_groups * (kind->window && most < n ? most : n);
	}
	return need;
}

double kv_groups_concurrency(const struct kv_groups *g, double n_blocks,
			     uint64_t in_flight, uint64_t max_len)
{
	uint64_t need = 0;
	for (uint32_t k = 0; k < g->n_kinds; k++)
		need += g->kind[k].n_groups *
			kv_kind_most(&g->kind[k], in_flight, max_len);
	return n_blocks / (double)need;
}

const char *kv_groups_text(char *buf, size_t size, const struct kv_groups *g)
{
	size_t used = 0;
	buf[0] = '\0';
	for (uint32_t k = 0; k < g->n_kinds; k++) {
		const struct kv_kind *kind = &g->kind[k];
		for (uint32_t i = 0; i < kind->n_groups && used < size; i++)
			used += (size_t)snprintf(
			    buf + used, size - used, "%s%s:%ux%u",
			    used ? ";" : "", kind->window ? "window" : "full",
			    kv_group_layers(kind, i), kind->block_size);
	}
	return buf;
}
