/* map64.c -- A hash map with open addressing. */
#include "base/map64.h"
#include <stdlib.h>
#include "base/hash.h"

/* Linear probing.  It ends, because the map doubles when two thirds are
 * used. */
static struct map64_entry *find(struct map64_entry *e, size_t cap, uint64_t key)
{
	size_t i = (size_t)hash_mix(key) & (cap - 1);
	while (e[i].used && e[i].key != key)
		i = (i + 1) & (cap - 1);
	return &e[i];
}

static int grow(struct map64 *m)
{
	size_t cap = m->cap ? 2 * m->cap : 64;
	struct map64_entry *e = calloc(cap, sizeof *e);
	if (!e)
		return -1;
	for (size_t i = 0; i < m->cap; i++)
		if (m->entry[i].used)
			*find(e, cap, m->entry[i].key) = m->entry[i];
	free(m->entry);
	m->entry = e;
	m->cap = cap;
	return 0;
}

uint64_t *map64_at(struct map64 *m, uint64_t key, int *is_new)
{
	if (3 * m->n >= 2 * m->cap && grow(m) < 0)
		return NULL;
	struct map64_entry *e = find(m->entry, m->cap, key);
	if (is_new)
		*is_new = !e->used;
	if (!e->used) {
		*e = (struct map64_entry){.key = key, .used = 1};
		m->n++;
	}
	return &e->value;
}

void map64_free(struct map64 *m)
{
	free(m->entry);
	*m = (struct map64){0};
}
