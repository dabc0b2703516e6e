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

#define LAYERS(type, n, more)                                                  \
	"{'model_type': '" type "', 'hidden_size': 64, "                       \
	"'num_attention_heads': 4, 'vocab_size': 100, "                        \
	"'num_key_value_heads': 2, 'head_dim': 16, 'intermediate_size': 128, " \
	"'num_hidden_layers': " n more "}"
#define EXPERTS ", 'num_local_experts': 4, 'num_experts_per_tok': 2"

static void linear_layers(void)
{
#define DELTA                                                                  \
	", 'linear_num_key_heads': 2, 'linear_num_value_heads': 4, "           \
	"'linear_key_head_dim': 8, 'linear_value_head_dim': 16"
	becomes(
	    "Qwen3-Next: all layers are linear",
	    LAYERS("qwen3_next", "4", DELTA ", 'full_attention_interval': 0"),
	    "layer_types=linear_attention linear_attention=gated_delta "
	    "attention_gate=full linear_num_value_heads=4 !state_dtype");
	becomes("a list of types comes first, and no gate",
		LAYERS("qwen3_next", "2",
		       ", 'layer_types': ['full_attention', "
		       "'full_attention'], 'attn_output_gate': false"),
		"layer_types=full_attention !linear_attention !attention_gate");
	static const char *const state[][2] = {
	    {"float32", "fp32"}, {"bfloat16", "bf16"}, {"float16", "bf16"}};
	for (size_t i = 0; i < 3; i++) {
		char json[900], want[40];
		snprintf(json, sizeof json,
			 LAYERS("qwen3_next", "4",
				DELTA ", 'mamba_ssm_dtype': '%s'"),
			 state[i][0]);
		snprintf(want, sizeof want, "state_dtype=%s", state[i][1]);
		becomes(state[i][0], json, want);
	}
	becomes("a state of the engine's own format",
		LAYERS("qwen3_next", "4", DELTA ", 'mamba_ssm_dtype': 'auto'"),
		"!state_dtype");
	is_refused(
	    LAYERS("qwen3_next", "4", DELTA ",\n'mamba_ssm_dtype': 'fp8'"),
	    EXIT_USAGE,
	    ":2: mamba_ssm_dtype is 'fp8', a format of the state that "
	    "is not supported");
	is_refused(LAYERS("qwen3_next", "4", ""), EXIT_INPUT,
		   ": linear_num_key_heads is missing; it must be 1 or more");
}

static void kimi(void)
{
#define KDA(list, more)                                                        \
	", 'linear_attn_config': {'kda_layers': " list                         \
	", 'num_heads': 4, 'head_dim': 16" more "}"
	becomes("Kimi-Linear counts from 1, and ignores layers beyond",
		LAYERS("kimi_linear", "3", KDA("[0, 1, 3, 4]", "")),
		"layer_types=linear_attention,full_attention "
		"linear_attention=kda linear_conv_kernel_dim=4 "
		"!attention_gate !outside_params !layers");
	becomes("a gate of full rank",
		LAYERS("kimi_linear", "1",
		       KDA("[1]", ", 'use_full_rank_gate': true")),
		"linear_attention=kda_full");
	becomes("no layer is linear", LAYERS("kimi_linear", "1", ""),
		"layer_types=full_attention !linear_attention");
	becomes("Kimi-K3: residuals over blocks, experts of another width",
		LAYERS("kimi_linear", "2",
		       ", 'attn_res_block_size': 2, 'mla_use_output_gate': "
		       "true, 'routed_expert_hidden_size': 32, "
		       "'latent_moe_use_norm': true, 'num_experts': 4, "
		       "'num_experts_per_token': 2, 'moe_intermediate_size': "
		       "8, 'first_k_dense_replace': 1"),
		"attention_gate=full outside_params=128 moe_latent_size=32 "
		"mlp_layer_types=dense,sparse layers=kind1,kind2 "
		"kind1.other_params=256 kind2.other_params=288");
	becomes("without the norm",
		LAYERS("kimi_linear", "2",
		       ", 'routed_expert_hidden_size': 32, 'num_experts': 4, "
		       "'num_experts_per_token': 2, 'moe_intermediate_size': "
		       "8"),
		"moe_latent_size=32 !layers");
}

