/* hf_hybrid.c -- Reads models with layers of several kinds: linear attention
 * and state spaces beside attention, lists of blocks. */
#include <string.h>
#include "model/hf_special.h"

static int says(struct hf_reader *r, const char *key, int absent)
{
	return hf_boolean(r, r->in, key, absent);
}

static int have_linear(const struct hf_reader *r)
{
	for (int64_t i = 0; i < r->layers; i++)
		if (r->layer[i].mixer == MIX_LINEAR)
			return 1;
	return 0;
}

/* ---- linear attention ---- */

/* The format of the recurrent state, under the name of the field. */
static void put_state_dtype(struct hf_reader *r, const char *field,
			    const char *absent)
{
	const char *s = hf_text(r->in, field);
	s = *s ? s : absent;
	if (!strcmp(s, "float32"))
		hf_put(r, "state_dtype", "fp32");
	else if (!strcmp(s, "bfloat16") || !strcmp(s, "float16"))
		hf_put(r, "state_dtype", "bf16");
	else if (*s && strcmp(s, "auto"))
		hf_fail(r, EXIT_USAGE, field,
			"is '%.40s', a format of the state that is not "
			"supported",
			s);
}

/* Qwen3-Next: the last of every `interval` layers has softmax attention, with a
 * gate as wide as its output. */
void hf_read_gated_delta(struct hf_reader *r)
{
	int64_t every = hf_integer(r, HF_NAMES("full_attention_interval"), 4);
	if (!json_object_get(r->in, "layer_types"))
		for (int64_t i = 0; i < r->layers; i++)
			r->layer[i].mixer = every && (i + 1) % every == 0
						? MIX_FULL
						: MIX_LINEAR;
	if (says(r, "attn_output_gate", 1))
		hf_put(r, "attention_gate", "full");
	if (!have_linear(r))
		return;
	hf_put(r, "linear_attention", "gated_delta");
	hf_put_int(r, "linear_num_key_heads",
		   hf_required(r, HF_NAMES("linear_num_key_heads")));
	hf_put_int(r, "linear_num_value_heads",
		   hf_required(r, HF_NAMES("linear_num_value_heads")));
	hf_put_int(r, "linear_key_head_dim",
		   hf_required(r, HF_NAMES("linear_key_head_dim")));
	hf_put_int(r, "linear_value_head_dim",
		   hf_required(r, HF_NAMES("linear_value_head_dim")));
	hf_put_int(r, "linear_conv_kernel_dim",
		   hf_integer(r, HF_NAMES("linear_conv_kernel_dim"), 4));
	put_state_dtype(r, "mamba_ssm_dtype", "");
}

/* Kimi-K3: experts behind a projection to a smaller width, and residuals that
 * are weighted sums over blocks of layers. */
static void read_kimi_k3(struct hf_reader *r)
{
	int64_t d = hf_required(r, HF_NAMES("hidden_size"));
	int64_t latent =
	    hf_integer(r, HF_NAMES("routed_expert_hidden_size"), 0);
	int residuals = hf_given(r, "attn_res_block_size");
	hf_put_int(r, "moe_latent_size", latent);
	if (says(r, "mla_use_output_gate", 0))
		hf_put(r, "attention_gate", "full");
	if (residuals)
		hf_put_int(r, "outside_params", 2 * d);
	for (int64_t i = 0; i < r->layers; i++) {
		int64_t n = residuals ? 4 * d : 0;
		if (r->layer[i].ffn == FFN_SPARSE &&
		    says(r, "latent_moe_use_norm", 0))
			n += latent;
		if (n)
			hf_layer_put_int(r, i, "other_params", n);
	}
}

