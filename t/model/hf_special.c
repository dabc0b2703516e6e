/* Architectures with parts of their own, against published parameter counts
 * and the tensors of their checkpoints. */
#include "model_of.h"

static const sc_layers *group(uint32_t i)
{
	return the.view.group[i];
}

/* The language models' tensors, counted from the lists of checkpoints. */
static void checkpoints(void)
{
	has_params(
	    "MiniMax-M3", 426174572928,
	    "{'model_type': 'minimax_m3_vl', 'text_config': {'hidden_size': "
	    "6144, 'intermediate_size': 3072, 'num_hidden_layers': 60, "
	    "'num_attention_heads': 64, 'num_key_value_heads': 4, 'head_dim': "
	    "128, 'vocab_size': 200064, 'use_qk_norm': true, "
	    "'dense_intermediate_size': 12288, 'shared_intermediate_size': "
	    "3072, 'num_local_experts': 128, 'num_experts_per_tok': 4, "
	    "'n_shared_experts': 1, 'use_routing_bias': true, "
	    "'first_k_dense_replace': 3, 'hidden_act': 'swigluoai', "
	    "'sparse_attention_config': {'sparse_index_dim': 128, "
	    "'sparse_num_index_heads': 4, 'sparse_topk_blocks': 16, "
	    "'sparse_block_size': 128, 'sparse_attention_freq': [0, 0, 0, 1, "
	    "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
	    "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
	    "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}}}");
	ok(the.view.n_groups == 2 && !(group(0)->flags & SC_LAYER_SPARSE) &&
	       group(1)->flags & SC_LAYER_SPARSE,
	   "sparse from the fourth layer on");
	has_params(
	    "two layers of MiMo-V2.5-Pro",
	    2ull * 152576 * 6144 + 6144 + 2 * 2 * 6144 +
		2 * 6144ull * (16384 + 27136) + 3 * 16384ull * 6144 + 128 +
		384 * 3 * 2048ull * 6144 + 384 * 6145,
	    "{'model_type': 'mimo_v2', 'hidden_size': 6144, "
	    "'num_hidden_layers': 2, 'num_attention_heads': 128, "
	    "'num_key_value_heads': 8, 'head_dim': 192, 'v_head_dim': 128, "
	    "'swa_head_dim': 192, 'swa_v_head_dim': 128, 'intermediate_size': "
	    "16384, 'moe_intermediate_size': 2048, 'n_routed_experts': 384, "
	    "'n_shared_experts': null, 'num_experts_per_tok': 8, "
	    "'hybrid_layer_pattern': [0, 1], 'moe_layer_freq': [0, 1], "
	    "'sliding_window': 128, 'attention_chunk_size': 128, "
	    "'add_swa_attention_sink_bias': true, 'topk_method': 'noaux_tc', "
	    "'vocab_size': 152576}");
	near(model_kv_bytes(&the, 16, 1, 0, 1), 8 * (192 + 128) * 2, 0,
	     "values smaller than keys");
	ok(group(1)->window == 128 && group(1)->attention == SC_ATTN_WINDOW,
	   "the pattern tells the windows");
}

