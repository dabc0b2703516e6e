/* Prompts in a tree: where they part, who holds them, and which are left. */
#include "sim/route/prompt_tree.h"
#include "math/rng.h"
#include "routed.h"

static struct prompt_tree tree;

static uint32_t found(const uint64_t *id, uint32_t tokens, uint32_t *node)
{
	struct content c = prompt(id);
	uint32_t n = prompt_tree_find(&tree, &c, tokens, node);
	content_free(&c);
	return n;
}

static void take(uint32_t node, uint32_t replica)
{
	int was_new = 0, is_new;
	for (; node; node = tree.node[node].parent) {
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
	uint32_t api_server = tree.node[b].parent;
	ok(tree.node[a].parent == api_server &&
	       tree.node[api_server].end == 64 && tree.node[a].start == 64 &&
	       tree.node[b].end == 96,
	   "two that part have a node in common");
	ok(tree.node[api_server].n_holders == 2 &&
	       tree.node[api_server].holder[0].replica == 0 &&
	       tree.node[api_server].holder[0].below == 1 &&
	       tree.node[api_server].holder[1].below == 1,
	   "which both hold, the first one first");
	ok(put(IDS(1), 10, 2) == tree.node[api_server].parent &&
	       tree.node[api_server].start == 10,
	   "a split inside a segment");
	ok(found(IDS(1, 2, 3), 96, &node) == 96 && node == a,
	   "and the whole is found as before");
}

static void leaving(void)
{
	uint32_t node, end;
	found(IDS(1, 2, 3), 96, &end);
	uint32_t api_server = tree.node[end].parent;
	prompt_tree_leave(&tree, end, 0);
	ok(found(IDS(1, 2, 3), 96, &node) == 64 && node == api_server,
	   "a node without holders is gone");
	ok(prompt_tree_holder(&tree, api_server, 0)->below == 0,
	   "and what is before it is a leaf");
	prompt_tree_leave(&tree, api_server, 0);
	ok(tree.node[api_server].n_holders == 1 &&
	       tree.node[api_server].holder[0].replica == 1,
	   "another holder keeps it");
}

/* Prompts come and go; the tree finds as much as a list of them. */
enum { PROMPTS = 300 };
static uint64_t list[PROMPTS][5];
static uint32_t node_of[PROMPTS], length[PROMPTS];

static void draw(struct rng *r, uint32_t i)
{
	uint32_t n = 1 + (uint32_t)rng_below(r, 4);
	for (uint32_t k = 0; k < 5; k++)
		list[i][k] = k < n ? 1 + rng_below(r, 3) : 0;
	length[i] = 32 * n - (uint32_t)rng_below(r, 3) * 9;
}

static uint32_t common(uint32_t i, uint32_t k)
{
	uint32_t n = 0, most = length[i] < length[k] ? length[i] : length[k];
	while (n < most && list[i][n / 32] == list[k][n / 32])
		n++;
	return n;
}

static void random_prompts(void)
{
	struct rng r = rng_stream(5, RNG_SAMPLE, 0);
	uint32_t node, wrong = 0;
	prompt_tree_free(&tree);
	for (uint32_t i = 0; i < PROMPTS; i++) {
		uint32_t most = 0;
		draw(&r, i);
		for (uint32_t k = 0; k < i; k++)
			most = common(i, k) > most ? common(i, k) : most;
		wrong += found(list[i], length[i], &node) != most;
		node_of[i] = put(list[i], length[i], 0);
		wrong += tree.node[node_of[i]].end != length[i];
	}
	ok(!wrong, "300 prompts: matches as in a list");
	uint32_t before = tree.used;
	for (uint32_t left = before; left; left--)
		for (uint32_t i = 1; i < tree.n; i++)
			if (tree.node[i].part &&
			    tree.node[i].holder[0].below == 0) {
				prompt_tree_leave(&tree, i, 0);
				break;
			}
	ok(before > 30 && tree.used == 0, "leaf by leaf all of it goes: %u",
	   before);
	ok(put(IDS(1, 2), 64, 0) && tree.used == 1, "and it begins anew");
}

int main(void)
{
	divergence();
	leaving();
	random_prompts();
	ok(!tree.out_of_memory, "in memory");
	prompt_tree_free(&tree);
	return done();
}
