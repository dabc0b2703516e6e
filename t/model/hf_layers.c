/* Which layers of a config.json have which attention and FFN. */
#include "model_of.h"

#define LAYERS(type, n, more)                                                  \
	"{'model_type': '" type "', 'hidden_size': 64, "                       \
	"'num_attention_heads': 4, 'vocab_size': 100, 'head_dim': 16, "        \
	"'intermediate_size': 128, 'num_hidden_layers': " n more "}"
#define EXPERTS                                                                \
	", 'num_experts': 4, 'num_experts_per_tok': 2, "                       \
	"'moe_intermediate_size': 32"

static void attention(void)
{
	is_refused(LAYERS("llama", "2",
			  ",\n'layer_types': ['full_attention', "
			  "7]"),
		   EXIT_USAGE,
		   ":2: layer_types [1] is '', a kind of attention that is not "
		   "supported");
	is_refused(LAYERS("llama", "2", ",\n'layer_types': ['full_attention']"),
		   EXIT_INPUT, ":2: layer_types is shorter than num_hidden");
	becomes("a window as long as the longest prompt is none",
		LAYERS("mistral", "2",
		       ", 'sliding_window': 32, "
		       "'max_position_embeddings': 32"),
		"layer_types=full_attention !sliding_window");
	becomes("a shorter one is one",
		LAYERS("mistral", "2",
		       ", 'sliding_window': 31, "
		       "'max_position_embeddings': 32"),
		"layer_types=sliding_attention sliding_window=31");
	is_refused(LAYERS("llama", "2", ",\n'sliding_window': 31"), EXIT_USAGE,
		   ":2: sliding_window holds for layers that cannot be told");
	is_refused(LAYERS("llama", "2", ",\n'num_key_value_heads': 0"),
		   EXIT_INPUT,
		   ":2: num_key_value_heads is 0; leave it out if each query "
		   "head has a KV head of its own");
}

/* Indexers that layers take from the layer before. */
static void indexers(void)
{
#define INDEXER ", 'index_topk': 9, 'index_n_heads': 2, 'index_head_dim': 4"
	becomes("an indexer for each layer", LAYERS("llama", "4", INDEXER),
		"index_topk=9 index_n_heads=2 !layers");
	becomes("shared by a list",
		LAYERS("llama", "4",
		       INDEXER ", 'indexer_types': ['full', 'shared', 7, "
			       "'shared']"),
		"layers=model,kind1 kind1.index_n_heads=0");
	becomes("or a frequency, from an offset on",
		LAYERS("llama", "6",
		       INDEXER ", 'index_topk_freq': 2, "
			       "'index_skip_topk_offset': 2"),
		"layers=model*2,kind1,model,kind1 "
		"kind1.index_n_heads=0");
}

static void experts(void)
{
	becomes("every layer", LAYERS("llama", "4", EXPERTS),
		"mlp_layer_types=sparse !router_bias");
	becomes("none, by a step of 0",
		LAYERS("llama", "4", EXPERTS ", 'decoder_sparse_step': 0"),
		"mlp_layer_types=dense");
	becomes("every other one but some, those beyond the last ignored",
		LAYERS("llama", "6",
		       EXPERTS ", 'decoder_sparse_step': 2, "
			       "'mlp_only_layers': [-1, 3, 6]"),
		"mlp_layer_types=dense,sparse,dense*2");
	becomes("words, of which others than dense are experts",
		LAYERS("llama", "3",
		       EXPERTS ", 'mlp_layer_types': ['dense', 'moe', null]"),
		"mlp_layer_types=dense,sparse*2");
	becomes("numbers of layers, those beyond the last ignored",
		LAYERS("llama", "3", EXPERTS ", 'moe_layers_enum': '-1,1,3'"),
		"mlp_layer_types=dense,sparse");
	is_refused(LAYERS("llama", "3", EXPERTS ",\n'moe_layers_enum': '1;2'"),
		   EXIT_INPUT,
		   ":2: moe_layers_enum is not numbers of layers between "
		   "commas");
	is_refused(LAYERS("llama", "3", EXPERTS ",\n'moe_layers_enum': 'x'"),
		   EXIT_INPUT, ":2: moe_layers_enum is not numbers");
	static const char *const correction[] = {
	    "use_routing_bias", "use_moe_router_bias",
	    "moe_router_enable_expert_bias"};
	for (size_t i = 0; i < 3; i++) {
		char json[500];
		snprintf(json, sizeof json,
			 LAYERS("llama", "1", EXPERTS ", '%s': true"),
			 correction[i]);
		becomes(correction[i], json, "router_bias=true");
	}
	is_refused(LAYERS("llama", "1", ",\n'hidden_act': 'relu2'"), EXIT_USAGE,
		   ":2: hidden_act is not a known activation of a gated FFN");
}

int main(void)
{
	scratch_open();
	attention();
	indexers();
	experts();
	return done();
}
