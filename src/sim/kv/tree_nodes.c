/* tree_nodes.c -- Makes, finds and removes the nodes of a tree of KV blocks. */
#include <config.h>
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

/* ---- links: a hash table of lists ---- */

static struct tree_slot *slot_of(const struct tree_nodes *t, uint64_t key)
{
	return &t->slot[(uint32_t)key & (t->n_slots - 1)];
}

static void append(struct tree_nodes *t, uint32_t i)
{
	struct tree_slot *s = slot_of(t, t->link[i].key);
	t->link[i].before = s->last;
	t->link[i].after = 0;
	*(s->last ? &t->link[s->last].after : &s->first) = i;
	s->last = i;
}

/* Doubles the slots.  Links of one key stay in their order, because they were
 * in one slot. */
static int grow_slots(struct tree_nodes *t)
{
	const struct tree_slot *old = t->slot;
	uint32_t n = t->n_slots, more = n ? 2 * n : 1024;
	struct tree_slot *slot = calloc(more, sizeof *slot);
	if (!slot)
		return -1;
	t->slot = slot;
	t->n_slots = more;
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = old[k].first, next; i; i = next) {
			next = t->link[i].after;
			append(t, i);
		}
	free((void *)(uintptr_t)old);
	return 0;
}

static void add_link(struct tree_nodes *t, uint32_t node, uint64_t key,
		     uint32_t run)
{
	uint32_t i = t->free_link;
	if ((t->used_links >= t->n_slots && grow_slots(t)) ||
	    (!i && grow((void **)&t->link, &t->n_links, &t->cap_links,
			sizeof *t->link))) {
		t->out_of_memory = 1;
		return;
	}
	if (i)
		t->free_link = t->link[i].of_node;
	else
		i = t->n_links++;
	t->used_links++;
	t->link[i] = (struct tree_link){.key = key,
					.node = node,
					.run = run,
					.of_node = t->node[node].first_link};
	t->node[node].first_link = i;
	append(t, i);
}

static void remove_links(struct tree_nodes *t, uint32_t node)
{
	for (uint32_t i = t->node[node].first_link, next; i; i = next) {
		struct tree_link *l = &t->link[i];
		struct tree_slot *s = slot_of(t, l->key);
		*(l->before ? &t->link[l->before].after : &s->first) = l->after;
		*(l->after ? &t->link[l->after].before : &s->last) = l->before;
		next = l->of_node;
		l->of_node = t->free_link;
		t->free_link = i;
		t->used_links--;
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
	if (!t->n_slots)
		return 0;
	for (uint32_t i = slot_of(t, key)->first; i; i = t->link[i].after)
		if (t->link[i].key == key)
			return t->link[i].node;
	return 0;
}

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

uint32_t tree_make(struct tree_nodes *t, uint32_t parent,
		   const struct content *c, struct content_place *at,
		   uint32_t tokens)
{
	struct content_place end = *at;
	uint32_t i = make(t, &(struct tree_node){
				 .key = content_go_on(c, &end, tokens),
				 .parent = parent,
				 .block = NO_BLOCK,
				 .tokens = tokens,
			     });
	if (!i)
		return 0;
	add_link(t, i, end.key, tokens);
	for (uint32_t run; tokens; tokens -= run) {
		run = run_of(c, at, tokens);
		add_link(t, i, key_into(c, at), run);
		content_go_on(c, at, run);
	}
	return t->out_of_memory ? 0 : i;
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
		remove_links(t, node);
		t->node[node] = (struct tree_node){.parent = t->free};
		t->free = node;
		t->node[parent].n_children--;
		node = parent;
	}
}

/* Returns the first link to a node with a block that has the most of `run`
 * tokens; 0: there is none. */
static uint32_t longest(const struct tree_nodes *t, uint64_t key, uint32_t run)
{
	uint32_t best = 0, most = 0;
	for (uint32_t i = slot_of(t, key)->first; i && most < run;
	     i = t->link[i].after) {
		const struct tree_link *l = &t->link[i];
		uint32_t n = whole_min(l->run, run);
		if (l->key != key || n <= most ||
		    t->node[l->node].block == NO_BLOCK)
			continue;
		best = i;
		most = n;
	}
	return best;
}

uint32_t tree_nearest(const struct tree_nodes *t, const struct content *c,
		      struct content_place at, uint32_t tokens,
		      uint32_t *common)
{
	uint32_t best = 0;
	*common = 0;
	for (uint32_t done = 0, run; t->n_slots && done < tokens; done += run) {
		run = run_of(c, &at, tokens - done);
		uint32_t i = longest(t, key_into(c, &at), run);
		if (!i)
			break;
		best = t->link[i].node;
		*common = done + whole_min(t->link[i].run, run);
		if (*common < done + run)
			break;
		content_go_on(c, &at, run);
	}
	return best;
}
