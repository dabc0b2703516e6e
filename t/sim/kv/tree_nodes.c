/* Nodes of a tree of KV blocks, and children that begin alike. */
#include "sim/kv/tree_nodes.h"
#include "tap.h"

static struct tree_nodes t = {.unit = 8};
static struct content c[4];

/* Content i: prompts of 12 tokens with these segments, and their own rest. */
static void make_content(uint32_t i, const struct segment *s, uint32_t n)
{
	if (content_make(&c[i], &(struct request){.row = i,
						  .input_tokens = 12,
						  .output_tokens = 1,
						  .segment = s,
						  .n_segments = n}))
		bail_out("no memory");
}

static struct content_place place(uint32_t i, uint32_t tokens)
{
	struct content_place at = content_at(&c[i], tokens);
	at.key = tokens ? content_prefix_key(&c[i], tokens) : 0;
	return at;
}

/* Makes the first node of content i, which then has block i. */
static uint32_t make(uint32_t i, uint32_t tokens)
{
	struct content_place at = place(i, 0);
	uint32_t node = tree_make(&t, 0, &c[i], &at, tokens);
	t.node[node].block = i;
	return node;
}

static uint32_t nearest(uint32_t i, uint32_t tokens, uint32_t *common)
{
	return tree_nearest(&t, &c[i], place(i, 0), tokens, common);
}

static void finding(void)
{
	struct content_place at = place(0, 0);
	uint32_t a = tree_make(&t, 0, &c[0], &at, 8);
	ok(at.segment == 1 && at.offset == 2, "the place moves on");
	ok(tree_find(&t, at.key) == a, "a node is found by its key");
	ok(tree_find(&t, at.key + 1) == 0, "by no other");
	ok(t.node[a].tokens == 8 && t.node[a].block == NO_BLOCK &&
	       t.node[0].n_children == 1,
	   "it has no block yet");
	tree_prune(&t, a);
	ok(tree_find(&t, at.key) == 0 && t.node[0].n_children == 0,
	   "without block and children it is removed");
	tree_nodes_free(&t);
	t.unit = 8;
}

/* A full block is the same node, whether its key is given or made. */
static void given_keys(void)
{
	struct content x[2] = {0};
	const struct segment whole[] = {{5, 16}}, parts[] = {{5, 6}, {6, 10}};
	for (uint32_t i = 0; i < 2; i++) {
		const struct request r = {.row = 9,
					  .input_tokens = 16,
					  .output_tokens = 1,
					  .segment = i ? parts : whole,
					  .n_segments = 1 + i};
		if (content_make(&x[i], &r) || content_keys(&x[i], 2, 8))
			bail_out("no memory");
		struct content_place at = content_block(&x[i], 0, 8), to = at;
		uint32_t a = tree_make_full(&t, 0, &x[i], &at, x[i].key[0]);
		content_go_on(x[i].segment, &to, 8);
		ok(tree_find(&t, x[i].key[0]) == a && at.key == to.key,
		   "it has the key");
		ok(at.segment == to.segment && at.offset == to.offset,
		   "and the place moves on");
		ok((t.node[a].first_link != 0) == (i > 0),
		   "links only where it has parts of segments");
		struct content_place next = content_block(&x[i], 1, 8);
		ok(next.key == at.key && next.segment == at.segment &&
		       next.offset == at.offset,
		   "the next block begins there");
		content_free(&x[i]);
	}
	tree_nodes_free(&t);
	t.unit = 8;
}

/* 0: 6 of segment 1, then of 2; 1: 6 of 1, then its own; 2: 3 of 1, its own. */
static void parts(void)
{
	uint32_t n, a = make(0, 8), b = make(1, 8), d = make(2, 8);
	ok(nearest(0, 8, &n) == a && n == 8, "all tokens in common");
	ok(nearest(0, 7, &n) == a && n == 7, "no more than are asked for");
	ok(nearest(0, 5, &n) == a && n == 5, "of equals the first one made");
	ok(nearest(3, 8, &n) == 0 && n == 0, "nothing in common");
	t.node[a].block = NO_BLOCK;
	ok(nearest(0, 8, &n) == b && n == 6,
	   "without its block the next one, up to the end of the segment");
	t.node[b].block = NO_BLOCK;
	ok(nearest(0, 8, &n) == d && n == 3, "or a shorter one");
	tree_prune(&t, a);
	tree_prune(&t, b);
	ok(nearest(0, 8, &n) == d && n == 3 && t.node[0].n_children == 1,
	   "also when the others are gone");
	tree_nodes_free(&t);
	t.unit = 8;
}

/* Many children that part behind the same tokens. */
static void many(void)
{
	uint32_t node[3000], n;
	for (uint32_t i = 0; i < 3000; i++) {
		const struct segment s[] = {{1, 6}, {10 + i, 20}};
		make_content(1, s, 2);
		node[i] = make(1, 8);
		content_free(&c[1]);
	}
	for (uint32_t i = 0; i < 3000; i++)
		if (i % 1000) {
			t.node[node[i]].block = NO_BLOCK;
			tree_prune(&t, node[i]);
		}
	ok(t.node[0].n_children == 3, "three are left");
	ok(nearest(0, 8, &n) == node[0] && n == 6, "the first of them");
	t.node[node[0]].block = NO_BLOCK;
	tree_prune(&t, node[0]);
	ok(nearest(0, 8, &n) == node[1000] && n == 6, "then the next");
	tree_nodes_free(&t);
	t.unit = 8;
}

/* A full block from one segment has no link, and is found beside others. */
static void full_blocks(void)
{
	const struct segment whole[] = {{1, 20}};
	uint32_t n, a = make(0, 8);
	make_content(1, whole, 1);
	uint32_t b = make(1, 8);
	ok(t.node[b].first_link == 0 && nearest(1, 8, &n) == b && n == 8,
	   "it has most in common with itself");
	ok(nearest(0, 5, &n) == a && n == 5, "of equals the first one made");
	ok(nearest(1, 7, &n) == b && n == 7, "the one with more in common");
	t.node[a].block = NO_BLOCK;
	ok(nearest(2, 8, &n) == b && n == 3, "a short segment begins alike");
	tree_prune(&t, a);
	a = make(0, 8);
	ok(nearest(0, 6, &n) == b && n == 6,
	   "now it was made before the other");
	content_free(&c[1]);
	tree_nodes_free(&t);
	t.unit = 8;
}

static void tails(void)
{
	uint32_t a = make(0, 8), tail = tree_make_tail(&t, a);
	ok(tree_is_tail(&t, tail) && !tree_is_tail(&t, a), "a tail is none");
	t.node[a].block = NO_BLOCK;
	t.node[tail].tokens = 1;
	tree_prune(&t, a);
	ok(t.node[a].n_children == 1, "a node with a tail stays");
	t.node[tail].tokens = 0;
	tree_prune(&t, tail);
	ok(t.node[0].n_children == 0, "both go with the last block");
	tree_nodes_free(&t);
	t.unit = 8;
}

int main(void)
{
	const struct segment two[] = {{1, 6}, {2, 20}}, one[] = {{1, 6}},
			     part[] = {{1, 3}}, other[] = {{7, 9}};
	make_content(0, two, 2);
	make_content(1, one, 1);
	make_content(2, part, 1);
	make_content(3, other, 1);
	finding();
	given_keys();
	parts();
	content_free(&c[1]);
	many();
	full_blocks();
	tails();
	ok(!t.out_of_memory, "memory lasts");
	content_free(&c[0]);
	content_free(&c[2]);
	content_free(&c[3]);
	return done();
}
