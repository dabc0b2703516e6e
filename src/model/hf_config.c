/* hf_config.c -- Reads a Hugging Face config.json as keys of [model]. */
#include "model/hf_config.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/filetype.h"
#include "base/file/infile.h"
#include "base/file/path.h"
#include "model/hf_family.h"
#include "model/hf_kinds.h"
#include "model/hf_layers.h"
#include "model/hf_quantization.h"
#include "model/hf_reader.h"

/* ---- kinds of files ---- */

/* Recognises files that lie beside a config.json and are mistaken for it. */
static int check_file(struct hf_reader *r)
{
	static const struct {
		const char *field, *of, *file;
	} others[] = {
	    {"quantization", NULL, "hf_quant_config.json"},
	    {"producer", NULL, "hf_quant_config.json"},
	    {"dim", "n_layers", "params.json"},
	    {"bits", "group_size", "quantize_config.json"},
	    {"w_bit", "q_group_size", "quant_config.json"},
	    {"quant_method", NULL, "a quantization_config"},
	    {"config_groups", NULL, "a quantization_config"},
	    {"weight_map", NULL, "model.safetensors.index.json"},
	};
	if (json_object_get(r->top, "model_type") ||
	    json_object_get(r->top, "architectures"))
		return 0;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (json_object_get(r->top, others[i].field) &&
		    (!others[i].of || json_object_get(r->top, others[i].of)))
			return hf_fail(r, EXIT_INPUT, others[i].field,
				       "is a key of %s, which has no model; "
				       "give the config.json beside it",
				       others[i].file);
	return 0;
}

/* For a multimodal model: returns its language model. */
static const json_t *text_part(const json_t *top)
{
	static const char *const name[] = {"text_config", "llm_config",
					   "language_config"};
	const json_t *thinker = json_object_get(top, "thinker_config");
	const json_t *v;
	if (json_is_object(thinker))
		return text_part(thinker);
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (json_is_object(v = json_object_get(top, name[i])))
			return v;
	return top;
}

/* Returns the model_type for another name, or for the name of a class if that
 * is all the file has. */
static const char *other_type(const struct hf_reader *r, const char *type)
{
	static const char *const other[][2] = {
	    {"Grok1ForCausalLM", "grok-1"},
	    {"Grok1ModelForCausalLM", "grok-1"},
	    {"DeciLMForCausalLM", "nemotron-nas"},
	    {"MiniMaxM3SparseForCausalLM", "minimax_m3_vl"},
	    {"NemotronHForCausalLM", "nemotron_h"},
	    {"KimiLinearForCausalLM", "kimi_linear"},
	    {"GPT2LMHeadModel", "gpt2"},
	    {"LlamaForCausalLM", "llama"},
	    {"MistralForCausalLM", "mistral"},
	    {"DeepseekV3ForCausalLM", "deepseek_v3"},
	    {"DeepseekV4ForCausalLM", "deepseek_v4"},
	};
	const json_t *list = json_object_get(r->in, "architectures");
	const char *class = json_string_value(json_array_get(list, 0));
	for (size_t i = 0; class && i < sizeof other / sizeof *other; i++)
		if (!strcmp(other[i][0], class))
			return other[i][1];
	return type;
}

/* Fields that change the layers, and the architectures for which their meaning
 * is known.  Elsewhere such a field would be misread without an error. */
static const struct {
	const char *field, *types;
} layered[] = {
    {"altup_num_inputs", " gemma3n_text "},
    {"attention_other_setting", " step3p5 step3p7 "},
    {"attn_layer_period", " jamba "},
    {"attn_type_list", " minimax minimax_m1 minimax_m2 minimax_text_01 "},
    {"block_configs", " nemotron-nas nemotron_h nemotron_h_puzzle "},
    {"compress_ratios", " deepseek_v4 "},
    {"full_attention_interval", " qwen3_5_moe_text qwen3_5_text qwen3_next "},
    {"global_head_dim", " gemma4_text "},
    {"hidden_size_per_layer_input", " gemma3n_text gemma4_text "},
    {"hybrid_layer_pattern", " mimo_v2 mimo_v2_flash "},
    {"hybrid_override_pattern", " nemotron_h nemotron_h_puzzle "},
    {"layers_block_type", " nemotron_h nemotron_h_puzzle "},
    {"linear_attn_config", " kimi_linear "},
    {"linear_num_key_heads", " qwen3_5_moe_text qwen3_5_text qwen3_next "},
    {"mamba_d_state", " bamba falcon_h1 granitemoehybrid jamba "},
    {"moe_latent_size", " nemotron_h nemotron_h_puzzle "},
    {"multi_query", " RefinedWeb RefinedWebModel falcon gpt2 gpt_bigcode "},
    {"num_attention_heads_per_layer", " laguna "},
    {"num_global_key_value_heads", " gemma4_text "},
    {"num_kv_shared_layers", " gemma3n_text gemma4_text "},
    {"routed_expert_hidden_size", " kimi_linear "},
    {"sparse_attention_config", " minimax_m3 minimax_m3_vl "},
    {"ssm_cfg", ""},
    {"use_cla", " hunyuan hunyuan_v1_dense hunyuan_v1_moe "},
    {"zero_expert_num", " longcat_flash "},
};

