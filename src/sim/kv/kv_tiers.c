/* kv_tiers.c -- Moves pages of KV cache between the GPU and the host. */
#include "sim/kv/kv_tiers.h"
#include <stdlib.h>
#include "base/grow.h"
#include "sim/kv/kv_private.h"

/* Above this share of locked places no cache comes back to the GPU.  Source:
 * TensorRT-LLM, max_util_for_resume of llmapi/llm_args.py. */
enum { RESUME_PERCENT = 95 };
/* With that many children no part of a block is looked for.  Source:
 * TensorRT-LLM, kv_cache_manager_v2/_block_radix_tree.py. */
enum { MANY_CHILDREN = 32 };

void kv_tiers_init(struct kv_tiers *t, struct kv *kv, int has_parts)
{
	*t = (struct kv_tiers){.kv = kv,
			       .free = NO_BLOCK,
			       .unit = kv->kind[0].is.block_size,
			       .finds = kv->finds,
			       .has_parts = has_parts};
	t->nodes.unit = t->unit;
	for (int i = 0; i < TIER_LEVELS; i++)
		t->level[i].oldest = t->level[i].youngest = NO_BLOCK;
}

void kv_tiers_free(struct kv_tiers *t)
{
	tree_nodes_free(&t->nodes);
	free(t->page);
	free(t->child);
	free(t->list);
}

static void fail(struct kv_tiers *t)
{
	t->kv->pool.out_of_memory = 1;
}

static uint64_t free_places(const struct kv_tiers *t, int level)
{
	return t->kv->pool.capacity - t->level[level].used;
}

/* ---- the queue of a level ---- */

static void enqueue(struct kv_tiers *t, uint32_t i)
{
	struct tier_page *x = &t->page[i];
	uint32_t *youngest = &t->level[x->level].youngest;
	x->older = *youngest;
	x->younger = NO_BLOCK;
	x->is_queued = 1;
	*(*youngest == NO_BLOCK ? &t->level[x->level].oldest
				: &t->page[*youngest].younger) = i;
	*youngest = i;
	t->level[x->level].queued++;
}

static void leave_queue(struct kv_tiers *t, uint32_t i)
{
	struct tier_page *x = &t->page[i];
	if (!x->is_queued)
		return;
	*(x->older == NO_BLOCK ? &t->level[x->level].oldest
			       : &t->page[x->older].younger) = x->younger;
	*(x->younger == NO_BLOCK ? &t->level[x->level].youngest
				 : &t->page[x->younger].older) = x->older;
	x->is_queued = 0;
	t->level[x->level].queued--;
}

/* ---- pages ---- */

/* Returns a new page on the GPU, locked by one request; NO_BLOCK if memory is
 * out. */
static uint32_t new_page(struct kv_tiers *t)
{
	uint32_t i = t->free;
	if (i != NO_BLOCK) {
		t->free = t->page[i].younger;
	} else if (!MAKE_ROOM(t->page, t->n, t->cap)) {
		fail(t);
		return NO_BLOCK;
	} else {
		i = t->n++;
	}
	t->page[i] =
	    (struct tier_page){.holders = 1, .lockers = 1, .is_there = 1};
	t->level[TIER_GPU].used++;
	blocks_count(&t->kv->pool, 1);
	return i;
}

static void remove_page(struct kv_tiers *t, uint32_t i)
{
	struct tier_page *x = &t->page[i];
	leave_queue(t, i);
	t->level[x->level].used--;
	x->is_there = 0;
	x->younger = t->free;
	t->free = i;
}

static void move(struct kv_tiers *t, uint32_t i, int level)
{
	t->level[t->page[i].level].used--;
	t->page[i].level = (uint16_t)level;
	t->level[level].used++;
}

static void lock(struct kv_tiers *t, uint32_t i)
{
	leave_queue(t, i);
	if (t->page[i].level != TIER_GPU)
		move(t, i, TIER_GPU);
	if (t->page[i].lockers++ == 0)
		blocks_count(&t->kv->pool, 1);
}

