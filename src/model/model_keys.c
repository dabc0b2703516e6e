/* model_keys.c -- The keys of [model] and of [layers:NAME]. */
#include "model/model_keys.h"
#include <string.h>
#include "stepcost/knob.h"

#define INT(field, def, min, max, ...)                                         \
	SC_INT(struct model_keys, field, def, min, max, "1", __VA_ARGS__)
#define DOUBLE(field, def, min, max, unit, ...)                                \
	SC_DOUBLE(struct model_keys, field, def, min, max, unit, __VA_ARGS__)
#define BOOL(field, def, ...)                                                  \
	SC_BOOL(struct model_keys, field, def, __VA_ARGS__)
#define CHOICE(field, def, words, ...)                                         \
	SC_CHOICE(struct model_keys, field, def, words, __VA_ARGS__)
#define TEXT(field, def, ...)                                                  \
	KEY_TEXT_OF(struct model_keys, field, def, __VA_ARGS__)
/* The last argument of a row: when the key has an effect (keys/when.h). */
#define WHEN(when_) .when = (when_)
#define SPARSE WHEN("num_experts>0")
#define SHARED WHEN("num_experts>0 & n_shared_experts>0")
#define LATENT WHEN("kv_lora_rank>0")
#define INDEXED WHEN("index_n_heads>0")
#define NORMED WHEN("qk_norm=true")
#define BY_FORMAT WHEN("bytes_per_param=0")
#define QUANTIZED "quantization=fp8|int8|fp4|int4"
#define LINEAR                                                                 \
	WHEN("linear_beside_attention=true ; layer_types=*linear_attention*")
#define N(array) (uint32_t)(sizeof(array) / sizeof *(array))

#define QUANTIZATION(field, what, when)                                        \
	CHOICE(field, "auto", part_quantizations,                              \
	       "Format of " what ". auto: by quantization.", when)
#define BITS(field, when)                                                      \
	DOUBLE(field, "0", 0, 32, "bit",                                       \
	       "Bits stored for one of these weights, on average. "            \
	       "0: by the format.",                                            \
	       when)

const char *const model_mixer_word[] = {"full_attention",
					"sliding_attention",
					"chunked_attention",
					"linear_attention",
					"none",
					NULL};
const char *const model_ffn_word[] = {"dense", "sparse", "none", NULL};

static const char *const dtypes[] = {"bfloat16", "float16", "float32", NULL};
static const char *const quantizations[] = {"none", "fp8",  "int8",
					    "fp4",  "int4", NULL};
static const char *const part_quantizations[] = {"auto", "none", "fp8", "int8",
						 "fp4",  "int4", NULL};
static const char *const parts[] = {"linear", "experts", NULL};
static const char *const biases[] = {"none", "qkv", "all", NULL};
static const char *const gates[] = {"none", "head", "full", NULL};
static const char *const linears[] = {
    "none",  "gated_delta", "kda",        "kda_full", "lightning",
    "mamba", "mamba2",      "short_conv", "matrix",   NULL};
static const char *const index_dtypes[] = {"bf16", "fp8", NULL};
static const char *const state_dtypes[] = {"auto", "bf16", "fp32", NULL};
/* In the order of SC_SAMPLING_*. */
static const char *const samplings[] = {"unknown", "greedy", "random", "top_p",
					NULL};

