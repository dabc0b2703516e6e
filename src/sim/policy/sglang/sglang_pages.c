/* sglang_pages.c -- Counts the pages that requests take, share in the tree of
 * prefixes, and give back. */
#include "sim/policy/sglang/sglang_pages.h"

int64_t sglang_pages_left(const struct sglang *s)
{
	uint64_t all = s->is.e->num_gpu_blocks;
	return all == ENGINE_UNLIMITED
		   ? SGLANG_NO_BOUND / sglang_page(s)
		   : (int64_t)(all - s->own_pages - s->tree.locked_pages);
}

/* Not with unlimited pages. */
static uint64_t pages_free(const struct sglang *s)
{
	return s->is.e->num_gpu_blocks - s->own_pages - s->tree.pages;
}

int sglang_is_free(const struct sglang *s, int64_t pages)
{
	return s->is.e->num_gpu_blocks == ENGINE_UNLIMITED ||
	       (int64_t)pages_free(s) >= pages;
}

void sglang_make_room(struct sglang *s, uint64_t tokens)
{
	uint64_t pages =
	    tokens / sglang_page(s) + (tokens % sglang_page(s) != 0);
	if (!sglang_is_free(s, (int64_t)pages))
		radix_cache_evict(
		    &s->tree,
		    pages - (s->evicts_shortfall ? pages_free(s) : 0));
}

void sglang_count_pages(struct sglang *s)
{
	struct blocks *b = &s->is.kv.pool;
	b->used = s->own_pages + s->tree.locked_pages;
	if (b->peak < b->used)
		b->peak = b->used;
	s->is.out_of_memory |= s->tree.tree.out_of_memory;
}

void sglang_take(struct sglang *s, struct sequence *q, uint32_t n)
{
	q->radix.pages += n;
	s->own_pages += n;
	sglang_count_pages(s);
}

uint32_t sglang_find(struct sglang *s, struct sequence *q, uint32_t tokens,
		     uint32_t *node)
{
	uint32_t found = 0;
	*node = 0;
	if (q->kv.content)
		*node = radix_cache_find(&s->tree, q->kv.content,
					 tokens / sglang_page(s), &found);
	return found;
}

/* Returns how many pages of its first `tokens` tokens are in the tree now; 0:
 * prefixes are not kept. */
static uint32_t insert(struct sglang *s, const struct sequence *q,
		       uint32_t tokens)
{
	uint32_t n = q->kv.content ? tokens / sglang_page(s) : 0, had;
	s->tree.listener = s->is.kv.pool.listener;
	if (n)
		radix_cache_insert(&s->tree, q->kv.content, n, &had);
	return n;
}

void sglang_keep(struct sglang *s, struct sequence *q, uint32_t tokens)
{
	uint32_t n = insert(s, q, tokens), node;
	if (!n)
		return;
	/* SGLang looks it up once more, which is one more use. */
	sglang_find(s, q, tokens, &node);
	radix_cache_lock(&s->tree, node);
	radix_cache_unlock(&s->tree, q->radix.node);
	s->own_pages -= n - q->radix.in_tree;
	q->radix.node = node;
	q->radix.in_tree = n;
	sglang_count_pages(s);
}

void sglang_leave(struct sglang *s, struct sequence *q, uint32_t tokens)
{
	insert(s, q, tokens);
	sglang_give_back(s, q);
}

void sglang_give_back(struct sglang *s, struct sequence *q)
{
	radix_cache_unlock(&s->tree, q->radix.node);
	s->own_pages -= q->radix.pages - q->radix.in_tree;
	q->radix.node = q->radix.in_tree = q->radix.pages = 0;
	s->n_seated--;
	sglang_count_pages(s);
}