/* Returns 1 if no request locks it any more. */
static int unlock(struct kv_tiers *t, uint32_t i)
{
	if (--t->page[i].lockers)
		return 0;
	blocks_count_back(&t->kv->pool, 1);
	return 1;
}

/* A request gives the page back. */
static void let_go(struct kv_tiers *t, uint32_t i, int was_locked)
{
	struct tier_page *x = &t->page[i];
	int is_loose = was_locked && unlock(t, i);
	if (--x->holders == 0 && x->node == 0)
		remove_page(t, i);
	else if (is_loose || (x->holders == 0 && x->level == TIER_HOST))
		enqueue(t, i);
}

/* ---- the tree ---- */

static int add_child(struct kv_tiers *t, uint32_t parent, uint32_t node)
{
	if (t->cap_children < t->nodes.cap) {
		void *more = realloc(t->child, t->nodes.cap * sizeof *t->child);
		if (!more) {
			fail(t);
			return -1;
		}
		t->child = more;
		for (; t->cap_children < t->nodes.cap; t->cap_children++)
			t->child[t->cap_children].first = 0;
	}
	uint32_t next = t->child[parent].first;
	t->child[node].first = t->child[node].before = 0;
	t->child[node].after = next;
	if (next)
		t->child[next].before = node;
	t->child[parent].first = node;
	return 0;
}

/* Removes a node without children; its page is gone if it is idle. */
static void remove_leaf(struct kv_tiers *t, uint32_t node)
{
	struct tree_node *x = &t->nodes.node[node];
	uint32_t i = x->block, before = t->child[node].before;
	uint32_t after = t->child[node].after;
	*(before ? &t->child[before].after : &t->child[x->parent].first) =
	    after;
	if (after)
		t->child[after].before = before;
	x->block = NO_BLOCK;
	if (x->tokens == t->unit)
		block_tell(t->kv->pool.listener, x->key, 0);
	tree_prune(&t->nodes, node);
	t->page[i].node = 0;
	if (t->page[i].holders == 0)
		remove_page(t, i);
}

/* Drops an idle page, with all that is behind it. */
static void drop(struct kv_tiers *t, uint32_t i)
{
	uint32_t root = t->page[i].node, node = root, parent;
	if (!t->page[i].is_there || root == 0)
		return;
	for (;; node = parent) {
		while (t->child[node].first)
			node = t->child[node].first;
		parent = t->nodes.node[node].parent;
		remove_leaf(t, node);
		if (node == root)
			return;
	}
}

static int make_keys(struct kv_tiers *t, const struct kv_owner *o, uint32_t n)
{
	if (content_keys(o->content, n, t->unit) == 0)
		return 0;
	fail(t);
	return -1;
}

/* Returns the child of `parent` that has block `block` of c, of that many
 * tokens, in part, and how many tokens of it. */
static uint32_t find_part(const struct kv_tiers *t, const struct content *c,
			  uint32_t parent, uint32_t block, uint32_t tokens,
			  uint32_t *part)
{
	struct content_place at = content_block(c, block, t->unit), end = at;
	uint32_t node = 0;
	*part = tokens;
	if (tokens < t->unit)
		node = tree_find(&t->nodes,
				 content_go_on(c->segment, &end, tokens));
	if (node || !t->has_parts || !t->nodes.n ||
	    t->nodes.node[parent].n_children >= MANY_CHILDREN)
		return node;
	return tree_nearest(&t->nodes, c, at, tokens, part);
}

/* What the tree has of some tokens. */
struct tiers_match {
	uint32_t whole; /* blocks */
	uint32_t part;  /* tokens of the next one */
	uint32_t node;  /* of that one */
};

/* Looks for these tokens.  The pages of whole blocks go to row, if that is not
 * NULL. */
