/* Architectures with names of their own, against published parameter counts. */
#include "model_of.h"

static void gpt(void)
{
	has_params("GPT-2", 124439808,
		   "{'model_type': 'gpt2', 'n_embd': 768, 'n_layer': 12, "
		   "'n_head': 12, 'n_positions': 1024, 'vocab_size': 50257}");
	ok(the.view.tied_embeddings && the.max_len == 1024 &&
	       the.view.group[0]->ffn == SC_FFN_PLAIN,
	   "tied, with positions, without gate");
	has_params("GPT-J", 6050882784,
		   "{'model_type': 'gptj', 'n_embd': 4096, 'n_layer': 28, "
		   "'n_head': 16, 'n_positions': 2048, 'vocab_size': 50400}");
	has_params("GPT-NeoX-20B", 20554567680,
		   "{'model_type': 'gpt_neox', 'hidden_size': 6144, "
		   "'num_hidden_layers': 44, 'num_attention_heads': 64, "
		   "'intermediate_size': 24576, 'vocab_size': 50432}");
	ok(the.view.group[0]->n_kv_heads == 64, "no key of KV heads: all");
	has_params("StarCoder", 15517456384,
		   "{'model_type': 'gpt_bigcode', 'n_embd': 6144, 'n_layer': "
		   "40, 'n_head': 48, 'n_positions': 8192, 'n_inner': 24576, "
		   "'vocab_size': 49152, 'multi_query': true}");
	ok(the.view.group[0]->n_kv_heads == 1, "one KV head");
	has_params("StarCoder2-3B", 3030371328,
		   "{'model_type': 'starcoder2', 'hidden_size': 3072, "
		   "'num_hidden_layers': 30, 'num_attention_heads': 24, "
		   "'num_key_value_heads': 2, 'intermediate_size': 12288, "
		   "'vocab_size': 49152, 'use_bias': true, "
		   "'sliding_window': 4096, 'max_position_embeddings': "
		   "16384}");
}

static void bloom_opt(void)
{
	has_params("BLOOM", 176247271424,
		   "{'model_type': 'bloom', 'n_embed': 14336, 'n_layer': 70, "
		   "'n_head': 112, 'vocab_size': 250880}");
	has_params("OPT-6.7B", 6658473984,
		   "{'model_type': 'opt', 'hidden_size': 4096, 'ffn_dim': "
		   "16384, 'num_hidden_layers': 32, 'num_attention_heads': "
		   "32, 'vocab_size': 50272, 'max_position_embeddings': 2048, "
		   "'word_embed_proj_dim': 4096}");
	has_params("OPT-350M", 331196416,
		   "{'model_type': 'opt', 'hidden_size': 1024, 'ffn_dim': "
		   "4096, 'num_hidden_layers': 24, 'num_attention_heads': 16, "
		   "'vocab_size': 50272, 'max_position_embeddings': 2048, "
		   "'word_embed_proj_dim': 512, 'do_layer_norm_before': "
		   "false}");
	has_params("MPT-7B", 6649286656,
		   "{'model_type': 'mpt', 'd_model': 4096, 'n_layers': 32, "
		   "'n_heads': 32, 'expansion_ratio': 4, 'vocab_size': 50432, "
		   "'max_seq_len': 2048, 'no_bias': true, 'attn_config': {}}");
	ok(the.max_len == 2048, "its longest sequence");
}

static void falcon(void)
{
	has_params("Falcon-7B", 6921720704,
		   "{'model_type': 'falcon', 'hidden_size': 4544, "
		   "'num_hidden_layers': 32, 'num_attention_heads': 71, "
		   "'num_kv_heads': 71, 'vocab_size': 65024, 'multi_query': "
		   "true, 'parallel_attn': true, 'bias': false, "
		   "'new_decoder_architecture': false}");
	has_params("Falcon-40B", 41303293952,
		   "{'model_type': 'falcon', 'hidden_size': 8192, "
		   "'num_hidden_layers': 60, 'num_attention_heads': 128, "
		   "'num_kv_heads': 8, 'vocab_size': 65024, 'bias': false, "
		   "'new_decoder_architecture': true}");
	has_params("Falcon-40B as RefinedWeb", 41303293952,
		   "{'model_type': 'RefinedWeb', 'hidden_size': 8192, "
		   "'n_layer': 60, 'n_head': 128, 'n_head_kv': 8, "
		   "'vocab_size': 65024, 'bias': false, 'parallel_attn': "
		   "true}");
}

static void chinese(void)
{
	has_params("GLM-4-9B", 9399951360,
		   "{'model_type': 'chatglm', 'hidden_size': 4096, "
		   "'num_layers': 40, 'num_attention_heads': 32, "
		   "'multi_query_attention': true, 'multi_query_group_num': "
		   "2, 'ffn_hidden_size': 13696, 'kv_channels': 128, "
		   "'padded_vocab_size': 151552, 'add_qkv_bias': true, "
		   "'add_bias_linear': false}");
	has_params("Qwen-7B", 7721324544,
		   "{'model_type': 'qwen', 'hidden_size': 4096, "
		   "'num_hidden_layers': 32, 'num_attention_heads': 32, "
		   "'intermediate_size': 22016, 'vocab_size': 151936, "
		   "'kv_channels': 128, 'tie_word_embeddings': false}");
	has_params("EXAONE-3.0-7.8B", 7818448896,
		   "{'model_type': 'exaone', 'hidden_size': 4096, "
		   "'num_layers': 32, 'num_attention_heads': 32, "
		   "'num_key_value_heads': 8, 'intermediate_size': 14336, "
		   "'vocab_size': 102400, 'tie_word_embeddings': false}");
}

