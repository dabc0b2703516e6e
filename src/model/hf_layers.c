/* hf_layers.c -- Reads the layers of a config.json. */
#include "model/hf_layers.h"
#include <stdlib.h>
#include <string.h>
#include "model/hf_family.h"

/* ---- kinds of attention ---- */

static const struct {
	const char *name;
	uint8_t mixer;
} types[] = {
    {"full_attention", MIX_FULL},
    {"deepseek_sparse_attention", MIX_FULL},
    {"attention", MIX_FULL},
    {"sliding_attention", MIX_SLIDING},
    {"chunked_attention", MIX_CHUNKED},
    {"linear_attention", MIX_LINEAR},
    {"mamba", MIX_LINEAR},
    {"conv", MIX_LINEAR},
};

static void read_listed_types(struct hf_reader *r, const json_t *list)
{
	for (int64_t i = 0; i < r->layers; i++) {
		const char *s =
		    json_string_value(json_array_get(list, (size_t)i));
		size_t k = 0, n = sizeof types / sizeof *types;
		while (k < n && (!s || strcmp(types[k].name, s)))
			k++;
		if (k == n) {
			hf_fail(r, EXIT_USAGE, "layer_types",
				"[%lld] is '%.40s', a kind of attention that "
				"is not supported",
				(long long)i, s ? s : "");
			return;
		}
		r->layer[i].mixer = types[k].mixer;
	}
}

/* Marks the layers with a window if no list names them. */
static void imply_types(struct hf_reader *r)
{
	int64_t from = 0, every = 0; /* the last of `every` layers is full */
	if (r->has & HF_LATE_WINDOWS)
		from = hf_integer(r, HF_NAMES("max_window_layers"), r->layers);
	if (r->has & HF_ALTERNATE)
		every = 2;
	if (r->has & HF_PATTERN_4)
		every = hf_integer(r, HF_NAMES("sliding_window_pattern"), 4);
	if (r->has & HF_PATTERN_6)
		every = hf_integer(r, HF_NAMES("sliding_window_pattern"), 6);
	if (r->has & HF_LLAMA_4)
		every = hf_integer(r, HF_NAMES("no_rope_layer_interval"), 4);
	for (int64_t i = from; i < r->layers; i++)
		if (!every || (i + 1) % every)
			r->layer[i].mixer =
			    r->has & HF_LLAMA_4 ? MIX_CHUNKED : MIX_SLIDING;
}

static int have_mixer(const struct hf_reader *r, int mixer)
{
	for (int64_t i = 0; i < r->layers; i++)
		if (r->layer[i].mixer == mixer)
			return 1;
	return 0;
}

static void read_attention_types(struct hf_reader *r)
{
	const unsigned windowed = HF_WINDOWS | HF_LATE_WINDOWS | HF_ALTERNATE |
				  HF_PATTERN_4 | HF_PATTERN_6;
	const json_t *list = json_object_get(r->in, "layer_types");
	int64_t window = hf_integer(r, HF_NAMES("sliding_window"), 0);
	int64_t chunk = hf_integer(r, HF_NAMES("attention_chunk_size"), 0);
	int64_t longest = hf_integer(r, HF_NAMES("max_position_embeddings"), 0);
	int used = hf_boolean(r, r->in, "use_sliding_window",
			      !(r->has & HF_LATE_WINDOWS));
	/* A window as long as the longest prompt has no effect. */
	int bounds = window && used && !(longest && window >= longest);
	if (json_array_size(list))
		list = hf_layer_list(r, "layer_types");
	if (r->failed)
		return;
	if (json_array_size(list))
		read_listed_types(r, list);
	else if (((r->has & windowed) && bounds) ||
		 ((r->has & HF_LLAMA_4) && chunk))
		imply_types(r);
	else if (bounds && !(r->has & HF_OWN_NAMES))
		hf_fail(r, EXIT_USAGE, "sliding_window",
			"holds for layers that cannot be told");
	if (have_mixer(r, MIX_SLIDING) || r->has & HF_OWN_NAMES)
		hf_put_int(r, "sliding_window", window);
	if (have_mixer(r, MIX_CHUNKED))
		hf_put_int(r, "attention_chunk_size", chunk);
}