/* Kimi-Linear: its lists count layers from 1. */
void hf_read_kimi_linear(struct hf_reader *r)
{
	const json_t *l = json_object_get(r->in, "linear_attn_config");
	const json_t *list = json_object_get(l, "kda_layers");
	for (size_t i = 0; i < json_array_size(list); i++) {
		int64_t at = hf_at(list, (int64_t)i);
		if (at >= 1 && at <= r->layers)
			r->layer[at - 1].mixer = MIX_LINEAR;
	}
	read_kimi_k3(r);
	if (!have_linear(r))
		return;
	int full = json_is_true(json_object_get(l, "use_full_rank_gate"));
	int64_t heads = hf_integer_in(r, l, "num_heads", 0);
	int64_t dim = hf_integer_in(r, l, "head_dim", 0);
	hf_put(r, "linear_attention", full ? "kda_full" : "kda");
	hf_put_int(r, "linear_num_key_heads", heads);
	hf_put_int(r, "linear_num_value_heads", heads);
	hf_put_int(r, "linear_key_head_dim", dim);
	hf_put_int(r, "linear_value_head_dim", dim);
	hf_put_int(r, "linear_conv_kernel_dim",
		   hf_integer_in(r, l, "short_conv_kernel_size", 4));
}

/* MiniMax-Text-01: attn_type_list has 0 for lightning attention. */
void hf_read_minimax_text(struct hf_reader *r)
{
	const json_t *list = hf_layer_list(r, "attn_type_list");
	for (int64_t i = 0; list && i < r->layers; i++)
		r->layer[i].mixer = hf_at(list, i) ? MIX_FULL : MIX_LINEAR;
	if (!have_linear(r))
		return;
	int64_t heads = hf_required(r, HF_NAMES("num_attention_heads"));
	int64_t dim = hf_integer(r, HF_NAMES("head_dim"),
				 hf_required(r, HF_NAMES("hidden_size")) /
				     (heads ? heads : 1));
	hf_put(r, "linear_attention", "lightning");
	hf_put_int(r, "linear_num_key_heads", heads);
	hf_put_int(r, "linear_num_value_heads", heads);
	hf_put_int(r, "linear_key_head_dim", dim);
	hf_put_int(r, "linear_value_head_dim", dim);
}

/* LFM2: a short convolution in place of attention. */
void hf_read_lfm2(struct hf_reader *r)
{
	const json_t *list = json_object_get(r->in, "full_attn_idxs");
	int64_t width =
	    hf_integer(r, HF_NAMES("block_ff_dim", "intermediate_size"), 0);
	for (int64_t i = 0; list && i < r->layers; i++)
		r->layer[i].mixer = MIX_LINEAR;
	for (size_t i = 0; i < json_array_size(list); i++)
		if (hf_at(list, (int64_t)i) < r->layers)
			r->layer[hf_at(list, (int64_t)i)].mixer = MIX_FULL;
	hf_put(r, "linear_attention", "short_conv");
	hf_put_int(r, "linear_conv_kernel_dim",
		   hf_integer(r, HF_NAMES("conv_L_cache"), 3));
	hf_put_true(r, "linear_conv_bias", says(r, "conv_bias", 0));
	hf_put_true(r, "linear_proj_bias", says(r, "conv_bias", 0));
	if (width && says(r, "block_auto_adjust_ff_dim", 0)) {
		int64_t unit =
		    hf_integer(r, HF_NAMES("block_multiple_of"), 256);
		width = 2 * width / 3;
		width = unit ? (width + unit - 1) / unit * unit : width;
		hf_put_int(r, "intermediate_size", width);
	}
}

/* ---- state spaces ---- */

/* Mamba-2, with the field names of Granite and Falcon-H1. */
static void put_mamba2(struct hf_reader *r, int64_t heads, int64_t dim)
{
	hf_put(r, "linear_attention", "mamba2");
	hf_put_int(r, "linear_num_value_heads", heads);
	hf_put_int(r, "linear_value_head_dim", dim);
	hf_put_int(r, "linear_num_key_heads",
		   hf_integer(r, HF_NAMES("mamba_n_groups", "n_groups"), 1));
	hf_put_int(r, "linear_key_head_dim",
		   hf_required(r, HF_NAMES("mamba_d_state", "ssm_state_size",
					   "state_size")));
	hf_put_int(r, "linear_conv_kernel_dim",
		   hf_integer(r, HF_NAMES("mamba_d_conv", "conv_kernel"), 4));
	hf_put_true(r, "linear_conv_bias",
		    says(r, "mamba_conv_bias", says(r, "use_conv_bias", 1)));
	hf_put_true(r, "linear_proj_bias",
		    says(r, "mamba_proj_bias", says(r, "use_bias", 0)));
	hf_put_int(
	    r, "linear_chunk_size",
	    hf_integer(r, HF_NAMES("mamba_chunk_size", "chunk_size"), 0));
}

