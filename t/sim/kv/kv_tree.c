/* A KV cache that finds prefixes in a tree: blocks of 4 tokens. */
#include "sim/kv/kv_tree.h"
#include "tap.h"

enum { OWNERS = 6 };
static struct kv kv;
static struct kv_tree t;
static struct kv_owner o[OWNERS];

static void stop(void)
{
	for (uint32_t i = 0; i < OWNERS; i++)
		kv_owner_free(&o[i]);
	kv_tree_free(&t);
	kv_free(&kv);
}

static void start(uint64_t blocks, int has_parts, int may_return)
{
	stop();
	kv_init(&kv, &(struct kv_options){
			 .n_blocks = blocks, .block_size = 4, .caching = 1});
	kv_tree_init(&t, &kv, has_parts, may_return);
}

/* Owner i: a prompt with n segments, and its own tokens up to 40. */
static void come(uint32_t i, const struct segment *s, uint32_t n)
{
	kv_owner_free(&o[i]);
	o[i].content = calloc(1, sizeof *o[i].content);
	if (!o[i].content ||
	    content_make(o[i].content, &(struct request){.row = i,
							 .input_tokens = 40,
							 .output_tokens = 1,
							 .segment = s,
							 .n_segments = n}))
		bail_out("no memory");
}

/* With `shared` tokens that all have. */
static void come_sharing(uint32_t i, uint32_t shared)
{
	const struct segment s = {1, shared};
	come(i, &s, shared > 0);
}

static struct kv_claim claim_of(uint32_t i, uint32_t tokens)
{
	return (struct kv_claim){.owner = &o[i], .tokens = tokens};
}

/* Begins alone.  Returns the tokens found; UINT32_MAX: there are not enough
 * blocks. */
static uint32_t begin(uint32_t i, uint32_t tokens)
{
	struct kv_claim x = claim_of(i, tokens);
	kv_tree_claim(&t, &x, 1);
	return kv_tree_take(&t, &x) ? UINT32_MAX : kv_claim_found(&t, &x);
}

static void end(uint32_t i, uint32_t tokens)
{
	kv_tree_store(&t, &o[i], tokens, 1);
	kv_give_back(&kv, &o[i], 1);
}

/* Its blocks as text. */
static const char *held(uint32_t i)
{
	static char text[100];
	int n = 0;
	text[0] = '\0';
	for (uint32_t k = 0; 4 * k < o[i].covered; k++)
		n += snprintf(text + n, sizeof text - (size_t)n, " %u",
			      o[i].block[k]);
	return text;
}

/* Blocks that were used, as text, in the order in which they are taken. */
static const char *free_list(void)
{
	static char text[100];
	int n = 0;
	text[0] = '\0';
	for (uint32_t k = kv.pool.oldest; k != NO_BLOCK;
	     k = kv.pool.block[k].younger)
		n += snprintf(text + n, sizeof text - (size_t)n, " %u", k);
	return text;
}

/* Two requests with the same first 6 tokens, one after the other. */
static void parts(void)
{
	start(8, 1, 0);
	come_sharing(0, 6);
	come_sharing(1, 6);
	ok(begin(0, 7) == 0, "nothing is there at first");
	end(0, 8);
	is(free_list(), " 1 0", "the last block is given back first");
	ok(begin(1, 9) == 6, "a block, and half of the next one");
	is(held(1), " 0 1 2", "which is taken over: nobody holds it");
	start(8, 0, 0);
	come_sharing(0, 6);
	come_sharing(1, 6);
	begin(0, 7);
	end(0, 8);
	ok(begin(1, 9) == 4, "without parts the whole block alone");
	start(8, 0, 0);
	come_sharing(0, 20);
	come_sharing(1, 20);
	begin(0, 7);
	end(0, 6);
	ok(begin(1, 7) == 6, "but a last block that is the same is found");
	is(held(1), " 0 1", "and taken over, too");
	start(8, 1, 0);
	come_sharing(0, 20);
	come_sharing(1, 20);
	begin(0, 8);
	kv_tree_store(&t, &o[0], 8, 0);
	ok(begin(1, 8) == 7, "of a whole prompt the last token is computed");
	is(held(1), " 0 2", "what somebody holds is copied");
}

