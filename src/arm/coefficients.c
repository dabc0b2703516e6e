/* coefficients.c -- Describes which coefficients an arm uses. */
#include "arm/coefficients.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A word chosen by a knob changes no coefficient. */
static int is_number(const char *value)
{
	char *end;
	strtod(value, &end);
	return end != value && !*end;
}

static const char *changed_knob(const struct ini *c, const char *section)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct ini_item *t = &c->item[i];
		if (!strcmp(t->section, section) && !strchr(t->key, '.') &&
		    strcmp(t->key, "plugin") != 0 &&
		    strcmp(t->key, "preset") != 0 && is_number(t->value))
			return t->key;
	}
	return "";
}

/* NULL: it cannot be read. */
static const struct table_set *set_at(const struct config *c,
				      const struct arm_config *a, size_t i)
{
	struct problem ignored;
	return library_set(c->library, a->tables.item[i].path,
			   a->tables.item[i].name, a->tables.layers, &ignored);
}

static int has_kind(const struct table_set *s, const char *op)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (!strcmp(s->view[i]->op, op))
			return 1;
	return 0;
}

/* Returns 1 if no set before the i-th has a kind of table that this one has.
 * Cost models take the first table of a kind, so the others only add kinds. */
static int leads(const struct config *c, const struct arm_config *a, size_t i)
{
	const struct table_set *s = set_at(c, a, i);
	for (size_t k = 0; s && k < i; k++) {
		const struct table_set *before = set_at(c, a, k);
		for (uint32_t t = 0; before && t < s->n; t++)
			if (has_kind(before, s->view[t]->op))
				return 0;
	}
	return s != NULL;
}

/* Out of memory leaves names out: then fewer scores are found. */
static void list_same(struct names *to, const struct config *c,
		      const struct arm_config *a)
{
	struct names all = {0};
	char list[1000];
	for (size_t i = 0; i < a->tables.n; i++)
		names_add(&all, a->tables.item[i].name);
	if (all.n)
		names_add(to, names_join(&all, list, sizeof list));
	names_free(&all);
	for (size_t i = 0; i < a->tables.n; i++)
		if (leads(c, a, i))
			names_add_new(to, a->tables.item[i].name);
}

struct arm_coefficients arm_coefficients_of(const struct config *c, size_t arm)
{
	const struct arm_config *a = &c->arm[arm];
	struct arm_coefficients x = {.preset = a->preset ? a->preset : "",
				     .tables = a->set,
				     .changed =
					 changed_knob(&c->cfg, a->section)};
	list_same(&x.same_tables, c, a);
	return x;
}

/* The engine is the word after the dot, as in "h100-sxm.vllm-0.24". */
static int is_under(const char *set, const char *engine)
{
	const char *dot = strchr(set, '.');
	size_t n = strlen(engine);
	return dot && !strncmp(dot + 1, engine, n) &&
	       !isalnum((unsigned char)dot[1 + n]);
}

const char *arm_kernels_under(const struct config *c, size_t arm,
			      const char *engine)
{
	const struct arm_config *a = &c->arm[arm];
	for (size_t i = 0; i < a->tables.n; i++) {
		const struct table_set *s =
		    is_under(a->tables.item[i].name, engine) ? set_at(c, a, i)
							     : NULL;
		if (s && has_kind(s, "gemm"))
			return a->tables.item[i].name;
	}
	return NULL;
}

void arm_coefficients_free(struct arm_coefficients *a)
{
	names_free(&a->same_tables);
}
