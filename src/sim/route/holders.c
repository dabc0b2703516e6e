/* holders.c -- A hash map from keys to sets of replicas. */
#include "sim/route/holders.h"
#include <stdlib.h>
#include <string.h>

/* Linear probing; a key is a hash already.  It ends, because the map doubles
 * when two thirds are used. */

static uint64_t *entry_at(const struct holders *h, size_t i)
{
	return h->entry + i * (1 + (size_t)h->n_words);
}

static size_t home(const struct holders *h, uint64_t key)
{
	return (size_t)key & (h->cap - 1);
}

static size_t place_of(const struct holders *h, uint64_t key)
{
	size_t i = home(h, key);
	while (*entry_at(h, i) && *entry_at(h, i) != key)
		i = (i + 1) & (h->cap - 1);
	return i;
}

/* Doubles the hash table. */
static int grow(struct holders *h)
{
	struct holders more = {.n_words = h->n_words,
			       .n = h->n,
			       .cap = h->cap ? 2 * h->cap : 1024};
	size_t bytes = (1 + (size_t)h->n_words) * sizeof *h->entry;
	more.entry = calloc(more.cap, bytes);
	if (!more.entry) {
		h->out_of_memory = 1;
		return -1;
	}
	for (size_t i = 0; i < h->cap; i++) {
		const uint64_t *e = entry_at(h, i);
		if (*e)
			memcpy(entry_at(&more, place_of(&more, *e)), e, bytes);
	}
	free(h->entry);
	*h = more;
	return 0;
}

const uint64_t *holders_find(const struct holders *h, uint64_t key)
{
	if (h->n == 0)
		return NULL;
	const uint64_t *e = entry_at(h, place_of(h, key));
	return *e ? e + 1 : NULL;
}

void holders_add(struct holders *h, uint64_t key, uint32_t replica)
{
	if (3 * h->n >= 2 * h->cap && grow(h) < 0)
		return;
	uint64_t *e = entry_at(h, place_of(h, key));
	if (!*e) {
		*e = key;
		h->n++;
	}
	e[1 + replica / 64] |= UINT64_C(1) << replica % 64;
}

/* Frees an entry, and moves those behind it that were pushed on. */
static void drop(struct holders *h, size_t free_place)
{
	size_t mask = h->cap - 1, bytes = (1 + (size_t)h->n_words) * 8;
	h->n--;
	for (size_t i = (free_place + 1) & mask; *entry_at(h, i);
	     i = (i + 1) & mask) {
		size_t from_home = (i - home(h, *entry_at(h, i))) & mask;
		if (from_home < ((i - free_place) & mask))
			continue;
		memcpy(entry_at(h, free_place), entry_at(h, i), bytes);
		free_place = i;
	}
	memset(entry_at(h, free_place), 0, bytes);
}

void holders_remove(struct holders *h, uint64_t key, uint32_t replica)
{
	uint64_t any = 0;
	if (h->n == 0)
		return;
	size_t i = place_of(h, key);
	uint64_t *e = entry_at(h, i);
	if (!*e)
		return;
	e[1 + replica / 64] &= ~(UINT64_C(1) << replica % 64);
	for (uint32_t k = 0; k < h->n_words; k++)
		any |= e[1 + k];
	if (!any)
		drop(h, i);
}

/* An entry that is dropped may bring another one to its place, from behind; one
 * that comes to the end of the map from its start was looked at before. */
void holders_forget(struct holders *h, uint32_t replica)
{
	uint64_t bit = UINT64_C(1) << replica % 64;
	for (size_t i = 0; i < h->cap; i++) {
		uint64_t *e = entry_at(h, i);
		while (*e && e[1 + replica / 64] & bit)
			holders_remove(h, *e, replica);
	}
}

void holders_free(struct holders *h)
{
	free(h->entry);
	*h = (struct holders){.n_words = h->n_words};
}

/* ---- a prompt ---- */

/* Sets to[i] = value for each replica of the word. */
static void set_each(uint32_t *to, uint64_t word, uint32_t value)
{
	for (; word; word &= word - 1)
		to[__builtin_ctzll(word)] = value;
}

void holders_runs(const struct holders *h, const uint64_t *key, uint32_t n_keys,
		  uint32_t *run, uint32_t n, uint64_t *alive)
{
	memset(run, 0, n * sizeof *run);
	memset(alive, 0xff, h->n_words * sizeof *alive);
	for (uint32_t k = 0; k < n_keys; k++) {
		const uint64_t *has = holders_find(h, key[k]);
		uint64_t left = 0;
		for (uint32_t w = 0; w < h->n_words; w++) {
			uint64_t goes_on = has ? alive[w] & has[w] : 0;
			if (k && alive[w] != goes_on)
				set_each(run + 64 * (size_t)w,
					 alive[w] & ~goes_on, k);
			alive[w] = goes_on;
			left |= goes_on;
		}
		if (!left)
			return;
	}
	for (uint32_t w = 0; n_keys && w < h->n_words; w++)
		set_each(run + 64 * (size_t)w, alive[w], n_keys);
}

static void add_each(uint32_t *to, uint64_t word, uint32_t value)
{
	for (; word; word &= word - 1)
		to[__builtin_ctzll(word)] += value;
}

uint32_t holders_counts(const struct holders *h, const uint64_t *key,
			uint32_t n_keys, uint32_t *count, uint32_t n)
{
	uint32_t k = 0;
	memset(count, 0, n * sizeof *count);
	for (; k < n_keys; k++) {
		const uint64_t *has = holders_find(h, key[k]);
		if (!has)
			break;
		for (uint32_t w = 0; w < h->n_words; w++)
			add_each(count + 64 * (size_t)w, has[w], 1);
	}
	return k;
}
