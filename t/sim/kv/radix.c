/* Prefixes in a tree, and which of them are evicted. */
#include "sim/kv/radix.h"
#include "math/rng.h"
#include "tap.h"

static struct radix tree;

static void start(void)
{
	radix_free(&tree);
	tree = (struct radix){0};
}

/* Keys of a prefix: page i is told by its number and the branch it is on. */
static const uint64_t *keys(uint32_t from, uint32_t branch)
{
	static uint64_t key[20];
	for (uint32_t i = 0; i < 20; i++)
		key[i] = i < from ? i + 1 : 1000 * (20 * branch + from + 1) + i;
	return key;
}

static uint32_t found(const uint64_t *key, uint32_t n)
{
	uint32_t pages;
	radix_find(&tree, key, n, &pages);
	return pages;
}

static uint32_t put(const uint64_t *key, uint32_t n)
{
	uint32_t had;
	radix_insert(&tree, key, n, &had);
	return had;
}

static void prefixes(void)
{
	start();
	ok(found(keys(20, 0), 10) == 0, "nothing is known at first");
	ok(put(keys(5, 1), 10) == 0 && put(keys(5, 2), 12) == 5,
	   "two that share five pages");
	ok(tree.pages == 17, "which are there once");
	ok(found(keys(5, 1), 20) == 10 && found(keys(5, 2), 20) == 12 &&
	       found(keys(5, 3), 20) == 5 && found(keys(20, 0), 3) == 3,
	   "each is found as far as it is known");
	ok(put(keys(5, 1), 10) == 10 && tree.pages == 17,
	   "once more is no more");
}

static void eviction(void)
{
	uint32_t had;
	start();
	put(keys(5, 1), 10);
	put(keys(5, 2), 12);
	found(keys(5, 1), 10);
	radix_evict(&tree, 1);
	ok(tree.pages == 10 && found(keys(5, 2), 12) == 5,
	   "the leaf that was used longest ago goes, as a whole");
	uint32_t node = radix_insert(&tree, keys(5, 1), 10, &had);
	radix_lock(&tree, node);
	radix_evict(&tree, 100);
	ok(tree.pages == 10 && radix_idle(&tree) == 0,
	   "what is locked stays, with all before it");
	found(keys(7, 1), 7);
	radix_unlock(&tree, node);
	ok(radix_idle(&tree) == 10, "also when it was split meanwhile");
	radix_evict(&tree, 100);
	ok(tree.pages == 0 && found(keys(5, 1), 10) == 0, "then all can go");
}

/* Pages in nodes, and those of them under locks, by counting. */
static int books_agree(void)
{
	uint64_t pages = 0, locked = 0;
	for (uint32_t i = 1; i < tree.n; i++) {
		pages += tree.node[i].n;
		locked += tree.node[i].locks ? tree.node[i].n : 0;
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
		const uint64_t *key = keys((uint32_t)rng_below(&rng, 20),
					   (uint32_t)rng_below(&rng, 3));
		radix_unlock(&tree, locked[k]);
		locked[k] = radix_insert(&tree, key, n, &had);
		radix_lock(&tree, locked[k]);
		if (rng_below(&rng, 3) == 0)
			radix_evict(&tree, rng_below(&rng, 30));
		wrong += !books_agree() || found(key, n) != n;
	}
	ok(!wrong && !tree.out_of_memory, "its books agree at any time");
}

int main(void)
{
	prefixes();
	eviction();
	books();
	radix_free(&tree);
	return done();
}
