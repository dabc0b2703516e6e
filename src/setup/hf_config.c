/* hf_config.c -- Reads a Hugging Face config.json as keys of [model]. */
#include <config.h>
#include "setup/hf_config.h"
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/filetype.h"

/* What the architecture has that config.json need not say. */
enum {
	TIED = 1,         /* tie_word_embeddings, if absent                  */
	QKV_BIAS = 2,     /* always                                          */
	QKV_BIAS_KEY = 4, /* attention_bias means q, k and v; else also o    */
	QK_NORM = 8,      /* a norm over each head                           */
	QK_NORM_KEY = 16, /* … if use_qk_norm                                */
	NORMS_4 = 32,     /* before and after attention and FFN              */
	WINDOWS = 64,     /* sliding_window holds for every layer            */
	LATE_WINDOWS =
	    128,         /* … from max_window_layers, if use_sliding_window */
	ALTERNATE = 256, /* … for every second layer, the first among them  */
	PATTERN_6 = 512, /* … for five of six                               */
	SHARED_GATE = 1024,
	CORRECTION =
	    2048, /* the router has a correction, whatever topk_method */
	WIDE_EXPERTS = 4096, /* intermediate_size is the experts'            */
	GPT_OSS = 8192,
	LLAMA_4 = 16384,
	HEAD_256 = 32768, /* head_dim, if absent                             */
};
static const struct family {
	const char *type;
	unsigned has;
} family[] = {
    {"deepseek_v2", 0},
    {"deepseek_v3", 0},
    {"gemma", TIED | HEAD_256},
    {"gemma2", TIED | NORMS_4 | ALTERNATE | HEAD_256},
    {"gemma3_text", TIED | NORMS_4 | QK_NORM | PATTERN_6 | HEAD_256},
    {"glm4_moe", QKV_BIAS_KEY | QK_NORM_KEY | CORRECTION},
    {"gpt_oss", GPT_OSS | WIDE_EXPERTS | ALTERNATE},
    {"granite", 0},
    {"kimi_k2", 0},
    {"llama", 0},
    {"llama4_text", LLAMA_4 | WIDE_EXPERTS},
    {"mistral", WINDOWS},
    {"mixtral", WINDOWS | WIDE_EXPERTS},
    {"phi3", WINDOWS},
    {"qwen2", QKV_BIAS | LATE_WINDOWS},
    {"qwen2_moe", QKV_BIAS | LATE_WINDOWS | SHARED_GATE},
    {"qwen3", QK_NORM | LATE_WINDOWS},
    {"qwen3_moe", QK_NORM | LATE_WINDOWS},
    {"seed_oss", QKV_BIAS_KEY},
};
enum { N_FAMILIES = sizeof family / sizeof *family };

/* Fields that change the layers in ways that have no key. */
static const char *const foreign[] = {
    "block_configs",
    "layers_block_type",
    "hybrid_override_pattern",
    "num_kv_shared_layers",
    "global_head_dim",
    "num_global_key_value_heads",
    "full_attention_interval",
    "linear_num_key_heads",
    "attn_layer_period",
    "mamba_d_state",
    "ssm_cfg",
    "index_topk",
    "altup_num_inputs",
    "multi_query",
};

struct reader {
	struct ini *c;
	const char *origin, *text; /* text: for line numbers, NULL: none */
	const json_t *top, *in;    /* in: text_config, or the top */
	unsigned has;
	int64_t layers;
	struct problem *p;
	int failed;
};

/* ---- messages ---- */

/* The line where the key stands, if it does once; 0: not certain. */
static int line_of(const struct reader *r, const char *key)
{
	char quoted[100];
	snprintf(quoted, sizeof quoted, "\"%s\"", key);
	const char *at = r->text ? strstr(r->text, quoted) : NULL;
	if (!at || strstr(at + 1, quoted))
		return 0;
	int line = 1;
	for (const char *s = r->text; s < at; s++)
		line += *s == '\n';
	return line;
}

static int fail(struct reader *r, int code, const char *key, const char *what)
{
	char place[32] = "";
	int line = line_of(r, key);
	if (line)
		snprintf(place, sizeof place, ":%d", line);
	if (!r->failed)
		problem_set(r->p, code, "%s%s: %s %s", r->origin, place, key,
			    what);
	r->failed = 1;
	return -1;
}

