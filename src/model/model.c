/* model.c -- Loads a model and makes the groups of layers that cost models
 * see. */
#include "model/model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "keys/datafile.h"
#include "model/hf_config.h"
#include "model/model_ids.h"
#include "stepcost/format.h"

/* ---- where the keys come from ---- */

static int read_ini(struct ini *from, const char *path, struct problem *p)
{
	if (ini_load(from, path, p) < 0)
		return -1;
	const struct ini_item *nested = ini_find(from, "model", "config");
	if (nested)
		return problem_set(p, EXIT_USAGE,
				   "%s: a file named by config cannot have a "
				   "key config itself",
				   nested->at);
	return model_kinds_check(from, p);
}

static int fill(struct model *m, struct problem *p)
{
	return knobs_fill(&m->keys, model_key, model_n_keys, NULL, &m->from,
			  "model", "", p);
}

/* Returns the path of the file of a model, which the caller frees: of a name or
 * a path, or else of a publisher's name ("meta-llama/Llama-3.1-8B"), each also
 * behind "hf:", as other programs write it.  NULL with *p. */
static char *config_path(const struct ini *c, const struct ini_item *config,
			 struct problem *p)
{
	struct problem none;
	char *model = NULL;
	struct ini_item item = *config;
	if (!strncmp(item.value, "hf:", 3))
		item.value += 3;
	char *path = datafile_config(c, &item, "etc/models", p);
	if (path || !strchr(item.value, '/') ||
	    model_ids_find(&model, item.value, &none) < 0 || !model)
		return path;
	path = datafile_find("etc/models", model, ".ini", p);
	free(model);
	return path;
}

static int read_config(struct model *m, const struct ini *c,
		       const struct ini_item *config, struct problem *p)
{
	char *path = config_path(c, config, p);
	if (!path)
		return -1;
	const char *dot = strrchr(path, '.');
	int rc;
	if (dot && !strcmp(dot, ".json")) {
		rc = hf_config_read(&m->from, path, p);
		/* A number out of range is an error of the file. */
		if (rc == 0 && (rc = fill(m, p)) < 0 && p)
			p->code = EXIT_INPUT;
	} else {
		rc = read_ini(&m->from, path, p);
	}
	m->name = datafile_name(path);
	free(path);
	return rc < 0 || m->name ? rc : problem_no_memory(p);
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
			return problem_no_memory(p);
	}
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < c->n; i++) {
		const struct ini_item *t = &c->item[i];
		if (strcmp(t->section, "model"))
			continue;
		char *end;
		if (!strcmp(t->key, "bytes_per_param") &&
		    strtod(t->value, &end) == 0 && end != t->value)
			rc = problem_set(
			    p, EXIT_USAGE,
			    "%s: bytes_per_param = %s: must be above 0; leave "
			    "it out to use torch_dtype and quantization",
			    t->at, t->value);
		else
			rc = ini_put(&m->from, "model", t->key, t->value, t->at,
				     p);
	}
	return rc < 0 || m->from.n == 0 ? rc : fill(m, p);
}

/* ---- groups of equal layers ---- */

/* Returns 1 if two layers look the same to cost models and in parameters and KV
 * cache. */
static int alike(const struct layer *a, const struct layer *b)
{
	if (a->k == b->k && a->mixer == b->mixer && a->ffn == b->ffn)
		return 1;
	sc_layers x, y;
	memset(&x, 0, sizeof x), memset(&y, 0, sizeof y);
	x = layer_view(a), y = layer_view(b);
	return !memcmp(&x, &y, sizeof x) &&
	       layer_params(a) == layer_params(b) &&
	       layer_kv_bytes(a, 1, 16) == layer_kv_bytes(b, 1, 16);
}

/* Groups equal layers, in the order of the first layer of each group. */
static int group_layers(struct model *m, struct problem *p)
{
	size_t n = (size_t)m->keys.num_hidden_layers;
	m->layers = calloc(n, sizeof *m->layers);
	m->group = calloc(n, sizeof *m->group);
	m->alike = calloc(n, sizeof *m->alike);
	if (!m->layers || !m->group || !m->alike)
		return problem_no_memory(p);
	uint32_t groups = 0;
	for (size_t i = 0; i < n; i++) {
		const struct layer *l = &m->kinds.layer[i];
		uint32_t g = 0;
		while (g < groups && !alike(m->alike[g].layer, l))
			g++;
		if (g == groups) {
			m->layers[g] = layer_view(l);
			m->layers[g].n_layers = 0;
			m->group[g] = &m->layers[g];
			m->alike[g].layer = l;
			groups++;
		}
		m->layers[g].n_layers++;
		m->alike[g].n_layers++;
	}
	m->view.n_groups = groups;
	m->view.group = m->group;
	return 0;
}

/* ---- parameters ---- */

static double embedding(const struct model_keys *k)
{
	double width =
	    (double)(k->embedding_size ? k->embedding_size : k->hidden_size);
	return width * (double)k->vocab_size;
}

/* Parameters outside the layers other than embedding and head: norms,
 * positions, and the projections between an embedding of another width and the
 * layers. */
static double outside_small(const struct model_keys *k)
{
	double d = (double)k->hidden_size, e = (double)k->embedding_size;
	return (k->final_norm ? d * (k->norm_bias ? 2 : 1) : 0) +
	       d * (double)k->learned_positions + 2 * e * d +
	       (k->lm_head_bias ? (double)k->vocab_size : 0) +
	       (double)k->outside_params;
}

