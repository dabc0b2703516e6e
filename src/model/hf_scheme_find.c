/* hf_scheme_find.c -- Finds the scheme of a module among the rules. */
#include <stdio.h>
#include <string.h>
#include "model/hf_scheme.h"

int hf_rules_are_few(const struct hf_rules *l, int64_t layers)
{
	size_t n = 0;
	for (int i = 0; i < l->n; i++)
		n += l->rule[i].targets.n_glob + l->rule[i].targets.n_expr;
	for (int i = 0; i < 2; i++)
		n += l->ignore[i].n_glob + l->ignore[i].n_expr;
	return (double)n * (double)layers <= 1e5;
}

/* Writes "model.layers.3.mlp" for a module of that block.  Returns its layer;
 * -1: the module is in none, as those of an encoder. */
static int64_t block_of(const char *module, char block[160])
{
	long long layer = -1;
	const char *layers = strstr(module, "layers.");
	int length = 0;
	if (!layers || strstr(module, "vision") || strstr(module, "visual") ||
	    sscanf(layers, "layers.%lld.%*[^.]%n", &layer, &length) != 1)
		return -1;
	snprintf(block, 160, "%.*s", (int)(layers - module) + length, module);
	return layer;
}

/* Returns the algorithm of a name, or of the nearest module above it in the
 * layer; NULL: there is none. */
static const char *algorithm_above(const struct hf_rules *l, const char *name)
{
	char part[160];
	snprintf(part, sizeof part, "%s", name);
	for (char *dot = part; dot; dot = strrchr(part, '.')) {
		if (dot != part)
			*dot = '\0';
		const json_t *v = json_object_get(l->by_name, part);
		if (!v)
			continue;
		char block[160];
		json_object_set_new(l->used, part, json_true());
		if (block_of(part, block) >= 0)
			json_object_set_new(l->used, block, json_true());
		return hf_text(v, "quant_algo");
	}
	return NULL;
}

static struct hf_scheme named(const struct hf_rules *l,
			      const struct hf_module *m)
{
	for (int i = 0; i < m->n; i++) {
		const char *name = algorithm_above(l, m->name[i]);
		if (name)
			return hf_algorithm(name);
	}
	return (struct hf_scheme){HF_NONE, 0, 0};
}

/* All experts of a layer are looked up as its first. */
static int is_unknown(const struct hf_rules *l, const char *module,
		      const char *block)
{
	const char *expert = strstr(module, "experts");
	if (json_object_get(l->used, module) ||
	    (expert && expert[7] == '.' && expert[8] >= '1' &&
	     expert[8] <= '9'))
		return 0;
	return expert || !json_object_get(l->used, block);
}

int hf_rules_check_used(const struct hf_rules *l, struct hf_reader *r,
			int64_t layers)
{
	const char *module;
	json_t *v;
	char block[160];
	json_object_foreach((json_t *)(uintptr_t)l->by_name, module, v)
	{
		int64_t layer = block_of(module, block);
		if (layer >= 0 && layer < layers &&
		    is_unknown(l, module, block))
			return hf_fail(
			    r, EXIT_USAGE, "quantized_layers",
			    "names %.100s, which is no module of this "
			    "architecture here: its format would be lost",
			    module);
	}
	return 0;
}

struct hf_scheme hf_rules_find(const struct hf_rules *l, const char *type,
			       int64_t layer, const char *below)
{
	struct hf_module m;
	int expert = !strncmp(below, "mlp.experts", 11);
	hf_module_name(&m, type, layer, below);
	if (hf_modules_have(&l->ignore[0], &m) ||
	    hf_modules_have(&l->ignore[1], &m))
		return (struct hf_scheme){HF_NONE, 0, 0};
	if (l->by_name)
		return named(l, &m);
	for (int i = 0; i < l->n; i++) {
		const struct hf_rule *rule = &l->rule[i];
		if (rule->experts_only ? expert
		    : rule->all        ? 1
				       : hf_modules_have(&rule->targets, &m))
			return rule->scheme;
	}
	return (struct hf_scheme){HF_NONE, 0, 0};
}
