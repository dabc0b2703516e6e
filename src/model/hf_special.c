/* hf_special.c -- Reads what only single architectures have. */
#include "model/hf_special.h"
#include <string.h>

static int says(struct hf_reader *r, const char *key, int absent)
{
	return hf_boolean(r, r->in, key, absent);
}

/* ---- attention with windows of several kinds ---- */

/* AFMoE: a gate as wide as the output; without a list, every fourth layer has
 * full attention. */
void hf_read_afmoe(struct hf_reader *r)
{
	int64_t every =
	    hf_integer(r, HF_NAMES("global_attn_every_n_layers"), 4);
	if (!json_object_get(r->in, "layer_types"))
		for (int64_t i = 0; every && i < r->layers; i++)
			r->layer[i].mixer =
			    (i + 1) % every ? MIX_SLIDING : MIX_FULL;
	hf_put(r, "attention_gate", "full");
}

/* Laguna: individual layers have other numbers of heads; a gate per head or per
 * element. */
void hf_read_laguna(struct hf_reader *r)
{
	const json_t *heads = hf_layer_list(r, "num_attention_heads_per_layer");
	int64_t usual = hf_required(r, HF_NAMES("num_attention_heads"));
	for (int64_t i = 0; heads && i < r->layers; i++)
		if (hf_at(heads, i) && hf_at(heads, i) != usual)
			hf_layer_put_int(r, i, "num_attention_heads",
					 hf_at(heads, i));
	if (hf_given(r, "gating"))
		hf_put(r, "attention_gate",
		       strcmp(hf_text(r->in, "gating"), "per-element")
			   ? "head"
			   : "full");
}

/* MiMo-V2: hybrid_layer_pattern has 1 for layers with a window; these have
 * other heads, and sinks. */
void hf_read_mimo_v2(struct hf_reader *r)
{
	static const char *const own[][2] = {
	    {"swa_num_attention_heads", "num_attention_heads"},
	    {"swa_num_key_value_heads", "num_key_value_heads"},
	    {"swa_head_dim", "head_dim"},
	    {"swa_v_head_dim", "v_head_dim"}};
	const json_t *list = hf_layer_list(r, "hybrid_layer_pattern");
	int full_sinks = says(r, "add_full_attention_sink_bias", 0);
	int window_sinks = says(r, "add_swa_attention_sink_bias", 0);
	hf_put_int(r, "v_head_dim", hf_integer(r, HF_NAMES("v_head_dim"), 0));
	hf_put_true(r, "attention_sinks", full_sinks);
	for (int64_t i = 0; list && i < r->layers; i++) {
		r->layer[i].mixer = hf_at(list, i) ? MIX_SLIDING : MIX_FULL;
		for (size_t k = 0; k < 4 && hf_at(list, i); k++) {
			int64_t v = hf_integer(r, HF_NAMES(own[k][0]), 0);
			if (v)
				hf_layer_put_int(r, i, own[k][1], v);
		}
		if (hf_at(list, i) && full_sinks != window_sinks)
			hf_layer_put(r, i, "attention_sinks",
				     window_sinks ? "true" : "false");
	}
}

/* Step-3: queries of low rank, for one pair of key and value heads. */
void hf_read_step3(struct hf_reader *r)
{
	hf_put_int(r, "num_key_value_heads",
		   hf_integer(r, HF_NAMES("num_attention_groups"), 1));
	hf_put_int(r, "q_lora_rank", hf_required(r, HF_NAMES("share_q_dim")));
}

/* Step-3.5: attention_other_setting describes the layers with a window. */
void hf_read_step3p5(struct hf_reader *r)
{
	const json_t *o = json_object_get(r->in, "attention_other_setting");
	int64_t heads = hf_integer_in(r, o, "num_attention_heads", 0);
	int64_t kv = hf_integer_in(r, o, "num_attention_groups", 0);
	for (int64_t i = 0; i < r->layers; i++) {
		if (r->layer[i].mixer != MIX_SLIDING)
			continue;
		if (heads)
			hf_layer_put_int(r, i, "num_attention_heads", heads);
		if (kv)
			hf_layer_put_int(r, i, "num_key_value_heads", kv);
	}
	if (says(r, "use_head_wise_attn_gate", 0))
		hf_put(r, "attention_gate", "head");
}

/* Gemma-4: layers with full attention have heads of another size, and their
 * values may be their keys.  The last layers read the KV cache of others.
 * There is a dense FFN beside the experts, with its own norms; the router has
 * scales. */
