/* prompt_tree.c -- Keeps prompts in a tree; its nodes are split where prompts
 * part. */
#include "sim/route/prompt_tree.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/hash.h"
#include "base/whole.h"

void prompt_tree_free(struct prompt_tree *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		free(t->node[i].part);
		free(t->node[i].holder);
	}
	free(t->node);
	free(t->bucket);
	*t = (struct prompt_tree){0};
}

/* ---- children by their first token ---- */

static uint32_t *bucket_of(const struct prompt_tree *t, uint32_t parent,
			   uint64_t id, uint32_t offset)
{
	uint64_t place = hash_mix((uint64_t)parent << 32 | offset);
	return &t->bucket[hash_mix(id ^ place) & (t->n_buckets - 1)];
}

static uint32_t *bucket_for(const struct prompt_tree *t, uint32_t i)
{
	const struct prompt_node *a = &t->node[i];
	return bucket_of(t, a->parent, a->part->id, a->part->offset);
}

static void enter_bucket(struct prompt_tree *t, uint32_t i)
{
	uint32_t *head = bucket_for(t, i);
	t->node[i].next_in_bucket = *head;
	*head = i;
}

static void leave_bucket(struct prompt_tree *t, uint32_t i)
{
	uint32_t *at = bucket_for(t, i);
	while (*at != i)
		at = &t->node[*at].next_in_bucket;
	*at = t->node[i].next_in_bucket;
}

static int grow_buckets(struct prompt_tree *t)
{
	uint32_t n = t->n_buckets ? 2 * t->n_buckets : 256;
	uint32_t *more = calloc(n, sizeof *more);
	if (!more)
		return -1;
	free(t->bucket);
	t->bucket = more;
	t->n_buckets = n;
	for (uint32_t i = 1; i < t->n; i++)
		if (t->node[i].part)
			enter_bucket(t, i);
	return 0;
}

/* Returns 0 if there is none. */
static uint32_t child(const struct prompt_tree *t, uint32_t parent, uint64_t id,
		      uint32_t offset)
{
	uint32_t i = t->n_buckets ? *bucket_of(t, parent, id, offset) : 0;
	for (; i; i = t->node[i].next_in_bucket) {
		const struct prompt_node *a = &t->node[i];
		if (a->parent == parent && a->part->id == id &&
		    a->part->offset == offset)
			break;
	}
	return i;
}

/* ---- nodes ---- */

static int grow(struct prompt_tree *t)
{
	uint32_t cap = t->cap ? 2 * t->cap : 64;
	void *more = cap > UINT32_MAX / 4
			 ? NULL
			 : realloc(t->node, cap * sizeof *t->node);
	if (!more)
		return -1;
	t->node = more;
	t->cap = cap;
	return 0;
}

/* Makes a node of n parts, all zero; the first one makes the root as well.
 * Returns 0 if memory is out. */
static uint32_t make(struct prompt_tree *t, uint32_t n)
{
	uint32_t i = t->free;
	struct prompt_part *part = calloc(n, sizeof *part);
	if (!part || (!i && t->n + 2 > t->cap && grow(t) < 0) ||
	    (t->used >= t->n_buckets && grow_buckets(t) < 0)) {
		free(part);
		t->out_of_memory = 1;
		return 0;
	}
	if (!t->n)
		t->node[t->n++] = (struct prompt_node){0};
	if (i)
		t->free = t->node[i].parent;
	else
		i = t->n++;
	t->used++;
	t->node[i] = (struct prompt_node){.n_parts = n, .part = part};
	return i;
}

static void drop(struct prompt_tree *t, uint32_t i)
{
	struct prompt_node *a = &t->node[i];
	leave_bucket(t, i);
	free(a->part);
	free(a->holder);
	*a = (struct prompt_node){.parent = t->free};
	t->free = i;
	t->used--;
}

/* ---- finding ---- */

/* A place in a prompt of `left` more tokens. */
struct place {
	const struct content *c;
	uint32_t segment, offset, left;
};

static uint32_t move_on(struct place *at, uint32_t tokens)
{
	at->left -= tokens;
	at->offset += tokens;
	if (at->left && at->offset == at->c->segment[at->segment].tokens) {
		at->segment++;
		at->offset = 0;
	}
	return tokens;
}

/* Moves on as far as the node goes the same way; returns by how much. */
static uint32_t common(const struct prompt_node *a, struct place *at)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < a->n_parts && at->left; k++) {
		const struct prompt_part *part = &a->part[k];
		const struct segment *s = &at->c->segment[at->segment];
		if (part->id != s->id || part->offset != at->offset)
			break;
		uint32_t same = whole_min(s->tokens - at->offset, at->left);
		same = whole_min(same, part->tokens);
		n += move_on(at, same);
		if (same < part->tokens)
			break;
	}
	return n;
}

/* Walks to the end of what the tree has.  Returns the node, and the tokens of
 * it that agree in *same. */
static uint32_t walk(const struct prompt_tree *t, struct place *at,
		     uint32_t *same)
{
	uint32_t node = 0;
	*same = 0;
	while (at->left && *same == t->node[node].end - t->node[node].start) {
		uint32_t next =
		    child(t, node, at->c->segment[at->segment].id, at->offset);
		if (!next)
			break;
		*same = common(&t->node[next], at);
		node = next;
	}
	return node;
}