static void experts(void)
{
	has_params("Hunyuan-A13B", 80393183232,
		   "{'model_type': 'hunyuan_v1_moe', 'hidden_size': 4096, "
		   "'num_hidden_layers': 32, 'num_attention_heads': 32, "
		   "'num_key_value_heads': 8, 'attention_head_dim': 128, "
		   "'intermediate_size': 3072, 'moe_intermediate_size': "
		   "[3072, 3072], 'num_experts': 64, 'moe_topk': [8, 8], "
		   "'num_shared_expert': [1, 1], 'use_qk_norm': true, "
		   "'vocab_size': 128167, 'tie_word_embeddings': true}");
	has_params("ERNIE-4.5-21B-A3B", 21825437888,
		   "{'model_type': 'ernie4_5_moe', 'hidden_size': 2560, "
		   "'num_hidden_layers': 28, 'num_attention_heads': 20, "
		   "'num_key_value_heads': 4, 'intermediate_size': 12288, "
		   "'moe_intermediate_size': 1536, 'moe_num_experts': 64, "
		   "'moe_k': 6, 'moe_num_shared_experts': 2, "
		   "'moe_layer_start_index': 1, 'moe_layer_end_index': 27, "
		   "'vocab_size': 103424}");
	has_params("Phi-3.5-MoE", 41873153344,
		   "{'model_type': 'phimoe', 'hidden_size': 4096, "
		   "'num_hidden_layers': 32, 'num_attention_heads': 32, "
		   "'num_key_value_heads': 8, 'intermediate_size': 6400, "
		   "'vocab_size': 32064, 'num_local_experts': 16, "
		   "'num_experts_per_tok': 2, 'attention_bias': true, "
		   "'lm_head_bias': true}");
	/* Two layers of ours for each: attention and dense FFN twice. */
	uint64_t half = 6144 * 1536ull + 1536 * 64 * 192ull + 6144 * 576ull +
			512 * 64 * 256ull + 64 * 128 * 6144ull + 1536 + 512 +
			3 * 6144 * 12288ull + 2 * 6144;
	has_params("one layer of LongCat-Flash",
		   2ull * 131072 * 6144 + 6144 + 2 * half + 6144 * 768ull +
		       768 + 512 * 3 * 6144 * 2048ull,
		   "{'model_type': 'longcat_flash', 'hidden_size': 6144, "
		   "'num_layers': 1, 'num_attention_heads': 64, "
		   "'ffn_hidden_size': 12288, 'expert_ffn_hidden_size': 2048, "
		   "'n_routed_experts': 512, 'zero_expert_num': 256, "
		   "'moe_topk': 12, 'q_lora_rank': 1536, 'kv_lora_rank': 512, "
		   "'qk_nope_head_dim': 128, 'qk_rope_head_dim': 64, "
		   "'v_head_dim': 128, 'vocab_size': 131072}");
	ok(the.keys.num_hidden_layers == 2 && the.view.n_groups == 2,
	   "as two, since it keeps KV twice");
}

#define TINY "'hidden_size': 64, 'num_attention_heads': 4, 'vocab_size': 100, "
static void heads(void)
{
	uint64_t outside = 2 * 6400 + 64, ffn = 3 * 64 * 128 + 2 * 64;
	has_params("heads of single layers, a gate a head",
		   outside + 2 * ffn + 2 * 2 * 16 + 64 * 16 * (4 + 2 + 2 + 4) +
		       64 * 4 + 64 * 16 * (8 + 2 + 2 + 8) + 64 * 8,
		   "{'model_type': 'laguna', " TINY
		   "'num_key_value_heads': 2, 'head_dim': 16, "
		   "'num_hidden_layers': 2, 'intermediate_size': 128, "
		   "'num_attention_heads_per_layer': [4, 8], 'gating': true}");
	has_params("heads of windows, a gate a head",
		   outside + 2 * ffn + 2 * 2 * 16 + 64 * 16 * (4 + 2 + 2 + 4) +
		       64 * 4 + 64 * 16 * (6 + 2 + 2 + 6) + 64 * 6,
		   "{'model_type': 'step3p5', " TINY
		   "'num_attention_groups': 2, 'head_dim': 16, "
		   "'num_hidden_layers': 2, 'intermediate_size': 128, "
		   "'sliding_window': 8, 'layer_types': ['full_attention', "
		   "'sliding_attention', 'full_attention'], "
		   "'use_head_wise_attn_gate': true, "
		   "'attention_other_setting': {'num_attention_heads': 6, "
		   "'num_attention_groups': 2}}");
}

