/* groups.c -- Lists the KV-cache groups of an engine, and makes keys of chunks.
 */
#include "sim/offload/groups.h"
#include <stdlib.h>
#include "base/hash.h"
#include "base/whole.h"

static void add_kind(struct offload_groups *g, const struct kv_kind *kind,
		     double page_bytes)
{
	for (uint32_t i = 0; i < kind->n_groups; i++)
		g->of[g->n++] = (struct offload_group){
		    .window = kind->window,
		    .window_chunks =
			whole_divide_up(kind->window, g->chunk_tokens),
		    .block_bytes = page_bytes * kv_group_layers(kind, i),
		};
	g->has_windows |= kind->window != 0;
}

/* Returns 1 if a is looked up before b. */
static int comes_before(const struct offload_group *a,
			const struct offload_group *b)
{
	if (!a->window_chunks || !b->window_chunks)
		return !a->window_chunks && b->window_chunks;
	return a->window_chunks > b->window_chunks;
}

static void rank(struct offload_groups *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t r = i;
		for (; r && comes_before(&g->of[i], &g->of[g->by_rank[r - 1]]);
		     r--)
			g->by_rank[r] = g->by_rank[r - 1];
		g->by_rank[r] = i;
		g->n_full += g->of[i].window_chunks == 0;
	}
}

int offload_groups_init(struct offload_groups *g, const struct kv_groups *kv,
			uint32_t block_tokens, uint32_t chunk_blocks)
{
	const struct kv_kind alike = {.n_layers = 1, .n_groups = 1};
	uint32_t n = kv->n_kinds ? kv_groups_count(kv) : 1;
	*g = (struct offload_groups){
	    .block_tokens = block_tokens,
	    .chunk_blocks = chunk_blocks,
	    .chunk_tokens = block_tokens * chunk_blocks,
	    .of = malloc(n * sizeof *g->of),
	    .by_rank = malloc(n * sizeof *g->by_rank),
	};
	if (!g->of || !g->by_rank)
		return -1;
	for (uint32_t k = 0; k < kv->n_kinds; k++)
		add_kind(g, &kv->kind[k], kv->page_bytes);
	if (g->n == 0)
		add_kind(g, &alike, kv->page_bytes);
	rank(g);
	return 0;
}

void offload_groups_free(struct offload_groups *g)
{
	free(g->of);
	free(g->by_rank);
}

uint32_t offload_first_block(const struct offload_groups *g, uint32_t group,
			     uint32_t computed)
{
	uint32_t w = g->of[group].window;
	return w && computed >= w ? (computed - w + 1) / g->block_tokens : 0;
}

uint64_t offload_key(const struct offload_groups *g,
		     const struct offload_text *x, uint32_t group,
		     uint32_t chunk)
{
	uint64_t key = x->key[(size_t)(chunk + 1) * g->chunk_blocks - 1];
	if (group)
		key = hash_mix(key ^ (uint64_t)group << 32);
	return key ? key : 1;
}
