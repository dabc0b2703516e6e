/* model.c -- The keys of [model], and the layer groups that a cost model is
 * told of. */
#include <config.h>
#include "setup/model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "setup/datafile.h"
#include "setup/hf_config.h"
#include "setup/keys.h"
#include "stepcost/format.h"
#include "stepcost/knob.h"

#define INT(field, def, min, max, help)                                        \
	SC_INT(struct model_keys, field, def, min, max, "1", help)
#define DOUBLE(field, def, min, max, unit, help)                               \
	SC_DOUBLE(struct model_keys, field, def, min, max, unit, help)
#define BOOL(field, def, help) SC_BOOL(struct model_keys, field, def, help)
#define CHOICE(field, def, words, help)                                        \
	SC_CHOICE(struct model_keys, field, def, words, help)
#define TEXT(field, def, help) KEY_TEXT_OF(struct model_keys, field, def, help)

static const char *const dtypes[] = {"bfloat16", "float16", "float32", NULL};
static const char *const quantizations[] = {"none", "fp8",  "int8",
					    "fp4",  "int4", NULL};
static const char *const parts[] = {"linear", "experts", NULL};
static const char *const biases[] = {"none", "qkv", "all", NULL};

const sc_knob *const model_key[] = {
    TEXT(config, "", "A name under etc/models, or a config.json."),
    INT(num_hidden_layers, NULL, 1, 10000, "Layers."),
    INT(hidden_size, NULL, 1, 1e6, "Width of the residual stream."),
    INT(num_attention_heads, NULL, 1, 10000, "Query heads."),
    INT(num_key_value_heads, "0", 0, 10000, "0: as many as query heads."),
    INT(head_dim, "0", 0, 10000, "0: hidden_size / num_attention_heads."),
    INT(intermediate_size, "0", 0, 1e7,
	"Width of a dense layer's FFN. 0: 4 x hidden_size."),
    INT(vocab_size, NULL, 1, 1e8, "Tokens in the vocabulary."),
    INT(max_position_embeddings, "0", 0, 4e9,
	"Longest prompt and output together. 0: unknown."),
    BOOL(tie_word_embeddings, "false",
	 "The LM head is the embedding transposed."),
    DOUBLE(bytes_per_param, "0", 0, 8, "byte",
	   "Of weights, KV and kernels alike: 4 FP32, 2 BF16, 1 FP8, 0.5 FP4. "
	   "0: by torch_dtype and quantization."),
    CHOICE(torch_dtype, "bfloat16", dtypes, "Format of what is not quantized."),
    CHOICE(quantization, "none", quantizations, "Format of quantized weights."),
    CHOICE(quantized_layers, "linear", parts,
	   "What is quantized: attention and FFN, or experts alone."),
    DOUBLE(quantized_bits, "0", 0, 32, "bit",
	   "Stored for a quantized weight, scales included. 0: by the format."),
    BOOL(gated_mlp, "true", "Gate, up and down; or up and down."),
    CHOICE(attention_bias, "none", biases, "Projections that have a bias."),
    BOOL(mlp_bias, "false", "The FFN's projections have a bias."),
    BOOL(qk_norm, "false", "A norm over each query and key head."),
    BOOL(attention_sinks, "false", "A learned sink for each head."),
    INT(norms_per_layer, "2", 0, 16, "Of hidden_size each."),
    INT(num_experts, "0", 0, 1e5, "Routed experts of a layer. 0: dense."),
    INT(num_experts_per_tok, "0", 0, 1e5, "Experts a token goes through."),
    INT(moe_intermediate_size, "0", 0, 1e7, "Width of one routed expert."),
    INT(n_shared_experts, "0", 0, 1e4, "Experts every token goes through."),
    INT(shared_expert_intermediate_size, "0", 0, 1e7,
	"Width of one. 0: moe_intermediate_size."),
    BOOL(shared_expert_gate, "false", "The shared expert has a gate."),
    BOOL(router_bias, "false", "The router has a bias or a correction."),
    BOOL(expert_bias, "false", "The experts' projections have a bias."),
    INT(q_lora_rank, "0", 0, 1e5, "MLA. 0: queries are not compressed."),
    INT(kv_lora_rank, "0", 0, 1e5, "MLA. 0: no latent attention."),
    INT(qk_nope_head_dim, "0", 0, 1e5, "MLA."),
    INT(qk_rope_head_dim, "0", 0, 1e5, "MLA."),
    INT(v_head_dim, "0", 0, 1e5, "MLA."),
    TEXT(layer_types, "full_attention",
	 "full_attention, sliding_attention, chunked_attention or "
	 "linear_attention, each with *N for N in a row, repeated."),
    TEXT(mlp_layer_types, "",
	 "dense or sparse, as layer_types. Empty: sparse if there are "
	 "experts."),
    INT(sliding_window, "0", 0, 4e9, "Tokens a sliding layer sees."),
    INT(attention_chunk_size, "0", 0, 4e9, "Tokens of a chunked layer."),
};
const uint32_t model_n_keys = sizeof model_key / sizeof *model_key;