static void gemma(void)
{
	uint64_t sparse = 64 * 4 + 4 + 64 + 4 * 3 * 64 * 32;
	has_params("keys that are values, and a dense FFN beside experts",
		   6400 + 64 + 2 * (7 * 64 + 1 + sparse + 3 * 64 * 128) +
		       64 * 16 * 12 + 32 + 64 * 32 * (4 + 1 + 4) + 64,
		   "{'model_type': 'gemma4_text', " TINY
		   "'num_key_value_heads': 2, 'head_dim': 16, "
		   "'global_head_dim': 32, 'num_global_key_value_heads': 1, "
		   "'attention_k_eq_v': true, 'num_hidden_layers': 2, "
		   "'intermediate_size': 128, 'sliding_window': 8, "
		   "'layer_types': ['sliding_attention', 'full_attention'], "
		   "'enable_moe_block': true, 'num_experts': 4, "
		   "'top_k_experts': 2, 'moe_intermediate_size': 32}");
	near(model_kv_bytes(&the, 16, 1, 1, 2), 2 * 32 * 2, 0,
	     "they are kept apart all the same");
	has_params("inputs of single layers, and KV of others",
		   6400 + 64 + 8 * 2 * (50 + 64) + 8 +
		       2 * (4 * 64 + 1 + 2 * 64 * 8 + 64) + 64 * 16 * 12 + 32 +
		       3 * 64 * 128 + 64 * 16 * 8 + 16 + 3 * 64 * 256,
		   "{'model_type': 'gemma4_text', " TINY
		   "'num_key_value_heads': 2, 'head_dim': 16, "
		   "'num_hidden_layers': 2, 'intermediate_size': 128, "
		   "'layer_types': ['full_attention', 'full_attention'], "
		   "'num_kv_shared_layers': 1, 'use_double_wide_mlp': true, "
		   "'hidden_size_per_layer_input': 8, "
		   "'vocab_size_per_layer_input': 50}");
	near(model_kv_bytes(&the, 16, 1, 0, 2), 2 * 2 * 16 * 2, 0,
	     "one of two layers keeps KV");
	has_params("four streams",
		   6400 + 64 + 8 * (50 + 64) + 8 + 6 * 64 * 64 + 64 * 16 * 12 +
		       32 + 3 * 64 * 128 + 4 * 64 + 64 + 16 + 4 * 64 + 2 * 64 +
		       64 + 2 * 64 * 5 + 64 + 2 * 64 * 8,
		   "{'model_type': 'gemma3n_text', " TINY
		   "'num_key_value_heads': 2, 'head_dim': 16, "
		   "'num_hidden_layers': 1, 'intermediate_size': [128], "
		   "'layer_types': ['full_attention'], 'laurel_rank': 5, "
		   "'altup_num_inputs': 4, 'num_kv_shared_layers': 0, "
		   "'hidden_size_per_layer_input': 8, "
		   "'vocab_size_per_layer_input': 50}");
}

/* Layers with a window alone, with 4 tokens an entry, and with 128. */
static void compressed(void)
{
	uint64_t attention = 64 * 8 + 8 + 8 * 4 * 16 + 64 * 16 + 16 +
			     4 * 16 * 8 + 2 * 8 * 64 + 4;
	uint64_t index = 8 * 2 * 4 + 64 * 2 + 4 * 64 * 4 + 4 * 2 * 4 + 4;
	uint64_t rest =
	    2 * 64 + 64 * 4 + 5 * 3 * 64 * 32 + 2 * (24 * 4 * 64 + 24 + 3);
	has_params("DeepSeek-V4's layers",
		   2 * 6400 + 64 + 4 * 4 * 64 + 4 + 1 + 3 * (attention + rest) +
		       2 * 4 + (4 * 64 * 16 + 4 * 2 * 16 + 16 + index) +
		       (2 * 64 * 16 + 128 * 16 + 16),
		   "{'model_type': 'deepseek_v4', " TINY
		   "'num_key_value_heads': 1, 'head_dim': 16, "
		   "'num_hidden_layers': 3, 'compress_ratios': [0, 4, 128, "
		   "0], 'sliding_window': 8, 'max_position_embeddings': 1000, "
		   "'q_lora_rank': 8, 'o_groups': 2, 'o_lora_rank': 8, "
		   "'index_n_heads': 2, 'index_head_dim': 4, 'index_topk': 9, "
		   "'n_routed_experts': 4, 'num_experts_per_tok': 2, "
		   "'n_shared_experts': 1, 'moe_intermediate_size': 32, "
		   "'hc_mult': 4, 'num_hash_layers': 1, 'topk_method': "
		   "'noaux_tc'}");
	ok(the.view.n_groups == 3 && group(0)->flags == SC_LAYER_OTHER &&
	       group(1)->flags ==
		   (SC_LAYER_OTHER | SC_LAYER_SPARSE | SC_LAYER_INDEXER) &&
	       group(2)->flags == (SC_LAYER_OTHER | SC_LAYER_SPARSE),
	   "no cost model can price them by their fields");
	near(model_kv_bytes(&the, 16, 1, 1, 2), (16 * 2 + 4 + 4 * 4 / 128.) / 4,
	     1e-15, "an entry for four tokens, and the indexer's");
	near(model_kv_bytes(&the, 16, 1, 2, 3), 16 * 2 / 128., 0,
	     "an entry for 128");
}