static void others(void)
{
	has_params("Phi-2", 2779683840,
		   "{'model_type': 'phi', 'hidden_size': 2560, "
		   "'num_hidden_layers': 32, 'num_attention_heads': 32, "
		   "'intermediate_size': 10240, 'vocab_size': 51200}");
	has_params("StableLM-2-1.6B", 1644515328,
		   "{'model_type': 'stablelm', 'hidden_size': 2048, "
		   "'num_hidden_layers': 24, 'num_attention_heads': 32, "
		   "'num_key_value_heads': 32, 'intermediate_size': 5632, "
		   "'vocab_size': 100352, 'use_qkv_bias': true}");
	has_params("OLMo-7B", 6888095744,
		   "{'model_type': 'olmo', 'hidden_size': 4096, "
		   "'num_hidden_layers': 32, 'num_attention_heads': 32, "
		   "'intermediate_size': 11008, 'vocab_size': 50304}");
	has_params("DBRX", 131596523520,
		   "{'model_type': 'dbrx', 'd_model': 6144, 'n_layers': 40, "
		   "'n_heads': 48, 'vocab_size': 100352, 'attn_config': "
		   "{'kv_n_heads': 8}, 'ffn_config': {'ffn_hidden_size': "
		   "10752, 'moe_num_experts': 16, 'moe_top_k': 4}}");
	ok(the.view.group[0]->experts_per_token == 4 &&
	       the.view.group[0]->n_kv_heads == 8,
	   "sizes in objects of their own");
}

/* Two layers of a type, under Hugging Face's usual names. */
#define LAYERS(type, more)                                                     \
	"{'model_type': '" type "', 'hidden_size': 64, 'num_hidden_layers': "  \
	"2, 'num_attention_heads': 4, 'vocab_size': 100, "                     \
	"'intermediate_size': 128, 'max_position_embeddings': 32" more "}"

/* What a field changes, and what its absence means. */
static void fields(void)
{
	becomes("ChatGLM: groups without multi-query attention are unused",
		LAYERS("chatglm",
		       ", 'multi_query_group_num': 2, 'ffn_hidden_size': 32, "
		       "'add_bias_linear': true"),
		"!num_key_value_heads attention_bias=all mlp_bias=true "
		"intermediate_size=32");
	becomes("multi-query attention without groups",
		LAYERS("chatglm",
		       ", 'multi_query_attention': true, 'ffn_hidden_size': "
		       "32, 'add_qkv_bias': true"),
		"!num_key_value_heads attention_bias=qkv mlp_bias=false");
	becomes("EXAONE: windows by letters",
		LAYERS("exaone4", ", 'sliding_window_pattern': 'LG', "
				  "'sliding_window': 8"),
		"layer_types=sliding_attention,full_attention "
		"sliding_window=8");
	becomes("letters without a window",
		LAYERS("exaone4", ", 'sliding_window_pattern': 'LG'"),
		"layer_types=full_attention");
	becomes("a list comes before letters",
		LAYERS("exaone4",
		       ", 'sliding_window_pattern': 'LG', 'sliding_window': "
		       "8, 'layer_types': ['full_attention', "
		       "'sliding_attention']"),
		"layer_types=full_attention,sliding_attention");
	becomes("Falcon with as many KV heads, one after the other",
		LAYERS("falcon", ", 'multi_query': false, 'parallel_attn': "
				 "false, 'bias': true"),
		"num_key_value_heads=0 norms_per_layer=2 attention_bias=all "
		"mlp_bias=true");
	becomes("the newer with one norm",
		LAYERS("falcon", ", 'new_decoder_architecture': true, "
				 "'num_kv_heads': 2, "
				 "'num_ln_in_parallel_attn': 1"),
		"num_key_value_heads=2 norms_per_layer=1");
	becomes("GPT-2 has as many KV heads", LAYERS("gpt2", ""),
		"!num_key_value_heads learned_positions=32");
	becomes("and 1024 positions if it does not say",
		"{'model_type': 'gpt2', 'n_embd': 64, 'n_layer': 1, 'n_head': "
		"4, 'vocab_size': 100}",
		"learned_positions=1024 !max_position_embeddings");
	becomes("MPT with biases",
		LAYERS("mpt", ", 'no_bias': false, 'attn_config': "
			      "{'kv_n_heads': 2}"),
		"attention_bias=all mlp_bias=true norm_bias=true "
		"num_key_value_heads=2 intermediate_size=256");
	becomes("OPT without biases", LAYERS("opt", ", 'enable_bias': false"),
		"attention_bias=none mlp_bias=false learned_positions=34 "
		"!embedding_size !final_norm");
	becomes("Phi with norms of queries and keys",
		LAYERS("phi", ", 'qk_layernorm': true"),
		"qk_norm=true other_params=32 lm_head_bias=true");
	is_refused("{'model_type': 'phi', 'hidden_size': 64, "
		   "'num_hidden_layers': 2, 'vocab_size': 100, "
		   "'qk_layernorm': true,\n'num_attention_heads': 0}",
		   EXIT_INPUT, ":2: num_attention_heads is 0; it must be 1");
	becomes("StableLM with its norms",
		LAYERS("stablelm", ", 'use_parallel_residual': true, "
				   "'qk_layernorm': true"),
		"attention_bias=none norms_per_layer=1 qk_norm=true "
		"qk_norm_all_heads=true");
	becomes("StarCoder2 without biases",
		LAYERS("starcoder2", ", 'use_bias': false"),
		"attention_bias=none mlp_bias=false");
}

int main(void)
{
	scratch_open();
	fields();
	gpt();
	bloom_opt();
	falcon();
	chinese();
	others();
	model_free(&the);
	return done();
}