/* ---- attention ---- */

static void read_latent(struct hf_reader *r)
{
	int64_t rank = hf_integer(r, HF_NAMES("kv_lora_rank"), 0);
	if (!rank)
		return;
	hf_put_int(r, "kv_lora_rank", rank);
	hf_put_int(r, "q_lora_rank", hf_integer(r, HF_NAMES("q_lora_rank"), 0));
	hf_put_int(r, "qk_nope_head_dim",
		   hf_required(r, HF_NAMES("qk_nope_head_dim")));
	hf_put_int(r, "qk_rope_head_dim",
		   hf_required(r, HF_NAMES("qk_rope_head_dim")));
	hf_put_int(r, "v_head_dim", hf_required(r, HF_NAMES("v_head_dim")));
}

/* Layers that reuse the choice of the layer before have no indexer
 * (GLM-5.2). */
static void read_shared_indexers(struct hf_reader *r)
{
	const json_t *list = hf_layer_list(r, "indexer_types");
	int64_t every = hf_integer(r, HF_NAMES("index_topk_freq"), 1);
	int64_t offset = hf_integer(r, HF_NAMES("index_skip_topk_offset"), 1);
	for (int64_t i = 0; i < r->layers; i++) {
		const char *s =
		    json_string_value(json_array_get(list, (size_t)i));
		int64_t at = i + 1 > offset ? i + 1 - offset : 0;
		if (list ? s && !strcmp(s, "shared") : every > 1 && at % every)
			hf_layer_put_int(r, i, "index_n_heads", 0);
	}
}

/* Reads the indexer of sparse attention, if tokens are chosen. */
static void read_indexer(struct hf_reader *r)
{
	int64_t topk = hf_integer(r, HF_NAMES("index_topk"), 0);
	if (!topk)
		return;
	hf_put_int(r, "index_topk", topk);
	hf_put_int(r, "index_n_heads",
		   hf_required(r, HF_NAMES("index_n_heads")));
	hf_put_int(r, "index_head_dim",
		   hf_required(r, HF_NAMES("index_head_dim")));
	read_shared_indexers(r);
}

static void read_biases(struct hf_reader *r)
{
	int always = !!(r->has & (HF_ALL_BIAS | HF_GPT_OSS));
	int bias = hf_boolean(r, r->in, "attention_bias", always);
	if (r->has & HF_QKV_BIAS || (bias && r->has & HF_QKV_BIAS_KEY))
		hf_put(r, "attention_bias", "qkv");
	else if (bias)
		hf_put(r, "attention_bias", "all");
}

static void read_norms(struct hf_reader *r)
{
	int qk =
	    r->has & HF_QK_NORM ||
	    (r->has & HF_QK_NORM_KEY && hf_boolean(r, r->in, "use_qk_norm", 0));
	hf_put_true(r, "qk_norm", qk);
	hf_put_true(r, "qk_norm_all_heads", qk && r->has & HF_QK_NORM_ALL);
	hf_put_true(r, "qk_norm_joint", qk && r->has & HF_QK_NORM_JOINT);
	if (r->has & (HF_NORMS_1 | HF_NORMS_4))
		hf_put_int(r, "norms_per_layer", r->has & HF_NORMS_1 ? 1 : 4);
	hf_put_true(r, "norm_bias", !!(r->has & HF_NORM_BIAS));
}

