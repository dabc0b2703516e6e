/* Where a key stands, and its refusal. */
#include "engine/keys/source.h"
#include "engine_of.h"
#include "tap.h"

static const char *place(struct engine_source s, const char *key)
{
	s.ini = &ini;
	const struct ini_item *t = engine_key_item(&s, key);
	return t ? t->value : "nowhere";
}

int main(void)
{
	const struct engine_source all = {0}, pool = {.pool = "engine:decode"},
				   arm = {.pool = "engine:decode",
					  .arm = "cost_model:x"};
	const char *text = "[engine]\nblock_size = 1\nreplicas = 2\n"
			   "max_num_seqs = 3\n"
			   "[engine:decode]\nblock_size = 4\nreplicas = 5\n"
			   "[cost_model:x]\nengine.block_size = 6\n";
	keys_of(text);
	is(place(all, "block_size"), "1", "[engine]");
	is(place(pool, "block_size"), "4", "a pool's section over it");
	is(place(arm, "block_size"), "6", "an arm's over both");
	is(place(arm, "replicas"), "5", "where it has the key");
	is(place(arm, "max_num_seqs"), "3", "and so on");
	is(place(arm, "routing"), "nowhere", "a key that is not given");
	const struct engine_source from = {.ini = &ini, .arm = "cost_model:x"};
	ok(engine_is_of_arm(&from, engine_key_item(&from, "block_size")) &&
	       !engine_is_of_arm(&from, engine_key_item(&from, "replicas")) &&
	       !engine_is_of_arm(&from, NULL),
	   "the arm's own section");
	ok(engine_refuse(&problem, &from, "replicas", "replicas = %d", 2) ==
		   -1 &&
	       problem.code == EXIT_USAGE &&
	       strstr(problem.text, ":3: replicas = 2"),
	   "%s", problem.text);
	engine_refuse(&problem, NULL, "replicas", "replicas = %d", 2);
	is(problem.text, "[engine] replicas = 2", "without a place");
	ini_free(&ini);
	return done();
}
