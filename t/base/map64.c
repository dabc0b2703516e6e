#include "base/map64.h"
#include <inttypes.h>
#include "base/hash.h"
#include "tap.h"

enum { MANY = 100000 };

/* Keys that differ in high bits, in low ones, and the extremes. */
static uint64_t key(uint64_t i)
{
	return i % 3 == 0 ? i << 40 : i % 3 == 1 ? i : UINT64_MAX - i;
}

static void few(void)
{
	struct map64 m = {0};
	int is_new = 7;
	uint64_t *v = map64_at(&m, 0, &is_new);
	ok(v && *v == 0 && is_new == 1 && m.n == 1, "0 is a key like others");
	*v = 5;
	v = map64_at(&m, UINT64_MAX, NULL);
	ok(v && *v == 0 && m.n == 2, "so is the greatest");
	v = map64_at(&m, 0, &is_new);
	ok(v && *v == 5 && is_new == 0 && m.n == 2, "what is there stays");
	map64_free(&m);
	ok(m.n == 0 && m.cap == 0 && !m.entry, "freed, it is empty");
	map64_free(&m);
	v = map64_at(&m, 1, &is_new);
	ok(v && *v == 0 && is_new, "and can be used again");
	map64_free(&m);
}

static void many(void)
{
	struct map64 m = {0};
	size_t wrong = 0, used = 0;
	int is_new;
	for (uint64_t i = 1; i <= MANY; i++) {
		uint64_t *v = map64_at(&m, key(i), &is_new);
		wrong += !v || !is_new || *v != 0;
		if (v)
			*v = i;
	}
	for (uint64_t i = 1; i <= MANY; i++) {
		const uint64_t *v = map64_at(&m, key(i), &is_new);
		wrong += !v || is_new || *v != i;
	}
	ok(wrong == 0 && m.n == MANY, "a hundred thousand keys, each its own");
	for (size_t i = 0; i < m.cap; i++)
		used += (size_t)m.entry[i].used;
	ok(used == MANY && 3 * used <= 2 * m.cap && (m.cap & (m.cap - 1)) == 0,
	   "at most two thirds of a power of two are taken");
	map64_free(&m);
}

/* As many keys as there are must not fall into few places. */
static void scatters(void)
{
	static unsigned hits[256];
	unsigned most = 0;
	for (uint64_t i = 1; i <= 256 * 100; i++) {
		unsigned *h = &hits[hash_mix(i << 32) & 255];
		most = ++*h > most ? *h : most;
	}
	ok(hash_mix(0) == 0, "0 is its own hash");
	ok(hash_mix(1) == UINT64_C(0x5692161d100b05e5), "1: %" PRIx64,
	   hash_mix(1));
	ok(most < 150, "multiples of 2^32 spread over the low bits (%u)", most);
}

int main(void)
{
	few();
	many();
	scatters();
	return done();
}