static void read_attention(struct hf_reader *r)
{
	const char *const *heads =
	    HF_NAMES("num_attention_heads", "n_head", "n_heads");
	const char *const *kv_heads =
	    HF_NAMES("num_key_value_heads", "num_kv_heads", "n_head_kv",
		     "num_attention_groups");
	hf_put_int(r, "num_attention_heads",
		   r->has & HF_OWN_NAMES ? hf_integer(r, heads, 0)
					 : hf_required(r, heads));
	hf_put_int(r, "num_key_value_heads", hf_integer(r, kv_heads, 0));
	if (hf_integer(r, kv_heads, -1) == 0)
		hf_fail(r, EXIT_INPUT, kv_heads[0],
			"is 0; leave it out if each query head has a KV head "
			"of its own");
	hf_put_int(r, "head_dim",
		   hf_integer(r, HF_NAMES("head_dim", "attention_head_dim"),
			      r->has & HF_HEAD_256 ? 256 : 0));
	read_biases(r);
	read_norms(r);
	hf_put_true(r, "attention_sinks", !!(r->has & HF_GPT_OSS));
	read_latent(r);
	read_indexer(r);
}

/* ---- which layers are mixtures of experts ---- */

/* Reads numbers of layers, "3,4,5". */
static void read_numbered(struct hf_reader *r, const char *s)
{
	while (*s) {
		char *end;
		long i = strtol(s, &end, 10);
		if (end == s || (*end && *end != ',')) {
			hf_fail(r, EXIT_INPUT, "moe_layers_enum",
				"is not numbers of layers between commas");
			return;
		}
		if (i >= 0 && i < r->layers)
			r->layer[i].ffn = FFN_SPARSE;
		s = *end ? end + 1 : end;
	}
}

/* Returns 1 if a list has a word or a number for each layer. */
static int read_listed_ffn(struct hf_reader *r)
{
	const json_t *words = hf_layer_list(r, "mlp_layer_types");
	const json_t *flags = hf_layer_list(r, "moe_layer_freq");
	const char *numbers = hf_text(r->in, "moe_layers_enum");
	for (int64_t i = 0; (words || flags) && i < r->layers; i++) {
		const char *s =
		    json_string_value(json_array_get(words, (size_t)i));
		if (words ? !s || strcmp(s, "dense") : hf_at(flags, i) != 0)
			r->layer[i].ffn = FFN_SPARSE;
	}
	read_numbered(r, numbers);
	return words || flags || *numbers;
}

static int64_t integer_unless_list(struct hf_reader *r, const char *key,
				   int64_t absent)
{
	return json_is_array(json_object_get(r->in, key))
		   ? absent
		   : hf_integer(r, HF_NAMES(key), absent);
}

static void read_ffn_types(struct hf_reader *r)
{
	const json_t *dense = json_object_get(r->in, "mlp_only_layers");
	int64_t first = hf_integer(
	    r, HF_NAMES("first_k_dense_replace", "num_dense_layers"), 0);
	int64_t every = integer_unless_list(r, "moe_layer_freq", 1);
	/* Llama-4 and Qwen count from 1, DeepSeek counts from 0. */
	int64_t shift = json_object_get(r->in, "moe_layer_freq") ? 0 : 1;
	every = hf_integer(r, HF_NAMES("decoder_sparse_step"), every);
	if (r->has & HF_LLAMA_4)
		every = hf_integer(r, HF_NAMES("interleave_moe_layer_step"), 1);
	if (read_listed_ffn(r))
		return;
	for (int64_t i = first; every > 0 && i < r->layers; i++)
		if ((i + shift) % every == 0)
			r->layer[i].ffn = FFN_SPARSE;
	for (size_t i = 0; i < json_array_size(dense); i++) {
		json_int_t at = json_integer_value(json_array_get(dense, i));
		if (at >= 0 && at < r->layers)
			r->layer[at].ffn = FFN_DENSE;
	}
}

/* ---- FFN ---- */

