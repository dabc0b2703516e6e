/* hf_layers.c -- Reads the layers of a config.json. */
#include <config.h>
#include "setup/hf_layers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "setup/hf_family.h"

/* ---- kinds of layers ---- */

/* Puts kinds as the shortest list from which model.h repeats them. */
static void put_kinds(struct hf_reader *r, const char *key,
		      const char *const *word, const uint8_t *kind)
{
	int64_t n = r->layers, period = 1;
	char *list = NULL;
	size_t size = 0;
	for (int64_t i = 0; i < n;)
		if (kind[i] != kind[i % period]) {
			period++;
			i = 0;
		} else {
			i++;
		}
	FILE *f = open_memstream(&list, &size);
	if (!f)
		return;
	for (int64_t i = 0; i < period;) {
		int64_t from = i;
		while (i < period && kind[i] == kind[from])
			i++;
		fprintf(f, "%s%s", from ? "," : "", word[kind[from]]);
		if (i - from > 1)
			fprintf(f, "*%lld", (long long)(i - from));
	}
	fclose(f);
	hf_put(r, key, list);
	free(list);
}

enum { FULL, SLIDING, CHUNKED };
static const char *const attention_word[] = {
    "full_attention", "sliding_attention", "chunked_attention"};
static const char *const mlp_word[] = {"dense", "sparse"};

static int listed_types(struct hf_reader *r, const json_t *list, uint8_t *kind)
{
	if (!json_is_array(list) || (int64_t)json_array_size(list) != r->layers)
		return hf_fail(r, EXIT_INPUT, "layer_types",
			       "is not a list of num_hidden_layers names");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *s = json_string_value(json_array_get(list, i));
		int k = 0;
		while (k < 3 && (!s || strcmp(attention_word[k], s)))
			k++;
		if (k == 3)
			return hf_fail(r, EXIT_USAGE, "layer_types",
				       "has a kind of attention that cannot be "
				       "expressed");
		kind[i] = (uint8_t)k;
	}
	return 0;
}

/* Finds the layers that see a window where no list names them. */
static void implied_types(struct hf_reader *r, uint8_t *kind)
{
	int64_t from = 0, every = 0; /* of `every` layers the last is full */
	if (r->has & HF_LATE_WINDOWS)
		from = hf_integer(r, HF_NAMES("max_window_layers"), r->layers);
	if (r->has & HF_ALTERNATE)
		every = 2;
	if (r->has & HF_PATTERN_6)
		every = hf_integer(r, HF_NAMES("sliding_window_pattern"), 6);
	if (r->has & HF_LLAMA_4)
		every = hf_integer(r, HF_NAMES("no_rope_layer_interval"), 4);
	for (int64_t i = from; i < r->layers; i++)
		if (!every || (i + 1) % every)
			kind[i] = r->has & HF_LLAMA_4 ? CHUNKED : SLIDING;
}

static void read_attention_types(struct hf_reader *r)
{
	const unsigned windowed =
	    HF_WINDOWS | HF_LATE_WINDOWS | HF_ALTERNATE | HF_PATTERN_6;
	uint8_t *kind = calloc((size_t)r->layers, 1);
	const json_t *list = json_object_get(r->in, "layer_types");
	int64_t window = hf_integer(r, HF_NAMES("sliding_window"), 0);
	int64_t chunk = hf_integer(r, HF_NAMES("attention_chunk_size"), 0);
	int64_t longest = hf_integer(r, HF_NAMES("max_position_embeddings"), 0);
	int used = hf_boolean(r, r->in, "use_sliding_window",
			      !(r->has & HF_LATE_WINDOWS));
	/* A window that no prompt fills bounds nothing. */
	int bounds = window && used && !(longest && window >= longest);
	if (!kind)
		hf_fail(r, EXIT_USAGE, "layer_types", "need memory");
	else if (list && json_is_array(list) && json_array_size(list))
		listed_types(r, list, kind);
	else if (((r->has & windowed) && bounds) ||
		 ((r->has & HF_LLAMA_4) && chunk))
		implied_types(r, kind);
	else if (bounds)
		hf_fail(r, EXIT_USAGE, "sliding_window",
			"holds for layers that cannot be told");
	if (!r->failed && memchr(kind, SLIDING, (size_t)r->layers))
		hf_put_int(r, "sliding_window", window);
	if (!r->failed && memchr(kind, CHUNKED, (size_t)r->layers))
		hf_put_int(r, "attention_chunk_size", chunk);
	if (!r->failed)
		put_kinds(r, "layer_types", attention_word, kind);
	free(kind);
}