static struct tiers_match match(struct kv_tiers *t, const struct kv_owner *o,
				uint32_t tokens, uint32_t *row)
{
	struct tiers_match m = {0};
	uint32_t n = tokens / t->unit, parent = 0, rest;
	if (!t->finds || make_keys(t, o, n))
		return m;
	for (uint32_t node; m.whole < n; m.whole++, parent = node) {
		node = tree_find(&t->nodes, o->content->key[m.whole]);
		if (!node)
			break;
		if (row)
			row[m.whole] = t->nodes.node[node].block;
	}
	rest = whole_min(tokens - m.whole * t->unit, t->unit);
	if (rest)
		m.node =
		    find_part(t, o->content, parent, m.whole, rest, &m.part);
	if (!m.node)
		m.part = 0;
	return m;
}

uint32_t kv_tiers_look(struct kv_tiers *t, const struct kv_owner *o,
		       uint32_t tokens)
{
	struct tiers_match m = match(t, o, tokens, NULL);
	return m.whole * t->unit + m.part;
}

uint64_t kv_tiers_missing(struct kv_tiers *t, const struct kv_owner *o,
			  uint32_t tokens)
{
	uint32_t whole = kv_tiers_look(t, o, tokens) / t->unit;
	if (!t->finds || whole >= tokens / t->unit ||
	    make_keys(t, o, whole + 1))
		return 0;
	return o->content->key[whole];
}

/* ---- places ---- */

/* Puts the first n pages of a queue into the list, from that place on. */
static int list_first(struct kv_tiers *t, int level, uint32_t from, uint32_t n)
{
	uint32_t i = t->level[level].oldest;
	while (t->cap_list < from + n) {
		uint32_t cap = t->cap_list ? 2 * t->cap_list : 64;
		uint32_t *more = realloc(t->list, cap * sizeof *more);
		if (!more) {
			fail(t);
			return -1;
		}
		t->list = more;
		t->cap_list = cap;
	}
	for (uint32_t k = 0; k < n; k++, i = t->page[i].younger)
		t->list[from + k] = i;
	return 0;
}

static uint32_t count_held(const struct kv_tiers *t, uint32_t n)
{
	uint32_t held = 0;
	for (uint32_t k = 0; k < n; k++)
		held += t->page[t->list[k]].holders > 0;
	return held;
}

/* The first n pages of the list go to the host, `held` of them are held; some
 * of the others are dropped if there is no room.  Held ones come last. */
static void send_to_host(struct kv_tiers *t, uint32_t n, uint32_t held)
{
	uint32_t loose = 0, fits;
	for (uint32_t k = 0; k < n; k++) {
		const struct tier_page *x = &t->page[t->list[k]];
		loose += x->is_there && x->holders == 0;
	}
	uint64_t room = free_places(t, TIER_HOST) - held;
	fits = room < loose ? (uint32_t)room : loose;
	for (uint32_t k = 0, over = loose - fits; over > 0; k++) {
		const struct tier_page *x = &t->page[t->list[k]];
		if (!x->is_there || x->holders)
			continue;
		over--;
		drop(t, t->list[k]);
	}
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = t->list[k];
		if (!t->page[i].is_there)
			continue;
		move(t, i, TIER_HOST);
		if (t->page[i].holders == 0)
			enqueue(t, i);
	}
}

/* Makes n places on the GPU free.  Returns 0, or -1 with nothing done. */
static int make_room(struct kv_tiers *t, uint32_t n)
{
	uint64_t have = free_places(t, TIER_GPU);
	uint64_t host = free_places(t, TIER_HOST);
	uint32_t queued = t->level[TIER_HOST].queued;
	if (n <= have)
		return 0;
	uint32_t gone = n - (uint32_t)have, held, over;
	if (gone > t->level[TIER_GPU].queued ||
	    list_first(t, TIER_GPU, 0, gone))
		return -1;
	held = count_held(t, gone);
	if (held > host + queued)
		return -1;
	over = gone > host ? whole_min(gone - (uint32_t)host, queued) : 0;
	if (list_first(t, TIER_HOST, gone, over))
		return -1;
	for (uint32_t k = 0; k < gone; k++)
		leave_queue(t, t->list[k]);
	for (uint32_t k = gone; k < gone + over; k++)
		drop(t, t->list[k]);
	send_to_host(t, gone, held);
	return 0;
}