/* A block that is taken for something else leaves its node alone. */
static void children_without_parent(void)
{
	start(3, 1, 0);
	come_sharing(0, 40);
	come_sharing(1, 40);
	come_sharing(2, 40);
	come(3, NULL, 0);
	begin(0, 8);
	kv_tree_store(&t, &o[0], 8, 0);
	/* another request holds the second block alone */
	blocks_release(&kv.pool, &o[0].block[0], 1, BLOCK_UNKEYED);
	kv_owner_clear(&o[0]);
	begin(3, 8);
	is(held(3), " 2 0", "of three blocks the first of the prefix is taken");
	struct kv_tree_look look = kv_tree_look(&t, &o[1], 8);
	ok(look.found == 0 && look.next,
	   "behind a node without block nothing is found");
	end(3, 8);
	ok(begin(1, 4) == 0, "a node without block is found by no part of it");
	kv_tree_store(&t, &o[1], 4, 0);
	look = kv_tree_look(&t, &o[2], 8);
	ok(look.found == 2,
	   "once it has a block, its children are found again");
}

/* Where the tree has the next block's node without a block, no other child is
 * found in part. */
static void no_part_beside(void)
{
	const struct segment part = {1, 3};
	start(20, 1, 0);
	come_sharing(0, 40);
	come_sharing(1, 40);
	come(2, &part, 1);
	begin(0, 8);
	kv_tree_store(&t, &o[0], 8, 0);
	begin(2, 5);
	kv_tree_store(&t, &o[2], 4, 0);
	blocks_drop_key(&kv.pool, o[0].block[0]);
	ok(begin(1, 9) == 0, "a child that begins alike is left alone");
}

/* Found blocks that requests hold are counted, also behind an idle one. */
static void in_use(void)
{
	start(20, 1, 0);
	for (uint32_t i = 0; i < 3; i++)
		come_sharing(i, 40);
	begin(0, 8);
	begin(1, 12);
	kv_tree_store(&t, &o[0], 4, 0);
	kv_tree_store(&t, &o[1], 12, 0);
	struct kv_tree_look look = kv_tree_look(&t, &o[2], 12);
	ok(look.found == 3 && look.in_use == 3, "three, and all are held");
	ok(look.next == 0, "no other block is asked for");
	end(0, 4);
	look = kv_tree_look(&t, &o[2], 17);
	ok(look.found == 3 && look.in_use == 2, "the first one not any more");
	ok(look.next, "the next one is missing");
}

/* Behind different prefixes the same block has the same key. */
static void keys_alone(void)
{
	const struct segment a[] = {{1, 4}, {3, 4}}, b[] = {{2, 4}, {3, 4}},
			     d[] = {{2, 4}, {4, 4}};
	start(20, 1, 0);
	for (uint32_t i = 0; i < 2; i++) {
		come(i, i ? b : a, 1);
		begin(i, 4);
		kv_tree_store(&t, &o[i], 4, 0);
	}
	come(2, a, 2);
	come(3, b, 2);
	come(4, d, 2);
	uint64_t x = kv_tree_look(&t, &o[2], 8).next,
		 y = kv_tree_look(&t, &o[3], 8).next,
		 z = kv_tree_look(&t, &o[4], 8).next;
	ok(x && x == y, "the key of a block is its tokens alone");
	ok(z && z != x, "other tokens have another one");
}

/* A free block with 6 of the tokens that requests 1, 2 and 3 ask for. */
static void begin_behind_part(uint32_t stored)
{
	start(20, 1, 1);
	for (uint32_t i = 0; i < OWNERS; i++)
		come_sharing(i, 6);
	begin(0, 16);
	end(0, stored);
}

/* Who of several takes a part over, copies it, or gives it back. */
static void several(void)
{
	struct kv_claim x[] = {{0}, {0}, {0}};
	begin_behind_part(8);
	for (uint32_t i = 0; i < 3; i++)
		x[i] = claim_of(i + 1, 8);
	kv_tree_claim(&t, x, 3);
	ok(kv.pool.used == 2, "the block is not free meanwhile");
	ok(!x[0].takes && !x[1].takes && x[2].takes,
	   "the last one takes it over, those before copy it");
	kv_tree_take(&t, &x[0]);
	kv_tree_take(&t, &x[1]);
	kv_tree_take(&t, &x[2]);
	is(held(3), " 0 1", "with the block before it");
	is(held(1), " 0 4", "the first one has a new block");
	begin_behind_part(12);
	for (uint32_t i = 0; i < 2; i++)
		x[i] = claim_of(i + 1, 8);
	is(free_list(), " 3 2 1 0", "one with children:");
	kv_tree_claim(&t, x, 2);
	ok(!x[1].takes && x[1].gives_back && !x[0].gives_back,
	   "all copy it, the last one gives it back");
	kv_tree_take(&t, &x[0]);
	kv_tree_take(&t, &x[1]);
	is(free_list(), " 3 2 1", "to the end of the free list");
}