/* ---- fields ---- */

/* The first of the names (NULL-terminated) that is there and not null, in the
 * text part; NULL: none. */
static const json_t *field(const struct reader *r, const char *const *name,
			   const char **found)
{
	for (; *name; name++) {
		const json_t *v = json_object_get(r->in, *name);
		if (v && !json_is_null(v)) {
			*found = *name;
			return v;
		}
	}
	return NULL;
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Whole numbers may be written 1000000.0. */
static int64_t integer(struct reader *r, const char *const *name,
		       int64_t absent)
{
	const char *key = NULL;
	const json_t *v = field(r, name, &key);
	if (!v)
		return absent;
	double d = json_number_value(v);
	if (!json_is_number(v) || !(d >= 0 && d <= 4e9) || d != floor(d)) {
		fail(r, EXIT_INPUT, key, "is not a whole number in [0, 4e9]");
		return absent;
	}
	return (int64_t)d;
}

static int64_t required(struct reader *r, const char *const *name)
{
	int64_t n = integer(r, name, 0);
	if (n <= 0)
		fail(r, EXIT_INPUT, name[0], "is missing or 0");
	return n;
}

static int boolean(struct reader *r, const json_t *in, const char *key,
		   int absent)
{
	const json_t *v = json_object_get(in, key);
	if (!v || json_is_null(v))
		return absent;
	if (!json_is_boolean(v)) {
		fail(r, EXIT_INPUT, key, "is not true or false");
		return absent;
	}
	return json_is_true(v);
}

static const char *text(const json_t *in, const char *key)
{
	const char *s = json_string_value(json_object_get(in, key));
	return s ? s : "";
}

static void put(struct reader *r, const char *key, const char *value)
{
	if (!r->failed &&
	    ini_put(r->c, "model", key, value, r->origin, r->p) < 0)
		r->failed = 1;
}

static void put_int(struct reader *r, const char *key, int64_t v)
{
	char s[32];
	snprintf(s, sizeof s, "%lld", (long long)v);
	if (v)
		put(r, key, s);
}

static void put_true(struct reader *r, const char *key, int v)
{
	if (v)
		put(r, key, "true");
}

/* ---- kinds of layers ---- */

/* As model.h has them, each repeated from the shortest list that does. */
static void put_kinds(struct reader *r, const char *key,
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
	put(r, key, list);
	free(list);
}

enum { FULL, SLIDING, CHUNKED };
static const char *const attention_word[] = {
    "full_attention", "sliding_attention", "chunked_attention"};
static const char *const mlp_word[] = {"dense", "sparse"};

static int listed_types(struct reader *r, const json_t *list, uint8_t *kind)
{
	if (!json_is_array(list) || (int64_t)json_array_size(list) != r->layers)
		return fail(r, EXIT_INPUT, "layer_types",
			    "is not a list of num_hidden_layers names");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *s = json_string_value(json_array_get(list, i));
		int k = 0;
		while (k < 3 && (!s || strcmp(attention_word[k], s)))
			k++;
		if (k == 3)
			return fail(r, EXIT_USAGE, "layer_types",
				    "has a kind of attention that cannot be "
				    "expressed");
		kind[i] = (uint8_t)k;
	}
	return 0;
}

/* The layers that see a window, where no list says so. */
static void implied_types(struct reader *r, uint8_t *kind)
{
	int64_t from = 0, every = 0; /* of `every` layers the last is full */
	if (r->has & LATE_WINDOWS)
		from = integer(r, NAMES("max_window_layers"), r->layers);
	if (r->has & ALTERNATE)
		every = 2;
	if (r->has & PATTERN_6)
		every = integer(r, NAMES("sliding_window_pattern"), 6);
	if (r->has & LLAMA_4)
		every = integer(r, NAMES("no_rope_layer_interval"), 4);
	for (int64_t i = from; i < r->layers; i++)
		if (!every || (i + 1) % every)
			kind[i] = r->has & LLAMA_4 ? CHUNKED : SLIDING;
}