static int check_layered(struct hf_reader *r)
{
	char type[100];
	snprintf(type, sizeof type, " %s ", r->type);
	for (size_t i = 0; i < sizeof layered / sizeof *layered; i++)
		if (hf_given(r, layered[i].field) &&
		    !strstr(layered[i].types, type))
			return hf_fail(r, EXIT_USAGE, layered[i].field,
				       "makes layers of architecture '%.60s' "
				       "that stepcost does not support",
				       r->type);
	return 0;
}

static const struct hf_absent *part_absent(const struct hf_reader *r)
{
	int usual = !strcmp(r->type, "llama") || !strcmp(r->type, "mistral");
	return r->in != r->top && usual ? hf_part_absent : NULL;
}

/* Finds the architecture and its defaults. */
static int find_family(struct hf_reader *r)
{
	char known[1200];
	r->type = hf_text(r->in, "model_type");
	if (!hf_family_find(r->type))
		r->type = other_type(r, r->type);
	if (!hf_family_find(r->type) &&
	    hf_family_find(hf_text(r->top, "model_type")))
		r->type = hf_text(r->top, "model_type");
	if (!*r->type)
		return hf_fail(r, EXIT_INPUT, "model_type",
			       "is missing: not the configuration of a model");
	const struct hf_family *f = hf_family_find(r->type);
	if (f) {
		r->has = f->has;
		r->absent = f->absent ? f->absent : part_absent(r);
		return check_layered(r);
	}
	hf_family_names(known, sizeof known);
	return hf_fail(
	    r, EXIT_USAGE, "model_type",
	    "'%.60s' is not a supported architecture: give its layers as keys "
	    "of [model], or, if a supported one has the same layers, name that "
	    "one in a copy of the file; supported: %s",
	    r->type, known);
}

/* ---- the fields of all architectures ---- */

/* Reads the number of layers; some files have only a list of layers. */
static void read_layer_count(struct hf_reader *r)
{
	static const char *const list[] = {"layers_block_type",
					   "block_configs"};
	const char *const *names =
	    HF_NAMES("num_hidden_layers", "num_layers", "n_layer", "n_layers");
	int64_t n = hf_integer(r, names, 0);
	for (size_t i = 0; i < 2 && n == 0; i++)
		n = (int64_t)json_array_size(json_object_get(r->in, list[i]));
	if (n == 0)
		n = (int64_t)strlen(hf_text(r->in, "hybrid_override_pattern"));
	r->layers = n ? n : hf_required(r, names);
	/* One LongCat layer is two layers here. */
	if (!strcmp(r->type, "longcat_flash"))
		r->layers *= 2;
	if (r->layers > 10000)
		hf_fail(r, EXIT_INPUT, "num_hidden_layers", "is above 10000");
	hf_put_int(r, "num_hidden_layers", r->layers);
}

static void read_sizes(struct hf_reader *r)
{
	hf_put_int(r, "hidden_size",
		   hf_required(r, HF_NAMES("hidden_size", "n_embd", "d_model",
					   "n_embed")));
	hf_put_int(r, "vocab_size",
		   hf_required(r, HF_NAMES("vocab_size", "padded_vocab_size")));
	int64_t longest = hf_integer(
	    r,
	    HF_NAMES("max_position_embeddings", "n_positions", "seq_length",
		     "max_seq_len", "max_sequence_length", "model_max_length",
		     "n_ctx"),
	    0);
	hf_put_int(r, "max_position_embeddings", longest);
	if (r->has & HF_POSITIONS)
		hf_put_int(r, "learned_positions", longest ? longest : 1024);
	int tied =
	    hf_boolean(r, r->top, "tie_word_embeddings", r->has & HF_TIED);
	hf_put_true(r, "tie_word_embeddings",
		    hf_boolean(r, r->in, "tie_word_embeddings", tied));
}

static void read_all(struct hf_reader *r, const json_t *quantization)
{
	const struct hf_family *f = hf_family_find(r->type);
	read_layer_count(r);
	if (!r->failed)
		read_sizes(r);
	if (r->failed || hf_layers_start(r) < 0)
		return;
	hf_read_layers(r);
	if (!r->failed && f->read)
		f->read(r);
	hf_read_dtype(r);
	hf_read_quantization(r, quantization);
	hf_layers_put(r, r->c);
	hf_layers_free(r);
}

