/* hf_quantization.c -- Puts the number formats of a config.json layer by
 * layer. */
#include "model/hf_quantization.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/hf_kinds.h"
#include "model/hf_scheme.h"
#include "model/model_kinds.h"

void hf_read_dtype(struct hf_reader *r)
{
	static const char *const key[] = {"torch_dtype", "dtype"};
	const char *s = "";
	for (int i = 0; i < 4 && !*s; i++)
		s = hf_text(i < 2 ? r->in : r->top, key[i % 2]);
	if (!*s)
		return; /* the default, bfloat16, is right for them */
	if (!strncmp(s, "torch.", 6))
		s += 6;
	if (strcmp(s, "bfloat16") && strcmp(s, "float16") &&
	    strcmp(s, "float32"))
		hf_fail(r, EXIT_USAGE, "torch_dtype",
			"is none of bfloat16, float16, float32");
	hf_put(r, "torch_dtype", s);
}

/* ---- formats of a layer ---- */

/* The number formats of one part of a layer. */
struct format {
	double n;     /* weights; 0: no such part */
	double of[5]; /* how many of them, by HF_* */
	double bits;  /* sum over all weights */
	int64_t activation_bits;
};
struct formats {
	struct format part[LAYER_SMALL];
};

struct visit {
	const struct hf_rules *rules;
	const char *type;
	int64_t layer;
	double base_bits;
	struct formats *to;
};

static void add_matrix(void *ctx, const struct matrix *m)
{
	const struct visit *v = ctx;
	if (m->part == LAYER_SMALL)
		return;
	struct format *f = &v->to->part[m->part];
	struct hf_scheme s =
	    hf_rules_find(v->rules, v->type, v->layer, m->name);
	f->n += m->n;
	f->of[s.format] += m->n;
	f->bits += m->n * (s.format ? s.bits : v->base_bits);
	if (s.format)
		f->activation_bits = s.activation_bits;
}

/* Returns the format that most weights have. */
static int64_t main_format(const struct format *f)
{
	int64_t most = 0;
	for (int64_t i = 1; i < 5; i++)
		if (f->of[i] > f->of[most])
			most = i;
	return most;
}

static double mean_bits(const struct format *f)
{
	return f->bits / f->n;
}

static int64_t activation_bits(const struct formats *f)
{
	for (int part = LAYER_EXPERT; part >= 0; part--)
		if (main_format(&f->part[part]))
			return f->part[part].activation_bits;
	return 0;
}

static int same_format(const struct format *a, const struct format *b)
{
	return main_format(a) == main_format(b) && mean_bits(a) == mean_bits(b);
}

/* ---- keys ---- */

static const char *const format_word[] = {"none", "fp8", "int8", "fp4", "int4"};
static const char *const part_key[LAYER_SMALL][2] = {
    {"attention_quantization", "attention_bits"},
    {"ffn_quantization", "ffn_bits"},
    {"expert_quantization", "expert_bits"}};

/* [model] has the formats of the first layer that has the part. */
static struct formats first_of(const struct formats *f, int64_t layers)
{
	struct formats first = {0};
	for (int part = 0; part < LAYER_SMALL; part++)
		for (int64_t i = 0; i < layers && first.part[part].n == 0; i++)
			first.part[part] = f[i].part[part];
	return first;
}

static int all_alike(const struct formats *f, int parts)
{
	const struct format *one = NULL;
	for (int part = 0; part < parts; part++) {
		if (f->part[part].n == 0)
			continue;
		if (one && !same_format(one, &f->part[part]))
			return 0;
		one = &f->part[part];
	}
	return 1;
}

static void put_model(struct hf_reader *r, const struct formats *f)
{
	const struct format *experts = &f->part[LAYER_EXPERT];
	const struct format *largest = &f->part[0];
	int alike = all_alike(f, LAYER_SMALL);
	int only = experts->n > 0 && main_format(experts) &&
		   all_alike(f, LAYER_EXPERT) && !main_format(largest) &&
		   !main_format(&f->part[LAYER_FFN]);
	for (int part = 0; part < LAYER_SMALL; part++)
		if (f->part[part].n > largest->n && main_format(&f->part[part]))
			largest = &f->part[part];
	if (largest->n == 0 || !main_format(largest))
		return;
	hf_put(r, "quantization", format_word[main_format(largest)]);
	hf_put_number(r, "quantized_bits", mean_bits(largest));
	if (only)
		hf_put(r, "quantized_layers", "experts");
	for (int part = 0; part < LAYER_SMALL && !alike && !only; part++) {
		const struct format *p = &f->part[part];
		if (p->n == 0)
			continue;
		hf_put(r, part_key[part][0], format_word[main_format(p)]);
		hf_put_number(r, part_key[part][1], mean_bits(p));
	}
	hf_put_int(r, "activation_bits", activation_bits(f));
}