static void read_attention_types(struct reader *r)
{
	const unsigned windowed =
	    WINDOWS | LATE_WINDOWS | ALTERNATE | PATTERN_6;
	uint8_t *kind = calloc((size_t)r->layers, 1);
	const json_t *list = json_object_get(r->in, "layer_types");
	int64_t window = integer(r, NAMES("sliding_window"), 0);
	int64_t chunk = integer(r, NAMES("attention_chunk_size"), 0);
	int64_t longest = integer(r, NAMES("max_position_embeddings"), 0);
	int used =
	    boolean(r, r->in, "use_sliding_window", !(r->has & LATE_WINDOWS));
	/* A window that no prompt fills bounds nothing. */
	int bounds = window && used && !(longest && window >= longest);
	if (!kind)
		fail(r, EXIT_USAGE, "layer_types", "need memory");
	else if (list && json_is_array(list) && json_array_size(list))
		listed_types(r, list, kind);
	else if (((r->has & windowed) && bounds) ||
		 ((r->has & LLAMA_4) && chunk))
		implied_types(r, kind);
	else if (bounds)
		fail(r, EXIT_USAGE, "sliding_window",
		     "holds for layers that cannot be told");
	if (!r->failed && memchr(kind, SLIDING, (size_t)r->layers))
		put_int(r, "sliding_window", window);
	if (!r->failed && memchr(kind, CHUNKED, (size_t)r->layers))
		put_int(r, "attention_chunk_size", chunk);
	if (!r->failed)
		put_kinds(r, "layer_types", attention_word, kind);
	free(kind);
}