const sc_knob *const model_key[] = {
    TEXT(config, "",
	 "A name under etc/models, a publisher's name "
	 "(meta-llama/Llama-3.1-8B), or a config.json."),
    INT(num_hidden_layers, NULL, 1, 10000, "Layers."),
    INT(hidden_size, NULL, 1, 1e6, "Width of the residual stream."),
    INT(num_attention_heads, NULL, 1, 10000, "Query heads."),
    INT(num_key_value_heads, "0", 0, 10000,
	"KV heads. 0: as many as query heads."),
    INT(head_dim, "0", 0, 10000,
	"Size of a head. 0: hidden_size / num_attention_heads."),
    INT(intermediate_size, "0", 0, 1e7,
	"Width of a dense layer's FFN. 0: 4 x hidden_size."),
    INT(vocab_size, NULL, 1, 1e8, "Tokens in the vocabulary."),
    INT(max_position_embeddings, "0", 0, 4e9,
	"Longest prompt and output together. 0: unknown."),
    BOOL(tie_word_embeddings, "false",
	 "The LM head is the embedding transposed."),
    DOUBLE(bytes_per_param, "0", 0, 8, "byte",
	   "Bytes of a number, the same for weights, KV and kernels: 4 FP32, 2 "
	   "BF16, 1 FP8, 0.5 FP4. 0: by torch_dtype and quantization."),
    CHOICE(torch_dtype, "bfloat16", dtypes,
	   "Format of all weights and activations that are not quantized."),
    CHOICE(quantization, "none", quantizations, "Format of quantized weights.",
	   BY_FORMAT),
    CHOICE(quantized_layers, "linear", parts,
	   "The quantized layers: attention and FFN, or only experts.",
	   WHEN(QUANTIZED " ; attention_bits>0 ; ffn_bits>0")),
    DOUBLE(quantized_bits, "0", 0, 32, "bit",
	   "Bits stored for a quantized weight, scales included. 0: by the "
	   "format.",
	   WHEN("bytes_per_param=0 & " QUANTIZED)),
    BOOL(gated_mlp, "true",
	 "true: an FFN has gate, up and down projections; false: up and down."),
    CHOICE(attention_bias, "none", biases, "Projections that have a bias."),
    BOOL(mlp_bias, "false", "The FFN's projections have a bias."),
    BOOL(qk_norm, "false", "A norm over each query and key head."),
    BOOL(attention_sinks, "false", "A learned sink for each head."),
    INT(norms_per_layer, "2", 0, 16,
	"Norms of a layer, each of hidden_size elements."),
    INT(num_experts, "0", 0, 1e5, "Routed experts of a layer. 0: dense."),
    INT(num_experts_per_tok, "0", 0, 1e5, "Experts a token goes through.",
	SPARSE),
    INT(moe_intermediate_size, "0", 0, 1e7, "Width of one routed expert.",
	SPARSE),
    INT(n_shared_experts, "0", 0, 1e4, "Experts every token goes through.",
	SPARSE),
    INT(shared_expert_intermediate_size, "0", 0, 1e7,
	"Width of a shared expert. 0: moe_intermediate_size.", SHARED),
    BOOL(shared_expert_gate, "false", "The shared expert has a gate.", SHARED),
    BOOL(router_bias, "false", "The router has a bias or a correction.",
	 SPARSE),
    BOOL(expert_bias, "false", "The experts' projections have a bias.", SPARSE),
    INT(q_lora_rank, "0", 0, 1e5,
	"MLA: rank of compressed queries. 0: queries are not compressed."),
    INT(kv_lora_rank, "0", 0, 1e5,
	"MLA: rank of the compressed KV. 0: no latent attention."),
    INT(qk_nope_head_dim, "0", 0, 1e5,
	"MLA: size of the part of a query head without a position.", LATENT),
    INT(qk_rope_head_dim, "0", 0, 1e5,
	"MLA: size of the part of a query head with a rotary position.",
	LATENT),
    INT(v_head_dim, "0", 0, 1e5, "Size of a value head, for MLA. 0: head_dim."),
    TEXT(layer_types, "full_attention",
	 "full_attention, sliding_attention, chunked_attention, "
	 "linear_attention or none, each with *N for N in a row, repeated."),
    TEXT(mlp_layer_types, "",
	 "dense, sparse or none, written as in layer_types. Empty: sparse if "
	 "there are experts."),
    INT(sliding_window, "0", 0, 4e9, "Tokens a sliding layer sees.",
	WHEN("layer_types=*sliding_attention*")),
    INT(attention_chunk_size, "0", 0, 4e9, "Tokens of a chunked layer.",
	WHEN("layer_types=*chunked_attention*")),
    /* keys that only some models need */
    TEXT(layers, "",
	 "Kinds of layers, written as in layer_types: names of sections "
	 "[layers:NAME] with the keys that differ, or `model` if none does. "
	 "Empty: all layers are alike."),
    QUANTIZATION(attention_quantization, "attention's projections", BY_FORMAT),
    BITS(attention_bits, BY_FORMAT),
    QUANTIZATION(ffn_quantization, "dense FFNs and shared experts", BY_FORMAT),
    BITS(ffn_bits, BY_FORMAT),
    QUANTIZATION(expert_quantization, "routed experts",
		 WHEN("num_experts>0 & bytes_per_param=0")),
    BITS(expert_bits, WHEN("num_experts>0 & bytes_per_param=0")),
    CHOICE(head_quantization, "none", part_quantizations + 1,
	   "Format of the LM head.",
	   WHEN("bytes_per_param=0 & tie_word_embeddings=false")),
    BITS(head_bits, WHEN("bytes_per_param=0 & tie_word_embeddings=false")),
    INT(activation_bits, "0", 0, 16,
	"Bits of the activations that quantized weights are multiplied with: "
	"16, 8 or 4. 0: unknown.",
	BY_FORMAT),
    CHOICE(kv_cache_quantization, "none", part_quantizations + 1,
	   "Format of the KV cache that the checkpoint asks for.", BY_FORMAT),
    CHOICE(attention_gate, "none", gates,
	   "A gate on attention's output: one number a head, or one an "
	   "element."),
    BOOL(qk_norm_all_heads, "false",
	 "qk_norm has a weight for every element of every head.", NORMED),
    BOOL(qk_norm_joint, "false",
	 "One qk_norm goes over all heads at once, so tensor parallelism adds "
	 "an all-reduce.",
	 NORMED),
    BOOL(norm_bias, "false", "Norms have a bias."),
    BOOL(kv_proj, "true", "Keys and values have projections."),
    BOOL(v_proj, "true", "Values have a projection of their own."),
    BOOL(kv_cache, "true",
	 "The layer keeps KV; false: it reads another layer's."),
    INT(index_n_heads, "0", 0, 10000,
	"Heads of the indexer of sparse attention. 0: no indexer."),
    INT(index_head_dim, "0", 0, 10000, "Size of one head of the indexer.",
	INDEXED),
    INT(index_topk, "0", 0, 4e9,
	"Tokens that sparse attention attends to. 0: it is not sparse."),
    CHOICE(
	index_kv_dtype, "bf16", index_dtypes,
	"Format of an indexer's keys beside plain heads (MiniMax-M3). Beside "
	"latent and compressed attention it is always FP8.",
	WHEN("index_n_heads>0 & kv_lora_rank=0 & o_lora_rank=0")),
    INT(o_groups, "0", 0, 10000,
	"Groups of heads of a compressed output projection.",
	WHEN("o_lora_rank>0")),
    INT(o_lora_rank, "0", 0, 1e5,
	"Rank of the compressed output projection in each group; queries are "
	"then compressed, and keys are the values. 0: not compressed."),
    INT(compress_ratio, "0", 0, 1e6,
	"Tokens that share a compressed KV entry. 0: none."),
    INT(zero_experts, "0", 0, 1e5, "Experts without weights.", SPARSE),
    INT(moe_latent_size, "0", 0, 1e6,
	"Width that experts see instead of hidden_size.", SPARSE),
    BOOL(dense_beside_experts, "false",
	 "Sparse layers also have the dense FFN of intermediate_size.", SPARSE),
    CHOICE(linear_attention, "none", linears,
	   "Kind of the linear_attention layers.", LINEAR),
    BOOL(linear_beside_attention, "false",
	 "A layer has linear attention in addition to softmax attention."),
    INT(linear_num_key_heads, "0", 0, 1e5, "Mamba-2: groups of B and C.",
	LINEAR),
    INT(linear_num_value_heads, "0", 0, 1e6, "Mamba: heads.", LINEAR),
    INT(linear_key_head_dim, "0", 0, 1e6, "Mamba: the state's size.", LINEAR),
    INT(linear_value_head_dim, "0", 0, 1e6, "Size of one value head.", LINEAR),
    INT(linear_conv_kernel_dim, "0", 0, 1e4,
	"Tokens that the convolution sees.", LINEAR),
    INT(linear_dt_rank, "0", 0, 1e6, "Mamba-1: rank of the time step.", LINEAR),
    INT(linear_chunk_size, "0", 0, 1e6,
	"Mamba-2: tokens that the scan takes at a time. 0: unknown.", LINEAR),
    CHOICE(state_dtype, "auto", state_dtypes,
	   "Format of the recurrent state. auto: FP32 for Kimi delta attention "
	   "and lightning, torch_dtype for others.",
	   LINEAR),
    BOOL(linear_proj_bias, "false", "Mamba: projections have a bias.", LINEAR),
    BOOL(linear_conv_bias, "false", "The convolution has a bias.", LINEAR),
    BOOL(linear_norm, "false", "Mamba: a norm inside.", LINEAR),
    INT(other_params, "0", 0, 1e15, "Further vectors of a layer, elements."),
    INT(other_matrices, "0", 0, 1e15,
	"Further matrices of a layer that no other key describes, elements."),
    INT(embedding_size, "0", 0, 1e6,
	"Size of one token's embedding, if it is not hidden_size."),
    INT(learned_positions, "0", 0, 4e9, "Learned position embeddings."),
    BOOL(final_norm, "true", "The last norm has parameters."),
    BOOL(lm_head_bias, "false", "The LM head has a bias."),
    INT(outside_params, "0", 0, 1e15, "Further parameters outside the layers."),
    CHOICE(sampling, "unknown", samplings,
	   "Sampling that the model's generation_config.json asks for: greedy; "
	   "random; top_p (top_p, top_k or min_p)."),
};
const uint32_t model_n_keys = N(model_key);

int model_key_is_whole(const char *name)
{
	static const char *const whole[] = {
	    "config",          "num_hidden_layers",
	    "hidden_size",     "vocab_size",
	    "layers",          "max_position_embeddings",
	    "layer_types",     "tie_word_embeddings",
	    "mlp_layer_types", "torch_dtype",
	    "bytes_per_param", "head_quantization",
	    "head_bits",       "kv_cache_quantization",
	    "embedding_size",  "learned_positions",
	    "final_norm",      "lm_head_bias",
	    "outside_params",  "sampling"};
	for (uint32_t i = 0; i < N(whole); i++)
		if (!strcmp(whole[i], name))
			return 1;
	return 0;
}

void model_keys_write(struct jw *j, const struct model_keys *k)
{
	char buf[32];
	int is_common = 1;
	for (uint32_t i = 0; i < model_n_keys; i++) {
		const sc_knob *key = model_key[i];
		is_common &= strcmp(key->name, "layers") != 0;
		if (is_common || strcmp(knob_text(buf, key, k), key->def))
			knobs_write(j, k, &model_key[i], 1);
	}
}