static void put_layer_number(struct hf_reader *r, int64_t i, const char *key,
			     double v)
{
	char s[32];
	snprintf(s, sizeof s, "%.17g", v);
	hf_layer_put(r, i, key, s);
}

/* Puts the keys in which layer i differs. */
static void put_layer(struct hf_reader *r, int64_t i, const struct formats *f,
		      const struct formats *model)
{
	for (int part = 0; part < LAYER_SMALL; part++) {
		const struct format *p = &f->part[part];
		if (p->n == 0 || same_format(p, &model->part[part]))
			continue;
		hf_layer_put(r, i, part_key[part][0],
			     format_word[main_format(p)]);
		put_layer_number(r, i, part_key[part][1], mean_bits(p));
	}
	if (activation_bits(f) != activation_bits(model) &&
	    (activation_bits(f) || !all_alike(f, LAYER_SMALL)))
		hf_layer_put_int(r, i, "activation_bits", activation_bits(f));
}

static void put_outside(struct hf_reader *r, const struct hf_rules *rules)
{
	struct hf_scheme head = {0};
	if (rules->head)
		head = hf_rules_find(rules, r->type, -1, "lm_head");
	if (head.format) {
		hf_put(r, "head_quantization", format_word[head.format]);
		hf_put_number(r, "head_bits", head.bits);
	}
	if (rules->kv_format)
		hf_put(r, "kv_cache_quantization",
		       format_word[rules->kv_format]);
}

/* ---- all layers ---- */

/* Makes the layers that the keys put so far describe. */
static int read_kinds(struct hf_reader *r, struct model_kinds *kinds,
		      struct ini *scratch, struct model_keys *k)
{
	scratch->path = strdup(r->origin);
	for (size_t i = 0; i < r->c->n && !r->failed; i++)
		if (ini_put(scratch, r->c->item[i].section, r->c->item[i].key,
			    r->c->item[i].value, r->origin, r->p) < 0)
			r->failed = 1;
	hf_layers_put(r, scratch);
	if (r->failed || !scratch->path)
		return -1;
	if (knobs_fill(k, model_key, model_n_keys, NULL, scratch, "model", "",
		       r->p) < 0) {
		r->failed = 1;
		if (r->p)
			r->p->code = EXIT_INPUT;
		return -1;
	}
	r->failed = model_kinds_read(kinds, k, scratch, r->p) < 0;
	return r->failed ? -1 : 0;
}

static void put_formats(struct hf_reader *r, const struct hf_rules *rules,
			const struct model_kinds *kinds, struct formats *f)
{
	struct visit v = {.rules = rules, .type = r->type};
	v.base_bits = layer_quantized(kinds->kind, 0, 0).bits;
	for (int64_t i = 0; i < r->layers; i++) {
		v.layer = i;
		v.to = &f[i];
		layer_matrices(&kinds->layer[i], add_matrix, &v);
	}
	struct formats first = first_of(f, r->layers);
	put_model(r, &first);
	for (int64_t i = 0; i < r->layers; i++)
		put_layer(r, i, &f[i], &first);
	put_outside(r, rules);
	hf_rules_check_used(rules, r, r->layers);
}

/* Applies the rules to each layer, and writes the formats that result as keys.
 */
static void apply(struct hf_reader *r, const struct hf_rules *rules)
{
	struct model_kinds kinds = {0};
	struct model_keys keys;
	struct ini scratch = {0};
	if (!hf_rules_are_few(rules, r->layers)) {
		hf_fail(r, EXIT_USAGE, "quantization_config",
			"has too many patterns for this number of layers");
		return;
	}
	struct formats *f = calloc((size_t)r->layers, sizeof *f);
	if (!f)
		hf_fail(r, EXIT_USAGE, "num_hidden_layers",
			"need more memory than there is");
	if (f && read_kinds(r, &kinds, &scratch, &keys) == 0)
		put_formats(r, rules, &kinds, f);
	model_kinds_free(&kinds);
	ini_free(&scratch);
	free(f);
}

/* The file that ModelOpt wrote beside a config.json wins, even if the config
 * still has the formats of the model before quantization. */
static int says_algorithm(const json_t *beside)
{
	return hf_text(beside, "quant_algo")[0] != '\0' ||
	       json_is_object(json_object_get(beside, "quantized_layers"));
}

void hf_read_quantization(struct hf_reader *r, const json_t *beside)
{
	const json_t *q = json_object_get(r->top, "quantization_config");
	struct hf_rules rules = {0};
	int rc = 0;
	if (r->failed)
		return;
	if (!json_is_object(q))
		q = json_object_get(r->in, "quantization_config");
	if (says_algorithm(beside) || !json_is_object(q))
		q = NULL;
	if (q)
		rc = hf_rules_read(&rules, r, q);
	else if (json_is_object(beside))
		rc = hf_rules_read_modelopt(&rules, r, beside);
	else
		return;
	if (rc == 0)
		apply(r, &rules);
	hf_rules_free(&rules);
}