static void read_gemma4_layer(struct hf_reader *r, int64_t i, int sparse)
{
	int64_t shared = hf_integer(r, HF_NAMES("num_kv_shared_layers"), 0);
	int64_t dim = hf_integer(r, HF_NAMES("global_head_dim"), 0);
	int64_t kv = hf_integer(r, HF_NAMES("num_global_key_value_heads"), 0);
	int same = says(r, "attention_k_eq_v", 0);
	if (r->layer[i].mixer == MIX_FULL && dim)
		hf_layer_put_int(r, i, "head_dim", dim);
	if (r->layer[i].mixer == MIX_FULL && same && kv)
		hf_layer_put_int(r, i, "num_key_value_heads", kv);
	if (r->layer[i].mixer == MIX_FULL && same)
		hf_layer_put(r, i, "v_proj", "false");
	if (i >= r->layers - shared && r->layers > shared) {
		hf_layer_put(r, i, "kv_cache", "false");
		hf_layer_put(r, i, "kv_proj", "false");
		if (says(r, "use_double_wide_mlp", 0))
			hf_layer_put_int(
			    r, i, "intermediate_size",
			    2 * hf_required(r, HF_NAMES("intermediate_size")));
	}
	r->layer[i].ffn = sparse ? FFN_SPARSE : FFN_DENSE;
}

/* Inputs per layer: each layer has its own embedding with a projection
 * (Gemma-3n). */
static void put_layer_inputs(struct hf_reader *r, int64_t d, int64_t vectors,
			     int64_t matrices, int64_t outside)
{
	int64_t width =
	    hf_integer(r, HF_NAMES("hidden_size_per_layer_input"), 0);
	int64_t vocab =
	    hf_integer(r, HF_NAMES("vocab_size_per_layer_input"), 0);
	if (width) {
		matrices += 2 * d * width;
		vectors += d;
		outside += width * r->layers * (vocab + d) + width;
	}
	hf_put_int(r, "other_params", vectors);
	hf_put_int(r, "other_matrices", matrices);
	hf_put_int(r, "outside_params", outside);
}

void hf_read_gemma4(struct hf_reader *r)
{
	int64_t d = hf_required(r, HF_NAMES("hidden_size"));
	int64_t experts = hf_integer(r, HF_NAMES("num_experts"), 0);
	int sparse = says(r, "enable_moe_block", 0) && experts;
	for (int64_t i = 0; i < r->layers; i++)
		read_gemma4_layer(r, i, sparse);
	hf_put_true(r, "dense_beside_experts", sparse);
	if (sparse)
		hf_put_int(r, "norms_per_layer", 7);
	/* Each layer has one scalar more. */
	put_layer_inputs(r, d, 1 + (sparse ? d + experts : 0), 0, 0);
}

/* Gemma-3n: four residual streams that are mixed before and after each layer, a
 * low-rank path beside attention, inputs per layer. */
void hf_read_gemma3n(struct hf_reader *r)
{
	int64_t d = hf_required(r, HF_NAMES("hidden_size"));
	int64_t streams = hf_integer(r, HF_NAMES("altup_num_inputs"), 4);
	int64_t rank = hf_integer(r, HF_NAMES("laurel_rank"), 64);
	int64_t shared = hf_integer(r, HF_NAMES("num_kv_shared_layers"), 15);
	/* Coefficients of prediction and correction, the router and its norm,
	 * the scale of the corrected output, the norm of the low-rank path. */
	int64_t mixing = streams * streams * streams + streams * streams +
			 streams * d + 2 * d;
	for (int64_t i = 0; i < r->layers; i++)
		if (i >= r->layers - shared && r->layers > shared)
			hf_layer_put(r, i, "kv_cache", "false");
	put_layer_inputs(r, d, mixing + d, 2 * d * rank,
			 2 * (streams - 1) * d * d);
}

/* ---- experts ---- */

/* A residual path through a dense FFN, as wide as the layer, beside the
 * experts. */