/* Counts parameters, active parameters and bytes of the whole model. */
static int count(struct model *m, struct problem *p)
{
	const struct model_keys *k = &m->keys;
	double outside =
	    (k->tie_word_embeddings ? 1 : 2) * embedding(k) + outside_small(k);
	double all = outside, active = outside;
	double bytes = model_outside_bytes(m, 1, 1, 1);
	for (uint32_t i = 0; i < m->view.n_groups; i++) {
		const struct model_group *g = &m->alike[i];
		all += g->n_layers * layer_params(g->layer);
		active += g->n_layers * layer_active_params(g->layer);
		bytes += g->n_layers * layer_rank_bytes(g->layer, 1, 1);
	}
	if (all >= 0x1p64)
		return problem_set(
		    p, EXIT_INPUT,
		    "%s: %.3g parameters, more than 2^64: a size "
		    "of [model] is wrong",
		    m->name, all);
	m->view.n_params = (uint64_t)all;
	m->n_active = (uint64_t)active;
	m->weight_bytes = bytes;
	return 0;
}

double model_outside_bytes(const struct model *m, uint32_t tp, int first,
			   int last)
{
	const struct model_keys *k = &m->keys;
	double embed = embedding(k) / tp, small = outside_small(k);
	double bits = 0;
	if (first)
		bits += embed * m->view.embed_bits;
	if (last && !(first && k->tie_word_embeddings))
		bits += embed * m->view.head_bits;
	if (last)
		bits += small * m->view.embed_bits;
	return bits / 8;
}

/* ---- KV cache ---- */

double model_kv_bytes(const struct model *m, double kv_bits, uint32_t tp,
		      int64_t from, int64_t to)
{
	double bytes = 0;
	for (int64_t i = from; i < to; i++)
		bytes += layer_kv_bytes(&m->kinds.layer[i], tp, kv_bits);
	return bytes;
}

int model_attends(const sc_model *m, uint32_t attention)
{
	for (uint32_t i = 0; m && i < m->n_groups; i++)
		if (m->group[i]->attention == attention)
			return 1;
	return 0;
}

int model_has_experts(const sc_model *m)
{
	for (uint32_t i = 0; m && i < m->n_groups; i++)
		if (m->group[i]->ffn == SC_FFN_MOE)
			return 1;
	return 0;
}

const char *model_other_work(const struct model *m)
{
	const char *what = NULL;
	for (uint32_t i = 0; !what && i < m->view.n_groups; i++)
		what = layer_other_work(m->alike[i].layer);
	return what;
}

void model_set_kv_format(const struct model *m, uint32_t format, sc_model *view)
{
	const struct model_keys *k = &m->keys;
	struct layer_format base = layer_quantized(k, 0, 0);
	if (!format && k->kv_cache_quantization)
		format = layer_quantized(k, k->kv_cache_quantization, 0).format;
	view->kv_format = format ? format : base.format;
	view->kv_bits = format ? 8 * sc_format_bytes(format) : base.bits;
}

/* ---- the whole ---- */

static void view_formats(struct model *m)
{
	const struct model_keys *k = &m->keys;
	struct layer_format base = layer_quantized(k, 0, 0);
	struct layer_format head =
	    k->tie_word_embeddings
		? base
		: layer_quantized(k, k->head_quantization, k->head_bits);
	m->view.compute_format = layer_compute_format(m->kinds.layer[0].k);
	m->view.head_format = head.format;
	m->view.head_bits = head.bits;
	m->view.embed_bits = base.bits;
	model_set_kv_format(m, 0, &m->view);
}

/* Makes the layers from the keys, and the view that cost models get. */
static int build(struct model *m, struct problem *p)
{
	if (model_kinds_read(&m->kinds, &m->keys, &m->from, p) < 0)
		return -1;
	const struct model_keys *k = &m->keys;
	m->keys = m->kinds.kind[0];
	if (group_layers(m, p) < 0)
		return -1;
	m->view.hidden = (uint32_t)k->hidden_size;
	m->view.vocab = (uint32_t)k->vocab_size;
	m->view.tied_embeddings = (uint32_t)k->tie_word_embeddings;
	m->max_len = (uint32_t)k->max_position_embeddings;
	view_formats(m);
	return count(m, p);
}

static int finish(struct model *m, struct problem *p)
{
	m->view.size = sizeof m->view;
	m->view.name = m->name;
	m->view.compute_format = SC_BF16;
	return m->from.n ? build(m, p) : 0;
}

int model_load(struct model *m, const struct ini *c, struct problem *p)
{
	*m = (struct model){0};
	return read_keys(m, c, p) < 0 ? -1 : finish(m, p);
}

int model_load_config(struct model *m, const struct ini *c,
		      const struct ini_item *config, struct problem *p)
{
	*m = (struct model){0};
	return read_config(m, c, config, p) < 0 || fill(m, p) < 0
		   ? -1
		   : finish(m, p);
}

int model_last_layer(struct model *m, const struct model *of, struct problem *p)
{
	*m = (struct model){
	    .keys = of->keys, .max_len = of->max_len, .view = of->view};
	int64_t last = of->keys.num_hidden_layers - 1;
	m->name = strdup(of->name);
	m->kinds.layer = malloc(sizeof *m->kinds.layer);
	if (!m->name || !m->kinds.layer)
		return problem_no_memory(p);
	m->kinds.layer[0] = of->kinds.layer[last];
	m->keys.num_hidden_layers = 1;
	m->view.name = m->name;
	if (group_layers(m, p) < 0)
		return -1;
	return count(m, p);
}

void model_free(struct model *m)
{
	ini_free(&m->from);
	model_kinds_free(&m->kinds);
	free(m->name), free(m->layers), free(m->group), free(m->alike);
	*m = (struct model){0};
}