static void short_ones(void)
{
	becomes("MiniMax with softmax attention alone",
		LAYERS("minimax_text_01", "2", EXPERTS),
		"layer_types=full_attention !linear_attention");
	becomes("or by a list of ones",
		LAYERS("minimax_text_01", "2",
		       EXPERTS ", 'attn_type_list': [1, 1]"),
		"layer_types=full_attention !linear_attention");
	becomes("its heads are as wide as others",
		"{'model_type': 'minimax_text_01', 'hidden_size': 64, "
		"'num_attention_heads': 4, 'vocab_size': 100, "
		"'num_hidden_layers': 1, 'intermediate_size': 8" EXPERTS
		", 'attn_type_list': [0]}",
		"linear_attention=lightning linear_key_head_dim=16 "
		"linear_num_key_heads=4");
	becomes("LFM2: a list of types, a width as it is",
		LAYERS("lfm2", "2",
		       ", 'layer_types': ['conv', "
		       "'full_attention'], 'conv_bias': true"),
		"layer_types=linear_attention,full_attention "
		"intermediate_size=128 linear_conv_bias=true "
		"linear_proj_bias=true");
	becomes("a width adjusted, but to no multiple; a layer beyond the last",
		LAYERS("lfm2", "2",
		       ", 'full_attn_idxs': [1, 2], "
		       "'block_auto_adjust_ff_dim': true, "
		       "'block_multiple_of': 0"),
		"layer_types=linear_attention,full_attention "
		"intermediate_size=85");
	becomes("no width to adjust",
		"{'model_type': 'lfm2', 'hidden_size': 64, 'vocab_size': 100, "
		"'num_attention_heads': 4, 'num_hidden_layers': 1, "
		"'block_auto_adjust_ff_dim': true}",
		"!intermediate_size");
}

static void state_space_layers(void)
{
#define MAMBA2 ", 'mamba_n_heads': 8, 'mamba_d_state': 4"
	becomes("Bamba: a layer beyond the last is ignored",
		LAYERS("bamba", "2", MAMBA2 ", 'attn_layer_indices': [1, 2]"),
		"layer_types=linear_attention,full_attention "
		"linear_attention=mamba2 linear_num_value_heads=8 "
		"linear_value_head_dim=16 linear_norm=true "
		"linear_conv_bias=true !linear_proj_bias "
		"intermediate_size=128");
	becomes(
	    "Granite with a shared expert alone, and attention alone",
	    LAYERS("granitemoehybrid", "2", ", 'shared_intermediate_size': 32"),
	    "intermediate_size=32 !linear_attention");
	is_refused(LAYERS("bamba", "1",
			  ", 'mamba_d_state': 4, 'attn_layer_indices': []"),
		   EXIT_INPUT, ": mamba_n_heads is missing");
	is_refused(LAYERS("falcon_h1", "1", ", 'mamba_d_state': 4"), EXIT_INPUT,
		   ": mamba_n_heads is missing");
	becomes("Jamba: a period of 0 is never",
		LAYERS("jamba", "2",
		       ", 'num_experts': 4, 'num_experts_per_tok': 2, "
		       "'attn_layer_period': 0, 'expert_layer_period': 0"),
		"layer_types=linear_attention mlp_layer_types=dense "
		"linear_attention=mamba linear_norm=true linear_dt_rank=4");
	becomes("without experts", LAYERS("jamba", "8", ""),
		"layer_types=linear_attention*4,full_attention "
		"!num_experts");
	becomes("a rank of steps that follows from the width",
		LAYERS("mamba", "1", ", 'time_step_rank': 'auto'"),
		"linear_dt_rank=4 mlp_layer_types=none norms_per_layer=1");
	becomes("Mamba-2",
		"{'model_type': 'mamba2', 'hidden_size': 64, 'vocab_size': "
		"100, 'num_hidden_layers': 1, 'num_heads': 8, 'head_dim': 16, "
		"'state_size': 4, 'chunk_size': 256, 'n_groups': 2}",
		"linear_attention=mamba2 linear_num_value_heads=8 "
		"linear_value_head_dim=16 linear_num_key_heads=2 "
		"linear_chunk_size=256 linear_norm=true");
}