static void others(void)
{
	has_params("Seed-OSS-36B", 36151104512,
		   "{'model_type': 'seed_oss', 'hidden_size': 5120, "
		   "'num_hidden_layers': 64, 'num_attention_heads': 80, "
		   "'num_key_value_heads': 8, 'head_dim': 128, "
		   "'intermediate_size': 27648, 'vocab_size': 155136, "
		   "'attention_bias': true, 'attention_out_bias': false}");
	has_params("InternLM2-7B", 7737708544,
		   "{'model_type': 'internlm2', 'hidden_size': 4096, "
		   "'num_hidden_layers': 32, 'num_attention_heads': 32, "
		   "'num_key_value_heads': 8, 'intermediate_size': 14336, "
		   "'vocab_size': 92544, 'bias': false}");
	has_params("a residual FFN beside experts",
		   2 * 6400 + 64 + 3 * 64 + 64 * 16 * 12 + 64 * 4 +
		       4 * 3 * 64 * 32 + 3 * 64 * 64,
		   "{'model_type': 'arctic', " TINY
		   "'num_key_value_heads': 2, 'num_hidden_layers': 1, "
		   "'intermediate_size': 32, 'num_local_experts': 4, "
		   "'num_experts_per_tok': 2, 'moe_layer_frequency': 1, "
		   "'use_residual': true}");
	has_params("a layer that uses the keys of the one before",
		   2 * 6400 + 64 + 2 * (2 * 64 + 3 * 64 * 128) + 64 * 16 * 12 +
		       64 * 16 * 8,
		   "{'model_type': 'hunyuan', " TINY
		   "'num_key_value_heads': 2, 'num_hidden_layers': 2, "
		   "'intermediate_size': 128, 'num_experts': 1, 'use_cla': "
		   "true, 'cla_share_factor': 2}");
}

static void seeing(void)
{
	has_params(
	    "Llama-3.2-11B-Vision's language model", 9775192080,
	    "{'model_type': 'mllama', 'text_config': {'model_type': "
	    "'mllama_text_model', 'hidden_size': 4096, 'num_hidden_layers': "
	    "40, 'num_attention_heads': 32, 'num_key_value_heads': 8, "
	    "'intermediate_size': 14336, 'vocab_size': 128256, "
	    "'cross_attention_layers': [3, 8, 13, 18, 23, 28, 33, 38]}}");
	near(model_kv_bytes(&the, 16, 1, 0, 40), 32 * 4096, 0,
	     "KV of an image does not grow");
	has_params(
	    "Step-3's", 316294538240,
	    "{'model_type': 'step3_vl', 'text_config': {'model_type': "
	    "'step3_text', 'hidden_size': 7168, 'intermediate_size': 18432, "
	    "'num_attention_heads': 64, 'num_attention_groups': 1, "
	    "'num_hidden_layers': 61, 'vocab_size': 128815, "
	    "'moe_intermediate_size': 5120, 'moe_num_experts': 48, "
	    "'moe_top_k': 3, 'share_expert_dim': 5120, 'share_q_dim': 2048, "
	    "'head_dim': 256, 'moe_layers_enum': "
	    "'4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,"
	    "27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,"
	    "48,49,50,51,52,53,54,55,56,57,58,59'}}");
	has_params("LLaVA-1.5's, which leaves sizes out", 6738939904,
		   "{'model_type': 'llava', 'text_config': {'model_type': "
		   "'llama', 'vocab_size': 32064}}");
}

