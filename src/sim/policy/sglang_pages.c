/* sglang_pages.c -- Counts the pages that requests take, share in the tree of
 * prefixes, and give back. */
#include <config.h>
#include "sim/policy/sglang_pages.h"

int64_t sglang_pages_left(const struct sglang *s)
{
	uint64_t all = s->is.e->num_gpu_blocks;
	return all == ENGINE_UNLIMITED
		   ? SGLANG_NO_BOUND / sglang_page(s)
		   : (int64_t)(all - s->own_pages - s->tree.locked_pages);
}

void sglang_count_pages(struct sglang *s)
{
	struct blocks *b = &s->is.kv.pool;
	b->used = s->own_pages + s->tree.locked_pages;
	if (b->peak < b->used)
		b->peak = b->used;
	s->is.out_of_memory |= s->tree.out_of_memory;
}

void sglang_take(struct sglang *s, struct sequence *q, uint32_t n)
{
	uint64_t all = s->is.e->num_gpu_blocks;
	uint64_t used = s->own_pages + s->tree.pages;
	if (all != ENGINE_UNLIMITED && used + n > all)
		radix_evict(&s->tree, used + n - all);
	q->radix.pages += n;
	s->own_pages += n;
	sglang_count_pages(s);
}

const uint64_t *sglang_keys(struct sglang *s, struct sequence *q, uint32_t n)
{
	if (!q->kv.content)
		return NULL;
	if (content_keys(q->kv.content, n, sglang_page(s))) {
		s->is.out_of_memory = 1;
		return NULL;
	}
	return q->kv.content->key;
}

void sglang_keep(struct sglang *s, struct sequence *q, uint32_t tokens)
{
	uint32_t n = tokens / sglang_page(s), had;
	const uint64_t *key = sglang_keys(s, q, n);
	if (!key || n <= q->radix.in_tree)
		return;
	s->tree.listener = s->is.kv.pool.listener;
	uint32_t node = radix_insert(&s->tree, key, n, &had);
	radix_lock(&s->tree, node);
	radix_unlock(&s->tree, q->radix.node);
	s->own_pages -= n - q->radix.in_tree;
	q->radix.node = node;
	q->radix.in_tree = n;
	sglang_count_pages(s);
}

void sglang_give_back(struct sglang *s, struct sequence *q, uint32_t kept)
{
	radix_unlock(&s->tree, q->radix.node);
	s->own_pages -= q->radix.pages - q->radix.in_tree - kept;
	q->radix = (struct radix_owner){0};
	sglang_count_pages(s);
}
