/* hf_classic.c -- Reads architectures that have their own names for the common
 * fields. */
#include <string.h>
#include "model/hf_special.h"

static int says(struct hf_reader *r, const char *key, int absent)
{
	return hf_boolean(r, r->in, key, absent);
}

static void put_bias(struct hf_reader *r, int qkv, int out)
{
	hf_put(r, "attention_bias", out ? "all" : qkv ? "qkv" : "none");
}

static void put_mlp_bias(struct hf_reader *r, int bias)
{
	hf_put(r, "mlp_bias", bias ? "true" : "false");
}

/* One norm with a bias behind the embedding. */
void hf_read_bloom(struct hf_reader *r)
{
	hf_put_int(r, "outside_params",
		   2 * hf_required(r, HF_NAMES("hidden_size", "n_embed")));
}

void hf_read_chatglm(struct hf_reader *r)
{
	int64_t groups = hf_integer(r, HF_NAMES("multi_query_group_num"), 0);
	int bias = says(r, "add_bias_linear", 0);
	if (groups && says(r, "multi_query_attention", 0))
		hf_put_int(r, "num_key_value_heads", groups);
	hf_put_int(r, "head_dim", hf_integer(r, HF_NAMES("kv_channels"), 0));
	put_bias(r, says(r, "add_qkv_bias", 0), bias);
	put_mlp_bias(r, bias);
	hf_put_int(r, "intermediate_size",
		   hf_required(r, HF_NAMES("ffn_hidden_size")));
	hf_put_int(r, "vocab_size",
		   hf_required(r, HF_NAMES("padded_vocab_size", "vocab_size")));
}

void hf_read_dbrx(struct hf_reader *r)
{
	const json_t *ffn = json_object_get(r->in, "ffn_config");
	const json_t *attention = json_object_get(r->in, "attn_config");
	hf_put_int(r, "num_key_value_heads",
		   hf_integer_in(r, attention, "kv_n_heads", 0));
	hf_put_int(r, "num_experts",
		   hf_integer_in(r, ffn, "moe_num_experts", 4));
	hf_put_int(r, "num_experts_per_tok",
		   hf_integer_in(r, ffn, "moe_top_k", 1));
	hf_put_int(r, "moe_intermediate_size",
		   hf_integer_in(r, ffn, "ffn_hidden_size", 3584));
	for (int64_t i = 0; i < r->layers; i++)
		r->layer[i].ffn = FFN_SPARSE;
}

/* Sliding windows by a pattern of letters, "LLLG". */
void hf_read_exaone(struct hf_reader *r)
{
	const char *pattern = hf_text(r->in, "sliding_window_pattern");
	size_t n = strlen(pattern);
	if (n == 0 || json_object_get(r->in, "layer_types") ||
	    !hf_integer(r, HF_NAMES("sliding_window"), 0))
		return;
	for (int64_t i = 0; i < r->layers; i++)
		r->layer[i].mixer =
		    pattern[(size_t)i % n] == 'L' ? MIX_SLIDING : MIX_FULL;
}

/* Falcon-7B has one KV head and one norm; Falcon-40B has several and two. */
void hf_read_falcon(struct hf_reader *r)
{
	int new = says(r, "new_decoder_architecture", 0);
	int parallel = says(r, "parallel_attn", 1);
	int bias = says(r, "bias", 0);
	int64_t kv = hf_integer(r, HF_NAMES("num_kv_heads", "n_head_kv"), 0);
	/* RefinedWeb is the model_type of the first releases of the larger
	 * model. */
	new = new || !strcmp(r->type, "RefinedWeb");
	if (!new)
		kv = says(r, "multi_query", 1) ? 1 : 0;
	hf_put(r, "num_key_value_heads", "0");
	hf_put_int(r, "num_key_value_heads", kv);
	put_bias(r, bias, bias);
	put_mlp_bias(r, bias);
	hf_put_int(r, "norms_per_layer",
		   new ? hf_integer(r, HF_NAMES("num_ln_in_parallel_attn"), 2)
		   : parallel ? 1
			      : 2);
}

/* One KV head if multi_query is set (StarCoder-1). */
void hf_read_gpt2(struct hf_reader *r)
{
	if (says(r, "multi_query", 0))
		hf_put_int(r, "num_key_value_heads", 1);
}

void hf_read_gptj(struct hf_reader *r)
{
	hf_put_true(r, "lm_head_bias", 1);
}

void hf_read_mpt(struct hf_reader *r)
{
	const json_t *attention = json_object_get(r->in, "attn_config");
	int bias = !says(r, "no_bias", 1);
	int64_t d = hf_required(r, HF_NAMES("d_model", "hidden_size"));
	hf_put_int(r, "num_key_value_heads",
		   hf_integer_in(r, attention, "kv_n_heads", 0));
	put_bias(r, bias, bias);
	put_mlp_bias(r, bias);
	hf_put_true(r, "norm_bias", bias);
	hf_put_int(r, "intermediate_size",
		   d * hf_integer(r, HF_NAMES("expansion_ratio"), 4));
}

/* Positions begin at 2; the embedding may be narrower than the layers. */
void hf_read_opt(struct hf_reader *r)
{
	int64_t d = hf_required(r, HF_NAMES("hidden_size"));
	int64_t e = hf_integer(r, HF_NAMES("word_embed_proj_dim"), d);
	int bias = says(r, "enable_bias", 1);
	hf_put_int(r, "learned_positions",
		   2 + hf_required(r, HF_NAMES("max_position_embeddings")));
	if (e != d)
		hf_put_int(r, "embedding_size", e);
	put_bias(r, bias, bias);
	put_mlp_bias(r, bias);
	if (!says(r, "do_layer_norm_before", 1))
		hf_put(r, "final_norm", "false");
}

/* Norms have no parameters. */
void hf_read_olmo(struct hf_reader *r)
{
	hf_put(r, "norms_per_layer", "0");
	hf_put(r, "final_norm", "false");
}

void hf_read_phi(struct hf_reader *r)
{
	hf_put_true(r, "lm_head_bias", 1);
	if (!says(r, "qk_layernorm", 0))
		return;
	int64_t heads = hf_required(r, HF_NAMES("num_attention_heads"));
	hf_put_true(r, "qk_norm", 1);
	if (heads > 0)
		hf_put_int(
		    r, "other_params",
		    2 * (hf_required(r, HF_NAMES("hidden_size")) / heads));
}

/* Qwen's intermediate_size is the width of gate and up together. */
void hf_read_qwen(struct hf_reader *r)
{
	hf_put_int(r, "intermediate_size",
		   hf_required(r, HF_NAMES("intermediate_size")) / 2);
	hf_put_int(r, "head_dim", hf_integer(r, HF_NAMES("kv_channels"), 0));
}

void hf_read_stablelm(struct hf_reader *r)
{
	put_bias(r, says(r, "use_qkv_bias", 0), 0);
	if (says(r, "use_parallel_residual", 0))
		hf_put_int(r, "norms_per_layer", 1);
	hf_put_true(r, "qk_norm", says(r, "qk_layernorm", 0));
	hf_put_true(r, "qk_norm_all_heads", says(r, "qk_layernorm", 0));
}

void hf_read_starcoder2(struct hf_reader *r)
{
	int bias = says(r, "use_bias", 1);
	put_bias(r, bias, bias);
	put_mlp_bias(r, bias);
}