/* Bamba and Granite-4: norms inside the mixer; one FFN per layer, which in
 * Granite is the shared expert. */
void hf_read_granite_hybrid(struct hf_reader *r)
{
	const json_t *list = json_object_get(r->in, "attn_layer_indices");
	int64_t shared = hf_integer(r, HF_NAMES("shared_intermediate_size"), 0);
	int64_t experts = hf_integer(r, HF_NAMES("num_local_experts"), 0);
	for (int64_t i = 0; list && i < r->layers; i++)
		r->layer[i].mixer = MIX_LINEAR;
	for (size_t i = 0; i < json_array_size(list); i++)
		if (hf_at(list, (int64_t)i) < r->layers)
			r->layer[hf_at(list, (int64_t)i)].mixer = MIX_FULL;
	if (shared && !experts)
		hf_put_int(r, "intermediate_size", shared);
	if (!have_linear(r))
		return;
	int64_t heads = hf_required(r, HF_NAMES("mamba_n_heads"));
	int64_t inner = hf_integer(r, HF_NAMES("mamba_expand"), 2) *
			hf_required(r, HF_NAMES("hidden_size"));
	put_mamba2(
	    r, heads,
	    hf_integer(r, HF_NAMES("mamba_d_head"), heads ? inner / heads : 0));
	hf_put_true(r, "linear_norm", 1);
}

/* Attention and Mamba-2 in parallel in every layer. */
void hf_read_falcon_h1(struct hf_reader *r)
{
	int64_t heads = hf_required(r, HF_NAMES("mamba_n_heads"));
	int64_t inner = hf_integer(r, HF_NAMES("mamba_d_ssm"),
				   2 * hf_required(r, HF_NAMES("hidden_size")));
	put_mamba2(r, heads, heads ? inner / heads : 0);
	hf_put_true(r, "linear_norm", says(r, "mamba_rms_norm", 0));
	hf_put_true(r, "linear_beside_attention", 1);
}

static void put_mamba1(struct hf_reader *r)
{
	int64_t d = hf_required(r, HF_NAMES("hidden_size", "d_model"));
	int64_t inner =
	    hf_integer(r, HF_NAMES("mamba_expand", "expand"), 2) * d;
	hf_put(r, "linear_attention", "mamba");
	hf_put_int(r, "linear_num_value_heads", 1);
	hf_put_int(r, "linear_num_key_heads", 1);
	hf_put_int(
	    r, "linear_value_head_dim",
	    hf_integer(r, HF_NAMES("intermediate_size_of_mamba"), inner));
	hf_put_int(r, "linear_key_head_dim",
		   hf_integer(r, HF_NAMES("mamba_d_state", "state_size"), 16));
	hf_put_int(r, "linear_conv_kernel_dim",
		   hf_integer(r, HF_NAMES("mamba_d_conv", "conv_kernel"), 4));
	const json_t *dt = json_object_get(r->in, "time_step_rank");
	hf_put_int(r, "linear_dt_rank",
		   json_is_string(dt)
		       ? (d + 15) / 16
		       : hf_integer(r,
				    HF_NAMES("mamba_dt_rank", "time_step_rank"),
				    (d + 15) / 16));
	hf_put_true(r, "linear_conv_bias",
		    says(r, "mamba_conv_bias", says(r, "use_conv_bias", 1)));
	hf_put_true(r, "linear_proj_bias",
		    says(r, "mamba_proj_bias", says(r, "use_bias", 0)));
}