/* ---- the cache of a request ---- */

static uint32_t n_pages(const struct kv_tiers *t, const struct kv_owner *o)
{
	return whole_divide_up(o->covered, t->unit);
}

void kv_tiers_open(struct kv_tiers *t, struct kv_owner *o, uint32_t tokens)
{
	if (kv_reserve(t->kv, o, whole_divide_up(tokens, t->unit))) {
		fail(t);
		return;
	}
	struct tiers_match m = match(t, o, tokens, kv_row(o, 0));
	if (m.part)
		kv_row(o, 0)[m.whole] = t->nodes.node[m.node].block;
	o->covered = m.whole * t->unit + m.part;
	o->tiers = (struct kv_owner_tiers){
	    .is_open = 1,
	    .copies = m.part > 0,
	    .stores = t->finds != 0,
	    .stored = o->covered,
	};
	for (uint32_t k = 0; k < n_pages(t, o); k++) {
		struct tier_page *x = &t->page[kv_row(o, 0)[k]];
		if (x->level == TIER_HOST)
			leave_queue(t, kv_row(o, 0)[k]);
		x->holders++;
	}
}

/* Takes the pages of an owner out of the queue.  Returns how many of them are
 * on the host. */
static uint32_t take_out(struct kv_tiers *t, const struct kv_owner *o)
{
	uint32_t n = n_pages(t, o), away = 0;
	for (uint32_t k = 0; k < n; k++) {
		struct tier_page *x = &t->page[kv_row(o, 0)[k]];
		away += x->level == TIER_HOST;
		x->was_queued = x->is_queued;
		leave_queue(t, kv_row(o, 0)[k]);
	}
	return away;
}

static void put_in_again(struct kv_tiers *t, const struct kv_owner *o)
{
	uint32_t n = n_pages(t, o);
	for (uint32_t k = 0; k < n; k++)
		if (t->page[kv_row(o, 0)[k]].was_queued)
			enqueue(t, kv_row(o, 0)[k]);
}

int kv_tiers_resume(struct kv_tiers *t, struct kv_owner *o)
{
	const struct blocks *places = &t->kv->pool;
	uint32_t *row = kv_row(o, 0), n = n_pages(t, o), copy = o->tiers.copies;
	if (o->tiers.is_active)
		return 0;
	if (places->used * 100 > places->capacity * RESUME_PERCENT ||
	    make_room(t, copy))
		return -1;
	/* the place of the copy is taken before those of the others */
	t->level[TIER_GPU].used += copy;
	if (make_room(t, take_out(t, o))) {
		put_in_again(t, o);
		t->level[TIER_GPU].used -= copy;
		return -1;
	}
	t->level[TIER_GPU].used -= copy;
	for (uint32_t k = 0; k < n; k++)
		lock(t, row[k]);
	o->tiers.is_active = 1;
	if (copy) {
		uint32_t from = row[n - 1];
		row[n - 1] = new_page(t);
		let_go(t, from, 1);
		o->tiers.copies = 0;
	}
	return 0;
}

int kv_tiers_grow(struct kv_tiers *t, struct kv_owner *o, uint32_t tokens)
{
	uint32_t n = n_pages(t, o), all = whole_divide_up(tokens, t->unit);
	if (tokens <= o->covered)
		return 0;
	if (kv_reserve(t->kv, o, all)) {
		fail(t);
		return -1;
	}
	if (make_room(t, all - n))
		return -1;
	for (; n < all; n++)
		kv_row(o, 0)[n] = new_page(t);
	o->covered = tokens;
	return 0;
}