void hf_read_arctic(struct hf_reader *r)
{
	int64_t every = hf_integer(r, HF_NAMES("moe_layer_frequency"), 2);
	int64_t d = hf_required(r, HF_NAMES("hidden_size"));
	int residual =
	    says(r, "use_residual", 0) || says(r, "parallel_attn_mlp_res", 0);
	for (int64_t i = 0; i < r->layers; i++) {
		int sparse = every && i % every == 0;
		r->layer[i].ffn = sparse ? FFN_SPARSE : FFN_DENSE;
		if (!sparse || !residual)
			continue;
		hf_layer_put_int(r, i, "intermediate_size", d);
		hf_layer_put(r, i, "dense_beside_experts", "true");
		hf_layer_put_int(r, i, "norms_per_layer", 3);
	}
}

void hf_read_bailing(struct hf_reader *r)
{
	int all = says(r, "use_bias", 0);
	if (all || says(r, "use_qkv_bias", 0))
		hf_put(r, "attention_bias", all ? "all" : "qkv");
}

/* ERNIE-4.5: every `interval`-th layer from start to end is a mixture of
 * experts; its router has a correction. */
void hf_read_ernie(struct hf_reader *r)
{
	int64_t from = hf_integer(r, HF_NAMES("moe_layer_start_index"), 1);
	int64_t to =
	    json_is_integer(json_object_get(r->in, "moe_layer_end_index")) &&
		    json_integer_value(
			json_object_get(r->in, "moe_layer_end_index")) >= 0
		? hf_integer(r, HF_NAMES("moe_layer_end_index"), 0)
		: r->layers - 1;
	int64_t every = hf_integer(r, HF_NAMES("moe_layer_interval"), 1);
	int sparse = hf_integer(r, HF_NAMES("moe_num_experts"), 0) > 1;
	int bias = says(r, "use_bias", 0);
	for (int64_t i = 0; sparse && every && i < r->layers; i++)
		r->layer[i].ffn = i >= from && i <= to && (i + 1) % every == 0
				      ? FFN_SPARSE
				      : FFN_DENSE;
	if (bias)
		hf_put(r, "attention_bias", "all");
	hf_put_true(r, "mlp_bias", bias);
	hf_put_true(r, "router_bias", sparse && says(r, "moe_use_aux_free", 1));
}

/* Grok: norms also after attention and experts; Grok-2 has a dense FFN beside
 * the experts. */
void hf_read_grok(struct hf_reader *r)
{
	if (!says(r, "residual_moe", 0))
		return;
	hf_put_true(r, "dense_beside_experts", 1);
	hf_put_int(r, "moe_intermediate_size",
		   hf_required(r, HF_NAMES("moe_intermediate_size")));
}

/* Hunyuan: a layer may use the keys and values of the layer before. */
void hf_read_hunyuan(struct hf_reader *r)
{
	int64_t share = hf_integer(r, HF_NAMES("cla_share_factor"), 1);
	for (int64_t i = 0; says(r, "use_cla", 0) && i < r->layers; i++)
		if (share > 1 && i % share) {
			hf_layer_put(r, i, "kv_cache", "false");
			hf_layer_put(r, i, "kv_proj", "false");
		}
}

/* LongCat-Flash: a layer has attention and FFN twice, and beside the first FFN
 * experts, some of them without weights.  So it is two layers here. */
void hf_read_longcat(struct hf_reader *r)
{
	hf_put_int(r, "zero_experts",
		   hf_integer(r, HF_NAMES("zero_expert_num"), 0));
	hf_put_int(r, "moe_intermediate_size",
		   hf_required(r, HF_NAMES("expert_ffn_hidden_size",
					   "moe_intermediate_size")));
	hf_put_true(r, "dense_beside_experts", 1);
	for (int64_t i = 0; i < r->layers; i++)
		r->layer[i].ffn = i % 2 ? FFN_DENSE : FFN_SPARSE;
}

/* MiniMax-M3: intermediate_size is that of an expert; from some layer on, an
 * indexer chooses blocks for attention. */
void hf_read_minimax_m3(struct hf_reader *r)
{
	const json_t *s = json_object_get(r->in, "sparse_attention_config");
	const json_t *list = json_object_get(s, "sparse_attention_freq");
	int64_t heads = hf_integer_in(r, s, "sparse_num_index_heads", 0);
	int64_t topk = hf_integer_in(r, s, "sparse_topk_blocks", 0) *
		       hf_integer_in(r, s, "sparse_block_size", 1);
	hf_put_int(r, "intermediate_size",
		   hf_required(r, HF_NAMES("dense_intermediate_size",
					   "intermediate_size")));
	hf_put_int(r, "moe_intermediate_size",
		   hf_required(r, HF_NAMES("intermediate_size")));
	hf_put_int(r, "index_head_dim",
		   hf_integer_in(r, s, "sparse_index_dim", 0));
	for (int64_t i = 0; i < r->layers; i++)
		if (hf_at(list, i)) {
			hf_layer_put_int(r, i, "index_n_heads", heads);
			hf_layer_put_int(r, i, "index_topk", topk);
		}
	if (says(r, "attention_output_gate", 0))
		hf_put(r, "attention_gate", "full");
}

