/* cache_aware.c -- SGLang's router: one tree of the prompts of all replicas.
 *
 * If loads are far apart, the least loaded gets the request.  Else the owner of
 * the longest match, if that is long enough, else the least loaded.  The prompt
 * is entered under the replica that got it.  A stretch of the tree belongs to
 * the replica that entered it first, of those that still have it.
 *
 * At intervals, replicas with too many characters lose leaves, the least
 * recently used first.  Look-ups and entries are numbered from 0.  An entry
 * uses its whole path; a look-up uses the node where it ends, for the owner,
 * and only if its number is a multiple of 8.  Source: SGLang,
 * sgl-model-gateway, policies/cache_aware.rs, tree.rs. */
#include <stdlib.h>
#include "sim/route/prompt_tree.h"
#include "base/grow.h"
#include "base/heap.h"
#include "sim/route/route.h"

enum { TOUCHES_ONE_IN = 8 };

/* A leaf that could go. */
struct leaf {
	uint64_t used;
	uint32_t node;
};

struct cache_aware {
	struct route is;
	struct prompt_tree tree;
	uint64_t accesses;
	uint64_t *tokens; /* [n] of the tree that a replica has */
	int64_t evicts_ns;
	struct leaf *leaf; /* a heap, the least recently used first */
	uint32_t n_leaves, cap_leaves;
};

static int init(struct route *r)
{
	struct cache_aware *s = (struct cache_aware *)r;
	s->tokens = arrays_add(&r->arrays, r->n, sizeof *s->tokens);
	s->evicts_ns = r->e->router.eviction_interval_ns;
	prompt_tree_init(&s->tree);
	return 0;
}

static void free_it(struct route *r)
{
	struct cache_aware *s = (struct cache_aware *)r;
	prompt_tree_free(&s->tree);
	free(s->leaf);
}

/* ---- eviction ---- */

static int is_before(const struct leaf *a, const struct leaf *b)
{
	return a->used < b->used || (a->used == b->used && a->node < b->node);
}

static void push(struct cache_aware *s, struct leaf x)
{
	if (!MAKE_ROOM(s->leaf, s->n_leaves, s->cap_leaves)) {
		s->is.out_of_memory = 1;
		return;
	}
	HEAP_ADD(s->leaf, s->n_leaves, x, is_before);
}

static struct leaf pop(struct cache_aware *s)
{
	const struct leaf first = s->leaf[0];
	HEAP_DROP(s->leaf, s->n_leaves, is_before);
	return first;
}

static void push_if_leaf(struct cache_aware *s, uint32_t node, uint32_t replica)
{
	const struct prompt_holder *h =
	    prompt_tree_holder(&s->tree, node, replica);
	if (h && h->below == 0)
		push(s, (struct leaf){h->value, node});
}

static int has_too_much(const struct cache_aware *s, uint32_t replica)
{
	const struct router_rules *is = &s->is.e->router;
	return (double)s->tokens[replica] * is->chars_per_token >
	       (double)is->max_tree_size;
}

/* all: until it has nothing left. */
static void shrink(struct cache_aware *s, uint32_t replica, int all)
{
	s->n_leaves = 0;
	for (uint32_t i = 1; i < s->tree.tree.n; i++)
		push_if_leaf(s, i, replica);
	while (s->n_leaves && (all || has_too_much(s, replica))) {
		uint32_t node = pop(s).node;
		uint32_t parent = radix_at(&s->tree.tree, node)->parent;
		s->tokens[replica] -= radix_tokens(&s->tree.tree, node);
		prompt_tree_leave(&s->tree, node, replica);
		if (parent)
			push_if_leaf(s, parent, replica);
	}
}

static void evict(struct cache_aware *s, int64_t now_ns)
{
	int64_t interval_ns = s->is.e->router.eviction_interval_ns;
	if (interval_ns == 0 || now_ns < s->evicts_ns)
		return;
	s->evicts_ns = (now_ns / interval_ns + 1) * interval_ns;
	for (uint32_t i = 0; i < s->is.n; i++)
		if (has_too_much(s, i))
			shrink(s, i, 0);
}

/* ---- the choice ---- */

/* Returns the owner of the longest match; r->n if it is too short. */
static uint32_t owner(struct cache_aware *s, const struct route_prompt *q)
{
	uint64_t access = s->accesses++;
	uint32_t matched,
	    node = radix_find(&s->tree.tree, q->content, q->tokens, &matched);
	if (!node)
		return s->is.n;
	struct prompt_holder *first = prompt_tree_at(&s->tree, node)->holder;
	if (access % TOUCHES_ONE_IN == 0)
		first->value = access;
	return (double)matched / q->tokens > s->is.e->router.cache_threshold
		   ? first->replica
		   : s->is.n;
}

/* Notes in the tree that the replica will have this prompt, and when it was
 * used. */
static void enter(struct cache_aware *s, const struct route_prompt *q,
		  uint32_t replica)
{
	uint64_t access = s->accesses++;
	uint32_t node = prompt_tree_enter(&s->tree, q->content, q->tokens);
	int was_new = 0, is_new;
	for (; node; node = radix_at(&s->tree.tree, node)->parent) {
		struct prompt_holder *h =
		    prompt_tree_hold(&s->tree, node, replica, &is_new);
		if (!h)
			break;
		h->value = access;
		h->below += (uint32_t)was_new;
		was_new = is_new;
		if (is_new)
			s->tokens[replica] += radix_tokens(&s->tree.tree, node);
	}
	s->is.out_of_memory |= s->tree.out_of_memory;
}

static int is_unbalanced(const struct route *r, uint32_t least)
{
	uint64_t most = 0, fewest = r->load[least];
	for (uint32_t k = 0; k < r->n_choices; k++)
		if (r->load[r->choice[k]] > most)
			most = r->load[r->choice[k]];
	return most - fewest > r->e->router.balance_abs_threshold &&
	       (double)most >
		   r->e->router.balance_rel_threshold * (double)fewest;
}

static uint32_t pick(struct route *r, const struct route_prompt *q,
		     struct route_ticket *t)
{
	struct cache_aware *s = (struct cache_aware *)r;
	uint32_t i = route_least_loaded(r);
	(void)t;
	evict(s, q->now_ns);
	if (!is_unbalanced(r, i)) {
		uint32_t its = owner(s, q);
		i = its < r->n ? its : i;
	}
	enter(s, q, i);
	return i;
}

static void forget(struct route *r, uint32_t replica)
{
	shrink((struct cache_aware *)r, replica, 1);
}

const struct route_rule route_cache_aware = {
    .size = sizeof(struct cache_aware),
    .init = init,
    .free = free_it,
    .pick = pick,
    .forget = forget,
    .reads_prompts = 1,
};
