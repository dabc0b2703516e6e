/* model_kinds.c -- Makes the layers of a model from its keys. */
#include "model/model_kinds.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/linear_attention.h"

/* ---- lists of words ---- */

static int find_word(const char *const *word, size_t n, const char *s,
		     size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(word[i]) == len && !strncmp(word[i], s, len))
			return (int)i;
	return -1;
}

/* Expands "a*2,b" to n layers: a a b a a b …  Returns 0, or -1 if it is no such
 * list. */
static int expand(const char *list, const char *const *word, size_t n_words,
		  uint16_t *kind, size_t n)
{
	const char *s = list;
	for (size_t i = 0; i < n;) {
		size_t len = strcspn(s, "*,");
		int k = find_word(word, n_words, s, len);
		char *end = (char *)(uintptr_t)(s + len);
		unsigned long times =
		    *end == '*' ? strtoul(end + 1, &end, 10) : 1;
		if (k < 0 || times == 0 || times > 100000 ||
		    (*end && *end != ','))
			return -1;
		for (; times && i < n; times--)
			kind[i++] = (uint16_t)k;
		s = *end ? end + 1 : list;
	}
	return 0;
}

static int bad_key(const struct ini *from, const char *key, const char *what,
		   struct problem *p)
{
	const struct ini_item *item = ini_find(from, "model", key);
	return problem_set(p, EXIT_USAGE, "%s: [model] %s %s",
			   item ? item->at : from->path, key, what);
}

/* key = n does not divide of = whole. */
static int bad_ratio(const struct ini *from, const char *key, int64_t n,
		     const char *of, int64_t whole, struct problem *p)
{
	char what[200];
	snprintf(what, sizeof what,
		 "= %" PRId64 " must divide %s = %" PRId64 " without rest", n,
		 of, whole);
	return bad_key(from, key, what, p);
}

/* ---- sections ---- */

/* Returns the NAME of [layers:NAME], or NULL for another section. */
static const char *kind_name(const char *section)
{
	size_t n = strlen(MODEL_KIND_PREFIX);
	return strncmp(section, MODEL_KIND_PREFIX, n) ? NULL : section + n;
}

int model_kinds_check(const struct ini *from, struct problem *p)
{
	const struct key_table known = {model_key, model_n_keys, "", NULL};
	for (size_t i = 0; i < from->n_heads; i++) {
		const char *section = from->head[i].section;
		if (strcmp(section, "model") && !kind_name(section))
			return problem_set(p, EXIT_USAGE,
					   "%s: unknown section [%s]; allowed: "
					   "model, layers:NAME",
					   from->head[i].at, section);
		if (keys_check(from, section, &known, 1, p) < 0)
			return -1;
	}
	for (size_t i = 0; i < from->n; i++) {
		const struct ini_item *t = &from->item[i];
		if (kind_name(t->section) && model_key_is_whole(t->key))
			return problem_set(
			    p, EXIT_USAGE,
			    "%s: %s is a key of the whole model: move it from "
			    "[%s] to [model]",
			    t->at, t->key, t->section);
	}
	return 0;
}

/* Lists the names in the order of the sections; "model" is kind 0. */
static int read_names(struct names *l, const struct ini *from,
		      struct problem *p)
{
	int rc = names_add(l, "model");
	for (size_t i = 0; rc == 0 && i < from->n; i++) {
		const char *name = kind_name(from->item[i].section);
		if (name && *name)
			rc = names_add_new(l, name);
	}
	if (rc < 0)
		return problem_no_memory(p);
	if (l->n > UINT16_MAX)
		return problem_set(p, EXIT_USAGE, "%s: %zu kinds of layers",
				   from->path, l->n);
	return 0;
}

static int fill_kind(struct model_keys *k, const struct model_keys *model,
		     const char *name, const struct ini *from,
		     struct problem *p)
{
	char section[200];
	*k = *model;
	snprintf(section, sizeof section, MODEL_KIND_PREFIX "%s", name);
	return knobs_overlay(k, model_key, model_n_keys, from, section, "", p);
}

/* ---- keys that a kind of layer needs ---- */

/* Fills in sizes that follow from other keys.  As in vLLM, head_dim is rounded
 * down. */
static void complete(struct model_keys *k)
{
	if (k->num_key_value_heads == 0)
		k->num_key_value_heads = k->num_attention_heads;
	if (k->head_dim == 0)
		k->head_dim = k->hidden_size / k->num_attention_heads;
	if (k->n_shared_experts && k->shared_expert_intermediate_size == 0)
		k->shared_expert_intermediate_size = k->moe_intermediate_size;
}