static void others_of_2026(void)
{
	has_params("Apertus-8B", 8053338176,
		   "{'model_type': 'apertus', 'hidden_act': 'xielu', "
		   "'hidden_size': 4096, 'intermediate_size': 21504, "
		   "'num_hidden_layers': 32, 'num_attention_heads': 32, "
		   "'num_key_value_heads': 8, 'vocab_size': 131072}");
	has_params(
	    "MiniMax-M2, whose list of kinds has one", 4897915136,
	    "{'model_type': 'minimax_m2', 'hidden_size': 3072, "
	    "'num_hidden_layers': 1, 'num_attention_heads': 48, "
	    "'num_key_value_heads': 8, 'head_dim': 128, 'intermediate_size': "
	    "1536, 'num_local_experts': 256, 'num_experts_per_tok': 8, "
	    "'use_qk_norm': true, 'use_routing_bias': true, "
	    "'attn_type_list': [1], 'shared_intermediate_size': 0, "
	    "'vocab_size': 200064}");
	is_refused("{'model_type': 'llama', 'num_hidden_layers': 1,\n"
		   "'attn_type_list': [0]}",
		   2, ":2: attn_type_list makes layers");
}

/* Two or more layers of TINY, of a type. */
#define LAYERS(type, n, more)                                                  \
	"{'model_type': '" type "', " TINY                                     \
	"'num_key_value_heads': 2, 'head_dim': 16, 'intermediate_size': 128, " \
	"'num_hidden_layers': " n more "}"

static void windows(void)
{
	becomes("AFMoE: every fourth layer is full",
		LAYERS("afmoe", "8", ", 'sliding_window': 8"),
		"layer_types=sliding_attention*3,full_attention "
		"attention_gate=full");
	becomes("or every other one",
		LAYERS("afmoe", "8",
		       ", 'sliding_window': 8, 'global_attn_every_n_layers': "
		       "2"),
		"layer_types=sliding_attention,full_attention");
	becomes("0 of them have a window",
		LAYERS("afmoe", "8",
		       ", 'sliding_window': 8, 'global_attn_every_n_layers': "
		       "0"),
		"layer_types=full_attention");
	becomes("a list of types comes first",
		LAYERS("afmoe", "2",
		       ", 'sliding_window': 8, 'layer_types': "
		       "['full_attention', 'sliding_attention']"),
		"layer_types=full_attention,sliding_attention");
	becomes("Laguna: an entry of 0, or as usual, changes nothing",
		LAYERS("laguna", "4",
		       ", 'num_attention_heads_per_layer': [4, 0, 8, 4], "
		       "'gating': 'per-element'"),
		"layers=model*2,kind1 kind1.num_attention_heads=8 "
		"attention_gate=full");
	becomes("and needs no list, nor a gate", LAYERS("laguna", "2", ""),
		"!layers !attention_gate");
	becomes("MiMo-V2 without a pattern: all layers are full",
		LAYERS("mimo_v2", "2", ", 'sliding_window': 8"),
		"layer_types=full_attention !attention_sinks !layers");
	becomes("sinks in layers without a window alone",
		LAYERS("mimo_v2", "2",
		       ", 'hybrid_layer_pattern': [0, 1], "
		       "'add_full_attention_sink_bias': true, "
		       "'swa_num_attention_heads': 8"),
		"attention_sinks=true layers=model,kind1 "
		"kind1.attention_sinks=false kind1.num_attention_heads=8 "
		"!kind1.head_dim");
	becomes("sinks in all layers",
		LAYERS("mimo_v2", "2",
		       ", 'hybrid_layer_pattern': [0, 1], "
		       "'add_full_attention_sink_bias': true, "
		       "'add_swa_attention_sink_bias': true"),
		"attention_sinks=true !layers");
	becomes("Step-3.5 without settings for windows",
		LAYERS("step3p5", "2",
		       ", 'sliding_window': 8, 'layer_types': "
		       "['full_attention', 'sliding_attention']"),
		"!layers !attention_gate");
}