uint32_t prompt_tree_find(const struct prompt_tree *t, const struct content *c,
			  uint32_t tokens, uint32_t *node)
{
	struct place at = {.c = c, .left = tokens};
	uint32_t same;
	*node = 0;
	if (t->n == 0)
		return 0;
	*node = walk(t, &at, &same);
	return tokens - at.left;
}

/* ---- entering ---- */

/* Returns the part that has the n-th token of the node, and the tokens before
 * it in the part in *inside. */
static uint32_t part_at(const struct prompt_node *a, uint32_t n,
			uint32_t *inside)
{
	uint32_t k = 0;
	for (; n >= a->part[k].tokens; k++)
		n -= a->part[k].tokens;
	*inside = n;
	return k;
}

/* Gives the first n tokens of a node, fewer than it has, to a node before it,
 * with the same holders, which is returned; 0 if memory is out. */
static uint32_t split(struct prompt_tree *t, uint32_t i, uint32_t n)
{
	uint32_t inside, k = part_at(&t->node[i], n, &inside);
	uint32_t front = make(t, k + (inside > 0));
	if (!front)
		return 0;
	struct prompt_node *a = &t->node[front], *b = &t->node[i];
	a->holder = malloc(b->n_holders * sizeof *a->holder);
	if (!a->holder && b->n_holders) {
		t->out_of_memory = 1;
		return 0;
	}
	leave_bucket(t, i);
	memcpy(a->part, b->part, a->n_parts * sizeof *a->part);
	if (inside)
		a->part[k].tokens = inside;
	b->n_parts -= k;
	memmove(b->part, b->part + k, b->n_parts * sizeof *b->part);
	b->part->offset += inside;
	b->part->tokens -= inside;
	a->parent = b->parent;
	a->start = b->start;
	a->end = b->start = b->start + n;
	b->parent = front;
	a->n_holders = a->cap_holders = b->n_holders;
	for (uint32_t h = 0; h < b->n_holders; h++) {
		a->holder[h] = b->holder[h];
		a->holder[h].below = 1;
	}
	enter_bucket(t, front);
	enter_bucket(t, i);
	return front;
}

/* Makes a node behind that one of all that is left. */
static uint32_t append(struct prompt_tree *t, uint32_t parent,
		       const struct place *at)
{
	uint32_t n = 0, left = at->left;
	const struct segment *s = &at->c->segment[at->segment];
	for (uint32_t has = s->tokens - at->offset; left > 0;
	     has = s[n].tokens) {
		left -= whole_min(has, left);
		n++;
	}
	uint32_t i = make(t, n);
	if (!i)
		return 0;
	struct prompt_node *a = &t->node[i];
	struct place from = *at;
	for (uint32_t k = 0; k < n; k++) {
		s = &at->c->segment[from.segment];
		a->part[k] = (struct prompt_part){
		    s->id, from.offset,
		    whole_min(s->tokens - from.offset, from.left)};
		move_on(&from, a->part[k].tokens);
	}
	a->parent = parent;
	a->start = t->node[parent].end;
	a->end = a->start + at->left;
	enter_bucket(t, i);
	return i;
}

uint32_t prompt_tree_enter(struct prompt_tree *t, const struct content *c,
			   uint32_t tokens)
{
	struct place at = {.c = c, .left = tokens};
	uint32_t node = 0, same = 0;
	if (t->n)
		node = walk(t, &at, &same);
	if (node && same < t->node[node].end - t->node[node].start)
		node = split(t, node, same);
	if (t->out_of_memory || at.left == 0)
		return node;
	return append(t, node, &at);
}

/* ---- holders ---- */

struct prompt_holder *prompt_tree_holder(const struct prompt_tree *t,
					 uint32_t node, uint32_t replica)
{
	const struct prompt_node *a = &t->node[node];
	for (uint32_t k = 0; k < a->n_holders; k++)
		if (a->holder[k].replica == replica)
			return &a->holder[k];
	return NULL;
}

struct prompt_holder *prompt_tree_hold(struct prompt_tree *t, uint32_t node,
				       uint32_t replica, int *is_new)
{
	struct prompt_node *a = &t->node[node];
	struct prompt_holder *h = prompt_tree_holder(t, node, replica);
	*is_new = !h;
	if (h)
		return h;
	if (!MAKE_ROOM(a->holder, a->n_holders, a->cap_holders)) {
		t->out_of_memory = 1;
		return NULL;
	}
	h = &a->holder[a->n_holders++];
	*h = (struct prompt_holder){.replica = replica};
	return h;
}

void prompt_tree_leave(struct prompt_tree *t, uint32_t node, uint32_t replica)
{
	struct prompt_node *a = &t->node[node];
	struct prompt_holder *h = prompt_tree_holder(t, node, replica);
	size_t behind = (size_t)(a->holder + a->n_holders - (h + 1));
	memmove(h, h + 1, behind * sizeof *h);
	a->n_holders--;
	if (a->parent)
		prompt_tree_holder(t, a->parent, replica)->below--;
	if (a->n_holders == 0)
		drop(t, node);
}
