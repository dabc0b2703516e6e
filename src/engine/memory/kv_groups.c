/* kv_groups.c -- Deals the layers of a model out to KV-cache groups. */
#include "engine/memory/kv_groups.h"
#include <math.h>
#include <stdio.h>
#include "base/whole.h"

/* ---- pages ---- */

/* Returns the kind with that window, block size and state; it is added if there
 * is none.  NULL with *p filled in: too many. */
static struct kv_kind *kind_of(struct kv_groups *g, const struct kv_kind *like,
			       struct problem *p)
{
	uint32_t k = 0;
	while (k < g->n_kinds && (g->kind[k].window != like->window ||
				  g->kind[k].block_size != like->block_size ||
				  g->kind[k].state != like->state))
		k++;
	if (k == KV_KINDS) {
		problem_set(p, EXIT_USAGE,
			    "KV-cache groups: more than %d kinds of layers",
			    KV_KINDS);
		return NULL;
	}
	if (k == g->n_kinds)
		g->kind[g->n_kinds++] = *like;
	return &g->kind[k];
}

/* The largest page is everyone's: layers with a smaller one put more tokens
 * into it, and states are padded. */
static int add_layers(struct kv_groups *g, const struct kv_layers *l,
		      const struct kv_layout *o, struct problem *p)
{
	struct kv_kind like = {.window = l->window,
			       .block_size = o->block_size};
	double times = 1;
	if (l->state_bytes > 0) {
		like.state = o->state;
		like.drafts = o->drafts;
	} else {
		times = g->page_bytes / (l->token_bytes * o->block_size);
	}
	if (times != floor(times) || times * o->block_size > UINT32_MAX / 2)
		return problem_set(p, EXIT_USAGE,
				   "KV-cache groups: a layer's page of %.8g "
				   "bytes does not divide the largest, %.8g",
				   l->token_bytes * o->block_size,
				   g->page_bytes);
	like.block_size = (uint32_t)times * o->block_size;
	struct kv_kind *kind = kind_of(g, &like, p);
	if (!kind)
		return -1;
	kind->n_layers += l->n;
	return 0;
}

/* Returns 1 if all layers keep all tokens and their pages have several sizes.
 * They are one group then, and a block of it is a page of each layer. */
static int is_one_of_many_pages(const struct kv_layers *layer, size_t n)
{
	int differ = 0;
	for (size_t i = 0; i < n; i++) {
		if (layer[i].window || layer[i].state_bytes > 0)
			return 0;
		differ |= layer[i].token_bytes != layer[0].token_bytes;
	}
	return differ;
}

static void add_as_one(struct kv_groups *g, const struct kv_layers *layer,
		       size_t n, uint32_t block_size)
{
	g->n_kinds = g->n_layers = 1;
	g->kind[0] = (struct kv_kind){.block_size = block_size, .n_groups = 1};
	g->hit_unit = g->key_unit = block_size;
	g->page_bytes = 0;
	for (size_t i = 0; i < n; i++) {
		g->kind[0].n_layers += layer[i].n;
		g->page_bytes += layer[i].n * layer[i].token_bytes * block_size;
	}
}

/* Returns the tokens of a block into which the largest state fits.  Source:
 * vLLM, platforms/interface.py, _align_hybrid_block_size(). */
static double block_for_states(const struct kv_layers *layer, size_t n,
			       const struct kv_layout *o)
{
	double state = 0, token = 0;
	uint32_t unit =
	    o->kernel_block > o->block_size ? o->kernel_block : o->block_size;
	for (size_t i = 0; i < n; i++) {
		state = fmax(state, layer[i].state_bytes);
		token = fmax(token, layer[i].token_bytes);
	}
	if (!(state > 0) || !(token > 0))
		return o->block_size;
	if (o->state != KV_STATE_ALL)
		return unit * ceil(state / (unit * token));
	double times = (double)o->chunk / whole_divisor(o->chunk, unit) * unit;
	return times * ceil(ceil(state / token) / times);
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
		g->key_unit = whole_divisor(g->key_unit, size);
		all = all / whole_divisor((uint32_t)all, size) * size;
		if (all > UINT32_MAX / 2)
			return problem_set(p, EXIT_USAGE,
					   "KV-cache groups: block sizes "
					   "without a common multiple");
	}
	g->hit_unit = (uint32_t)all;
	return 0;
}

