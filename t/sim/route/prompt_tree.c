/* Prompts in a tree: where they part, who holds them, and which are left. */
#include "sim/route/prompt_tree.h"
#include "routed.h"

static struct prompt_tree tree;

static uint32_t found(const uint64_t *id, uint32_t tokens, uint32_t *node)
{
	struct content c = prompt(id);
	uint32_t n;
	*node = radix_find(&tree.tree, &c, tokens, &n);
	content_free(&c);
	return n;
}

static void take(uint32_t node, uint32_t replica)
{
	int was_new = 0, is_new;
	for (; node; node = radix_at(&tree.tree, node)->parent) {
		prompt_tree_hold(&tree, node, replica, &is_new)->below +=
		    (uint32_t)was_new;
		was_new = is_new;
	}
}

static uint32_t put(const uint64_t *id, uint32_t tokens, uint32_t replica)
{
	struct content c = prompt(id);
	uint32_t node = prompt_tree_enter(&tree, &c, tokens);
	content_free(&c);
	take(node, replica);
	return node;
}

static void divergence(void)
{
	uint32_t node;
	ok(found(IDS(1), 32, &node) == 0 && !node, "an empty tree");
	uint32_t a = put(IDS(1, 2, 3), 96, 0);
	ok(found(IDS(1, 2, 4), 96, &node) == 64 && node == a,
	   "a match that ends inside a stretch");
	ok(found(IDS(1, 2, 3), 40, &node) == 40, "or where the prompt ends");
	uint32_t b = put(IDS(1, 2, 4), 96, 1);
	uint32_t api_server = radix_at(&tree.tree, b)->parent;
	ok(radix_at(&tree.tree, a)->parent == api_server &&
	       radix_at(&tree.tree, api_server)->end == 64 &&
	       radix_at(&tree.tree, a)->start == 64 &&
	       radix_at(&tree.tree, b)->end == 96,
	   "two that part have a node in common");
	ok(prompt_tree_at(&tree, api_server)->n_holders == 2 &&
	       prompt_tree_at(&tree, api_server)->holder[0].replica == 0 &&
	       prompt_tree_at(&tree, api_server)->holder[0].below == 1 &&
	       prompt_tree_at(&tree, api_server)->holder[1].below == 1,
	   "which both hold, the first one first");
	ok(put(IDS(1), 10, 2) == radix_at(&tree.tree, api_server)->parent &&
	       radix_at(&tree.tree, api_server)->start == 10,
	   "a split inside a segment");
	ok(found(IDS(1, 2, 3), 96, &node) == 96 && node == a,
	   "and the whole is found as before");
}

static void leaving(void)
{
	uint32_t node, end;
	found(IDS(1, 2, 3), 96, &end);
	uint32_t api_server = radix_at(&tree.tree, end)->parent;
	prompt_tree_leave(&tree, end, 0);
	ok(found(IDS(1, 2, 3), 96, &node) == 64 && node == api_server,
	   "a node without holders is gone");
	ok(prompt_tree_holder(&tree, api_server, 0)->below == 0,
	   "and what is before it is a leaf");
	prompt_tree_leave(&tree, api_server, 0);
	ok(prompt_tree_at(&tree, api_server)->n_holders == 1 &&
	       prompt_tree_at(&tree, api_server)->holder[0].replica == 1,
	   "another holder keeps it");
}

int main(void)
{
	prompt_tree_init(&tree);
	divergence();
	leaving();
	ok(!tree.out_of_memory, "in memory");
	prompt_tree_free(&tree);
	return done();
}