/* Finds the layers that are mixtures of experts. */
static void read_mlp_types(struct hf_reader *r)
{
	uint8_t *kind = calloc((size_t)r->layers, 1);
	const json_t *dense = json_object_get(r->in, "mlp_only_layers");
	int64_t first = hf_integer(r, HF_NAMES("first_k_dense_replace"), 0);
	int64_t every =
	    hf_integer(r, HF_NAMES("moe_layer_freq", "decoder_sparse_step"), 1);
	/* Llama-4 and Qwen count from 1, DeepSeek from 0. */
	int64_t shift = json_object_get(r->in, "moe_layer_freq") ? 0 : 1;
	if (r->has & HF_LLAMA_4)
		every = hf_integer(r, HF_NAMES("interleave_moe_layer_step"), 1);
	if (!kind)
		hf_fail(r, EXIT_USAGE, "num_experts", "need memory");
	for (int64_t i = first; kind && every > 0 && i < r->layers; i++)
		kind[i] = (i + shift) % every == 0;
	for (size_t i = 0; kind && i < json_array_size(dense); i++) {
		json_int_t at = json_integer_value(json_array_get(dense, i));
		if (at >= 0 && at < r->layers)
			kind[at] = 0;
	}
	if (kind)
		put_kinds(r, "mlp_layer_types", mlp_word, kind);
	free(kind);
}

/* ---- parts of a layer ---- */

/* MLA, if there is a rank. */
static void read_latent_attention(struct hf_reader *r)
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

static void read_attention(struct hf_reader *r)
{
	hf_put_int(r, "num_attention_heads",
		   hf_required(r, HF_NAMES("num_attention_heads")));
	hf_put_int(r, "num_key_value_heads",
		   hf_integer(r, HF_NAMES("num_key_value_heads"), 0));
	hf_put_int(r, "head_dim",
		   hf_integer(r, HF_NAMES("head_dim"),
			      r->has & HF_HEAD_256 ? 256 : 0));
	int bias =
	    hf_boolean(r, r->in, "attention_bias", !!(r->has & HF_GPT_OSS));
	if (r->has & HF_QKV_BIAS || (bias && r->has & HF_QKV_BIAS_KEY))
		hf_put(r, "attention_bias", "qkv");
	else if (bias)
		hf_put(r, "attention_bias", "all");
	hf_put_true(r, "qk_norm",
		    r->has & HF_QK_NORM ||
			(r->has & HF_QK_NORM_KEY &&
			 hf_boolean(r, r->in, "use_qk_norm", 0)));
	hf_put_true(r, "attention_sinks", !!(r->has & HF_GPT_OSS));
	if (r->has & HF_NORMS_4)
		hf_put_int(r, "norms_per_layer", 4);
	read_latent_attention(r);
}

static void read_shared_experts(struct hf_reader *r, int64_t width)
{
	int64_t n = hf_integer(
	    r, HF_NAMES("n_shared_experts", "num_shared_experts"), 0);
	int64_t own =
	    hf_integer(r,
		       HF_NAMES("shared_expert_intermediate_size",
				"moe_shared_expert_intermediate_size"),
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
	int64_t width = hf_integer(r,
				   HF_NAMES(r->has & HF_WIDE_EXPERTS
						? "intermediate_size"
						: "moe_intermediate_size"),
				   0);
	int correction = r->has & HF_CORRECTION ||
			 !strcmp(hf_text(r->in, "topk_method"), "noaux_tc");
	hf_put_int(r, "num_experts", n);
	hf_put_int(
	    r, "num_experts_per_tok",
	    hf_required(r, HF_NAMES("num_experts_per_tok",
				    "num_experts_per_token", "top_k_experts")));
	hf_put_int(r, "moe_intermediate_size", width);
	read_shared_experts(r, width);
	hf_put_true(r, "router_bias", correction || r->has & HF_GPT_OSS);
	hf_put_true(r, "expert_bias", !!(r->has & HF_GPT_OSS));
	read_mlp_types(r);
}

static void read_ffn(struct hf_reader *r)
{
	int64_t experts =
	    hf_integer(r,
		       HF_NAMES("num_local_experts", "num_experts",
				"n_routed_experts", "num_routed_experts"),
		       0);
	const char *dense =
	    r->has & HF_LLAMA_4 ? "intermediate_size_mlp" : "intermediate_size";
	const char *act = hf_text(r->in, "hidden_act");
	if (!experts)
		dense = "intermediate_size";
	hf_put_int(r, "intermediate_size",
		   experts ? hf_integer(r, HF_NAMES(dense), 0)
			   : hf_required(r, HF_NAMES(dense)));
	hf_put_true(r, "mlp_bias", hf_boolean(r, r->in, "mlp_bias", 0));
	if (act[0] && strcmp(act, "silu") && strncmp(act, "gelu", 4) &&
	    strcmp(act, "swiglu"))
		hf_fail(r, EXIT_USAGE, "hidden_act",
			"is none that a gated FFN is known to have");
	if (experts)
		read_experts(r, experts);
}

void hf_read_layers(struct hf_reader *r)
{
	read_attention(r);
	read_attention_types(r);
	read_ffn(r);
}
