/* Chunks on the host: which are there, and which give way. */
#include "sim/offload/chunks.h"
#include "tap.h"

static struct chunks c;

/* Puts in a chunk that is idle at once. */
static void put(uint64_t key)
{
	chunks_stored(&c, chunks_add(&c, key));
}

static int has(uint64_t key)
{
	return chunks_find(&c, key) != NO_CHUNK;
}

static int room(uint64_t n)
{
	return chunks_make_room(&c, n, NULL, 0) == 0;
}

static void touch(uint64_t key)
{
	chunks_touch(&c, &key, 1);
}

static void least_recently_used(void)
{
	const uint64_t both[] = {2, 3};
	chunks_init(&c, 3, EVICTION_LRU);
	ok(!has(1), "at first there is none");
	put(1);
	put(2);
	put(3);
	ok(has(1) && has(2) && has(3) && c.n == 3, "three chunks");
	touch(1);
	ok(room(1) && !has(2) && has(1), "the oldest gives way, not the one "
					 "that was touched");
	put(2);
	chunks_touch(&c, both, 2);
	ok(room(1) && !has(1), "others were touched later");
	put(4);
	ok(room(1) && !has(3), "of touched keys the last one goes first");
	ok(c.evicted == 3 && c.peak == 3, "evictions are counted");
	chunks_free(&c);
}

static void busy_ones(void)
{
	const uint64_t two = 2;
	chunks_init(&c, 2, EVICTION_LRU);
	uint32_t one = chunks_add(&c, 1);
	put(2);
	ok(c.chunk[one].is_pending && !room(2) && has(2),
	   "a pending chunk stays, and then nothing is evicted");
	ok(chunks_make_room(&c, 1, &two, 1) < 0 && has(2),
	   "nor is one of the keys that are stored");
	uint32_t held = chunks_find(&c, 2);
	chunks_hold(&c, held);
	chunks_stored(&c, one);
	chunks_hold(&c, held);
	chunks_let_go(&c, held);
	ok(room(1) && !has(1) && has(2), "a chunk that loads hold stays");
	chunks_let_go(&c, held);
	ok(room(2) && !has(2), "until all of them have let it go");
	ok(!room(3), "there is no room for more than all");
	chunks_free(&c);
}

static void adaptive(void)
{
	chunks_init(&c, 2, EVICTION_ARC);
	put(1);
	put(2);
	touch(1);
	ok(room(1) && !has(2) && has(1),
	   "a chunk that was asked for again stays longer");
	put(3);
	ok(c.target == 0, "no key that gave way has been asked for");
	touch(2);
	ok(c.target == 1, "a key of the first list makes it longer");
	ok(room(1) && !has(3), "which holds no more than that");
	put(4);
	touch(2);
	touch(2);
	ok(c.target == 2, "up to all of the room");
	ok(room(1) && !has(1), "then the second list gives way");
	touch(1);
	ok(c.target < 2, "and a key of it makes the first one shorter");
	chunks_free(&c);
}

static void ghosts(void)
{
	chunks_init(&c, 2, EVICTION_ARC);
	for (uint64_t key = 1; key <= 20; key++) {
		if (!room(1))
			bail_out("no room");
		put(key);
	}
	ok(c.order[CHUNKS_GHOST].n == 2 && c.n == 2 && c.n_keys == 4,
	   "keys that gave way are forgotten, too");
	put(17 + 100);
	ok(has(117) && !has(17), "a ghost is not there");
	chunks_free(&c);
}

int main(void)
{
	least_recently_used();
	busy_ones();
	adaptive();
	ghosts();
	return done();
}
