/* Which modules a list in a config.json means. */
#include "model/hf_modules.h"
#include "tap.h"

static const char *type = "llama";

/* Does the list have module `below` layer i? */
static int in(const char *list, int64_t i, const char *below)
{
	const char *bad;
	struct hf_modules l;
	struct hf_module m;
	json_t *json = json_loads(list, JSON_DECODE_ANY, NULL);
	if (!json)
		bail_out(list);
	if (hf_modules_read(&l, json, &bad) < 0)
		bail_out(bad);
	hf_module_name(&m, type, i, below);
	int rc = hf_modules_have(&l, &m);
	hf_modules_free(&l);
	json_decref(json);
	return rc;
}

static void names(void)
{
	const char *list = "[\"model.layers.3.self_attn\", "
			   "\"model.layers.4.mlp.up_proj\", 7, \"lm_head\"]";
	ok(in(list, 3, "self_attn.q_proj"), "a module above it");
	ok(!in(list, 33, "self_attn.q_proj"), "of that layer alone");
	ok(in(list, 4, "mlp.up_proj") && !in(list, 4, "mlp.gate_proj"),
	   "one module");
	ok(in(list, -1, "lm_head"), "outside the layers");
	ok(in("[\"language_model.model.layers.0.mlp.up_proj\"]", 0,
	      "mlp.up_proj"),
	   "another prefix");
	ok(in("[\"self_attn\"]", 5, "self_attn.o_proj") &&
	       in("[\"mlp.shared_experts\"]", 5,
		  "mlp.shared_experts.up_proj") &&
	       !in("[\"gate\"]", 5, "mlp.gate_proj") &&
	       in("[\"gate_proj\"]", 5, "mlp.gate_proj"),
	   "whole components anywhere");
	ok(!in("[]", 1, "mlp.up_proj") && !in("{}", 1, "mlp.up_proj") &&
	       !in("null", 1, "mlp.up_proj"),
	   "no list, or an empty one");
}

static void patterns(void)
{
	ok(in("[\"model.layers.*.self_attn\"]", 61, "self_attn.kv_b_proj") &&
	       !in("[\"model.layers.*.self_attn\"]", 61, "mlp.up_proj"),
	   "a star, and all below");
	ok(in("[\"*mlp.experts*\"]", 1, "mlp.experts.0.up_proj"),
	   "stars around");
	ok(in("[\"model.layers.0*\"]", 0, "mlp.up_proj") &&
	       !in("[\"model.layers.0*\"]", 10, "mlp.up_proj"),
	   "a star at the end");
	ok(in("[\"model.layers.?.mlp*\"]", 9, "mlp.up_proj") &&
	       !in("[\"model.layers.?.mlp*\"]", 19, "mlp.up_proj"),
	   "one character");
	ok(in("[\"re:.*self_attn.*\"]", 1, "self_attn.q_proj"),
	   "an expression");
	ok(in("[\"re:.*mlp\\\\.(gate|up|gate_up|down)_proj.*\"]", 1,
	      "mlp.up_proj") &&
	       !in("[\"re:.*mlp\\\\.(gate|up|gate_up|down)_proj.*\"]", 1,
		   "mlp.experts.0.up_proj"),
	   "alternatives");
	ok(in("[\"re:.*\\\\.layers\\\\.\\\\d\\\\.(?:mlp|x)\\\\..*\"]", 7,
	      "mlp.up_proj") &&
	       !in("[\"re:.*\\\\.layers\\\\.\\\\d\\\\.(?:mlp|x)\\\\..*\"]", 17,
		   "mlp.up_proj"),
	   "Python's ways to write it");
	ok(!in("[\"re:self_attn\"]", 1, "self_attn.q_proj"),
	   "from the start of the name");
	ok(!in("[\"re:.*q_proj$\"]", 1, "self_attn.q_proj.x") &&
	       in("[\"re:.*q_proj$\"]", 1, "self_attn.q_proj"),
	   "to its end");
}

static void renamed(void)
{
	ok(in("[\"model.layers.2.block_sparse_moe.experts.0.w1\"]", 2,
	      "mlp.experts.0.gate_proj"),
	   "Mixtral's names");
	type = "llama4_text";
	ok(in("[\"re:.*feed_forward.shared_expert.*\"]", 2,
	      "mlp.shared_experts.up_proj"),
	   "Llama-4's");
	type = "nemotron_h";
	ok(in("[\"backbone.layers.2.mixer.in_proj\"]", 2,
	      "linear_attn.in_proj"),
	   "Nemotron-H's");
}

static void bad(void)
{
	static const char *const entry[] = {"re:(", "re:a{9999}", "re:(?!x).*",
					    "re:(a)\\1"};
	for (size_t i = 0; i < sizeof entry / sizeof *entry; i++) {
		struct hf_modules l;
		const char *which = "";
		json_t *json = json_pack("[s]", entry[i]);
		int rc = hf_modules_read(&l, json, &which);
		ok(rc < 0 && !strcmp(which, entry[i]), "%s is refused",
		   entry[i]);
		hf_modules_free(&l);
		json_decref(json);
	}
}

/* A million components are looked up as fast as one; a million patterns are
 * refused before they are compiled. */
static void many(void)
{
	struct hf_modules l;
	struct hf_module m;
	const char *which = "";
	char text[40];
	json_t *names = json_array(), *patterns = json_array();
	for (int i = 0; i < 1000000; i++) {
		snprintf(text, sizeof text, "mlp.part_%d", i);
		json_array_append_new(names, json_string(text));
		snprintf(text, sizeof text, "re:.*part_%d", i);
		json_array_append_new(patterns, json_string(text));
	}
	ok(hf_modules_read(&l, names, &which) == 0, "a million components");
	hf_module_name(&m, "llama", 3, "mlp.part_999999");
	int n = 0;
	for (int i = 0; i < 1000; i++)
		n += hf_modules_have(&l, &m);
	hf_module_name(&m, "llama", 3, "mlp.part");
	for (int i = 0; i < 1000; i++)
		n += hf_modules_have(&l, &m);
	ok(n == 1000, "one is found, another is not");
	hf_modules_free(&l);
	ok(hf_modules_read(&l, patterns, &which) < 0 &&
	       !strcmp(which, "the 1001st pattern"),
	   "%s", which);
	hf_modules_free(&l);
	json_decref(names), json_decref(patterns);
}

/* Expressions that are read in part only are refused. */
static void more_bad(void)
{
	static char longer[2100] = "re:";
	memset(longer + 3, 'a', 2050);
	const char *const entry[] = {longer, "re:(?i)a", "re:a\\"};
	for (size_t i = 0; i < sizeof entry / sizeof *entry; i++) {
		struct hf_modules l;
		const char *which = "";
		json_t *json = json_pack("[s]", entry[i]);
		int rc = hf_modules_read(&l, json, &which);
		ok(rc < 0 && !strcmp(which, entry[i]), "%.20s is refused",
		   entry[i]);
		hf_modules_free(&l);
		json_decref(json);
	}
}

int main(void)
{
	many();
	names();
	patterns();
	renamed();
	bad();
	more_bad();
	return done();
}
