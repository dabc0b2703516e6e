/* items.c -- Draws the pictures and sound of generated prompts. */
#include "workload/generate/items.h"
#include <stdlib.h>
#include "base/grow.h"
#include "workload/segments.h"

enum { MOST_ITEMS = 1000 }; /* of a prompt, or of a turn */

int generated_items_open(struct generated_items *g,
			 const struct workload_keys *k, const struct ini *c,
			 struct problem *p)
{
	static const char *const only[] = {
	    "mm_items_per_prompt", "mm_item_share", "mm_distinct_items"};
	*g =
	    (struct generated_items){.seed = (uint64_t)k->seed,
				     .distinct = (uint64_t)k->mm_distinct_items,
				     .share = k->mm_item_share,
				     .are_used = *k->mm_item_tokens != '\0'};
	if (g->are_used)
		return distribution_parse(&g->tokens, k->mm_item_tokens,
					  OF_TOKENS,
					  workload_at(c, "mm_item_tokens"),
					  "mm_item_tokens", c, p) < 0
			   ? -1
			   : distribution_parse(
				 &g->number, k->mm_items_per_prompt, OF_TOKENS,
				 workload_at(c, "mm_items_per_prompt"),
				 "mm_items_per_prompt", c, p);
	for (size_t i = 0; i < sizeof only / sizeof *only; i++)
		if (workload_given(c, only[i]))
			return problem_set(
			    p, EXIT_USAGE,
			    "%s: %s needs mm_item_tokens, the length of an "
			    "item",
			    workload_at(c, only[i]), only[i]);
	return 0;
}

static struct mm_item *new_item(struct generated_items *g)
{
	if (!MAKE_ROOM(g->item, g->n, g->cap))
		return NULL;
	return &g->item[g->n++];
}

/* Draws the i-th item of that prompt: its name and length.  r is the prompt's
 * own stream. */
static struct mm_item draw(const struct generated_items *g, uint64_t which,
			   uint32_t i, struct rng *r)
{
	struct mm_item item = {0};
	if (g->distinct) {
		uint64_t number = rng_below(r, g->distinct);
		struct rng of_item =
		    rng_stream(g->seed, RNG_ITEM_TOKENS, number);
		item.name = segment_id(SEGMENT_ITEM, number, 0);
		item.length = distribution_tokens(&g->tokens, &of_item);
	} else {
		item.name = segment_id(SEGMENT_ITEM, which, i);
		item.length = distribution_tokens(&g->tokens, r);
	}
	return item;
}

/* Returns how many items that prompt has. */
static uint32_t number_of(const struct generated_items *g, struct rng *r)
{
	if (!g->are_used || (g->share < 1 && rng_uniform(r) >= g->share))
		return 0;
	return distribution_tokens(&g->number, r);
}

static int too_many(uint64_t which, uint32_t n, struct problem *p)
{
	return problem_set(p, EXIT_USAGE,
			   "[workload] mm_items_per_prompt: prompt %llu has %u "
			   "items; at most %d",
			   (unsigned long long)which, n, MOST_ITEMS);
}

int generated_items_add(struct generated_items *g, uint64_t which,
			uint64_t offset, uint64_t *tokens, struct problem *p)
{
	struct rng r = rng_stream(g->seed, RNG_ITEMS, which);
	uint32_t n = number_of(g, &r);
	*tokens = 0;
	if (n > MOST_ITEMS)
		return too_many(which, n, p);
	for (uint32_t i = 0; i < n; i++) {
		struct mm_item *item = new_item(g);
		if (!item)
			return problem_no_memory(p);
		*item = draw(g, which, i, &r);
		item->offset = (uint32_t)(offset + *tokens);
		*tokens += item->length;
	}
	return 0;
}

int generated_items_longest(struct generated_items *g, uint64_t n_prompts,
			    uint32_t *longest, struct problem *p)
{
	uint64_t tokens;
	*longest = 0;
	for (uint64_t which = 0; g->are_used && which < n_prompts; which++) {
		g->n = 0;
		if (generated_items_add(g, which, 0, &tokens, p) < 0)
			return -1;
		for (uint32_t i = 0; i < g->n; i++)
			if (g->item[i].length > *longest)
				*longest = g->item[i].length;
	}
	g->n = 0;
	return 0;
}

void generated_items_free(struct generated_items *g)
{
	distribution_free(&g->tokens);
	distribution_free(&g->number);
	free(g->item);
	*g = (struct generated_items){0};
}