/* ---- the text ---- */

/* Python writes Infinity and NaN, which JSON does not have.  They are replaced
 * in text[0 .. n) by strings of the same length: a reader that needs the number
 * refuses the string, and other readers ignore it. */
static void quote_non_numbers(char *text, size_t n)
{
	static const char *const word[] = {"-Infinity", "Infinity", "NaN"};
	int in_string = 0;
	for (size_t i = 0; i < n; i++) {
		if (in_string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			in_string = !in_string;
		for (size_t k = 0; !in_string && k < 3; k++) {
			size_t m = strlen(word[k]);
			if (n - i < m || memcmp(text + i, word[k], m) != 0)
				continue;
			text[i] = text[i + m - 1] = '"';
			i += m - 1;
			break;
		}
	}
}

/* Parses config.json, which may have NaN and Infinity. */
static json_t *parse(const char *content, size_t len, const char *origin,
		     struct problem *p)
{
	json_error_t e;
	const char *why = filetype_not_text(content, len);
	size_t bom = filetype_bom(content, len);
	if (why) {
		problem_at(p, origin, 1, why);
		return NULL;
	}
	size_t n = len - bom;
	char *text = malloc(n + 1);
	if (!text) {
		problem_no_memory(p);
		return NULL;
	}
	memcpy(text, content + bom, n);
	quote_non_numbers(text, n);
	json_t *top = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);
	free(text);
	if (!top) {
		filetype_bad_json(&e, origin, 1, p);
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

static int read_text(struct ini *c, const char *content, size_t len,
		     const char *origin, const json_t *quantization,
		     struct problem *p)
{
	json_t *top = parse(content, len, origin, p);
	char *copy = strndup(content, len);
	struct hf_reader r = {
	    .c = c, .origin = origin, .text = copy, .top = top, .p = p};
	if (!top) {
		free(copy);
		return -1;
	}
	r.in = text_part(top);
	if (check_file(&r) == 0 && find_family(&r) == 0)
		read_all(&r, quantization);
	free(copy);
	json_decref(top);
	return r.failed ? -1 : 0;
}

int hf_config_parse(struct ini *c, const char *content, size_t len,
		    const char *origin, struct problem *p)
{
	return read_text(c, content, len, origin, NULL, p);
}

/* ---- files ---- */

enum { LONGEST_MIB = 64 }; /* the largest known file has 3 */

/* Reads NAME beside a config.json, or PREFIX_NAME beside PREFIX_config.json.
 * Returns NULL if there is none; or with *rc = -1 and *p filled in if it cannot
 * be read. */
static json_t *read_beside(const char *path, const char *name, int *rc,
			   struct problem *p)
{
	const char *base = path_name(path);
	size_t n = strlen(base), end = strlen("config.json");
	char *beside;
	size_t len;
	json_t *top = NULL;
	if (n < end || strcmp(base + n - end, "config.json"))
		return NULL;
	if (asprintf(&beside, "%.*s%s", (int)(strlen(path) - end), path, name) <
	    0) {
		*rc = problem_no_memory(p);
		return NULL;
	}
	char *content = infile_read(beside, LONGEST_MIB, &len, NULL);
	if (content && !(top = parse(content, len, beside, p)))
		*rc = -1;
	free(content), free(beside);
	return top;
}

/* Reads how requests are sampled by default; engines take this from
 * generation_config.json. */
static int put_sampling(struct ini *c, const char *path, const json_t *g,
			struct problem *p)
{
	double top_p = json_number_value(json_object_get(g, "top_p"));
	double min_p = json_number_value(json_object_get(g, "min_p"));
	double top_k = json_number_value(json_object_get(g, "top_k"));
	const json_t *t = json_object_get(g, "temperature");
	int cut = (top_p > 0 && top_p < 1) || top_k > 0 || min_p > 0;
	int greedy = json_is_number(t) && json_number_value(t) == 0;
	return ini_put(c, "model", "sampling",
		       greedy ? "greedy"
		       : cut  ? "top_p"
			      : "random",
		       path, p);
}

int hf_config_read(struct ini *c, const char *path, struct problem *p)
{
	size_t len;
	int rc = 0;
	char *content = infile_read(path, LONGEST_MIB, &len, p);
	if (!content)
		return -1;
	c->path = c->path ? c->path : strdup(path);
	json_t *quantized = read_beside(path, "hf_quant_config.json", &rc, p);
	json_t *generation =
	    rc == 0 ? read_beside(path, "generation_config.json", &rc, p)
		    : NULL;
	if (rc == 0)
		rc = read_text(c, content, len, path,
			       json_object_get(quantized, "quantization"), p);
	if (rc == 0 && generation)
		rc = put_sampling(c, path, generation, p);
	json_decref(quantized), json_decref(generation);
	free(content);
	return rc;
}