/* Jamba: one layer of a period has attention, the others have Mamba with norms
 * inside; one layer of another period has experts. */
void hf_read_jamba(struct hf_reader *r)
{
	int64_t period = hf_integer(r, HF_NAMES("attn_layer_period"), 8);
	int64_t offset = hf_integer(r, HF_NAMES("attn_layer_offset"), 4);
	int64_t experts = hf_integer(r, HF_NAMES("expert_layer_period"), 2);
	int64_t from = hf_integer(r, HF_NAMES("expert_layer_offset"), 1);
	int sparse = hf_integer(r, HF_NAMES("num_experts"), 1) > 1;
	for (int64_t i = 0; i < r->layers; i++) {
		int attention = period && i % period == offset;
		r->layer[i].mixer = attention ? MIX_FULL : MIX_LINEAR;
		r->layer[i].ffn = sparse && experts && i % experts == from
				      ? FFN_SPARSE
				      : FFN_DENSE;
	}
	put_mamba1(r);
	hf_put_true(r, "linear_norm", 1);
}

/* State spaces only: one norm and one mixer per layer. */
void hf_read_mamba(struct hf_reader *r)
{
	for (int64_t i = 0; i < r->layers; i++) {
		r->layer[i].mixer = MIX_LINEAR;
		r->layer[i].ffn = FFN_NONE;
	}
	hf_put_int(r, "num_attention_heads", 1);
	hf_put_int(r, "norms_per_layer", 1);
	if (strcmp(r->type, "mamba2")) {
		put_mamba1(r);
		return;
	}
	put_mamba2(r, hf_required(r, HF_NAMES("num_heads")),
		   hf_required(r, HF_NAMES("head_dim")));
	hf_put_true(r, "linear_norm", 1);
}

/* ---- lists of blocks ---- */

/* Nemotron-H: each layer is one block: M is Mamba-2, E experts, * attention, -
 * an FFN. */
static void read_block(struct hf_reader *r, int64_t i, const char *word)
{
	static const struct {
		const char *letter, *name;
		uint8_t mixer, ffn;
	} blocks[] = {{"M", "mamba", MIX_LINEAR, FFN_NONE},
		      {"*", "attention", MIX_FULL, FFN_NONE},
		      {"E", "moe", MIX_NONE, FFN_SPARSE},
		      {"-", "mlp", MIX_NONE, FFN_DENSE}};
	for (size_t k = 0; k < 4; k++)
		if (!strcmp(word, blocks[k].letter) ||
		    !strcmp(word, blocks[k].name)) {
			r->layer[i].mixer = blocks[k].mixer;
			r->layer[i].ffn = blocks[k].ffn;
			return;
		}
	hf_fail(r, EXIT_USAGE,
		json_object_get(r->in, "layers_block_type")
		    ? "layers_block_type"
		    : "hybrid_override_pattern",
		"[%lld] is '%.40s', a layer that is not supported",
		(long long)i, word);
}

/* Widths of individual layers (Nemotron-3 Puzzle). */
static void read_block_widths(struct hf_reader *r)
{
	const json_t *list = hf_layer_list(r, "block_configs");
	for (int64_t i = 0; list && i < r->layers; i++) {
		const json_t *b = json_array_get(list, (size_t)i);
		int64_t width = hf_integer_in(r, b, "moe_intermediate_size", 0);
		int64_t topk = hf_integer_in(r, b, "num_experts_per_tok", 0);
		int64_t n = hf_integer_in(r, b, "n_routed_experts", 0);
		if (width)
			hf_layer_put_int(r, i, "moe_intermediate_size", width);
		if (topk)
			hf_layer_put_int(r, i, "num_experts_per_tok", topk);
		if (n)
			hf_layer_put_int(r, i, "num_experts", n);
	}
}