static void gemma_layers(void)
{
#define FULL2 ", 'layer_types': ['full_attention', 'full_attention']"
#define BOTH                                                                   \
	", 'sliding_window': 8, 'layer_types': ['sliding_attention', "         \
	"'full_attention']"
	becomes("Gemma-4: values are keys, with as many heads",
		LAYERS("gemma4_text", "2", BOTH ", 'attention_k_eq_v': true"),
		"layers=model,kind1 kind1.v_proj=false "
		"!kind1.num_key_value_heads !kind1.head_dim");
	becomes("other KV heads count only then",
		LAYERS("gemma4_text", "2",
		       BOTH ", 'num_global_key_value_heads': 1"),
		"!layers");
	becomes("a layer that reads the KV cache of another, as narrow",
		LAYERS("gemma4_text", "2", FULL2 ", 'num_kv_shared_layers': 1"),
		"layers=model,kind1 kind1.kv_cache=false kind1.kv_proj=false "
		"!kind1.intermediate_size");
	becomes("not if that were all layers",
		LAYERS("gemma4_text", "2", FULL2 ", 'num_kv_shared_layers': 2"),
		"!layers");
	becomes("a block of experts without experts is dense",
		LAYERS("gemma4_text", "2", FULL2 ", 'enable_moe_block': true"),
		"!dense_beside_experts norms_per_layer=4");
	becomes("Gemma-3n: the last 15 layers share KV",
		LAYERS("gemma3n_text", "16", ""),
		"layers=model,kind1*15 kind1.kv_cache=false "
		"!kind1.kv_proj");
	becomes("in a model of more layers", LAYERS("gemma3n_text", "15", ""),
		"!layers");
}

static void mixtures(void)
{
#define EXPERTS ", 'num_local_experts': 4, 'num_experts_per_tok': 2"
	becomes("Arctic: every other layer has experts",
		LAYERS("arctic", "4", EXPERTS),
		"mlp_layer_types=sparse,dense !layers");
	becomes(
	    "a dense path beside them, under its other name",
	    LAYERS("arctic", "2", EXPERTS ", 'parallel_attn_mlp_res': true"),
	    "layers=kind1,model kind1.dense_beside_experts=true "
	    "kind1.intermediate_size=64 kind1.norms_per_layer=3");
	becomes("no layer has them",
		LAYERS("arctic", "2", EXPERTS ", 'moe_layer_frequency': 0"),
		"mlp_layer_types=dense");
	becomes("Bailing: no bias", LAYERS("bailing_moe", "2", ""),
		"!attention_bias");
	becomes("a bias of q, k and v",
		LAYERS("bailing_moe", "2", ", 'use_qkv_bias': true"),
		"attention_bias=qkv");
	becomes("of the output, too",
		LAYERS("bailing_moe", "2", ", 'use_bias': true"),
		"attention_bias=all");
#define ERNIE                                                                  \
	", 'moe_num_experts': 4, 'moe_k': 2, 'moe_intermediate_size': 32, "    \
	"'moe_layer_start_index': 1"
	becomes(
	    "ERNIE: experts from a layer on, to the end",
	    LAYERS("ernie4_5_moe", "4", ERNIE ", 'moe_layer_end_index': -1"),
	    "mlp_layer_types=dense,sparse*3 router_bias=true !mlp_bias");
	becomes("to a layer, every other one",
		LAYERS("ernie4_5_moe", "6",
		       ERNIE ", 'moe_layer_end_index': 4, "
			     "'moe_layer_interval': 2, 'use_bias': true"),
		"mlp_layer_types=dense,sparse,dense,sparse,dense "
		"attention_bias=all mlp_bias=true");
	becomes(
	    "a router without a correction",
	    LAYERS("ernie4_5_moe", "2", ERNIE ", 'moe_use_aux_free': false"),
	    "!router_bias");
	becomes("an interval of 0 leaves all layers as they are",
		LAYERS("ernie4_5_moe", "2", ERNIE ", 'moe_layer_interval': 0"),
		"mlp_layer_types=sparse");
	becomes("one expert is none",
		LAYERS("ernie4_5", "2", ", 'moe_num_experts': 1"),
		"!mlp_layer_types !router_bias");
	becomes("Grok-1 has experts alone",
		LAYERS("grok-1", "1", EXPERTS ", 'moe_intermediate_size': 32"),
		"moe_intermediate_size=32 !dense_beside_experts");
	becomes("Grok-2 a dense FFN, too",
		LAYERS("grok-1", "1",
		       EXPERTS ", 'moe_intermediate_size': 32, "
			       "'residual_moe': true"),
		"moe_intermediate_size=32 dense_beside_experts=true");
	becomes(
	    "Hunyuan: a share of 1 is no sharing",
	    LAYERS("hunyuan", "2", ", 'use_cla': true, 'cla_share_factor': 1"),
	    "!layers");
	becomes("a share of 2, unused",
		LAYERS("hunyuan", "2", ", 'cla_share_factor': 2"), "!layers");
	becomes("MiniMax-M3 with full attention and a gate",
		LAYERS("minimax_m3", "2",
		       EXPERTS ", 'attention_output_gate': true"),
		"attention_gate=full !layers intermediate_size=128 "
		"moe_intermediate_size=128");
}

