/* Prefixes in a tree, and which of them are evicted. */
#include "sim/kv/radix_cache.h"
#include <stdlib.h>
#include "math/rng.h"
#include "tap.h"

enum { PAGE = 4, PAGES = 20 };
static struct radix_cache tree;

static void start(void)
{
	radix_cache_free(&tree);
	radix_cache_init(&tree, PAGE);
}

/* A text of 20 pages: from page `from` on it is on a branch of its own. */
static struct content *text(uint32_t from, uint32_t branch)
{
	static struct segment segment[PAGES + 1][4][2];
	static struct content made[PAGES + 1][4];
	struct segment *s = segment[from][branch];
	s[from > 0] =
	    (struct segment){1000 + 100 * branch + from, PAGE * PAGES};
	if (from)
		s[0] = (struct segment){1, PAGE * from};
	made[from][branch].segment = s;
	return &made[from][branch];
}

static uint32_t found(const struct content *c, uint32_t n)
{
	uint32_t pages;
	radix_cache_find(&tree, c, n, &pages);
	return pages;
}

static uint32_t put(const struct content *c, uint32_t n)
{
	uint32_t had;
	radix_cache_insert(&tree, c, n, &had);
	return had;
}

static void prefixes(void)
{
	start();
	ok(found(text(20, 0), 10) == 0, "nothing is known at first");
	ok(put(text(5, 1), 10) == 0 && put(text(5, 2), 12) == 5,
	   "two that share five pages");
	ok(tree.pages == 17, "which are there once");
	ok(found(text(5, 1), 20) == 10 && found(text(5, 2), 20) == 12 &&
	       found(text(5, 3), 20) == 5 && found(text(20, 0), 3) == 3,
	   "each is found as far as it is known");
	ok(put(text(5, 1), 10) == 10 && tree.pages == 17,
	   "once more is no more");
}

static void eviction(void)
{
	uint32_t had;
	start();
	put(text(5, 1), 10);
	put(text(5, 2), 12);
	found(text(5, 1), 10);
	radix_cache_evict(&tree, 1);
	ok(tree.pages == 10 && found(text(5, 2), 12) == 5,
	   "the leaf that was used longest ago goes, as a whole");
	uint32_t node = radix_cache_insert(&tree, text(5, 1), 10, &had);
	radix_cache_lock(&tree, node);
	radix_cache_evict(&tree, 100);
	ok(tree.pages == 10 && tree.locked_pages == 10,
	   "what is locked stays, with all before it");
	found(text(7, 1), 7);
	radix_cache_unlock(&tree, node);
	ok(tree.locked_pages == 0, "also when it was split meanwhile");
	radix_cache_evict(&tree, 100);
	ok(tree.pages == 0 && found(text(5, 1), 10) == 0, "then all can go");
}

/* Pages in nodes, and those of them under locks, by counting. */
static int books_agree(void)
{
	uint64_t pages = 0, locked = 0;
	for (uint32_t i = 1; i < tree.tree.n; i++) {
		const struct radix_cached *a =
		    (const struct radix_cached *)radix_at(&tree.tree, i);
		uint32_t n = (a->is.end - a->is.start) / PAGE;
		pages += n;
		locked += a->locks ? n : 0;
	}
	return pages == tree.pages && locked == tree.locked_pages;
}

static void books(void)
{
	struct rng rng = rng_stream(7, RNG_ROUTING, 0);
	uint32_t locked[8] = {0}, had;
	int wrong = 0;
	start();
	for (int i = 0; i < 3000; i++) {
		uint32_t n = 1 + (uint32_t)rng_below(&rng, 20);
		uint32_t k = (uint32_t)rng_below(&rng, 8);
		const struct content *c = text((uint32_t)rng_below(&rng, 20),
					       (uint32_t)rng_below(&rng, 3));
		radix_cache_unlock(&tree, locked[k]);
		locked[k] = radix_cache_insert(&tree, c, n, &had);
		radix_cache_lock(&tree, locked[k]);
		if (rng_below(&rng, 3) == 0)
			radix_cache_evict(&tree, rng_below(&rng, 30));
		wrong += !books_agree() || found(c, n) != n;
	}
	ok(!wrong && !tree.tree.out_of_memory, "its books agree at any time");
}

/* A listener that counts, by page of the text, who was told to be there. */
static int there[PAGES];
static uint64_t key_of[PAGES];
static void hear(void *user, uint64_t key, int has)
{
	(void)user;
	for (int i = 0; i < PAGES; i++)
		if (key_of[i] == key)
			there[i] += has ? 1 : -1;
}

static int heard(int from, int to, int times)
{
	int n = 0;
	for (int i = from; i < to; i++)
		n += there[i] == times;
	return n == to - from;
}

static void listening(void)
{
	const struct block_listener l = {.tell = hear};
	struct content *c = text(7, 1), *other = text(5, 2);
	start();
	tree.listener = &l;
	c->realm = other->realm = 99;
	if (content_keys(c, PAGES, PAGE))
		bail_out("out of memory");
	for (int i = 0; i < PAGES; i++)
		key_of[i] = c->key[i];
	put(c, 12);
	ok(heard(0, 12, 1) && heard(12, PAGES, 0),
	   "each page is told with its key");
	ok(found(text(7, 2), 12) == 0, "another realm has nothing of it");
	put(other, 12);
	ok(put(c, PAGES) == 12 && heard(0, PAGES, 1),
	   "once, also behind a split");
	radix_cache_evict(&tree, UINT64_MAX);
	ok(heard(0, PAGES, 0), "and taken back when it goes");
	free(c->key);
}

int main(void)
{
	prefixes();
	eviction();
	books();
	listening();
	radix_cache_free(&tree);
	return done();
}
