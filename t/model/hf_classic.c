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

int main(void)
{
	scratch_open();
	gpt();
	bloom_opt();
	falcon();
	chinese();
	others();
	model_free(&the);
	return done();
}