void hf_read_phimoe(struct hf_reader *r)
{
	hf_put_true(r, "lm_head_bias", says(r, "lm_head_bias", 0));
}

/* ---- others ---- */

/* The activation has two parameters, and there is no gate. */
void hf_read_apertus(struct hf_reader *r)
{
	if (!strcmp(hf_text(r->in, "hidden_act"), "xielu"))
		hf_put_int(r, "other_params", 2);
}

/* Llama-3.2-Vision: some layers attend to an image; their KV cache does not
 * grow with the text, and they have norms per head and two gates.  The
 * embedding has 8 rows more than the vocabulary. */
void hf_read_mllama(struct hf_reader *r)
{
	const json_t *list = json_object_get(r->in, "cross_attention_layers");
	for (size_t i = 0; i < json_array_size(list); i++) {
		int64_t at = hf_at(list, (int64_t)i);
		if (at >= r->layers)
			continue;
		hf_layer_put(r, at, "kv_cache", "false");
		hf_layer_put(r, at, "qk_norm", "true");
		hf_layer_put_int(r, at, "other_params", 2);
	}
	hf_put_int(r, "outside_params",
		   8 * hf_required(r, HF_NAMES("hidden_size")));
}

/* The first InternLM has biases in all of attention; the third has two keys for
 * that. */
void hf_read_internlm(struct hf_reader *r)
{
	int first = !strcmp(r->type, "internlm");
	int all = says(r, "bias", first);
	if (all || says(r, "qkv_bias", 0))
		hf_put(r, "attention_bias", all ? "all" : "qkv");
	hf_put_true(r, "mlp_bias", all && !strcmp(r->type, "internlm3"));
}

void hf_read_seed_oss(struct hf_reader *r)
{
	if (says(r, "attention_bias", 0) && says(r, "attention_out_bias", 0))
		hf_put(r, "attention_bias", "all");
}

/* DeepSeek-V4: each layer attends to a window and to compressed entries.  An
 * entry stands for 4 tokens, and an indexer chooses among them, or for 128
 * tokens.  Residuals have hc_mult streams. */
static void read_v4_layer(struct hf_reader *r, int64_t i, int64_t ratio)
{
	r->layer[i].mixer = MIX_SLIDING;
	r->layer[i].ffn = FFN_SPARSE;
	if (ratio)
		hf_layer_put_int(r, i, "compress_ratio", ratio);
	if (!ratio || ratio > 16) {
		hf_layer_put_int(r, i, "index_n_heads", 0);
		hf_layer_put_int(r, i, "index_topk", 0);
	}
	/* The first layers choose experts by a hash of the token; their router
	 * has no correction. */
	if (i < hf_integer(r, HF_NAMES("num_hash_layers"), 3))
		hf_layer_put(r, i, "router_bias", "false");
}

void hf_read_deepseek_v4(struct hf_reader *r)
{
	const json_t *list = hf_layer_list(r, "compress_ratios");
	int64_t d = hf_required(r, HF_NAMES("hidden_size"));
	int64_t streams = hf_integer(r, HF_NAMES("hc_mult"), 4);
	int64_t mix = (2 + streams) * streams;
	for (int64_t i = 0; i < r->layers; i++)
		read_v4_layer(r, i,
			      list    ? hf_at(list, i)
			      : i < 2 ? 128
			      : i % 2 ? 128
				      : 4);
	hf_put_int(r, "o_groups", hf_required(r, HF_NAMES("o_groups")));
	hf_put_int(r, "o_lora_rank", hf_required(r, HF_NAMES("o_lora_rank")));
	hf_put_int(r, "q_lora_rank", hf_required(r, HF_NAMES("q_lora_rank")));
	hf_put_true(r, "attention_sinks", 1);
	hf_put_int(r, "other_params", 2 * (mix * streams * d + mix + 3));
	hf_put_int(r, "outside_params", streams * streams * d + streams + 1);
}