void kv_tiers_suspend(struct kv_tiers *t, struct kv_owner *o)
{
	uint32_t n = n_pages(t, o);
	for (uint32_t k = 0; k < n; k++)
		if (unlock(t, kv_row(o, 0)[k]))
			enqueue(t, kv_row(o, 0)[k]);
	o->tiers.is_active = 0;
}

/* ---- storing ---- */

/* The tree has a block of the owner already: its page takes the place of the
 * owner's. */
static void take_over(struct kv_tiers *t, uint32_t *at, uint32_t page)
{
	let_go(t, *at, 1);
	*at = page;
	if (t->page[page].level == TIER_HOST)
		make_room(t, 1);
	lock(t, page);
	t->page[page].holders++;
}

static uint32_t parent_of(const struct kv_tiers *t, const struct kv_owner *o,
			  uint32_t block)
{
	return block ? t->page[kv_row(o, 0)[block - 1]].node : 0;
}

static void add_node(struct kv_tiers *t, struct kv_owner *o, uint32_t block,
		     uint32_t tokens)
{
	struct content_place at = content_block(o->content, block, t->unit);
	uint32_t parent = parent_of(t, o, block), i = kv_row(o, 0)[block];
	uint32_t node =
	    tokens == t->unit
		? tree_make_full(&t->nodes, parent, o->content, &at,
				 o->content->key[block])
		: tree_make(&t->nodes, parent, o->content, &at, tokens);
	if (!node || add_child(t, parent, node)) {
		fail(t);
		return;
	}
	t->nodes.node[node].block = i;
	t->page[i].node = node;
	if (tokens == t->unit) {
		block_tell(t->kv->pool.listener, at.key, 1);
		if (block == 0)
			block_tell(t->kv->first_listener, at.key, 1);
	}
}

/* Stores a block with that many tokens.  Returns -1 if another one has them
 * already. */
static int store_block(struct kv_tiers *t, struct kv_owner *o, uint32_t block,
		       uint32_t tokens)
{
	const struct content *c = o->content;
	uint32_t node = 0, common = 0;
	if (tokens == t->unit)
		node = tree_find(&t->nodes, c->key[block]);
	if (node) {
		take_over(t, &kv_row(o, 0)[block], t->nodes.node[node].block);
		return 0;
	}
	node = tree_nearest(&t->nodes, c, content_block(c, block, t->unit),
			    tokens, &common);
	if (node && common == tokens)
		return -1;
	if (node && common == t->nodes.node[node].tokens)
		remove_leaf(t, node);
	add_node(t, o, block, tokens);
	return 0;
}

void kv_tiers_store(struct kv_tiers *t, struct kv_owner *o, uint32_t tokens,
		    int ends)
{
	uint32_t n = tokens / t->unit, rest = tokens % t->unit;
	if (!o->tiers.stores || make_keys(t, o, n))
		return;
	for (uint32_t k = o->tiers.stored / t->unit; k < n; k++)
		if (store_block(t, o, k, t->unit)) {
			o->tiers.stores = 0;
			return;
		}
	if (ends && rest)
		store_block(t, o, n, rest);
	o->tiers.stored = tokens;
	o->tiers.stores = !ends;
	t->kv->pool.out_of_memory |= t->nodes.out_of_memory;
}

void kv_tiers_close(struct kv_tiers *t, struct kv_owner *o)
{
	if (!o->tiers.copies)
		kv_tiers_store(t, o, o->tiers.stored, 1);
	for (uint32_t n = n_pages(t, o); n-- > 0;)
		let_go(t, kv_row(o, 0)[n], o->tiers.is_active);
	o->covered = 0;
	o->tiers = (struct kv_owner_tiers){0};
}
