/* sim/policy/sglang/sglang_pages.h -- the pages of KV cache that requests of
 * policy sglang hold: their own, and those in the tree of prefixes that are
 * locked for them.  [one thread] */
#pragma once
#include "base/whole.h"
#include "sim/policy/sglang/sglang_state.h"

/* Stands for any number of tokens; a few of them can be added up. */
#define SGLANG_NO_BOUND (INT64_MAX / 4)

/* Returns the tokens of a page. */
static inline uint32_t sglang_page(const struct sglang *s)
{
	return s->is.e->block_size;
}

static inline uint32_t sglang_pages_of(const struct sglang *s, uint32_t tokens)
{
	return whole_divide_up(tokens, sglang_page(s));
}

/* Returns the pages that are available: free, or in the tree and not locked. */
int64_t sglang_pages_left(const struct sglang *s);
/* Returns 1 if that many pages are free. */
int sglang_is_free(const struct sglang *s, int64_t pages);
/* If fewer tokens than that are free, evicts as many from the tree; since
 * 2026-08 only those that lack. */
void sglang_make_room(struct sglang *s, uint64_t tokens);
/* Brings the count of used pages, and its peak, up to date. */
void sglang_count_pages(struct sglang *s);
/* Takes n more pages; there are enough free ones. */
void sglang_take(struct sglang *s, struct sequence *q, uint32_t n);
/* Returns how many pages of its first `tokens` tokens the tree has, and the
 * node where they end. */
uint32_t sglang_find(struct sglang *s, struct sequence *q, uint32_t tokens,
		     uint32_t *node);
/* Puts the whole pages of its first `tokens` tokens into the tree, locked for
 * it; gives back its pages that others had put there before. */
void sglang_keep(struct sglang *s, struct sequence *q, uint32_t tokens);
/* The same at its end, without a lock, and gives everything else back. */
void sglang_leave(struct sglang *s, struct sequence *q, uint32_t tokens);
/* Gives everything back. */
void sglang_give_back(struct sglang *s, struct sequence *q);