/* Returns 1 if some layers keep states and some have windows. */
static int has_both(const struct kv_layers *layer, size_t n)
{
	int windows = 0, states = 0;
	for (size_t i = 0; i < n; i++) {
		windows |= layer[i].window != 0;
		states |= layer[i].state_bytes > 0;
	}
	return windows && states;
}

/* Puts the layers into groups as vLLM does: into a single one if all keep all
 * tokens and their pages differ in size; else by kind, with pages of the
 * largest size. */
static int make(struct kv_groups *g, const struct kv_layers *layer, size_t n,
		const struct kv_layout *o, struct problem *p)
{
	*g = (struct kv_groups){0};
	if (o->state == KV_STATE_ALL && has_both(layer, n))
		return problem_set(p, EXIT_USAGE,
				   "KV-cache groups: prefix caching of states "
				   "beside windows is not simulated");
	if (is_one_of_many_pages(layer, n)) {
		add_as_one(g, layer, n, o->block_size);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		g->page_bytes = fmax(
		    g->page_bytes, fmax(layer[i].state_bytes,
					layer[i].token_bytes * o->block_size));
	for (size_t i = 0; i < n; i++)
		if (add_layers(g, &layer[i], o, p) < 0)
			return -1;
	if (g->n_kinds == 0)
		return 0;
	cut_kinds(g, o->padding);
	return find_units(g, p);
}

int kv_groups_make(struct kv_groups *g, const struct kv_layers *layer, size_t n,
		   const struct kv_layout *o, struct problem *p)
{
	struct kv_layout with = *o;
	int has_states = 0;
	for (size_t i = 0; i < n; i++)
		has_states |= layer[i].state_bytes > 0;
	if (has_states && o->state == KV_STATE_ALL && !o->chunk)
		return problem_set(p, EXIT_USAGE,
				   "KV-cache groups: prefix caching needs the "
				   "chunk of the layers with states "
				   "([model] linear_chunk_size)");
	double block =
	    has_states ? block_for_states(layer, n, o) : o->block_size;
	if (block > UINT32_MAX / 2)
		return problem_set(p, EXIT_USAGE,
				   "KV-cache groups: a state needs a block of "
				   "%.8g tokens",
				   block);
	with.block_size = (uint32_t)block;
	return make(g, layer, n, &with, p);
}

int kv_groups_have_states(const struct kv_groups *g)
{
	for (uint32_t k = 0; k < g->n_kinds; k++)
		if (g->kind[k].state)
			return 1;
	return 0;
}

int kv_groups_are_aligned(const struct kv_groups *g)
{
	for (uint32_t k = 0; k < g->n_kinds; k++)
		if (g->kind[k].state == KV_STATE_ALIGNED)
			return 1;
	return 0;
}

static int same_kind(const struct kv_kind *a, const struct kv_kind *b)
{
	return a->window == b->window && a->block_size == b->block_size &&
	       a->state == b->state && a->drafts == b->drafts &&
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

uint64_t kv_kind_blocks(const struct kv_kind *k, uint64_t tokens)
{
	uint64_t all = (tokens + k->block_size - 1) / k->block_size;
	switch (k->state) {
	case KV_STATE_LAST:
	case KV_STATE_ALIGNED:
		return 1 + k->drafts;
	case KV_STATE_ALL:
		return all + k->drafts;
	case KV_TOKENS:
		break;
	}
	return all;
}

uint64_t kv_kind_most(const struct kv_kind *k, uint64_t in_flight,
		      uint64_t max_len)
{
	uint64_t size = k->block_size, most = max_len ? max_len : UINT32_MAX;
	if (k->state == KV_STATE_LAST || k->state == KV_STATE_ALIGNED)
		return 1 + k->drafts + (k->state == KV_STATE_ALIGNED);
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
		uint64_t n = kv_kind_blocks(kind, tokens);
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

static const char *kind_word(const struct kv_kind *k)
{
	return k->state ? "mamba" : k->window ? "window" : "full";
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
			    used ? ";" : "", kind_word(kind),
			    kv_group_layers(kind, i), kind->block_size);
	}
	return buf;
}
