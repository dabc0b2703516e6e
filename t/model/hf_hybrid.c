/* Models with layers that differ, against published parameter counts, KV and
 * kinds of layers. */
#include "model_of.h"

static const sc_layers *group(uint32_t i)
{
	return the.view.group[i];
}

static void linear(void)
{
	has_params(
	    "Qwen3-Next-80B-A3B", 79674391296,
	    "{'model_type': 'qwen3_next', 'hidden_size': 2048, "
	    "'num_hidden_layers': 48, 'num_attention_heads': 16, "
	    "'num_key_value_heads': 2, 'head_dim': 256, 'intermediate_size': "
	    "5120, 'moe_intermediate_size': 512, "
	    "'shared_expert_intermediate_size': 512, 'num_experts': 512, "
	    "'num_experts_per_tok': 10, 'vocab_size': 151936, "
	    "'linear_conv_kernel_dim': 4, 'linear_key_head_dim': 128, "
	    "'linear_value_head_dim': 128, 'linear_num_key_heads': 16, "
	    "'linear_num_value_heads': 32, 'full_attention_interval': 4}");
	ok(the.view.n_groups == 2 && group(0)->attention == SC_ATTN_LINEAR &&
	       group(0)->n_layers == 36 && group(1)->n_layers == 12 &&
	       group(1)->flags == (SC_LAYER_QK_NORM | SC_LAYER_OUTPUT_GATE),
	   "three of four are linear; a gate in the others");
	near(model_kv_bytes(&the, 16, 1, 0, 48), 12 * 2 * 2 * 256 * 2, 0,
	     "KV of 12 layers");
	has_params(
	    "Kimi-Linear-48B-A3B", 49122681728,
	    "{'model_type': 'kimi_linear', 'hidden_size': 2304, "
	    "'num_hidden_layers': 27, 'num_attention_heads': 32, "
	    "'num_key_value_heads': 32, 'head_dim': 72, 'intermediate_size': "
	    "9216, 'moe_intermediate_size': 1024, 'num_experts': 256, "
	    "'num_shared_experts': 1, 'num_experts_per_token': 8, "
	    "'first_k_dense_replace': 1, 'moe_layer_freq': 1, 'vocab_size': "
	    "163840, 'q_lora_rank': null, 'kv_lora_rank': 512, "
	    "'qk_nope_head_dim': 128, 'qk_rope_head_dim': 64, 'v_head_dim': "
	    "128, 'linear_attn_config': {'kda_layers': [1, 2, 3, 5, 6, 7, 9, "
	    "10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26], 'head_dim': "
	    "128, 'num_heads': 32, 'short_conv_kernel_size': 4}}");
	near(model_kv_bytes(&the, 16, 4, 0, 27), 7 * 576 * 2, 0,
	     "KV of 7 latent layers, on every rank");
}

/* 8 of its 80 layers: a tenth of the parameters in layers. */
static void lightning(void)
{
	uint64_t outside = 2ull * 200064 * 6144 + 6144;
	has_params(
	    "a tenth of MiniMax-Text-01",
	    (456089655296 - outside) / 10 + outside,
	    "{'model_type': 'minimax_text_01', 'hidden_size': 6144, "
	    "'num_hidden_layers': 8, 'num_attention_heads': 64, "
	    "'num_key_value_heads': 8, 'head_dim': 128, 'intermediate_size': "
	    "9216, 'num_local_experts': 32, 'num_experts_per_tok': 2, "
	    "'vocab_size': 200064, 'shared_intermediate_size': 0, "
	    "'attn_type_list': [0, 0, 0, 0, 0, 0, 0, 1]}");
	has_params("LFM2-1.2B", 1170340608,
		   "{'model_type': 'lfm2', 'hidden_size': 2048, "
		   "'num_hidden_layers': 16, 'num_attention_heads': 32, "
		   "'num_key_value_heads': 8, 'block_ff_dim': 12288, "
		   "'block_multiple_of': 256, 'block_auto_adjust_ff_dim': "
		   "true, 'conv_L_cache': 3, 'conv_bias': false, "
		   "'vocab_size': 65536, 'full_attn_idxs': [2, 5, 8, 10, 12, "
		   "14]}");
}