/* ---- where the keys come from ---- */

static int read_ini(struct ini *from, const char *path, struct problem *p)
{
	const struct key_table known = {model_key, model_n_keys, ""};
	if (ini_load(from, path, p) < 0)
		return -1;
	for (size_t i = 0; i < from->n_heads; i++)
		if (strcmp(from->head[i].section, "model"))
			return problem_set(p, EXIT_USAGE,
					   "%s: unknown section [%s]; allowed: "
					   "model",
					   from->head[i].at,
					   from->head[i].section);
	const struct ini_item *nested = ini_find(from, "model", "config");
	if (nested)
		return problem_set(p, EXIT_USAGE,
				   "%s: config has no place in a file that one "
				   "names",
				   nested->at);
	return keys_check(from, "model", &known, 1, p);
}

static int read_config(struct model *m, const struct ini *c,
		       const struct ini_item *config, struct problem *p)
{
	char *path = datafile_config(c, config, "etc/models", p);
	if (!path)
		return -1;
	const char *dot = strrchr(path, '.');
	int rc;
	if (dot && !strcmp(dot, ".json")) {
		rc = hf_config_read(&m->from, path, p);
		/* A number out of range is a fault of the file. */
		if (rc == 0 &&
		    (rc = knobs_fill(&m->keys, model_key, model_n_keys, NULL,
				     &m->from, "model", "", p)) < 0 &&
		    p)
			p->code = EXIT_INPUT;
	} else {
		rc = read_ini(&m->from, path, p);
	}
	m->name = datafile_name(path);
	free(path);
	return rc < 0 || m->name ? rc
				 : problem_set(p, EXIT_USAGE, "out of memory");
}

static int read_keys(struct model *m, const struct ini *c, struct problem *p)
{
	const struct ini_item *config = ini_find(c, "model", "config");
	if (config && config->value[0]) {
		if (read_config(m, c, config, p) < 0)
			return -1;
	} else {
		m->from.path = strdup(c->path);
		m->name = strdup("[model]");
		if (!m->from.path || !m->name)
			return problem_set(p, EXIT_USAGE, "out of memory");
	}
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < c->n; i++) {
		const struct ini_item *t = &c->item[i];
		if (strcmp(t->section, "model"))
			continue;
		char *end;
		if (!strcmp(t->key, "bytes_per_param") &&
		    strtod(t->value, &end) == 0 && end != t->value)
			rc = problem_set(p, EXIT_USAGE,
					 "%s: bytes_per_param = %s: must be "
					 "above 0; leave it out to go by "
					 "torch_dtype and quantization",
					 t->at, t->value);
		else
			rc = ini_put(&m->from, "model", t->key, t->value, t->at,
				     p);
	}
	if (rc < 0 || m->from.n == 0)
		return rc;
	return knobs_fill(&m->keys, model_key, model_n_keys, NULL, &m->from,
			  "model", "", p);
}

/* ---- kinds of layers ---- */

static const char *const attention_word[] = {
    "full_attention", "sliding_attention", "chunked_attention",
    "linear_attention", NULL};
static const uint32_t attention_kind[] = {SC_ATTN_FULL, SC_ATTN_WINDOW,
					  SC_ATTN_CHUNK, SC_ATTN_LINEAR};
static const char *const mlp_word[] = {"dense", "sparse", NULL};

static int find_word(const char *const *word, const char *s, size_t len)
{
	for (int i = 0; word[i]; i++)
		if (strlen(word[i]) == len && !strncmp(word[i], s, len))
			return i;
	return -1;
}

/* "a*2,b" over n layers: a a b a a b …  0, or -1: not such a list. */
static int expand(const char *list, const char *const *word, uint8_t *kind,
		  size_t n)
{
	const char *s = list;
	for (size_t i = 0; i < n;) {
		size_t len = strcspn(s, "*,");
		int k = find_word(word, s, len);
		char *end = (char *)(uintptr_t)(s + len);
		unsigned long times =
		    *end == '*' ? strtoul(end + 1, &end, 10) : 1;
		if (k < 0 || times == 0 || times > 100000 ||
		    (*end && *end != ','))
			return -1;
		for (; times && i < n; times--)
			kind[i++] = (uint8_t)k;
		s = *end ? end + 1 : list;
	}
	return 0;
}

