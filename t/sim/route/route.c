/* Choosing among equals, and cutting prompts into blocks. */
#include "base/hash.h"
#include "routed.h"

static void choosing(void)
{
	const double score[4] = {1, 3, 2, 3};
	int n[4] = {0};
	rules(ROUTE_RANDOM);
	start(4);
	ok(route_best(routed, score) == 1, "the first of the best");
	routed_engine.router.ties = TIES_RANDOM;
	for (int i = 0; i < 200; i++)
		n[route_best(routed, score)]++;
	ok(!n[0] && !n[2] && n[1] > 60 && n[3] > 60, "or any of them");
	routed->load[0] = routed->load[3] = 2;
	routed->load[1] = routed->load[2] = 1;
	ok(route_least_loaded(routed) == 1, "the first of the least loaded");
	ok(route_any(routed, (const uint8_t[]){0, 0, 1, 0}) == 2,
	   "the only one");
}

static void cutting(void)
{
	struct content c = prompt(IDS(1, 2, 3));
	const struct route_prompt q = {.content = &c, .tokens = 90};
	struct route_cut plain = route_cut_tokens(16);
	uint64_t first, second;
	ok(route_keys(routed, &q, plain, 0, 99) == 5, "full blocks");
	first = routed->key[0], second = routed->key[1];
	ok(route_keys(routed, &q, plain, 1, 99) == 6 &&
	       routed->key[1] == second,
	   "and the rest");
	ok(route_keys(routed, &q, plain, 1, 2) == 2, "not more than wanted");
	ok(content_keys(&c, 2, 16) == 0 && c.key[0] == first &&
	       c.key[1] == second,
	   "with the keys of the cache");
	ok(route_keys(routed, &q, (struct route_cut){16, 2, 0}, 0, 99) == 2 &&
	       routed->key[0] == second,
	   "blocks of two units");
	ok(route_keys(routed, &q, (struct route_cut){16, 1, 3}, 0, 99) == 5 &&
	       routed->key[0] == hash_mix(first ^ UINT64_C(3) << 32),
	   "of another group");
	content_free(&c);
}

static void engines(void)
{
	struct engine e = {.block_size = 32};
	struct route_cut cut = route_cut_engine(&e);
	ok(cut.unit == 32 && cut.every == 1 && cut.group == 0,
	   "an engine's blocks");
	e.kv_groups = (struct kv_groups){
	    .n_kinds = 2,
	    .key_unit = 16,
	    .kind = {{.block_size = 16, .window = 100, .n_groups = 3},
		     {.block_size = 48, .n_groups = 1}}};
	cut = route_cut_engine(&e);
	ok(cut.unit == 16 && cut.every == 3 && cut.group == 3,
	   "those that keep all tokens");
}

static void none(void)
{
	int has_none;
	rules(ROUTE_ROUND_ROBIN);
	ok(!route_new(&routed_engine, 0, 2, 1, &has_none) && has_none,
	   "round robin is none of these");
}

int main(void)
{
	choosing();
	cutting();
	engines();
	none();
	route_free(routed);
	return done();
}