static int check_mixer(const struct layer *l, const struct ini *from,
		       struct problem *p)
{
	const struct model_keys *k = l->k;
	const char *lacks = NULL;
	if (l->mixer == MIX_LINEAR || k->linear_beside_attention)
		lacks = linear_attention_lacks(k);
	if (lacks)
		return bad_key(from, lacks, "is needed by linear_attention", p);
	if (l->mixer == MIX_LINEAR || l->mixer == MIX_NONE)
		return 0;
	if (l->mixer == MIX_SLIDING && k->sliding_window == 0)
		return bad_key(from, "sliding_window", "is needed", p);
	if (l->mixer == MIX_CHUNKED && k->attention_chunk_size == 0)
		return bad_key(from, "attention_chunk_size", "is needed", p);
	if (k->kv_lora_rank &&
	    (!k->qk_nope_head_dim || !k->qk_rope_head_dim || !k->v_head_dim))
		return bad_key(from, "kv_lora_rank",
			       "needs qk_nope_head_dim, qk_rope_head_dim and "
			       "v_head_dim",
			       p);
	if (k->head_dim == 0)
		return bad_key(from, "head_dim", "is 0", p);
	if (k->o_lora_rank && (!k->q_lora_rank || !k->o_groups))
		return bad_key(from, "o_lora_rank",
			       "needs q_lora_rank and o_groups", p);
	if (k->num_attention_heads % k->num_key_value_heads)
		return bad_ratio(from, "num_key_value_heads",
				 k->num_key_value_heads, "num_attention_heads",
				 k->num_attention_heads, p);
	return 0;
}

static int check_layer(const struct layer *l, const struct ini *from,
		       struct problem *p)
{
	const struct model_keys *k = l->k;
	if (l->ffn == FFN_SPARSE &&
	    (!k->num_experts || !k->moe_intermediate_size ||
	     !k->num_experts_per_tok ||
	     k->num_experts_per_tok > k->num_experts))
		return bad_key(from, "num_experts",
			       "needs moe_intermediate_size, and "
			       "num_experts_per_tok of at most as many",
			       p);
	return check_mixer(l, from, p);
}

/* ---- the layers ---- */

static int fill_layers(struct model_kinds *m, const struct names *names,
		       uint16_t *kind, const struct ini *from,
		       struct problem *p)
{
	const struct model_keys *k = m->kind;
	size_t n = (size_t)k->num_hidden_layers;
	const char *mlp = k->mlp_layer_types;
	if (!mlp[0])
		mlp = k->num_experts ? "sparse" : "dense";
	if (expand(k->layer_types, model_mixer_word, 5, kind, n) < 0)
		return bad_key(from, "layer_types",
			       "must be full_attention, sliding_attention, "
			       "chunked_attention, linear_attention or none, "
			       "each with *N for N in a row, between commas",
			       p);
	for (size_t i = 0; i < n; i++)
		m->layer[i].mixer = kind[i];
	if (expand(mlp, model_ffn_word, 3, kind, n) < 0)
		return bad_key(from, "mlp_layer_types",
			       "must be dense, sparse or none, each with *N "
			       "for N in a row, between commas",
			       p);
	for (size_t i = 0; i < n; i++)
		m->layer[i].ffn = kind[i];
	if (expand(k->layers[0] ? k->layers : "model", names->item, names->n,
		   kind, n) < 0)
		return bad_key(from, "layers",
			       "must name sections [layers:NAME] of the file, "
			       "each with *N for N in a row, between commas",
			       p);
	for (size_t i = 0; i < n; i++)
		m->layer[i].k = &m->kind[kind[i]];
	return 0;
}

static int same_layer(const struct layer *a, const struct layer *b)
{
	return a->k == b->k && a->mixer == b->mixer && a->ffn == b->ffn;
}

static int read_layers(struct model_kinds *m, const struct names *names,
		       const struct ini *from, struct problem *p)
{
	size_t n = (size_t)m->kind->num_hidden_layers;
	uint16_t *kind = calloc(n, sizeof *kind);
	m->layer = calloc(n, sizeof *m->layer);
	int rc = kind && m->layer ? fill_layers(m, names, kind, from, p)
				  : problem_no_memory(p);
	free(kind);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct model_keys *k = &m->kind[m->layer[i].k - m->kind];
		if (k->intermediate_size == 0 &&
		    (m->layer[i].ffn == FFN_DENSE || k->dense_beside_experts))
			k->intermediate_size = 4 * k->hidden_size;
		if (i == 0 || !same_layer(&m->layer[i], &m->layer[i - 1]))
			rc = check_layer(&m->layer[i], from, p);
	}
	return rc;
}

int model_kinds_read(struct model_kinds *m, const struct model_keys *keys,
		     const struct ini *from, struct problem *p)
{
	struct names names = {0};
	*m = (struct model_kinds){0};
	int rc = read_names(&names, from, p);
	m->kind = rc == 0 ? calloc(names.n, sizeof *m->kind) : NULL;
	if (rc == 0 && !m->kind)
		rc = problem_no_memory(p);
	for (; rc == 0 && m->n < names.n; m->n++) {
		rc = fill_kind(&m->kind[m->n], keys, names.item[m->n], from, p);
		if (rc == 0)
			complete(&m->kind[m->n]);
	}
	if (rc == 0)
		rc = read_layers(m, &names, from, p);
	names_free(&names);
	return rc;
}

void model_kinds_free(struct model_kinds *m)
{
	free(m->kind), free(m->layer);
	*m = (struct model_kinds){0};
}
