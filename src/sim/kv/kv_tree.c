/* kv_tree.c -- Puts blocks into a tree of prefixes, and finds them there. */
#include "sim/kv/kv_tree.h"
#include "base/whole.h"
#include "sim/kv/kv_private.h"

static struct block *block_of(const struct kv_tree *t, uint32_t i)
{
	return &t->kv->pool.block[i];
}

/* ---- a block and its node ---- */

static void tell(const struct kv_tree *t, const struct tree_node *x, int has)
{
	if (x->tokens == t->unit)
		block_tell(t->kv->pool.listener, x->key, has);
}

/* The block leaves its node. */
static void detach(struct kv_tree *t, uint32_t i)
{
	uint32_t node = (uint32_t)block_of(t, i)->key;
	struct tree_node *x = &t->nodes.node[node];
	block_of(t, i)->key = 0;
	if (!node)
		return;
	if (tree_is_tail(&t->nodes, node)) {
		x->tokens--;
	} else {
		x->block = NO_BLOCK;
		tell(t, x, 0);
	}
	tree_prune(&t->nodes, node);
}

static void forget(void *tree, uint32_t i)
{
	detach(tree, i);
}

/* The block of a request becomes the node's, unless that has one: then the
 * request's stays a private copy. */
static void attach(struct kv_tree *t, uint32_t node, uint32_t i)
{
	struct tree_node *x = &t->nodes.node[node];
	if (x->block != NO_BLOCK)
		return;
	x->block = i;
	detach(t, i);
	block_of(t, i)->key = node;
	tell(t, x, 1);
}

void kv_tree_init(struct kv_tree *t, struct kv *kv, int has_parts,
		  int may_return)
{
	*t = (struct kv_tree){.kv = kv,
			      .unit = kv->kind[0].is.block_size,
			      .nodes.unit = kv->kind[0].is.block_size,
			      .has_parts = has_parts,
			      .may_return = may_return};
	kv->pool.forget = forget;
	kv->pool.tree = t;
}

void kv_tree_free(struct kv_tree *t)
{
	tree_nodes_free(&t->nodes);
}

/* ---- keys ---- */

/* Returns the first block of a request that only the request itself could look
 * up, and never does. */
static uint32_t first_own(const struct kv_tree *t, const struct content *c)
{
	return t->may_return ? UINT32_MAX
			     : whole_divide_up(c->shared_tokens, t->unit);
}

static int make_keys(struct kv_tree *t, struct content *c, uint32_t n)
{
	if (content_keys(c, n, t->unit) == 0)
		return 0;
	t->kv->pool.out_of_memory = 1;
	return -1;
}

/* ---- looking ---- */

/* Returns how many of the first n blocks that a request holds are in the tree
 * without a gap, its own or shared ones.  These stay there while it holds
 * them. */
static uint32_t held_in_tree(const struct kv_tree *t, const struct kv_owner *o,
			     uint32_t n)
{
	const uint32_t *row = kv_row(o, 0);
	uint32_t all = o->covered / t->unit, k = 0;
	n = whole_min(n, all);
	while (k < n && block_of(t, row[k])->key)
		k++;
	return k;
}

struct kv_tree_look kv_tree_look(struct kv_tree *t, const struct kv_owner *o,
				 uint32_t known)
{
	struct content *c = o->content;
	struct kv_tree_look look = {0};
	uint32_t asked =
	    t->may_return ? known : whole_min(known, c->shared_tokens);
	uint32_t n = asked / t->unit;
	if (make_keys(t, c, n))
		return look;
	look.found = look.in_use = held_in_tree(t, o, n);
	for (uint32_t node; look.found < n; look.found++) {
		node = tree_find(&t->nodes, c->key[look.found]);
		uint32_t i = node ? t->nodes.node[node].block : NO_BLOCK;
		if (i == NO_BLOCK)
			break;
		look.in_use += block_of(t, i)->users > 0;
	}
	if (look.found == n)
		return look;
	struct content_place at = content_at(c, look.found * t->unit);
	at.key = c->realm;
	look.next = content_go_on(c->segment, &at, t->unit);
	return look;
}

/* ---- claiming ---- */

static void find_part(struct kv_tree *t, struct kv_claim *x, uint32_t node,
		      uint32_t tokens)
{
	x->part = tokens;
	x->block = t->nodes.node[node].block;
	x->is_parent = t->nodes.node[node].n_children > 0;
}

