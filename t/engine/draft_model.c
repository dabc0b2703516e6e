/* Who drafts, and what that keeps on the GPUs. */
#include "engine/draft_model.h"
#include "engine/keys/fill.h"
#include "engine/parallel.h"
#include "tap.h"

static struct ini c;
static struct model m, drafter;
static const struct engine_source from = {.ini = &c};
static struct engine_keys keys;
static struct engine_facts facts;

#define MODEL                                                                  \
	"[model]\nnum_hidden_layers = 4\nhidden_size = 64\n"                   \
	"num_attention_heads = 4\nintermediate_size = 128\nvocab_size = "      \
	"1000\nlayer_types = sliding_attention,full_attention\n"               \
	"sliding_window = 32\n[engine]\npreset = vllm-0.24\n"                  \
	"num_speculative_tokens = 2\nsynthetic_acceptance_length = 1\n"

/* The model and its drafter, and what both keep on a GPU. */
static void load(const char *method)
{
	char text[1000];
	struct hardware h = {0};
	struct problem p = {0};
	sc_model view;
	snprintf(text, sizeof text, MODEL "speculative_method = %s\n", method);
	ini_free(&c);
	model_free(&drafter);
	model_free(&m);
	if (ini_read(&c, text, strlen(text), &p) < 0 ||
	    model_load(&m, &c, &p) < 0 ||
	    engine_keys_fill(&keys, &from, &p) < 0 ||
	    draft_model_load(&drafter, &keys, &m, &from, &p) < 0)
		bail_out(p.text);
	facts = parallel_facts(&m, &h, &keys, &view);
	draft_model_add(&facts, &drafter, &keys, drafter.view.kv_bits);
}

static void last_layer(void)
{
	load("mtp");
	ok(drafter.view.n_groups == 0, "without a cost model nobody is known");
	double weights = facts.share[0].weight_bytes;
	double kv = facts.share[0].kv_bytes_per_token;
	ok(facts.kv_layer[1].n == 2, "nor keeps anything");
	load("mtp\ndraft_cost_model = x");
	ok(drafter.view.n_groups == 1 && drafter.view.group[0]->n_layers == 1 &&
	       drafter.view.group[0]->attention == SC_ATTN_FULL,
	   "mtp: one layer, as the last");
	/* 4 x 64 x 64 of attention, 3 x 64 x 128, two norms; bf16 */
	near(facts.share[0].weight_bytes - weights,
	     2 * (4 * 64 * 64 + 3 * 64 * 128 + 2 * 64), 1e-12,
	     "its weights, without head and embedding");
	near(facts.share[0].kv_bytes_per_token, kv * 5 / 4, 1e-12, "its KV");
	ok(facts.kv_layer[1].n == 3, "one more layer of full attention");
	ok(drafter.view.hidden == 64 && drafter.view.vocab == 1000,
	   "width and head are the model's");
}

static void nobody(void)
{
	load("ngram\ndraft_cost_model = x");
	ok(drafter.view.n_groups == 0, "n-grams are nobody's");
	load("eagle\ndraft_cost_model = x");
	ok(drafter.view.n_groups == 0, "an EAGLE layer has to be named");
}

static void splits(void)
{
	load("mtp\ndraft_cost_model = x\npipeline_parallel_size = 2\n"
	     "tensor_parallel_size = 2");
	sc_parallel s = draft_model_parallel(&keys, &drafter);
	ok(s.tp == 2 && s.pp == 1, "it is in one stage");
	ok(facts.share[1].kv_bytes_per_token ==
	       1.5 * facts.share[0].kv_bytes_per_token,
	   "the last one");
}

int main(void)
{
	last_layer();
	nobody();
	splits();
	model_free(&drafter);
	model_free(&m);
	ini_free(&c);
	return done();
}