/* Which layers are mixtures of experts. */
static void read_mlp_types(struct reader *r)
{
	uint8_t *kind = calloc((size_t)r->layers, 1);
	const json_t *dense = json_object_get(r->in, "mlp_only_layers");
	int64_t first = integer(r, NAMES("first_k_dense_replace"), 0);
	int64_t every =
	    integer(r, NAMES("moe_layer_freq", "decoder_sparse_step"), 1);
	/* Llama-4 and Qwen count from 1, DeepSeek from 0. */
	int64_t shift = json_object_get(r->in, "moe_layer_freq") ? 0 : 1;
	if (r->has & LLAMA_4)
		every = integer(r, NAMES("interleave_moe_layer_step"), 1);
	if (!kind)
		fail(r, EXIT_USAGE, "num_experts", "need memory");
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

static void read_attention(struct reader *r)
{
	put_int(r, "num_attention_heads",
		required(r, NAMES("num_attention_heads")));
	put_int(r, "num_key_value_heads",
		integer(r, NAMES("num_key_value_heads"), 0));
	put_int(r, "head_dim",
		integer(r, NAMES("head_dim"), r->has & HEAD_256 ? 256 : 0));
	int bias = boolean(r, r->in, "attention_bias", !!(r->has & GPT_OSS));
	if (r->has & QKV_BIAS || (bias && r->has & QKV_BIAS_KEY))
		put(r, "attention_bias", "qkv");
	else if (bias)
		put(r, "attention_bias", "all");
	put_true(r, "qk_norm",
		 r->has & QK_NORM || (r->has & QK_NORM_KEY &&
				      boolean(r, r->in, "use_qk_norm", 0)));
	put_true(r, "attention_sinks", !!(r->has & GPT_OSS));
	if (r->has & NORMS_4)
		put_int(r, "norms_per_layer", 4);
	int64_t rank = integer(r, NAMES("kv_lora_rank"), 0);
	if (!rank)
		return;
	put_int(r, "kv_lora_rank", rank);
	put_int(r, "q_lora_rank", integer(r, NAMES("q_lora_rank"), 0));
	put_int(r, "qk_nope_head_dim", required(r, NAMES("qk_nope_head_dim")));
	put_int(r, "qk_rope_head_dim", required(r, NAMES("qk_rope_head_dim")));
	put_int(r, "v_head_dim", required(r, NAMES("v_head_dim")));
}

static void read_shared_experts(struct reader *r, int64_t width)
{
	int64_t n =
	    integer(r, NAMES("n_shared_experts", "num_shared_experts"), 0);
	int64_t own = integer(r,
			      NAMES("shared_expert_intermediate_size",
				    "moe_shared_expert_intermediate_size"),
			      0);
	if (r->has & LLAMA_4) {
		n = 1;
		own = width;
	}
	if (own && !n)
		n = 1;
	put_int(r, "n_shared_experts", n);
	put_int(r, "shared_expert_intermediate_size", own);
	put_true(r, "shared_expert_gate", n && r->has & SHARED_GATE);
}

static void read_experts(struct reader *r, int64_t n)
{
	int64_t width =
	    integer(r,
		    NAMES(r->has & WIDE_EXPERTS ? "intermediate_size"
						: "moe_intermediate_size"),
		    0);
	int correction = r->has & CORRECTION ||
			 !strcmp(text(r->in, "topk_method"), "noaux_tc");
	put_int(r, "num_experts", n);
	put_int(r, "num_experts_per_tok",
		required(r, NAMES("num_experts_per_tok",
				  "num_experts_per_token", "top_k_experts")));
	put_int(r, "moe_intermediate_size", width);
	read_shared_experts(r, width);
	put_true(r, "router_bias", correction || r->has & GPT_OSS);
	put_true(r, "expert_bias", !!(r->has & GPT_OSS));
	read_mlp_types(r);
}

static void read_ffn(struct reader *r)
{
	int64_t experts =
	    integer(r,
		    NAMES("num_local_experts", "num_experts",
			  "n_routed_experts", "num_routed_experts"),
		    0);
	const char *dense =
	    r->has & LLAMA_4 ? "intermediate_size_mlp" : "intermediate_size";
	const char *act = text(r->in, "hidden_act");
	if (!experts)
		dense = "intermediate_size";
	put_int(r, "intermediate_size",
		experts ? integer(r, NAMES(dense), 0)
			: required(r, NAMES(dense)));
	put_true(r, "mlp_bias", boolean(r, r->in, "mlp_bias", 0));
	if (act[0] && strcmp(act, "silu") && strncmp(act, "gelu", 4) &&
	    strcmp(act, "swiglu"))
		fail(r, EXIT_USAGE, "hidden_act",
		     "is none that a gated FFN is known to have");
	if (experts)
		read_experts(r, experts);
}

/* ---- number formats ---- */

static void read_dtype(struct reader *r)
{
	static const char *const key[] = {"torch_dtype", "dtype"};
	const char *s = "";
	for (int i = 0; i < 4 && !*s; i++)
		s = text(i < 2 ? r->in : r->top, key[i % 2]);
	if (!*s)
		return; /* the default, bfloat16, is what all of these use */
	if (strcmp(s, "bfloat16") && strcmp(s, "float16") &&
	    strcmp(s, "float32"))
		fail(r, EXIT_USAGE, "torch_dtype",
		     "is none of bfloat16, float16, float32");
	put(r, "torch_dtype", s);
}

static void put_quantization(struct reader *r, const char *format, double bits)
{
	char s[32];
	put(r, "quantization", format);
	if (bits > 0) {
		snprintf(s, sizeof s, "%.17g", bits);
		put(r, "quantized_bits", s);
	}
}

/* One FP32 scale for each block of weights. */
static double block_scale_bits(const json_t *q)
{
	const json_t *block = json_object_get(q, "weight_block_size");
	double a = json_number_value(json_array_get(block, 0));
	double b = json_number_value(json_array_get(block, 1));
	return a >= 1 && b >= 1 ? 32 / (a * b) : 0;
}

/* Scales of 16 bits and zero points of `bits` for each group of weights. */
static double group_scale_bits(const json_t *q, double bits)
{
	double size = json_number_value(json_object_get(q, "group_size"));
	return size >= 1 ? (16 + bits) / size : 0;
}

static void read_algo(struct reader *r, const char *algo)
{
	if (!strcmp(algo, "FP8") || !strncmp(algo, "FP8_", 4))
		put_quantization(r, "fp8", 8);
	else if (!strcmp(algo, "NVFP4"))
		put_quantization(r, "fp4", 4.5); /* one FP8 scale for 16 */
	else if (*algo)
		fail(r, EXIT_USAGE, "quant_algo", "is none of FP8, NVFP4");
}

static void read_compressed(struct reader *r, const json_t *q)
{
	const json_t *groups = json_object_get(q, "config_groups");
	const char *name;
	json_t *group;
	json_object_foreach((json_t *)(uintptr_t)groups, name, group)
	{
		const json_t *w = json_object_get(group, "weights");
		double bits = json_number_value(json_object_get(w, "num_bits"));
		int is_float = !strcmp(text(w, "type"), "float");
		if (bits == 8)
			put_quantization(r, is_float ? "fp8" : "int8", 8);
		else if (bits == 4)
			put_quantization(r, is_float ? "fp4" : "int4",
					 4 + group_scale_bits(w, 0));
		else
			fail(r, EXIT_USAGE, "num_bits", "is neither 8 nor 4");
		return; /* of more than one group the first is taken */
	}
	fail(r, EXIT_USAGE, "quantization_config", "has no config_groups");
}

static void read_quantization(struct reader *r)
{
	const json_t *q = json_object_get(r->in, "quantization_config");
	if (!json_is_object(q))
		q = json_object_get(r->top, "quantization_config");
	if (!json_is_object(q))
		return;
	const char *method = text(q, "quant_method");
	double bits = json_number_value(json_object_get(q, "bits"));
	if (!strcmp(method, "fp8") || !strcmp(method, "fbgemm_fp8")) {
		put_quantization(r, "fp8", 8 + block_scale_bits(q));
	} else if (!strcmp(method, "mxfp4")) {
		put_quantization(r, "fp4", 4.25); /* one scale for 32 */
		put(r, "quantized_layers", "experts");
	} else if (!strcmp(method, "modelopt")) {
		read_algo(r, text(q, "quant_algo"));
	} else if (!strcmp(method, "compressed-tensors") ||
		   (!*method && json_object_get(q, "config_groups"))) {
		read_compressed(r, q);
	} else if (!strcmp(method, "awq") || !strcmp(method, "gptq")) {
		if (bits != 4 && bits != 8)
			fail(r, EXIT_USAGE, "bits", "is neither 4 nor 8");
		put_quantization(r, bits == 4 ? "int4" : "int8",
				 bits + group_scale_bits(q, bits));
	} else {
		fail(r, EXIT_USAGE, "quantization_config",
		     "has a quant_method that is none of fp8, mxfp4, modelopt, "
		     "compressed-tensors, awq, gptq");
	}
}

/* ---- the whole ---- */

/* The text model in it, and the architecture's defaults. */
static int find_text_model(struct reader *r)
{
	const json_t *v = json_object_get(r->top, "text_config");
	r->in = json_is_object(v) ? v : r->top;
	const char *type = text(r->in, "model_type");
	if (json_object_get(r->top, "producer") ||
	    json_is_object(json_object_get(r->top, "quantization")))
		return fail(r, EXIT_INPUT, "quantization",
			    "is what hf_quant_config.json has; give the "
			    "config.json beside it");
	if (json_object_get(r->top, "n_layers") &&
	    json_object_get(r->top, "dim"))
		return fail(r, EXIT_INPUT, "n_layers",
			    "is what params.json has; give the config.json "
			    "beside it");
	if (!*type)
		return fail(r, EXIT_INPUT, "model_type",
			    "is missing: not the configuration of a model");
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
		const json_t *f = json_object_get(r->in, foreign[i]);
		if (f && !json_is_null(f) && !json_is_false(f))
			return fail(r, EXIT_USAGE, foreign[i],
				    "makes layers that cannot be expressed");
	}
	for (int i = 0; i < N_FAMILIES; i++)
		if (!strcmp(family[i].type, type)) {
			r->has = family[i].has;
			return 0;
		}
	char what[400] = "", known[300] = "";
	for (int i = 0; i < N_FAMILIES; i++) {
		size_t n = strlen(known);
		snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "",
			 family[i].type);
	}
	snprintf(what, sizeof what,
		 "'%.60s' is an architecture that cannot be expressed; known: "
		 "%s",
		 type, known);
	return fail(r, EXIT_USAGE, "model_type", what);
}

