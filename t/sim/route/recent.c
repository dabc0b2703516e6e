/* Blocks that were sent, and which are forgotten. */
#include "sim/route/recent.h"
#include "base/hash.h"
#include "tap.h"

static struct recent r;

static int known(uint32_t replica, uint64_t key)
{
	const uint64_t *set = holders_find(&r.index, hash_mix(key));
	return set && (set[0] >> replica & 1);
}

static void capacity(void)
{
	for (uint64_t k = 1; k <= 5; k++)
		recent_send(&r, 0, hash_mix(k), 0);
	recent_send(&r, 1, hash_mix(1), 0);
	recent_send(&r, 0, hash_mix(1), 0);
	recent_keep(&r, 0, 3);
	ok(known(0, 1) && known(0, 4) && known(0, 5),
	   "those sent last are kept, one of them again");
	ok(!known(0, 2) && !known(0, 3), "the oldest are forgotten");
	ok(known(1, 1), "another replica's are not");
}

static void age(void)
{
	recent_send(&r, 2, hash_mix(7), 10);
	recent_send(&r, 2, hash_mix(8), 20);
	recent_forget(&r, 2, 9);
	ok(known(2, 7), "sent later");
	recent_forget(&r, 2, 10);
	ok(!known(2, 7) && known(2, 8), "sent then");
	recent_send(&r, 2, hash_mix(8), 30);
	recent_forget(&r, 2, 20);
	ok(known(2, 8), "sent again since");
}

static void many(void)
{
	int wrong = 0;
	for (uint64_t k = 0; k < 20000; k++) {
		recent_send(&r, 3, hash_mix(100 + k), 0);
		recent_keep(&r, 3, 1500);
	}
	for (uint64_t k = 0; k < 20000; k++)
		wrong += known(3, 100 + k) != (k >= 18500);
	ok(!wrong, "the last 1,500 of 20,000");
	ok(r.n < 4000, "and room for no more: %u", r.n);
}

int main(void)
{
	if (recent_init(&r, 4))
		bail_out("out of memory");
	capacity();
	age();
	many();
	ok(!r.out_of_memory, "in memory");
	recent_free(&r);
	return done();
}
