/* Lists of layers and sections of kinds, and refusals in them. */
#include "model/model_kinds.h"
#include "tap.h"

static struct ini c;
static struct problem p;
static struct model_kinds m;

static int kinds(const char *text)
{
	struct model_keys k;
	ini_free(&c);
	model_kinds_free(&m);
	if (ini_read(&c, text, strlen(text), &p) < 0)
		bail_out(p.text);
	p = (struct problem){0};
	if (model_kinds_check(&c, &p) < 0)
		return -1;
	if (knobs_fill(&k, model_key, model_n_keys, NULL, &c, "model", "", &p) <
	    0)
		bail_out(p.text);
	return model_kinds_read(&m, &k, &c, &p);
}

#define MODEL                                                                  \
	"[model]\nnum_hidden_layers=5\nhidden_size=64\n"                       \
	"num_attention_heads=4\nvocab_size=10\n"
#define EXPERTS                                                                \
	"num_experts=8\nnum_experts_per_tok=2\nmoe_intermediate_size=32\n"

static void lists(void)
{
	ok(kinds(MODEL) == 0 && m.n == 1, "layers that are alike: %s", p.text);
	ok(m.layer[4].k == m.kind && m.layer[4].mixer == MIX_FULL &&
	       m.layer[4].ffn == FFN_DENSE,
	   "are full attention and dense");
	ok(m.kind->num_key_value_heads == 4 && m.kind->head_dim == 16 &&
	       m.kind->intermediate_size == 256,
	   "sizes that follow from others");
	ok(kinds(MODEL EXPERTS) == 0 && m.layer[0].ffn == FFN_SPARSE,
	   "experts, and no list: sparse");
	ok(kinds(MODEL EXPERTS "mlp_layer_types=dense,sparse*2\n"
			       "sliding_window=9\n"
			       "layer_types=full_attention,"
			       "sliding_attention\n") == 0 &&
	       m.layer[2].ffn == FFN_SPARSE && m.layer[3].ffn == FFN_DENSE &&
	       m.layer[3].mixer == MIX_SLIDING && m.layer[4].mixer == MIX_FULL,
	   "lists are repeated: %s", p.text);
}

static void sections(void)
{
	ok(kinds(MODEL "layers=model*2,wide\nqk_norm=true\n"
		       "[layers:wide]\nhead_dim=32\nnum_key_value_heads=2\n"
		       "[layers:unused]\nhead_dim=1\n") == 0 &&
	       m.n == 3,
	   "sections: %s", p.text);
	ok(m.layer[1].k == m.kind && m.layer[2].k->head_dim == 32 &&
	       m.layer[2].k->num_key_value_heads == 2 &&
	       m.layer[2].k->qk_norm && m.layer[4].k == m.kind,
	   "override keys for their layers alone");
}

static void refused(const char *text, const char *want)
{
	if (!ok(kinds(text) < 0 && p.code == EXIT_USAGE && strstr(p.text, want),
		"%s", want))
		printf("# got %s\n", p.text);
}

static void refusals(void)
{
	refused(MODEL "layer_types=full\n",
		":6: [model] layer_types must be full_attention, ");
	refused(MODEL "mlp_layer_types=dense*0\n",
		"mlp_layer_types must be dense, sparse or none");
	refused(MODEL "layers=other\n",
		"layers must name sections [layers:NAME]");
	refused(MODEL "layer_types=sliding_attention\n",
		"sliding_window is needed");
	refused(MODEL "layer_types=chunked_attention\n",
		"attention_chunk_size is needed");
	refused(MODEL "layer_types=linear_attention\n",
		"linear_attention is needed by linear_attention");
	refused(MODEL "kv_lora_rank=8\n",
		"kv_lora_rank needs qk_nope_head_dim");
	refused(MODEL "num_key_value_heads=3\n",
		"must divide num_attention_heads = ");
	refused(MODEL "num_experts=8\n",
		"num_experts needs moe_intermediate_size");
	refused(MODEL "o_lora_rank=8\n", "o_lora_rank needs q_lora_rank");
	refused(MODEL "[layers:a]\nvocab_size=1\n",
		"vocab_size is a key of the whole model: move it from "
		"[layers:a]");
	refused(MODEL "[layers:a]\nhead=1\n", "head");
	refused(MODEL "[engine]\nx=1\n",
		"unknown section [engine]; allowed: model, layers:NAME");
}

/* Each key that a kind of layer needs. */
static void more_refusals(void)
{
	refused(MODEL "layer_types=full_attention*100001\n",
		"layer_types must be full_attention, ");
	refused(MODEL "layer_types=full_attention*2;\n",
		"layer_types must be full_attention, ");
	refused(MODEL "kv_lora_rank=8\nqk_nope_head_dim=4\n",
		"kv_lora_rank needs qk_nope_head_dim");
	refused(MODEL
		"kv_lora_rank=8\nqk_nope_head_dim=4\nqk_rope_head_dim=4\n",
		"kv_lora_rank needs qk_nope_head_dim");
	refused(MODEL "o_lora_rank=8\nq_lora_rank=4\n",
		"o_lora_rank needs q_lora_rank");
	refused(MODEL "mlp_layer_types=sparse\n",
		"num_experts needs moe_intermediate_size");
	refused(MODEL "num_experts=8\nmoe_intermediate_size=4\n",
		"num_experts needs moe_intermediate_size");
	refused(MODEL "num_experts=8\nmoe_intermediate_size=4\n"
		      "num_experts_per_tok=9\n",
		"num_experts_per_tok of at most as many");
	ok(kinds(MODEL "[layers:]\nqk_norm=true\n") == 0 && m.n == 1,
	   "a section without a name is none");
	ok(kinds(MODEL EXPERTS "dense_beside_experts=true\n") == 0 &&
	       m.layer[0].k->intermediate_size == 4 * m.layer[0].k->hidden_size,
	   "the FFN beside experts has a width");
}

int main(void)
{
	lists();
	sections();
	refusals();
	more_refusals();
	model_kinds_free(&m);
	ini_free(&c);
	return done();
}