struct kinds {
	uint8_t *attention, *mlp; /* [layers], index into the words above */
};

static int bad_key(const struct model *m, const char *key, const char *what,
		   struct problem *p)
{
	const struct ini_item *item = ini_find(&m->from, "model", key);
	return problem_set(p, EXIT_USAGE, "%s: [model] %s %s",
			   item ? item->at : m->from.path, key, what);
}

static int read_kinds(const struct model *m, struct kinds *of,
		      struct problem *p)
{
	const struct model_keys *k = &m->keys;
	size_t n = (size_t)k->num_hidden_layers;
	const char *mlp = k->mlp_layer_types;
	if (!mlp[0])
		mlp = k->num_experts ? "sparse" : "dense";
	of->attention = calloc(n, 1);
	of->mlp = calloc(n, 1);
	if (!of->attention || !of->mlp)
		return problem_set(p, EXIT_USAGE, "out of memory");
	if (expand(k->layer_types, attention_word, of->attention, n) < 0)
		return bad_key(m, "layer_types",
			       "is full_attention, sliding_attention, "
			       "chunked_attention or linear_attention, each "
			       "with *N for N in a row, between commas",
			       p);
	if (expand(mlp, mlp_word, of->mlp, n) < 0)
		return bad_key(m, "mlp_layer_types",
			       "is dense or sparse, each with *N for N in a "
			       "row, between commas",
			       p);
	return 0;
}

static int has(const uint8_t *kind, int64_t n, int which)
{
	return memchr(kind, which, (size_t)n) != NULL;
}

/* What the kinds of layers that there are need. */
static int check(struct model *m, const struct kinds *of, struct problem *p)
{
	struct model_keys *k = &m->keys;
	int64_t n = k->num_hidden_layers;
	if (k->num_key_value_heads == 0)
		k->num_key_value_heads = k->num_attention_heads;
	if (k->head_dim == 0)
		k->head_dim = k->hidden_size / k->num_attention_heads;
	if (k->n_shared_experts && k->shared_expert_intermediate_size == 0)
		k->shared_expert_intermediate_size = k->moe_intermediate_size;
	if (has(of->mlp, n, 0) && k->intermediate_size == 0)
		k->intermediate_size = 4 * k->hidden_size;
	if (has(of->mlp, n, 1) &&
	    (!k->num_experts || !k->moe_intermediate_size ||
	     !k->num_experts_per_tok ||
	     k->num_experts_per_tok > k->num_experts))
		return bad_key(m, "num_experts",
			       "needs moe_intermediate_size, and "
			       "num_experts_per_tok of at most as many",
			       p);
	if (has(of->attention, n, 1) && k->sliding_window == 0)
		return bad_key(m, "sliding_window", "is needed", p);
	if (has(of->attention, n, 2) && k->attention_chunk_size == 0)
		return bad_key(m, "attention_chunk_size", "is needed", p);
	if (has(of->attention, n, 3))
		return bad_key(m, "layer_types",
			       "has linear_attention, whose weights are not "
			       "known",
			       p);
	if (k->kv_lora_rank &&
	    (!k->qk_nope_head_dim || !k->qk_rope_head_dim || !k->v_head_dim))
		return bad_key(m, "kv_lora_rank",
			       "needs qk_nope_head_dim, qk_rope_head_dim and "
			       "v_head_dim",
			       p);
	if (k->head_dim == 0)
		return bad_key(m, "head_dim", "is 0", p);
	if (k->num_attention_heads % k->num_key_value_heads)
		return bad_key(m, "num_key_value_heads",
			       "must divide num_attention_heads", p);
	return 0;
}

/* ---- number formats ---- */

struct formats {
	uint32_t base, attn, expert, compute;
	double base_bits, attn_bits, expert_bits;
};

