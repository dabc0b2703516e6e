/* radix.c -- Keeps texts in a tree; its nodes are split where texts part. */
#include "sim/kv/radix.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/whole.h"

void radix_free(struct radix *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		free(radix_at(t, i)->segment);
	free(t->node);
	free(t->bucket);
	*t = (struct radix){
	    .size = t->size, .unit = t->unit, .has_realms = t->has_realms};
}

/* ---- children by their first unit ---- */

static uint64_t child_key(const struct radix *t, uint32_t parent,
			  const struct segment *s, struct content_place at,
			  uint64_t realm)
{
	at.key = hash_mix(parent ? parent : t->has_realms ? realm : 0);
	return content_go_on(s, &at, t->unit);
}

static uint32_t *bucket_of(const struct radix *t, uint64_t key)
{
	return &t->bucket[key & (t->n_buckets - 1)];
}

static void enter_bucket(struct radix *t, uint32_t i)
{
	struct radix_node *a = radix_at(t, i);
	uint32_t *head = bucket_of(t, a->key);
	a->next_in_bucket = *head;
	*head = i;
}

static void leave_bucket(struct radix *t, uint32_t i)
{
	uint32_t *at = bucket_of(t, radix_at(t, i)->key);
	while (*at != i)
		at = &radix_at(t, *at)->next_in_bucket;
	*at = radix_at(t, i)->next_in_bucket;
}

static int grow_buckets(struct radix *t)
{
	uint32_t n = t->n_buckets ? 2 * t->n_buckets : 256;
	uint32_t *more = calloc(n, sizeof *more);
	if (!more)
		return -1;
	free(t->bucket);
	t->bucket = more;
	t->n_buckets = n;
	for (uint32_t i = 1; i < t->n; i++)
		if (radix_at(t, i)->segment)
			enter_bucket(t, i);
	return 0;
}

/* Returns 0 if there is none. */
static uint32_t child(const struct radix *t, uint64_t key)
{
	uint32_t i = *bucket_of(t, key);
	while (i && radix_at(t, i)->key != key)
		i = radix_at(t, i)->next_in_bucket;
	return i;
}

/* ---- nodes ---- */

static int grow(struct radix *t)
{
	uint32_t cap = t->cap ? 2 * t->cap : 64;
	void *more =
	    cap > UINT32_MAX / 4 ? NULL : realloc(t->node, cap * t->size);
	if (!more)
		return -1;
	t->node = more;
	t->cap = cap;
	return 0;
}

/* Makes a node, which owns a copy of the segments between two places.  The
 * first call makes the root, too.  Returns 0 if memory is out. */
static uint32_t make(struct radix *t, const struct segment *s,
		     struct content_place from, struct content_place to)
{
	uint32_t i = t->free;
	size_t n = to.segment + (to.offset > 0) - from.segment;
	struct segment *own = malloc(n * sizeof *own);
	if (!own || (!i && t->n + 2 > t->cap && grow(t) < 0) ||
	    (t->used >= t->n_buckets && grow_buckets(t) < 0)) {
		free(own);
		t->out_of_memory = 1;
		return 0;
	}
	if (!t->n)
		memset(radix_at(t, t->n++), 0, t->size);
	if (i)
		t->free = radix_at(t, i)->parent;
	else
		i = t->n++;
	t->used++;
	memcpy(own, s + from.segment, n * sizeof *own);
	memset(radix_at(t, i), 0, t->size);
	radix_at(t, i)->segment = own;
	radix_at(t, i)->from.offset = from.offset;
	return i;
}

uint32_t radix_split(struct radix *t, uint32_t i, uint32_t end)
{
	struct radix_node *b = radix_at(t, i);
	struct content_place to = b->from;
	content_go_on(b->segment, &to, end - b->start);
	uint32_t front = make(t, b->segment, b->from, to);
	if (!front)
		return 0;
	struct radix_node *a = radix_at(t, front);
	b = radix_at(t, i);
	leave_bucket(t, i);
	a->parent = b->parent;
	a->start = b->start;
	a->end = b->start = end;
	a->n_children = 1;
	a->key = b->key;
	b->parent = front;
	b->from = to;
	b->key = child_key(t, front, b->segment, to, 0);
	enter_bucket(t, front);
	enter_bucket(t, i);
	return front;
}

uint32_t radix_append(struct radix *t, uint32_t parent, const struct content *c,
		      uint32_t tokens)
{
	uint32_t start = parent ? radix_at(t, parent)->end : 0;
	struct content_place from = content_at(c, start);
	struct content_place to = content_at(c, tokens);
	uint32_t i = make(t, c->segment, from, to);
	if (!i)
		return 0;
	struct radix_node *a = radix_at(t, i);
	a->parent = parent;
	a->start = start;
	a->end = tokens;
	a->key = child_key(t, parent, c->segment, from, c->realm);
	radix_at(t, parent)->n_children++;
	enter_bucket(t, i);
	return i;
}

void radix_drop(struct radix *t, uint32_t i)
{
	struct radix_node *a = radix_at(t, i);
	leave_bucket(t, i);
	radix_at(t, a->parent)->n_children--;
	free(a->segment);
	memset(a, 0, t->size);
	a->parent = t->free;
	t->free = i;
	t->used--;
}

/* ---- finding ---- */

static void move_on(const struct segment *s, struct content_place *at,
		    uint32_t tokens)
{
	at->offset += tokens;
	if (at->offset == s[at->segment].tokens) {
		at->segment++;
		at->offset = 0;
	}
}

/* Moves on as far as the node goes the same way, at most by `most` tokens;
 * returns by how much. */
static uint32_t common(const struct radix_node *a, const struct segment *s,
		       struct content_place *at, uint32_t most)
{
	struct content_place own = a->from;
	uint32_t n = 0;
	most = whole_min(most, a->end - a->start);
	while (n < most && a->segment[own.segment].id == s[at->segment].id &&
	       own.offset == at->offset) {
		uint32_t same =
		    whole_min(a->segment[own.segment].tokens - own.offset,
			      s[at->segment].tokens - at->offset);
		same = whole_min(same, most - n);
		move_on(a->segment, &own, same);
		move_on(s, at, same);
		n += same;
	}
	return n;
}

uint32_t radix_find(const struct radix *t, const struct content *c,
		    uint32_t tokens, uint32_t *found)
{
	struct content_place at = {0};
	uint32_t node = 0;
	*found = 0;
	if (!t->used)
		return 0;
	while (tokens - *found >= t->unit && *found == radix_at(t, node)->end) {
		uint64_t key = child_key(t, node, c->segment, at, c->realm);
		uint32_t next = child(t, key), same = 0;
		if (next)
			same = common(radix_at(t, next), c->segment, &at,
				      tokens - *found);
		if (same < t->unit)
			break;
		*found += same - same % t->unit;
		node = next;
	}
	return node;
}