/* Finds the block behind the whole ones in part, for `tokens` tokens; the last
 * ones of the prompt if they do not fill a block. */
static void find_last(struct kv_tree *t, struct kv_claim *x, uint32_t tokens)
{
	const struct content *c = x->owner->content;
	struct content_place at = content_block(c, x->whole, t->unit), end = at;
	uint32_t common, node = 0;
	if (tokens < t->unit)
		node = tree_find(&t->nodes,
				 content_go_on(c->segment, &end, tokens));
	if (node) {
		if (t->nodes.node[node].block != NO_BLOCK)
			find_part(t, x, node, tokens);
		return;
	}
	node =
	    t->has_parts ? tree_nearest(&t->nodes, c, at, tokens, &common) : 0;
	if (node)
		find_part(t, x, node, common);
}

/* Finds what the tree has of the prompt. */
static void find(struct kv_tree *t, struct kv_claim *x)
{
	struct content *c = x->owner->content;
	uint32_t most = x->tokens - 1, n = most / t->unit;
	uint32_t own = first_own(t, c), end = whole_min(n, own);
	x->whole = x->part = x->takes = x->gives_back = x->was_free = 0;
	x->block = NO_BLOCK;
	if (make_keys(t, c, end))
		return;
	for (; x->whole < end; x->whole++) {
		uint32_t node = tree_find(&t->nodes, c->key[x->whole]);
		uint32_t i = node ? t->nodes.node[node].block : NO_BLOCK;
		if (node && i == NO_BLOCK)
			return;
		if (!node)
			break;
		blocks_share(&t->kv->pool, i);
		kv_row(x->owner, 0)[x->whole] = i;
	}
	uint32_t rest = whole_min(most - x->whole * t->unit, t->unit);
	if (rest && x->whole < own)
		find_last(t, x, rest);
}

/* Returns the last claim before k that found the same block in part; k: there
 * is none. */
static uint32_t same_part(const struct kv_claim *claim, uint32_t k)
{
	for (uint32_t i = k; i-- > 0;)
		if (claim[i].part && claim[i].block == claim[k].block)
			return i;
	return k;
}

/* A block that was found in part leaves the free list. */
static void borrow(struct kv_tree *t, struct kv_claim *claim, uint32_t k)
{
	struct kv_claim *x = &claim[k];
	uint32_t before = same_part(claim, k);
	if (before < k) {
		x->was_free = claim[before].was_free;
	} else if (block_of(t, x->block)->users == 0) {
		x->was_free = 1;
		blocks_share(&t->kv->pool, x->block);
	}
}

/* Decides who takes a block over or gives it back, if it was free: the last one
 * that found it in part.  If a request has found it whole, no one
 * does. */
static void settle(struct kv_tree *t, struct kv_claim *claim, uint32_t n)
{
	for (uint32_t k = n; k-- > 0;) {
		struct kv_claim *x = &claim[k];
		if (!x->part || !x->was_free)
			continue;
		uint32_t is_last = 1;
		for (uint32_t i = k + 1; i < n && is_last; i++)
			is_last = !claim[i].part || claim[i].block != x->block;
		if (!is_last)
			continue;
		if (block_of(t, x->block)->users > 1)
			blocks_release(&t->kv->pool, &x->block, 1,
				       BLOCK_UNKEYED);
		else if (x->is_parent)
			x->gives_back = 1;
		else
			x->takes = 1;
	}
}

void kv_tree_claim(struct kv_tree *t, struct kv_claim *claim, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		struct kv_claim *x = &claim[k];
		if (kv_begin(t->kv, x->owner, 0) ||
		    kv_reserve(t->kv, x->owner,
			       whole_divide_up(x->tokens, t->unit))) {
			t->kv->pool.out_of_memory = 1;
			return;
		}
		find(t, x);
		if (x->part)
			borrow(t, claim, k);
	}
	settle(t, claim, n);
}

int kv_tree_take(struct kv_tree *t, const struct kv_claim *x)
{
	struct kv *k = t->kv;
	uint32_t *row = kv_row(x->owner, 0), n = x->whole + x->takes;
	uint32_t all = whole_divide_up(x->tokens, t->unit), given = x->block;
	uint64_t room = kv_room(k);
	if (all - n > room + x->gives_back || (all > n && room == 0))
		return -1;
	if (x->takes) {
		detach(t, x->block);
		row[x->whole] = x->block;
	} else if (x->part) {
		if (blocks_take(&k->pool, row + n++, 1))
			return -1;
		if (x->gives_back)
			blocks_release(&k->pool, &given, 1, BLOCK_UNKEYED);
	}
	x->owner->covered = whole_min(n * t->unit, x->tokens);
	return kv_cover(k, x->owner, x->tokens);
}