static struct formats formats_of(const struct model_keys *k)
{
	const struct sc_format *plain = sc_format_find(dtypes[k->torch_dtype]);
	const struct sc_format *q =
	    sc_format_find(quantizations[k->quantization]); /* none: NULL */
	uint32_t base = plain->code;
	double bits = plain->stored, b = k->bytes_per_param;
	if (b > 0) {
		base = b > 2             ? SC_FP32
		       : b < 1           ? SC_FP4
		       : b <= 1          ? SC_FP8
		       : base == SC_FP16 ? SC_FP16
					 : SC_BF16;
		return (struct formats){base,  base,  base, base,
					8 * b, 8 * b, 8 * b};
	}
	struct formats f = {base, base, base, base, bits, bits, bits};
	if (!q)
		return f;
	f.expert = q->code;
	f.expert_bits = k->quantized_bits > 0 ? k->quantized_bits : q->stored;
	if (k->quantized_layers == QUANTIZED_EXPERTS)
		return f;
	f.attn = q->code;
	f.attn_bits = f.expert_bits;
	if (!q->weights_only)
		f.compute = q->code;
	return f;
}

/* ---- parameters ---- */

/* In one layer: of what is quantized with attention and FFN, of experts, and
 * what stays in the base format (norms, biases, router). */
struct params {
	double linear, expert, small;
	double active; /* of all of them */
};

static double attention_matrices(const struct model_keys *k)
{
	double d = (double)k->hidden_size, h = (double)k->num_attention_heads;
	double kv = (double)k->num_key_value_heads, dim = (double)k->head_dim;
	if (k->kv_lora_rank == 0)
		return d * dim * (2 * h + 2 * kv);
	double ql = (double)k->q_lora_rank, kl = (double)k->kv_lora_rank;
	double nope = (double)k->qk_nope_head_dim;
	double rope = (double)k->qk_rope_head_dim, v = (double)k->v_head_dim;
	double q =
	    ql > 0 ? d * ql + ql * h * (nope + rope) : d * h * (nope + rope);
	return q + d * (kl + rope) + kl * h * (nope + v) + h * v * d;
}

static double attention_small(const struct model_keys *k)
{
	double d = (double)k->hidden_size, h = (double)k->num_attention_heads;
	double kv = (double)k->num_key_value_heads, dim = (double)k->head_dim;
	double n = (double)k->norms_per_layer * d;
	if (k->kv_lora_rank) {
		n += (double)(k->q_lora_rank + k->kv_lora_rank);
		if (k->attention_bias != BIAS_NONE)
			n += (double)(k->q_lora_rank + k->kv_lora_rank +
				      k->qk_rope_head_dim) +
			     d;
		return n;
	}
	if (k->attention_bias != BIAS_NONE)
		n += dim * (h + 2 * kv);
	if (k->attention_bias == BIAS_ALL)
		n += d;
	if (k->qk_norm)
		n += 2 * dim;
	if (k->attention_sinks)
		n += h;
	return n;
}

static struct params count_layer(const struct model_keys *k, int sparse)
{
	double d = (double)k->hidden_size, m = k->gated_mlp ? 3 : 2;
	struct params n = {.linear = attention_matrices(k),
			   .small = attention_small(k)};
	if (!sparse) {
		double f = (double)k->intermediate_size;
		n.linear += m * d * f;
		if (k->mlp_bias)
			n.small += (m - 1) * f + d;
		n.active = n.linear + n.small;
		return n;
	}
	double f = (double)k->moe_intermediate_size, e = (double)k->num_experts;
	double shared =
	    (double)(k->n_shared_experts * k->shared_expert_intermediate_size);
	double bias = k->expert_bias ? (m - 1) * f + d : 0;
	n.linear += m * d * shared;
	n.small += d * e + (k->router_bias ? e : 0) +
		   (k->shared_expert_gate ? d : 0) + e * bias;
	n.expert = e * m * d * f;
	n.active = n.linear + n.small - e * bias +
		   (double)k->num_experts_per_tok * (m * d * f + bias);
	return n;
}

/* ---- what a cost model is told ---- */

