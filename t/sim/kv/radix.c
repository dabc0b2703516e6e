/* Texts in a tree: where they part, and which are left. */
#include "sim/kv/radix.h"
#include "math/rng.h"
#include "tap.h"

enum { TEXTS = 300, MOST = 4 };
struct text {
	struct segment segment[MOST];
	struct content c;
	uint32_t tokens;
};
static struct text list[TEXTS];
static struct radix tree;

static void begin(uint32_t unit)
{
	radix_free(&tree);
	tree = (struct radix){
	    .size = sizeof(struct radix_node), .unit = unit, .has_realms = 1};
}

/* Text i has these tokens; ids: up to MOST of them. */
static struct text *make(uint32_t i, const uint64_t *id, uint32_t n,
			 uint32_t tokens)
{
	struct text *x = &list[i];
	for (uint32_t k = 0; k < n; k++)
		x->segment[k] = (struct segment){id[k], 30 + 3 * k};
	x->c = (struct content){.segment = x->segment, .n = n};
	x->tokens = tokens;
	return x;
}

static uint32_t found(const struct text *x, uint32_t *node)
{
	uint32_t n;
	*node = radix_find(&tree, &x->c, x->tokens, &n);
	return n;
}

static uint32_t put(const struct text *x)
{
	uint32_t node, n = found(x, &node);
	if (node && n < radix_at(&tree, node)->end)
		node = radix_split(&tree, node, n);
	return n < x->tokens ? radix_append(&tree, node, &x->c, x->tokens)
			     : node;
}

static void parting(void)
{
	uint32_t node;
	begin(1);
	const struct text *x = make(0, (uint64_t[]){1, 2}, 2, 60);
	const struct text *y = make(1, (uint64_t[]){1, 3}, 2, 60);
	ok(found(x, &node) == 0 && !node, "an empty tree");
	uint32_t a = put(x);
	ok(found(y, &node) == 30 && node == a,
	   "a match that ends inside a stretch");
	ok(found(make(2, (uint64_t[]){1}, 1, 10), &node) == 10,
	   "or where the text ends");
	uint32_t b = put(y), both = radix_at(&tree, b)->parent;
	ok(radix_at(&tree, a)->parent == both && both &&
	       radix_at(&tree, both)->end == 30 &&
	       radix_at(&tree, a)->start == 30 && radix_tokens(&tree, b) == 30,
	   "two that part have a node in common");
	uint32_t ten = put(&list[2]);
	ok(radix_at(&tree, both)->parent == ten &&
	       radix_at(&tree, both)->start == 10 && put(&list[2]) == ten &&
	       tree.used == 4,
	   "a split inside a segment");
	ok(found(x, &node) == 60 && node == a && found(y, &node) == 60,
	   "and both are found as before");
	list[1].c.realm = 7;
	ok(found(y, &node) == 0, "not in another realm");
}

static uint64_t token(const struct text *x, uint32_t at)
{
	uint32_t k = 0;
	for (; at >= x->segment[k].tokens; k++)
		at -= x->segment[k].tokens;
	return x->segment[k].id << 32 | at;
}

static uint32_t common(const struct text *x, const struct text *y)
{
	uint32_t n = 0;
	while (n < x->tokens && n < y->tokens && x->c.realm == y->c.realm &&
	       token(x, n) == token(y, n))
		n++;
	return n - n % tree.unit;
}

static void draw(struct rng *r, uint32_t i)
{
	uint64_t id[MOST];
	uint32_t n = 1 + (uint32_t)rng_below(r, MOST), all = 0;
	for (uint32_t k = 0; k < n; k++) {
		id[k] = 1 + rng_below(r, 3);
		all += 30 + 3 * k;
	}
	all -= (uint32_t)rng_below(r, 25);
	make(i, id, n, all - all % tree.unit)->c.realm = rng_below(r, 2);
}

/* The tree finds as much as a list of all texts; then all of it goes. */
static void many(uint32_t unit)
{
	struct rng r = rng_stream(5, RNG_SAMPLE, unit);
	uint32_t node, wrong = 0;
	begin(unit);
	for (uint32_t i = 0; i < TEXTS; i++) {
		uint32_t most = 0;
		draw(&r, i);
		for (uint32_t k = 0; k < i; k++)
			if (common(&list[i], &list[k]) > most)
				most = common(&list[i], &list[k]);
		wrong += found(&list[i], &node) != most;
		wrong += radix_at(&tree, put(&list[i]))->end != list[i].tokens;
	}
	ok(!wrong && !tree.out_of_memory,
	   "300 texts of units of %u: as in a list", unit);
	uint32_t before = tree.used;
	for (uint32_t left = before; left; left--)
		for (uint32_t i = 1; i < tree.n; i++)
			if (radix_at(&tree, i)->segment &&
			    !radix_at(&tree, i)->n_children) {
				radix_drop(&tree, i);
				break;
			}
	ok(before > 30 && tree.used == 0, "leaf by leaf all of it goes: %u",
	   before);
	ok(put(&list[0]) && tree.used == 1, "and it begins anew");
}

int main(void)
{
	parting();
	many(1);
	many(4);
	radix_free(&tree);
	return done();
}