/* ---- storing ---- */

/* Where the blocks of a request are stored. */
struct storing {
	const struct content *c;
	uint32_t parent, place; /* the node of the block before; the block */
	uint32_t known;         /* the place that `at` is, or UINT32_MAX */
	struct content_place at;
};

/* Returns the node of the next block, with `tokens` tokens; it is made if it is
 * missing. */
static uint32_t next_node(struct kv_tree *t, struct storing *x, uint32_t tokens)
{
	uint32_t node = 0;
	if (tokens == t->unit)
		node = tree_find(&t->nodes, x->c->key[x->place]);
	if (node)
		return node;
	if (x->known != x->place)
		x->at = content_block(x->c, x->place, t->unit);
	x->known = x->place + 1;
	if (tokens == t->unit)
		return tree_make_full(&t->nodes, x->parent, x->c, &x->at,
				      x->c->key[x->place]);
	struct content_place end = x->at;
	node = tree_find(&t->nodes, content_go_on(x->c->segment, &end, tokens));
	if (!node)
		node = tree_make(&t->nodes, x->parent, x->c, &x->at, tokens);
	return node;
}

/* Blocks [from, to) that no request looks up are counted in a tail, so that the
 * node before them has a child.  There, all of an unlimited cache would be kept
 * for ever: one of them stands for all. */
static void store_tail(struct kv_tree *t, const uint32_t *row, uint32_t parent,
		       uint32_t from, uint32_t to)
{
	uint32_t tail = (uint32_t)block_of(t, row[from])->key;
	if (parent == 0)
		return;
	if (tail == 0)
		tail = tree_make_tail(&t->nodes, parent);
	if (t->kv->pool.unlimited)
		to = from + 1;
	for (uint32_t place = from; tail && place < to; place++) {
		if (block_of(t, row[place])->key)
			continue;
		block_of(t, row[place])->key = tail;
		t->nodes.node[tail].tokens++;
	}
}

/* The first block of a prompt is in the tree. */
static void tell_first(const struct kv_tree *t, uint32_t node)
{
	block_tell(t->kv->first_listener, t->nodes.node[node].key, 1);
}

void kv_tree_store(struct kv_tree *t, struct kv_owner *o, uint32_t tokens,
		   int ends)
{
	struct content *c = o->content;
	const uint32_t *row = kv_row(o, 0);
	uint32_t n = tokens / t->unit, rest = ends ? tokens % t->unit : 0;
	uint32_t own = first_own(t, c), all = n + (rest > 0);
	struct storing x = {.c = c, .known = UINT32_MAX};
	if (make_keys(t, c, whole_min(n, own)))
		return;
	x.place = held_in_tree(t, o, whole_min(n, own));
	if (x.place)
		x.parent = (uint32_t)block_of(t, row[x.place - 1])->key;
	if (x.place)
		tell_first(t, (uint32_t)block_of(t, row[0])->key);
	for (; x.place < all && x.place < own; x.place++) {
		x.parent = next_node(t, &x, x.place < n ? t->unit : rest);
		if (!x.parent) {
			t->kv->pool.out_of_memory = 1;
			return;
		}
		attach(t, x.parent, row[x.place]);
		if (x.place == 0)
			tell_first(t, x.parent);
	}
	if (own < all)
		store_tail(t, row, x.parent, own, all);
	t->kv->pool.out_of_memory |= t->nodes.out_of_memory;
}

/* ---- leaving ---- */

uint32_t kv_tree_leave(struct kv_tree *t, const struct kv_owner *o)
{
	uint32_t n = whole_divide_up(o->covered, t->unit), freed = 0;
	for (uint32_t k = 0; k < n; k++) {
		struct block *b = block_of(t, kv_row(o, 0)[k]);
		freed += ++b->leaving == b->users;
	}
	return freed;
}

void kv_tree_left(struct kv_tree *t, const struct kv_owner *o)
{
	uint32_t n = whole_divide_up(o->covered, t->unit);
	for (uint32_t k = 0; k < n; k++)
		block_of(t, kv_row(o, 0)[k])->leaving = 0;
}
