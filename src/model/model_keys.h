/* model/model_keys.h -- the keys of [model] and of [layers:NAME], as data: one
 * row per key with type, default, range and help.
 *
 * A block describes a model with layers that differ only in layer_types and
 * mlp_layer_types.  If they differ in more, `layers` names kinds of layers, and
 * [layers:NAME] overrides keys for such a kind; see model.h. */
#pragma once
#include <stdint.h>
#include "base/json/json_writer.h"
#include "keys/keys.h"
#include "stepcost/plugin.h"

enum attention_bias { BIAS_NONE, BIAS_QKV, BIAS_ALL };
enum attention_gate { GATE_NONE, GATE_HEAD, GATE_FULL };
enum dtype { DTYPE_BF16, DTYPE_FP16, DTYPE_FP32 }; /* of torch_dtype */
enum index_kv_dtype { INDEX_KV_BF16, INDEX_KV_FP8 };
/* The format of recurrent states; auto: it follows from the kind of layer and
 * from torch_dtype. */
enum state_dtype { STATE_AUTO, STATE_BF16, STATE_FP32 };
enum quantized_layers { QUANTIZED_LINEAR, QUANTIZED_EXPERTS };
/* What replaces softmax attention in linear_attention layers. */
enum linear_attention {
	LINEAR_NONE,
	LINEAR_GATED_DELTA, /* Qwen3-Next */
	LINEAR_KDA,         /* Kimi Delta Attention, low-rank gate */
	LINEAR_KDA_FULL,    /* the same, full-rank gate */
	LINEAR_LIGHTNING,   /* MiniMax-Text-01 */
	LINEAR_MAMBA,       /* Mamba-1 */
	LINEAR_MAMBA2,
	LINEAR_SHORT_CONV, /* LFM2 */
	LINEAR_MATRIX,     /* one matrix, in Nemotron-NAS */
};

struct model_keys {
	const char *config; /* a name or a path; "": only the keys */
	int64_t num_hidden_layers, hidden_size, num_attention_heads;
	int64_t num_key_value_heads, head_dim, intermediate_size, vocab_size;
	int64_t max_position_embeddings, tie_word_embeddings;
	/* Number formats: */
	double bytes_per_param; /* of all weights; 0: by the keys below */
	int64_t torch_dtype, quantization, quantized_layers;
	double quantized_bits;
	/* The formats of parts of the model.  0: auto, the three keys above say
	 * it; else 1 + the number that `quantization` has for the format. */
	int64_t attention_quantization, ffn_quantization, expert_quantization;
	int64_t head_quantization, kv_cache_quantization;
	double attention_bits, ffn_bits, expert_bits, head_bits;
	int64_t activation_bits;
	/* Small parts: */
	int64_t gated_mlp, attention_bias, mlp_bias, qk_norm, attention_sinks;
	int64_t qk_norm_joint, qk_norm_all_heads, norms_per_layer, norm_bias;
	int64_t other_params, other_matrices;
	/* Attention: */
	int64_t attention_gate, kv_proj, v_proj, kv_cache;
	int64_t index_n_heads, index_head_dim, index_topk, index_kv_dtype;
	int64_t o_groups, o_lora_rank, compress_ratio;
	/* Mixture of experts: */
	int64_t num_experts, num_experts_per_tok, moe_intermediate_size;
	int64_t n_shared_experts, shared_expert_intermediate_size;
	int64_t shared_expert_gate, router_bias, expert_bias;
	int64_t zero_experts, moe_latent_size, dense_beside_experts;
	/* Latent attention: */
	int64_t q_lora_rank, kv_lora_rank;
	int64_t qk_nope_head_dim, qk_rope_head_dim, v_head_dim;
	/* Linear attention and state spaces: */
	int64_t linear_attention, linear_beside_attention;
	int64_t linear_num_key_heads, linear_num_value_heads;
	int64_t linear_key_head_dim, linear_value_head_dim;
	int64_t linear_conv_kernel_dim, linear_dt_rank, linear_chunk_size;
	int64_t state_dtype;
	int64_t linear_proj_bias, linear_conv_bias, linear_norm;
	/* Kinds of layers, "sliding_attention*3,full_attention", repeated over
	 * all layers. */
	const char *layer_types, *mlp_layer_types, *layers;
	int64_t sliding_window, attention_chunk_size;
	/* Outside the layers: */
	int64_t embedding_size, learned_positions, final_norm, lm_head_bias;
	int64_t outside_params;
	int64_t sampling; /* SC_SAMPLING_* */
};

/* Keys that every model has, and behind them those that only some need. */
extern const sc_knob *const model_key[];
extern const uint32_t model_n_keys;

/* Words of layer_types and mlp_layer_types; the lists end with NULL. */
enum { MIX_FULL, MIX_SLIDING, MIX_CHUNKED, MIX_LINEAR, MIX_NONE };
extern const char *const model_mixer_word[];
enum { FFN_DENSE, FFN_SPARSE, FFN_NONE };
extern const char *const model_ffn_word[];

/* Returns 1 if a key belongs to the whole model and not to a kind of layers. */
int model_key_is_whole(const char *name);
/* Writes keys as members of the open JSON object: all that every model
 * has, and of the others those that are not at their default. */
void model_keys_write(struct jw *j, const struct model_keys *k);