static void block_lists(void)
{
#define NEMOTRON                                                               \
	"{'model_type': 'nemotron_h', 'hidden_size': 64, 'vocab_size': 100, "  \
	"'num_attention_heads': 4, 'num_key_value_heads': 2, "                 \
	"'mamba_num_heads': 2, 'ssm_state_size': 4, 'intermediate_size': 8, "  \
	"'n_routed_experts': 4, 'num_experts_per_tok': 2, "                    \
	"'moe_intermediate_size': 8, "
	becomes("blocks by their names, with widths of their own",
		NEMOTRON "'layers_block_type': ['mamba', 'attention', 'moe', "
			 "'moe', 'mlp'], 'mamba_ssm_cache_dtype': 'auto', "
			 "'block_configs': [{}, {}, {'moe_intermediate_size': "
			 "16, 'num_experts_per_tok': 1, 'n_routed_experts': "
			 "2}, {}, {}]}",
		"layer_types=linear_attention,full_attention,none*3 "
		"mlp_layer_types=none*2,sparse*2,dense "
		"layers=model*2,kind1 kind1.moe_intermediate_size=16 "
		"kind1.num_experts_per_tok=1 kind1.num_experts=2 "
		"!state_dtype");
	is_refused(NEMOTRON "\n'layers_block_type': ['rwkv']}", EXIT_USAGE,
		   ":2: layers_block_type [0] is 'rwkv', a layer that is not "
		   "supported");
	is_refused(NEMOTRON "\n'num_hidden_layers': 2, "
			    "'hybrid_override_pattern': '*'}",
		   EXIT_USAGE, ":2: hybrid_override_pattern [1] is ''");
#define NAS(blocks)                                                            \
	"{'model_type': 'nemotron-nas', 'hidden_size': 768, "                  \
	"'num_attention_heads': 4, 'vocab_size': 100, 'num_hidden_layers': "   \
	"1,\n'block_configs': " blocks "}"
	becomes("an FFN of a given width, or one matrix",
		"{'model_type': 'nemotron-nas', 'hidden_size': 768, "
		"'num_attention_heads': 4, 'vocab_size': 100, "
		"'block_configs': [{'attention': {'n_heads_in_group': 2}, "
		"'ffn': {'intermediate_size': 100}}, {'attention': "
		"{'n_heads_in_group': 2}, 'ffn': {'replace_with_linear': "
		"true}}]}",
		"layers=kind1,kind2 kind1.num_key_value_heads=2 "
		"kind1.intermediate_size=100 kind2.other_matrices=589824 "
		"mlp_layer_types=dense,none !kind2.norms_per_layer");
	is_refused(NAS("[{'attention': {}, 'ffn': {'ffn_mult': 1}}]"),
		   EXIT_USAGE,
		   ":2: block_configs [0]: its attention has no "
		   "n_heads_in_group");
	static const char *const none[] = {"0", "1000", "-1"};
	for (size_t i = 0; i < 3; i++) {
		char json[400];
		snprintf(json, sizeof json,
			 NAS("[{'attention': {'no_op': true}, 'ffn': "
			     "{'ffn_mult': %s}}]"),
			 none[i]);
		is_refused(json, EXIT_USAGE,
			   ":2: block_configs [0]: its ffn has no width");
	}
	is_refused(NAS("{}"), EXIT_INPUT, ":2: block_configs is missing");
}

int main(void)
{
	scratch_open();
	linear_layers();
	kimi();
	short_ones();
	state_space_layers();
	block_lists();
	linear();
	lightning();
	state_spaces();
	blocks();
	model_free(&the);
	return done();
}