void hf_read_nemotron_h(struct hf_reader *r)
{
	const json_t *list = hf_layer_list(r, "layers_block_type");
	const char *pattern = hf_text(r->in, "hybrid_override_pattern");
	size_t n = strlen(pattern);
	for (int64_t i = 0; !r->failed && i < r->layers; i++) {
		const char letter[2] = {(size_t)i < n ? pattern[i] : '\0', 0};
		const char *name =
		    json_string_value(json_array_get(list, (size_t)i));
		read_block(r, i, name ? name : letter);
	}
	read_block_widths(r);
	hf_put_int(r, "norms_per_layer", 1);
	hf_put_int(
	    r, "head_dim",
	    hf_integer(r, HF_NAMES("head_dim", "attention_head_dim"), 0));
	hf_put_int(r, "moe_latent_size",
		   hf_integer(r, HF_NAMES("moe_latent_size"), 0));
	put_mamba2(r,
		   hf_integer(r, HF_NAMES("mamba_num_heads"),
			      hf_integer(r, HF_NAMES("mamba_n_heads"), 0)),
		   hf_integer(r, HF_NAMES("mamba_head_dim"), 64));
	hf_put_true(r, "linear_norm", 1);
	put_state_dtype(r, "mamba_ssm_cache_dtype", "float32");
}

/* Nemotron-NAS: the attention of a block, or nothing, or one matrix. */
static void read_block_attention(struct hf_reader *r, int64_t i,
				 const json_t *a, int64_t heads)
{
	int64_t group = hf_integer_in(r, a, "n_heads_in_group", 0);
	if (json_is_true(json_object_get(a, "no_op")))
		r->layer[i].mixer = MIX_NONE;
	else if (json_is_true(json_object_get(a, "replace_with_linear")))
		r->layer[i].mixer = MIX_LINEAR;
	else if (group)
		hf_layer_put_int(r, i, "num_key_value_heads", heads / group);
	else
		hf_fail(r, EXIT_USAGE, "block_configs",
			"[%lld]: its attention has no n_heads_in_group",
			(long long)i);
}

/* Reads the FFN of a block: its width, or a multiple of 2/3 of hidden_size, in
 * units of 256. */
static void read_block_ffn(struct hf_reader *r, int64_t i, const json_t *f,
			   int64_t d)
{
	double mult = json_number_value(json_object_get(f, "ffn_mult"));
	int64_t width = hf_integer_in(r, f, "intermediate_size", 0);
	if (json_is_true(json_object_get(f, "no_op"))) {
		r->layer[i].ffn = FFN_NONE;
	} else if (json_is_true(json_object_get(f, "replace_with_linear"))) {
		r->layer[i].ffn = FFN_NONE;
		hf_layer_put_int(r, i, "other_matrices", d * d);
	} else if (width) {
		hf_layer_put_int(r, i, "intermediate_size", width);
	} else if (mult > 0 && mult < 1000) {
		width = (int64_t)(2 * mult * (double)d / 3);
		hf_layer_put_int(r, i, "intermediate_size",
				 (width + 255) / 256 * 256);
	} else {
		hf_fail(r, EXIT_USAGE, "block_configs",
			"[%lld]: its ffn has no width", (long long)i);
	}
}

/* A block without attention, or without FFN, also lacks the norm before it. */
void hf_read_blocks(struct hf_reader *r)
{
	const json_t *list = hf_layer_list(r, "block_configs");
	int64_t heads = hf_required(r, HF_NAMES("num_attention_heads"));
	int64_t d = hf_required(r, HF_NAMES("hidden_size"));
	if (!list)
		hf_fail(r, EXIT_INPUT, "block_configs", "is missing");
	for (int64_t i = 0; !r->failed && i < r->layers; i++) {
		const json_t *b = json_array_get(list, (size_t)i);
		const json_t *f = json_object_get(b, "ffn");
		read_block_attention(r, i, json_object_get(b, "attention"),
				     heads);
		read_block_ffn(r, i, f, d);
		int norms = (r->layer[i].mixer != MIX_NONE) +
			    !json_is_true(json_object_get(f, "no_op"));
		if (norms != 2)
			hf_layer_put_int(r, i, "norms_per_layer", norms);
	}
	hf_put(r, "linear_attention", "matrix");
}