static sc_layers layers_of(const struct model_keys *k, const struct formats *f,
			   int attention, int sparse)
{
	uint32_t kind = attention_kind[attention];
	return (sc_layers){
	    .size = sizeof(sc_layers),
	    .attention = k->kv_lora_rank ? SC_ATTN_MLA : kind,
	    .n_heads = (uint32_t)k->num_attention_heads,
	    .n_kv_heads = (uint32_t)k->num_key_value_heads,
	    .head_dim = (uint32_t)k->head_dim,
	    .window = kind == SC_ATTN_WINDOW ? (uint32_t)k->sliding_window
		      : kind == SC_ATTN_CHUNK
			  ? (uint32_t)k->attention_chunk_size
			  : 0,
	    .q_lora_rank = (uint32_t)k->q_lora_rank,
	    .kv_lora_rank = (uint32_t)k->kv_lora_rank,
	    .qk_nope_dim = (uint32_t)k->qk_nope_head_dim,
	    .qk_rope_dim = (uint32_t)k->qk_rope_head_dim,
	    .v_dim = (uint32_t)k->v_head_dim,
	    .ffn = sparse         ? SC_FFN_MOE
		   : k->gated_mlp ? SC_FFN_GATED
				  : SC_FFN_PLAIN,
	    .ffn_dim = (uint32_t)(sparse ? k->moe_intermediate_size
					 : k->intermediate_size),
	    .n_experts = sparse ? (uint32_t)k->num_experts : 0,
	    .experts_per_token = sparse ? (uint32_t)k->num_experts_per_tok : 0,
	    .n_shared_experts = sparse ? (uint32_t)k->n_shared_experts : 0,
	    .shared_ffn_dim =
		sparse ? (uint32_t)k->shared_expert_intermediate_size : 0,
	    .attn_format = f->attn,
	    .ffn_format = f->attn,
	    .expert_format = sparse ? f->expert : 0,
	    .attn_bits = f->attn_bits,
	    .ffn_bits = f->attn_bits,
	    .expert_bits = sparse ? f->expert_bits : 0,
	};
}

/* Layers that are alike in one group, in order of their first. */
static int group_layers(struct model *m, const struct kinds *of,
			const struct formats *f, struct problem *p)
{
	enum { MOST = 8 }; /* kinds of attention times kinds of FFN */
	uint32_t place[MOST];
	m->layers = calloc(MOST, sizeof *m->layers);
	m->group = calloc(MOST, sizeof *m->group);
	if (!m->layers || !m->group)
		return problem_set(p, EXIT_USAGE, "out of memory");
	uint32_t n = 0;
	memset(place, 0xff, sizeof place);
	for (int64_t i = 0; i < m->keys.num_hidden_layers; i++) {
		int kind = 2 * of->attention[i] + of->mlp[i];
		if (place[kind] == UINT32_MAX) {
			place[kind] = n;
			m->layers[n] = layers_of(&m->keys, f, of->attention[i],
						 of->mlp[i]);
			m->group[n] = &m->layers[n];
			n++;
		}
		m->layers[place[kind]].n_layers++;
	}
	m->view.n_groups = n;
	m->view.group = m->group;
	return 0;
}

static void count(struct model *m, const struct formats *f)
{
	const struct model_keys *k = &m->keys;
	double embed = (double)k->hidden_size * (double)k->vocab_size;
	double outside =
	    (k->tie_word_embeddings ? 1 : 2) * embed + (double)k->hidden_size;
	double all = outside, active = outside;
	double bits = outside * f->base_bits;
	for (uint32_t i = 0; i < m->view.n_groups; i++) {
		const sc_layers *g = m->group[i];
		struct params n = count_layer(k, g->ffn == SC_FFN_MOE);
		double layers = g->n_layers;
		all += layers * (n.linear + n.expert + n.small);
		active += layers * n.active;
		bits += layers *
			(n.linear * f->attn_bits + n.expert * f->expert_bits +
			 n.small * f->base_bits);
	}
	m->view.n_params = (uint64_t)all;
	m->n_active = (uint64_t)active;
	m->weight_bytes = bits / 8;
}

static int build(struct model *m, struct problem *p)
{
	struct kinds of = {0};
	const struct model_keys *k = &m->keys;
	struct formats f = formats_of(k);
	int rc = read_kinds(m, &of, p);
	if (rc == 0)
		rc = check(m, &of, p);
	if (rc == 0)
		rc = group_layers(m, &of, &f, p);
	free(of.attention), free(of.mlp);
	if (rc < 0)
		return -1;
	m->view.hidden = (uint32_t)k->hidden_size;
	m->view.vocab = (uint32_t)k->vocab_size;
	m->view.tied_embeddings = (uint32_t)k->tie_word_embeddings;
	m->view.compute_format = f.compute;
	m->view.head_format = m->view.kv_format = f.base;
	m->view.embed_bits = m->view.head_bits = m->view.kv_bits = f.base_bits;
	m->max_len = (uint32_t)k->max_position_embeddings;
	count(m, &f);
	return 0;
}

int model_load(struct model *m, const struct ini *c, struct problem *p)
{
	*m = (struct model){0};
	if (read_keys(m, c, p) < 0)
		return -1;
	m->view.size = sizeof m->view;
	m->view.name = m->name;
	m->view.compute_format = SC_BF16;
	return m->from.n ? build(m, p) : 0;
}

void model_free(struct model *m)
{
	ini_free(&m->from);
	free(m->name), free(m->layers), free(m->group);
	*m = (struct model){0};
}