/* The same block is found whole by its former request, which was paused. */
static void found_whole(void)
{
	struct kv_claim x[] = {{0}, {0}};
	begin_behind_part(12);
	x[0] = claim_of(1, 8);
	x[1] = claim_of(0, 16);
	kv_tree_claim(&t, x, 2);
	ok(x[0].part == 2 && x[1].whole == 3, "found in part, then whole");
	ok(!x[0].takes && !x[0].gives_back,
	   "it is copied, nobody gives it back");
	ok(kv.pool.block[1].users == 1, "one holds it");
	begin_behind_part(8);
	x[0] = claim_of(0, 16);
	x[1] = claim_of(1, 8);
	kv_tree_claim(&t, x, 2);
	ok(x[0].whole == 2 && x[1].part == 2 && !x[1].takes &&
	       !x[1].gives_back && kv.pool.block[1].users == 1,
	   "the other way round, too");
}

/* A copy that gives its block back has one more for what follows. */
static void short_of_blocks(void)
{
	start(5, 1, 0);
	for (uint32_t i = 0; i < 3; i++)
		come_sharing(i, 6);
	begin(0, 12);
	end(0, 12);
	come(3, NULL, 0);
	begin(3, 4);
	ok(kv_room(&kv) == 4 && begin(1, 16) == 6,
	   "1 found, 1 copied, 2 more: 4 blocks, of which one is copied");
	ok(kv_room(&kv) == 0 && begin(2, 8) == UINT32_MAX, "none is left");
}

/* The request that is stored first has the node; the other's is private. */
static void storing(void)
{
	start(20, 1, 0);
	for (uint32_t i = 0; i < 3; i++)
		come_sharing(i, 8);
	begin(0, 12);
	begin(1, 12);
	kv_tree_store(&t, &o[1], 8, 0);
	kv_tree_store(&t, &o[0], 8, 0);
	begin(2, 12);
	is(held(2), " 3 4 6", "the blocks of the one that was first");
	end(1, 12);
	end(2, 12);
	is(free_list(), " 5 6 4 3", "private ones in turn with the others");
}

/* Blocks with a request's own tokens alone are found when it returns. */
static void returning(void)
{
	start(20, 1, 1);
	come_sharing(0, 5);
	begin(0, 14);
	end(0, 13);
	ok(begin(0, 14) == 13, "all that it had");
	start(20, 1, 0);
	come_sharing(0, 5);
	come_sharing(1, 5);
	begin(0, 14);
	end(0, 13);
	ok(begin(1, 14) == 5, "otherwise what it shares");
	is(held(1), " 0 4 5 6", "a copy, since there is more behind it");
}

static void leaving(void)
{
	start(20, 1, 0);
	for (uint32_t i = 0; i < 2; i++)
		come_sharing(i, 8);
	begin(0, 12);
	kv_tree_store(&t, &o[0], 12, 0);
	begin(1, 12);
	ok(kv.pool.used == 4 && kv.pool.shares == 2, "two blocks are shared");
	ok(kv_tree_leave(&t, &o[1]) == 1, "one of them frees its own block");
	ok(kv_tree_leave(&t, &o[0]) == 3, "both free all");
	for (uint32_t i = 0; i < 2; i++) {
		kv_tree_left(&t, &o[i]);
		end(i, 12);
	}
	ok(kv.pool.used == 0 && kv.pool.shares == 0, "as it comes about");
}

int main(void)
{
	parts();
	children_without_parent();
	no_part_beside();
	in_use();
	keys_alone();
	several();
	found_whole();
	short_of_blocks();
	storing();
	returning();
	leaving();
	ok(!kv.pool.out_of_memory, "memory lasts");
	stop();
	return done();
}
