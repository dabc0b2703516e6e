/* tree_nodes.c -- Makes, finds and removes the nodes of a tree of KV blocks. */
#include "sim/kv/tree_nodes.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/whole.h"

void tree_nodes_free(struct tree_nodes *t)
{
	free(t->node);
	free(t->link);
	free(t->slot);
	*t = (struct tree_nodes){0};
}

/* Makes room for one more item behind the n there are; item 0 is never used.
 * Returns -1 if memory is out. */
static int grow(void **item, uint32_t *n, uint32_t *cap, size_t size)
{
	if (*n == 0)
		*n = 1;
	if (*n < *cap)
		return 0;
	uint32_t more = *cap ? 2 * *cap : 64;
	void *moved =
	    more > UINT32_MAX / 4 ? NULL : realloc(*item, more * size);
	if (!moved)
		return -1;
	if (*cap == 0)
		memset(moved, 0, size);
	*item = moved;
	*cap = more;
	return 0;
}

/* ---- hash tables: lists of nodes and of links ---- */

static struct tree_slot *slot_of(const struct tree_nodes *t, uint64_t key)
{
	return &t->slot[(uint32_t)key & (t->n_slots - 1)];
}

static void append_link(struct tree_nodes *t, uint32_t i)
{
	struct tree_slot *s = slot_of(t, t->link[i].key);
	t->link[i].before = s->last;
	t->link[i].after = 0;
	*(s->last ? &t->link[s->last].after : &s->first) = i;
	s->last = i;
}

static void list_node(struct tree_nodes *t, uint32_t i)
{
	struct tree_slot *s = slot_of(t, t->node[i].key);
	t->node[i].before = 0;
	t->node[i].after = s->node;
	if (s->node)
		t->node[s->node].before = i;
	s->node = i;
}

/* Makes twice as many slots, if as much is listed.  Links of one key stay
 * in their order, because they were in one slot.  Returns -1 if memory is
 * out. */
static int reserve_slots(struct tree_nodes *t)
{
	const struct tree_slot *old = t->slot;
	uint32_t n = t->n_slots, more = n ? 2 * n : 1024;
	if (t->n_listed < n)
		return 0;
	struct tree_slot *slot = calloc(more, sizeof *slot);
	if (!slot)
		return -1;
	t->slot = slot;
	t->n_slots = more;
	for (uint32_t k = 0; k < n; k++) {
		for (uint32_t i = old[k].first, next; i; i = next) {
			next = t->link[i].after;
			append_link(t, i);
		}
		for (uint32_t i = old[k].node, next; i; i = next) {
			next = t->node[i].after;
			list_node(t, i);
		}
	}
	free((void *)(uintptr_t)old);
	return 0;
}

static void add_link(struct tree_nodes *t, uint32_t node, uint64_t key,
		     uint32_t run)
{
	uint32_t i = t->free_link;
	if (!i && grow((void **)&t->link, &t->n_links, &t->cap_links,
		       sizeof *t->link)) {
		t->out_of_memory = 1;
		return;
	}
	if (i)
		t->free_link = t->link[i].of_node;
	else
		i = t->n_links++;
	t->n_listed++;
	t->link[i] = (struct tree_link){.key = key,
					.node = node,
					.run = run,
					.of_node = t->node[node].first_link};
	t->node[node].first_link = i;
	append_link(t, i);
}

/* Takes the node and its links out of the lists. */
static void unlist(struct tree_nodes *t, uint32_t node)
{
	const struct tree_node *x = &t->node[node];
	if (tree_is_tail(t, node))
		return;
	t->n_listed--;
	*(x->before ? &t->node[x->before].after : &slot_of(t, x->key)->node) =
	    x->after;
	if (x->after)
		t->node[x->after].before = x->before;
	for (uint32_t i = x->first_link, next; i; i = next) {
		struct tree_link *l = &t->link[i];
		struct tree_slot *s = slot_of(t, l->key);
		*(l->before ? &t->link[l->before].after : &s->first) = l->after;
		*(l->after ? &t->link[l->after].before : &s->last) = l->before;
		next = l->of_node;
		l->of_node = t->free_link;
		t->free_link = i;
		t->n_listed--;
	}
}

/* Returns the key for tokens that go on from `at` in its segment. */
static uint64_t key_into(const struct content *c,
			 const struct content_place *at)
{
	enum { INTO = 5 }; /* no other key is made like that */
	uint64_t key = hash_mix(at->key + INTO);
	key = hash_mix(key ^ c->segment[at->segment].id);
	return hash_mix(key + at->offset);
}

static uint32_t run_of(const struct content *c, const struct content_place *at,
		       uint32_t tokens)
{
	return whole_min(c->segment[at->segment].tokens - at->offset, tokens);
}

/* ---- nodes ---- */

uint32_t tree_find(const struct tree_nodes *t, uint64_t key)
{
	uint32_t i = t->n_slots ? slot_of(t, key)->node : 0;
	while (i && t->node[i].key != key)
		i = t->node[i].after;
	return i;
}