static void read_shared_experts(struct hf_reader *r, int64_t width)
{
	int64_t n =
	    hf_integer(r,
		       HF_NAMES("n_shared_experts", "num_shared_experts",
				"num_shared_expert", "moe_num_shared_experts"),
		       0);
	int64_t own =
	    hf_integer(r,
		       HF_NAMES("shared_expert_intermediate_size",
				"moe_shared_expert_intermediate_size",
				"share_expert_dim", "shared_intermediate_size"),
		       0);
	if (r->has & HF_LLAMA_4) {
		n = 1;
		own = width;
	}
	if (own && !n)
		n = 1;
	hf_put_int(r, "n_shared_experts", n);
	hf_put_int(r, "shared_expert_intermediate_size", own);
	hf_put_true(r, "shared_expert_gate", n && r->has & HF_SHARED_GATE);
}

static void read_experts(struct hf_reader *r, int64_t n)
{
	const char *const *names =
	    r->has & HF_WIDE_EXPERTS
		? HF_NAMES("intermediate_size")
		: HF_NAMES("moe_intermediate_size", "expert_ffn_hidden_size",
			   "intermediate_size");
	int64_t width = hf_integer(r, names, 0);
	int correction =
	    r->has & HF_CORRECTION ||
	    !strcmp(hf_text(r->in, "topk_method"), "noaux_tc") ||
	    hf_boolean(r, r->in, "use_routing_bias", 0) ||
	    hf_boolean(r, r->in, "use_moe_router_bias", 0) ||
	    hf_boolean(r, r->in, "moe_router_enable_expert_bias", 0);
	hf_put_int(r, "num_experts", n);
	hf_put_int(
	    r, "num_experts_per_tok",
	    hf_required(r, HF_NAMES("num_experts_per_tok",
				    "num_experts_per_token", "top_k_experts",
				    "moe_top_k", "moe_topk", "moe_k")));
	hf_put_int(r, "moe_intermediate_size", width);
	read_shared_experts(r, width);
	hf_put_true(r, "router_bias", correction || r->has & HF_GPT_OSS);
	hf_put_true(r, "expert_bias", !!(r->has & HF_GPT_OSS));
	read_ffn_types(r);
}

static const char *const gated_acts[] = {"silu", "swiglu", "swish", "relu",
					 "situ", "gelu",   "geglu"};

/* Refuses an activation that no known gated FFN has, because the FFN is
 * probably of another kind. */
static void check_act(struct hf_reader *r)
{
	const char *act = hf_text(r->in, "hidden_act");
	for (size_t i = 0; i < sizeof gated_acts / sizeof *gated_acts; i++)
		if (!strncmp(act, gated_acts[i], strlen(gated_acts[i])) &&
		    strcmp(act, "relu2"))
			return;
	if (*act && !(r->has & HF_PLAIN))
		hf_fail(r, EXIT_USAGE, "hidden_act",
			"is not a known activation of a gated FFN");
}

static void read_ffn(struct hf_reader *r)
{
	const char *const *experts =
	    HF_NAMES("num_local_experts", "num_experts", "n_routed_experts",
		     "num_routed_experts", "moe_num_experts");
	int64_t n = hf_integer(r, experts, 0);
	const char *const *dense =
	    n <= 1 ? HF_NAMES("intermediate_size", "ffn_hidden_size", "ffn_dim",
			      "n_inner")
		   : HF_NAMES(r->has & HF_LLAMA_4 ? "intermediate_size_mlp"
						  : "intermediate_size",
			      "ffn_hidden_size", "dense_intermediate_size");
	int loose = n > 1 || r->has & (HF_FOUR_TIMES | HF_OWN_NAMES);
	hf_put_int(r, "intermediate_size",
		   loose ? hf_integer(r, dense, 0) : hf_required(r, dense));
	if (r->has & HF_PLAIN)
		hf_put(r, "gated_mlp", "false");
	hf_put_true(r, "mlp_bias",
		    hf_boolean(r, r->in, "mlp_bias", !!(r->has & HF_MLP_BIAS)));
	check_act(r);
	if (n > 1)
		read_experts(r, n);
}

void hf_read_layers(struct hf_reader *r)
{
	read_attention(r);
	if (!r->failed)
		read_attention_types(r);
	if (!r->failed)
		read_ffn(r);
}
