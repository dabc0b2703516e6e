/* Blocks: the order in which they are taken, and what a key finds. */
#include "sim/kv/blocks.h"
#include "tap.h"

static struct blocks b;

static void release(uint32_t i, enum block_left what)
{
	blocks_release(&b, &i, 1, what);
}

static uint32_t take(void)
{
	uint32_t i = NO_BLOCK;
	blocks_take(&b, &i, 1);
	return i;
}

/* Takes all that are free; 1: in this order. */
static int are_taken(const uint32_t *order, uint32_t n)
{
	int same = blocks_room(&b) == n;
	for (uint32_t i = 0; i < n; i++)
		same &= take() == order[i];
	return same;
}

static void four(enum blocks_order order)
{
	blocks_init(&b, 4, order);
	uint32_t all[4];
	blocks_take(&b, all, 4);
	blocks_set_key(&b, 1, 100);
	blocks_set_key(&b, 3, 300);
}

static void order_of_the_free_list(void)
{
	four(BLOCKS_LRU);
	for (uint32_t i = 4; i-- > 0;)
		release(i, i % 2 ? BLOCK_KEYED : BLOCK_UNKEYED);
	ok(are_taken((const uint32_t[]){3, 2, 1, 0}, 4),
	   "lru: as they were given back");
	blocks_free(&b);
	four(BLOCKS_UNKEYED_FIRST);
	release(3, BLOCK_KEYED);
	release(1, BLOCK_KEYED);
	release(2, BLOCK_UNKEYED);
	ok(take() == 2, "unkeyed_first: those without a key first");
	ok(are_taken((const uint32_t[]){3, 1}, 2),
	   "then those with one, as they were given back");
	release(0, BLOCK_NEVER_ASKED);
	release(1, BLOCK_UNKEYED);
	release(2, BLOCK_KEYED);
	ok(are_taken((const uint32_t[]){1, 0, 2}, 3),
	   "one for which nobody asks stands where its key would put it");
	blocks_free(&b);
	blocks_init(&b, 3, BLOCKS_UNKEYED_FIRST);
	blocks_set_key(&b, take(), 100);
	release(0, BLOCK_KEYED);
	ok(are_taken((const uint32_t[]){1, 2, 0}, 3),
	   "what was never used goes before both");
	blocks_free(&b);
}

static void keys(void)
{
	four(BLOCKS_LRU);
	blocks_set_key(&b, 0, 100);
	ok(blocks_find(&b, 100) == 1 && blocks_find(&b, 200) == NO_BLOCK,
	   "of equal keys the first is found");
	release(1, BLOCK_KEYED);
	ok(blocks_find(&b, 100) == 1, "also while it is free");
	blocks_share(&b, 1);
	ok(b.used == 4 && blocks_room(&b) == 0, "and taken out by a finder");
	release(1, BLOCK_KEYED);
	take();
	ok(blocks_find(&b, 100) == 0, "then the next one");
	release(0, BLOCK_KEYED);
	take();
	ok(blocks_find(&b, 100) == NO_BLOCK && blocks_find(&b, 300) == 3,
	   "who is taken loses its key");
	blocks_free(&b);
}

static void without_bound(void)
{
	blocks_init(&b, BLOCKS_UNLIMITED, BLOCKS_LRU);
	for (uint32_t i = 0; i < 5000; i++)
		blocks_set_key(&b, take(), 1 + i);
	blocks_set_key(&b, take(), 1);
	for (uint32_t i = 0; i < 5001; i++)
		release(i, i == 7 ? BLOCK_NEVER_ASKED : BLOCK_KEYED);
	ok(b.used == 0 && b.peak == 5001 && blocks_find(&b, 1) == 0 &&
	       blocks_find(&b, 5000) == 4999,
	   "unlimited: nothing is forgotten");
	ok(blocks_find(&b, 8) == NO_BLOCK, "but what nobody asks for");
	ok(take() == 5000 && take() == 7 && take() == 5001,
	   "whose block is used again, as is one that was a copy");
	blocks_free(&b);
}

static void dropping_keys(void)
{
	blocks_init(&b, 4, BLOCKS_LRU);
	uint32_t x = take(), y = take();
	blocks_set_key(&b, x, 100);
	blocks_set_key(&b, y, 100);
	blocks_drop_key(&b, x);
	ok(blocks_find(&b, 100) == y, "another block with the key is found");
	blocks_drop_key(&b, y);
	blocks_drop_key(&b, y);
	ok(blocks_find(&b, 100) == NO_BLOCK && b.n_found == 0, "then none");
	blocks_free(&b);
}

static void counting_shares(void)
{
	blocks_init(&b, 4, BLOCKS_LRU);
	uint32_t x = take();
	blocks_share(&b, x);
	blocks_share(&b, x);
	ok(b.shares == 2 && b.used == 1, "two users beyond the first one");
	release(x, BLOCK_KEYED);
	release(x, BLOCK_KEYED);
	ok(b.shares == 0 && b.used == 1, "which is left");
	release(x, BLOCK_KEYED);
	ok(b.shares == 0 && b.used == 0, "and then none");
	blocks_free(&b);
}

int main(void)
{
	dropping_keys();
	counting_shares();
	order_of_the_free_list();
	keys();
	without_bound();
	return done();
}