/* Makes a node, a copy of *what.  Returns its index; 0: memory is out. */
static uint32_t make(struct tree_nodes *t, const struct tree_node *what)
{
	uint32_t i = t->free;
	if (i) {
		t->free = t->node[i].parent;
	} else if (grow((void **)&t->node, &t->n, &t->cap, sizeof *t->node)) {
		t->out_of_memory = 1;
		return 0;
	} else {
		i = t->n++;
	}
	t->node[i] = *what;
	t->node[what->parent].n_children++;
	return i;
}

/* Makes a node that has no key yet. */
static uint32_t make_of(struct tree_nodes *t, uint32_t parent, uint32_t tokens)
{
	uint32_t i = make(t, &(struct tree_node){.parent = parent,
						 .block = NO_BLOCK,
						 .tokens = tokens,
						 .made = t->made++});
	if (i && reserve_slots(t))
		t->out_of_memory = 1;
	return i;
}

static uint32_t give_key(struct tree_nodes *t, uint32_t i, uint64_t key)
{
	if (t->out_of_memory)
		return 0;
	t->node[i].key = key;
	t->n_listed++;
	list_node(t, i);
	return i;
}

uint32_t tree_make_full(struct tree_nodes *t, uint32_t parent,
			const struct content *c, struct content_place *at,
			uint64_t key)
{
	uint32_t left = c->segment[at->segment].tokens - at->offset;
	if (left < t->unit)
		return tree_make(t, parent, c, at, t->unit);
	at->key = key;
	at->offset += t->unit;
	if (left == t->unit) {
		at->segment++;
		at->offset = 0;
	}
	return give_key(t, make_of(t, parent, t->unit), key);
}

uint32_t tree_make(struct tree_nodes *t, uint32_t parent,
		   const struct content *c, struct content_place *at,
		   uint32_t tokens)
{
	uint32_t i = make_of(t, parent, tokens);
	for (uint32_t run; tokens && !t->out_of_memory; tokens -= run) {
		run = run_of(c, at, tokens);
		if (run < t->unit)
			add_link(t, i, key_into(c, at), run);
		content_go_on(c->segment, at, run);
	}
	return give_key(t, i, at->key);
}

uint32_t tree_make_tail(struct tree_nodes *t, uint32_t parent)
{
	return make(t,
		    &(struct tree_node){.parent = parent, .block = NO_BLOCK});
}

static int is_useless(const struct tree_nodes *t, uint32_t node)
{
	const struct tree_node *x = &t->node[node];
	return tree_is_tail(t, node) ? x->tokens == 0
				     : x->block == NO_BLOCK && !x->n_children;
}

void tree_prune(struct tree_nodes *t, uint32_t node)
{
	while (node && is_useless(t, node)) {
		uint32_t parent = t->node[node].parent;
		unlist(t, node);
		t->node[node] = (struct tree_node){.parent = t->free};
		t->free = node;
		t->node[parent].n_children--;
		node = parent;
	}
}

/* Returns the node with a block that has the most of `run` tokens from `at` on,
 * of equal ones the first that was made; 0: there is none. */
static uint32_t longest(const struct tree_nodes *t, const struct content *c,
			const struct content_place *at, uint32_t run,
			uint32_t *most)
{
	uint64_t key = key_into(c, at);
	uint32_t best = 0;
	*most = 0;
	for (uint32_t i = slot_of(t, key)->first; i && *most < run;
	     i = t->link[i].after) {
		const struct tree_link *l = &t->link[i];
		uint32_t n = whole_min(l->run, run);
		if (l->key != key || n <= *most ||
		    t->node[l->node].block == NO_BLOCK)
			continue;
		best = l->node;
		*most = n;
	}
	return best;
}

/* The same for full blocks from one segment. */
static uint32_t full(const struct tree_nodes *t, const struct content *c,
		     const struct content_place *at)
{
	uint64_t key = content_run_key(at->key, c->segment[at->segment].id,
				       at->offset, t->unit);
	uint32_t i = tree_find(t, key ? key : 1);
	return i && t->node[i].block != NO_BLOCK ? i : 0;
}

uint32_t tree_nearest(const struct tree_nodes *t, const struct content *c,
		      struct content_place at, uint32_t tokens,
		      uint32_t *common)
{
	uint32_t best = 0;
	*common = 0;
	for (uint32_t done = 0, run, n; t->n_slots && done < tokens;
	     done += run) {
		run = run_of(c, &at, tokens - done);
		uint32_t i = longest(t, c, &at, run, &n);
		uint32_t j = done ? 0 : full(t, c, &at);
		if (j && (n < run || t->node[j].made < t->node[i].made)) {
			i = j;
			n = run;
		}
		if (!i)
			break;
		best = i;
		*common = done + n;
		if (n < run)
			break;
		content_go_on(c->segment, &at, run);
	}
	return best;
}