static void read_all(struct reader *r)
{
	r->layers = required(r, NAMES("num_hidden_layers"));
	if (r->layers > 10000)
		fail(r, EXIT_INPUT, "num_hidden_layers", "is above 10000");
	if (r->failed)
		return;
	put_int(r, "num_hidden_layers", r->layers);
	put_int(r, "hidden_size", required(r, NAMES("hidden_size")));
	put_int(r, "vocab_size", required(r, NAMES("vocab_size")));
	put_int(r, "max_position_embeddings",
		integer(r, NAMES("max_position_embeddings"), 0));
	int tied = boolean(r, r->top, "tie_word_embeddings", r->has & TIED);
	put_true(r, "tie_word_embeddings",
		 boolean(r, r->in, "tie_word_embeddings", tied));
	read_attention(r);
	read_attention_types(r);
	read_ffn(r);
	read_dtype(r);
	read_quantization(r);
}

static json_t *parse(const char *content, size_t len, const char *origin,
		     struct problem *p)
{
	json_error_t e;
	const char *why = filetype_not_text(content, len);
	size_t bom = filetype_bom(content, len);
	if (why) {
		problem_set(p, EXIT_INPUT, "%s:1: %s", origin, why);
		return NULL;
	}
	json_t *top =
	    json_loadb(content + bom, len - bom, JSON_REJECT_DUPLICATES, &e);
	if (!top) {
		problem_set(p, EXIT_INPUT, "%s:%d: %s", origin, e.line, e.text);
	} else if (!json_is_object(top)) {
		problem_set(p, EXIT_INPUT,
			    "%s:1: not an object at the top: not the "
			    "configuration of a model",
			    origin);
		json_decref(top);
		top = NULL;
	}
	return top;
}