static void state_spaces(void)
{
	has_params("Mamba-2.8B", 2768345600,
		   "{'model_type': 'mamba', 'hidden_size': 2560, "
		   "'num_hidden_layers': 64, 'vocab_size': 50280, "
		   "'state_size': 16, 'conv_kernel': 4, 'expand': 2, "
		   "'time_step_rank': 160}");
	near(model_kv_bytes(&the, 16, 1, 0, 64), 0, 0, "no KV");
	has_params(
	    "Jamba-v0.1", 51570323328,
	    "{'model_type': 'jamba', 'hidden_size': 4096, "
	    "'num_hidden_layers': 32, 'num_attention_heads': 32, "
	    "'num_key_value_heads': 8, 'intermediate_size': 14336, "
	    "'vocab_size': 65536, 'num_experts': 16, 'num_experts_per_tok': "
	    "2, 'attn_layer_period': 8, 'attn_layer_offset': 4, "
	    "'expert_layer_period': 2, 'expert_layer_offset': 1, "
	    "'mamba_d_state': 16, 'mamba_d_conv': 4, 'mamba_expand': 2, "
	    "'mamba_dt_rank': 256}");
	ok(the.view.n_groups == 3, "three kinds of layers");
	has_params(
	    "Granite-4.0-H-Small", 32207337984,
	    "{'model_type': 'granitemoehybrid', 'hidden_size': 4096, "
	    "'num_hidden_layers': 40, 'num_attention_heads': 32, "
	    "'num_key_value_heads': 8, 'intermediate_size': 768, "
	    "'shared_intermediate_size': 1536, 'num_local_experts': 72, "
	    "'num_experts_per_tok': 10, 'vocab_size': 100352, "
	    "'tie_word_embeddings': true, 'mamba_n_heads': 128, "
	    "'mamba_d_head': 64, 'mamba_d_state': 128, 'mamba_n_groups': 1, "
	    "'mamba_d_conv': 4, 'attn_layer_indices': [5, 15, 25, 35]}");
	has_params(
	    "Falcon-H1-34B", 33642516224,
	    "{'model_type': 'falcon_h1', 'hidden_size': 5120, "
	    "'num_hidden_layers': 72, 'num_attention_heads': 20, "
	    "'num_key_value_heads': 4, 'head_dim': 128, 'intermediate_size': "
	    "21504, 'vocab_size': 261120, 'mamba_d_ssm': 4096, "
	    "'mamba_n_heads': 32, 'mamba_d_state': 256, 'mamba_n_groups': 2, "
	    "'mamba_d_conv': 4, 'mamba_rms_norm': true}");
	ok(group(0)->attention == SC_ATTN_FULL &&
	       group(0)->flags & SC_LAYER_OTHER,
	   "two mixers side by side");
}

static void blocks(void)
{
	has_params(
	    "Nemotron-3-Nano-30B-A3B", 31577937344 + 23 * 128,
	    "{'model_type': 'nemotron_h', 'hidden_size': 2688, "
	    "'num_attention_heads': 32, 'num_key_value_heads': 2, 'head_dim': "
	    "128, 'intermediate_size': 1856, 'moe_intermediate_size': 1856, "
	    "'moe_shared_expert_intermediate_size': 3712, 'n_routed_experts': "
	    "128, 'n_shared_experts': 1, 'num_experts_per_tok': 6, "
	    "'hybrid_override_pattern': 'MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*"
	    "EMEMEMEM*EMEMEMEME', 'mamba_num_heads': 64, 'mamba_head_dim': "
	    "64, 'n_groups': 8, 'ssm_state_size': 128, 'conv_kernel': 4, "
	    "'vocab_size': 131072, 'time_step_limit': [0.0, Infinity]}");
	ok(the.keys.num_hidden_layers == 52 && the.view.n_groups == 3 &&
	       group(1)->attention == SC_ATTN_NONE &&
	       group(1)->ffn == SC_FFN_MOE && group(2)->ffn == SC_FFN_NONE,
	   "as many layers as letters, each one block");
	is_refused("{'model_type': 'nemotron_h', 'hidden_size': 8, "
		   "'vocab_size': 8,\n'num_attention_heads': 2, "
		   "'mamba_num_heads': 1, 'ssm_state_size': 4,\n"
		   "'hybrid_override_pattern': 'M-Q*'}",
		   EXIT_USAGE,
		   ":3: hybrid_override_pattern [2] is 'Q', a layer");
	ok(model_of_quoted(
	       "{'model_type': 'nemotron-nas', 'hidden_size': 8192, "
	       "'num_attention_heads': 64, 'num_key_value_heads': null, "
	       "'intermediate_size': null, 'vocab_size': 128256, "
	       "'block_configs': [{'attention': {'n_heads_in_group': 8}, "
	       "'ffn': {'ffn_mult': 2.625}}, {'attention': {'no_op': true}, "
	       "'ffn': {'ffn_mult': 1.3125}}, {'attention': "
	       "{'replace_with_linear': true}, 'ffn': {'no_op': true}}]}") == 0,
	   "%s", why.text);
	ok(the.view.n_groups == 3 && group(0)->ffn_dim == 14336 &&
	       group(1)->ffn_dim == 7168 && group(1)->n_heads == 0 &&
	       group(2)->attention == SC_ATTN_LINEAR,
	   "blocks of their own widths, or without attention, or FFN");
	ok(the.view.n_params ==
	       2ull * 8192 * 128256 + 8192 + 8192ull * (18432 + 3 * 14336 + 2) +
		   8192ull * (3 * 7168 + 1) + 8192ull * (8192 + 1),
	   "a block without one part lacks its norm");
}

int main(void)
{
	scratch_open();
	linear();
	lightning();
	state_spaces();
	blocks();
	model_free(&the);
	return done();
}
