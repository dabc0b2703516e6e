/* The index from keys to replicas, against a plain list. */
#include "sim/route/holders.h"
#include <stdlib.h>
#include "base/hash.h"
#include "math/rng.h"
#include "tap.h"

enum { KEYS = 300, REPLICAS = 70 };
static struct holders index_ = {.n_words = 2};
static int has[KEYS][REPLICAS];

static uint64_t key(uint32_t k)
{
	return hash_mix(k + 1);
}

static int agrees(uint32_t k)
{
	const uint64_t *set = holders_find(&index_, key(k));
	int any = 0, wrong = 0;
	for (uint32_t i = 0; i < REPLICAS; i++) {
		any |= has[k][i];
		wrong |= set && (int)(set[i / 64] >> i % 64 & 1) != has[k][i];
	}
	return !wrong && any == (set != NULL);
}

static void random_changes(void)
{
	struct rng r = rng_stream(1, RNG_SAMPLE, 0);
	int wrong = 0;
	for (int n = 0; n < 60000; n++) {
		uint32_t k = (uint32_t)rng_below(&r, KEYS);
		uint32_t i = (uint32_t)rng_below(&r, REPLICAS);
		/* First it fills up, later it empties. */
		int adds = rng_below(&r, 100) < (n < 20000 ? 90u : 45u);
		has[k][i] = adds;
		if (adds)
			holders_add(&index_, key(k), i);
		else
			holders_remove(&index_, key(k), i);
		if (n % 500 == 0)
			for (uint32_t each = 0; each < KEYS; each++)
				wrong += !agrees(each);
	}
	ok(!wrong, "60,000 changes agree with a list: %d do not", wrong);
	holders_remove(&index_, hash_mix(9999), 0);
	ok(!holders_find(&index_, hash_mix(9999)), "an unknown key");
}

static void prompts(void)
{
	uint64_t k[5], alive[2];
	uint32_t n[REPLICAS];
	holders_free(&index_);
	for (uint32_t i = 0; i < 5; i++)
		k[i] = key(i);
	holders_runs(&index_, k, 5, n, REPLICAS, alive);
	ok(n[0] == 0 && n[69] == 0, "nobody has a block");
	for (uint32_t i = 0; i < 4; i++)
		holders_add(&index_, k[i], 69);
	holders_add(&index_, k[0], 3);
	holders_add(&index_, k[2], 3);
	holders_add(&index_, k[1], 5);
	holders_runs(&index_, k, 5, n, REPLICAS, alive);
	ok(n[69] == 4 && n[3] == 1 && n[5] == 0 && n[0] == 0,
	   "blocks in a row from the start");
	holders_runs(&index_, k, 3, n, REPLICAS, alive);
	ok(n[69] == 3, "not more than the prompt has");
	ok(holders_counts(&index_, k, 5, n, REPLICAS) == 4,
	   "the walk ends where nobody has the block");
	ok(n[69] == 4 && n[3] == 2 && n[5] == 1,
	   "blocks count behind a missing one, too");
}

/* A replica that is gone, in a map with many collisions. */
static void forgets(void)
{
	struct holders h = {.n_words = holders_words(70)};
	struct rng r = rng_stream(2, RNG_SAMPLE, 0);
	uint64_t key[3000];
	int gone = 1, there = 1;
	for (uint32_t i = 0; i < 3000; i++) {
		key[i] = rng_next(&r) | 1;
		holders_add(&h, key[i], 69);
		if (i % 3)
			holders_add(&h, key[i], 1);
	}
	holders_forget(&h, 69);
	for (uint32_t i = 0; i < 3000; i++) {
		const uint64_t *set = holders_find(&h, key[i]);
		gone &= !set || !set[1];
		there &= i % 3 ? set && set[0] == 2 : !set;
	}
	ok(gone && there && h.n == 2000, "a replica is forgotten, others stay");
	holders_free(&h);
}

int main(void)
{
	random_changes();
	prompts();
	holders_free(&index_);
	forgets();
	return done();
}