static void kinds_of_others(void)
{
	becomes("Apertus: another activation has no parameters",
		LAYERS("apertus", "1", ", 'hidden_act': 'relu2'"),
		"gated_mlp=false !other_params");
	becomes("Llama-3.2-Vision: a layer beyond the last is ignored",
		LAYERS("mllama_text_model", "2",
		       ", 'cross_attention_layers': [1, 2]"),
		"layers=model,kind1 kind1.kv_cache=false kind1.other_params=2");
	becomes("InternLM has biases", LAYERS("internlm", "1", ""),
		"attention_bias=all !mlp_bias");
	becomes("InternLM-3 may have some",
		LAYERS("internlm3", "1", ", 'qkv_bias': true"),
		"attention_bias=qkv !mlp_bias");
	becomes("or all", LAYERS("internlm3", "1", ", 'bias': true"),
		"attention_bias=all mlp_bias=true");
	becomes("Seed-OSS: a bias of the output",
		LAYERS("seed_oss", "1",
		       ", 'attention_bias': true, 'attention_out_bias': true"),
		"attention_bias=all");
	becomes("or none", LAYERS("seed_oss", "1", ""), "!attention_bias");
	becomes("DeepSeek-V4 without a list of ratios",
		LAYERS("deepseek_v4", "6",
		       ", 'sliding_window': 8, 'q_lora_rank': 8, 'o_groups': "
		       "2, 'o_lora_rank': 8, 'index_n_heads': 2, "
		       "'index_head_dim': 4, 'index_topk': 9, "
		       "'n_routed_experts': 4, 'num_experts_per_tok': 2, "
		       "'moe_intermediate_size': 32, 'num_hash_layers': 0"),
		"layers=kind1*2,kind2,kind1,kind2 "
		"kind1.compress_ratio=128 kind1.index_topk=0 "
		"kind2.compress_ratio=4 !kind2.index_topk "
		"!kind1.router_bias");
}

int main(void)
{
	scratch_open();
	windows();
	gemma_layers();
	mixtures();
	kinds_of_others();
	checkpoints();
	experts();
	heads();
	gemma();
	compressed();
	others();
	seeing();
	others_of_2026();
	model_free(&the);
	return done();
}
