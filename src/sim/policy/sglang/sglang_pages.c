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
		radix_evict(&s->tree,
			    pages - (s->evicts_shortfall ? pages_free(s) : 0));
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

uint32_t sglang_find(struct sglang *s, struct sequence *q, uint32_t tokens,
		     uint32_t *node)
{
	uint32_t n = tokens / sglang_page(s), found = 0;
	const uint64_t *key = sglang_keys(s, q, n);
	*node = 0;
	if (key)
		*node = radix_find(&s->tree, key, n, &found);
	return found;
}

void sglang_keep(struct sglang *s, struct sequence *q, uint32_t tokens)
{
	uint32_t n = tokens / sglang_page(s), had;
	const uint64_t *key = sglang_keys(s, q, n);
	if (!key || !n)
		return;
	s->tree.listener = s->is.kv.pool.listener;
	radix_insert(&s->tree, key, n, &had);
	/* SGLang looks it up once more, which is one more use. */
	uint32_t node = radix_find(&s->tree, key, n, &had);
	radix_lock(&s->tree, node);
	radix_unlock(&s->tree, q->radix.node);
	s->own_pages -= n - q->radix.in_tree;
	q->radix.node = node;
	q->radix.in_tree = n;
	sglang_count_pages(s);
}

void sglang_leave(struct sglang *s, struct sequence *q, uint32_t tokens)
{
	uint32_t n = tokens / sglang_page(s), had;
	const uint64_t *key = sglang_keys(s, q, n);
	if (key && n)
		radix_insert(&s->tree, key, n, &had);
	sglang_give_back(s, q);
}

void sglang_give_back(struct sglang *s, struct sequence *q)
{
	radix_unlock(&s->tree, q->radix.node);
	s->own_pages -= q->radix.pages - q->radix.in_tree;
	q->radix.node = q->radix.in_tree = q->radix.pages = 0;
	s->n_seated--;
	sglang_count_pages(s);
}