int hf_config_parse(struct ini *c, const char *content, size_t len,
		    const char *origin, struct problem *p)
{
	json_t *top = parse(content, len, origin, p);
	char *copy = strndup(content, len);
	struct reader r = {
	    .c = c, .origin = origin, .text = copy, .top = top, .p = p};
	if (!top) {
		free(copy);
		return -1;
	}
	if (find_text_model(&r) == 0)
		read_all(&r);
	free(copy);
	json_decref(top);
	return r.failed ? -1 : 0;
}

enum { MAX_BYTES = 1 << 26 }; /* the largest known have 100 kB */

/* A whole file, with a NUL behind; NULL with *p. */
static char *slurp(const char *path, size_t *len, struct problem *p)
{
	char *content = NULL, buf[8192];
	size_t n;
	FILE *f = fopen(path, "r"), *out = NULL;
	if (f)
		out = open_memstream(&content, len);
	if (!f || !out) {
		problem_set(p, EXIT_USAGE, "%s: %s", path, strerror(errno));
		if (f)
			fclose(f);
		return NULL;
	}
	while (ftello(out) <= MAX_BYTES && (n = fread(buf, 1, sizeof buf, f)))
		fwrite(buf, 1, n, out);
	int error = ferror(f) ? errno : 0, large = ftello(out) > MAX_BYTES;
	fclose(f), fclose(out);
	if (!error && !large)
		return content;
	if (error)
		problem_set(p, EXIT_USAGE, "%s: %s", path, strerror(error));
	else
		problem_set(p, EXIT_INPUT,
			    "%s: more than %d bytes: not the configuration of "
			    "a model",
			    path, MAX_BYTES);
	free(content);
	return NULL;
}

/* Some quantized models say so beside their config.json only. */
static int read_beside(struct ini *c, const char *path, struct problem *p)
{
	const char *slash = strrchr(path, '/');
	int n = slash ? (int)(slash - path + 1) : 0;
	char *beside;
	size_t len;
	if (ini_find(c, "model", "quantization") ||
	    strcmp(path + n, "config.json"))
		return 0;
	if (asprintf(&beside, "%.*shf_quant_config.json", n, path) < 0)
		return problem_set(p, EXIT_USAGE, "out of memory");
	char *content = slurp(beside, &len, NULL);
	int rc = 0;
	if (content) {
		json_t *top = parse(content, len, beside, p);
		struct reader r = {
		    .c = c, .origin = beside, .text = content, .p = p};
		if (top)
			read_algo(&r, text(json_object_get(top, "quantization"),
					   "quant_algo"));
		rc = top && !r.failed ? 0 : -1;
		json_decref(top);
	}
	free(content), free(beside);
	return rc;
}

int hf_config_read(struct ini *c, const char *path, struct problem *p)
{
	size_t len;
	char *content = slurp(path, &len, p);
	if (!content)
		return -1;
	c->path = c->path ? c->path : strdup(path);
	int rc = hf_config_parse(c, content, len, path, p);
	free(content);
	return rc < 0 ? -1 : read_beside(c, path, p);
}
