/* workload/generate/items.h -- pictures and sound in generated prompts: how
 * many a prompt has, how long they are, and which of them come back.
 *
 * The items of a prompt are a pure function of the seed and of `which`, the
 * prompt's number (or, in a session, the turn's row).  If items come back, the
 * length of an item is a function of its number. */
#pragma once
#include "workload/distribution.h"
#include "workload/keys.h"
#include "workload/request.h"

struct generated_items {
	struct distribution tokens, number; /* of an item; of items */
	uint64_t seed, distinct;            /* distinct 0: each item is new */
	double share;                       /* of prompts that have items */
	int are_used;                       /* 0: no prompt has any */
	struct mm_item *item;               /* of the request being made */
	uint32_t n, cap;
};

/* Returns 0, or -1 with *p filled in. */
int generated_items_open(struct generated_items *g,
			 const struct workload_keys *k, const struct ini *c,
			 struct problem *p);
/* Appends the items of that prompt, side by side from `offset` on.  *tokens:
 * the sum of their lengths.  Returns 0, or -1 with *p filled in. */
int generated_items_add(struct generated_items *g, uint64_t which,
			uint64_t offset, uint64_t *tokens, struct problem *p);
/* Finds the length of the longest item of prompts 0 to n_prompts - 1, in
 * tokens; 0: they have none.  Returns 0, or -1 with *p filled in. */
int generated_items_longest(struct generated_items *g, uint64_t n_prompts,
			    uint32_t *longest, struct problem *p);
void generated_items_free(struct generated_items *g);
