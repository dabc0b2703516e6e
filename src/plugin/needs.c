/* needs.c -- Compares the needs of a plugin with a model, a GPU and tables. */
#include "plugin/needs.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "keys/when.h"
#include "stepcost/format.h"

const char *const need_kind_name[] = {"",       "table",  "attention", "ffn",
				      "linear", "format", "gpu"};

static const char *const attention_name[] = {"none",  "full", "window",
					     "chunk", "mla",  "linear"};
static const char *const ffn_name[] = {"none", "gated", "plain", "moe"};
static const char *const linear_name[] = {"none",       "gdn",    "kda",
					  "mamba2",     "mamba1", "lightning",
					  "short_conv", "matrix"};
#define NAME_OF(name, code)                                                    \
	((code) < sizeof name / sizeof *name ? name[code] : "unknown")

/* ---- the model and the GPU ---- */

/* Writes "full or mla": the values of a kind. */
static void list_values(char *to, size_t size, const sc_plugin *plugin,
			uint32_t kind)
{
	size_t used = 0;
	for (uint32_t i = 0; i < plugin->n_needs && used < size; i++)
		if (plugin->need[i]->kind == kind)
			used += (size_t)snprintf(to + used, size - used, "%s%s",
						 used ? " or " : "",
						 plugin->need[i]->value);
}

static int is_value(const sc_need *need, const char *is)
{
	return need->kind == SC_NEED_GPU ? fnmatch(need->value, is, 0) == 0
					 : strcmp(need->value, is) == 0;
}

/* Refuses `is`, of that kind, unless the plugin admits it.  what: "model NAME
 * has", for the message. */
static int admit(const sc_plugin *plugin, uint32_t kind, const char *is,
		 const char *what, struct problem *p)
{
	char values[300] = "";
	int is_needed = 0;
	for (uint32_t i = 0; i < plugin->n_needs; i++) {
		const sc_need *need = plugin->need[i];
		if (need->kind != kind)
			continue;
		if (is_value(need, is))
			return 0;
		is_needed |= !(need->flags & SC_NEED_OPTIONAL);
	}
	if (!is_needed)
		return 0;
	list_values(values, sizeof values, plugin, kind);
	return problem_set(
	    p, EXIT_USAGE, "%s needs %s %s; %s %s: use another cost model",
	    plugin->name, need_kind_name[kind], values, what, is);
}

static int admit_format(const sc_plugin *plugin, uint32_t code,
			const char *what, struct problem *p)
{
	return admit(plugin, SC_NEED_FORMAT, sc_format_name(code), what, p);
}

static int admit_formats(const sc_plugin *plugin, const sc_layers *g,
			 const char *what, struct problem *p)
{
	if (g->attention != SC_ATTN_NONE &&
	    admit_format(plugin, g->attn_format, what, p) < 0)
		return -1;
	if ((g->ffn == SC_FFN_GATED || g->ffn == SC_FFN_PLAIN ||
	     g->n_shared_experts) &&
	    admit_format(plugin, g->ffn_format, what, p) < 0)
		return -1;
	return g->ffn == SC_FFN_MOE
		   ? admit_format(plugin, g->expert_format, what, p)
		   : 0;
}

static int admit_layers(const sc_plugin *plugin, const sc_layers *g,
			const char *what, struct problem *p)
{
	if (g->attention != SC_ATTN_NONE &&
	    admit(plugin, SC_NEED_ATTENTION,
		  NAME_OF(attention_name, g->attention), what, p) < 0)
		return -1;
	if (g->attention == SC_ATTN_LINEAR &&
	    admit(plugin, SC_NEED_LINEAR, NAME_OF(linear_name, g->linear_kind),
		  what, p) < 0)
		return -1;
	if (g->ffn != SC_FFN_NONE &&
	    admit(plugin, SC_NEED_FFN, NAME_OF(ffn_name, g->ffn), what, p) < 0)
		return -1;
	return admit_formats(plugin, g, what, p);
}

int needs_admit(const sc_plugin *plugin, const sc_setup *setup,
		struct problem *p)
{
	const sc_model *m = setup->model;
	char what[200];
	for (uint32_t i = 0; i < m->n_groups; i++) {
		const sc_layers *g = m->group[i];
		snprintf(what, sizeof what, "%u of the layers of model %s have",
			 g->n_layers, m->name);
		if (admit_layers(plugin, g, what, p) < 0)
			return -1;
	}
	return m->n_groups && setup->hardware->name[0]
		   ? admit(plugin, SC_NEED_GPU, setup->hardware->name,
			   "this is", p)
		   : 0;
}

/* ---- tables ---- */

static int has_column(const sc_table *t, const char *name, size_t n)
{
	for (uint32_t i = 0; i < t->n_cols; i++)
		if (strlen(t->col_name[i]) == n &&
		    !strncmp(t->col_name[i], name, n))
			return 1;
	return 0;
}

static int has_note(const sc_table *t, const char *name, size_t n)
{
	for (uint32_t i = 0; i < t->n_notes; i++)
		if (strlen(t->note[2 * i]) == n &&
		    !strncmp(t->note[2 * i], name, n))
			return 1;
	return 0;
}

/* Returns 1 if the table has all names in "a, b"; NULL has none. */
static int has_all(const sc_table *t, const char *names,
		   int (*has)(const sc_table *, const char *, size_t))
{
	while (names && *names) {
		names += strspn(names, ", ");
		size_t n = strcspn(names, ", ");
		if (n && !has(t, names, n))
			return 0;
		names += n;
	}
	return 1;
}

static int is_met(const sc_need *need, const sc_table *t)
{
	return !strcmp(t->op, need->value) &&
	       has_all(t, need->columns, has_column) &&
	       has_all(t, need->notes, has_note);
}

const sc_need *needs_missing(const sc_plugin *plugin, uint32_t n_tables,
			     const sc_table *const *table)
{
	for (uint32_t i = 0; i < plugin->n_needs; i++) {
		const sc_need *need = plugin->need[i];
		uint32_t t = 0;
		if (need->kind != SC_NEED_TABLE ||
		    need->flags & SC_NEED_OPTIONAL)
			continue;
		while (t < n_tables && !is_met(need, table[t]))
			t++;
		if (t == n_tables)
			return need;
	}
	return NULL;
}

int needs_tables(const sc_plugin *plugin)
{
	for (uint32_t i = 0; i < plugin->n_needs; i++)
		if (plugin->need[i]->kind == SC_NEED_TABLE)
			return 1;
	return 0;
}

int needs_name(const sc_plugin *plugin, const char *op)
{
	for (uint32_t i = 0; i < plugin->n_needs; i++)
		if (plugin->need[i]->kind == SC_NEED_TABLE &&
		    !strcmp(plugin->need[i]->value, op))
			return 1;
	return 0;
}

/* there, others: names of sets; "": none. */
static int refuse_table(const sc_plugin *plugin, const sc_need *missing,
			const char *there, const char *others,
			struct problem *p)
{
	char with[200] = "";
	if (missing->columns)
		snprintf(with, sizeof with, " with columns %s",
			 missing->columns);
	if (missing->notes)
		snprintf(with + strlen(with), sizeof with - strlen(with),
			 "%s notes %s", missing->columns ? " and" : " with",
			 missing->notes);
	return problem_set(p, EXIT_PLUGIN, "%s needs a table %s%s; %s%s; %s%s",
			   plugin->name, missing->value, with,
			   *there ? there : "there are no tables",
			   *there ? " has none" : "",
			   *others ? "these sets of this GPU have: "
				   : "no set of this GPU has it",
			   others);
}

/* Adds the sets of the GPU that have the table. */
static int find_others(struct names *found, const struct needs_of *has,
		       const sc_need *need, struct problem *p)
{
	const sc_plugin only = {.n_needs = 1, .need = &need};
	struct set_choice all = {0};
	struct problem unused;
	int rc = set_choice_of_gpu(&all, has->library, NULL, NULL,
				   has->hardware, has->layers, p);
	for (size_t i = 0; rc == 0 && i < all.n; i++) {
		const struct table_set *set =
		    library_set(has->library, all.item[i].path,
				all.item[i].name, has->layers, &unused);
		if (set && !needs_missing(&only, set->n, set->view) &&
		    names_add(found, set->name) < 0)
			rc = problem_no_memory(p);
	}
	set_choice_free(&all);
	return rc;
}

/* Says which table is missing, which sets are there, and which others have that
 * table. */
static int refuse(const sc_plugin *plugin, const struct needs_of *has,
		  const sc_need *missing, struct problem *p)
{
	struct names there = {0}, others = {0};
	char its[200] = "", theirs[300] = "";
	int rc = find_others(&others, has, missing, p);
	for (size_t i = 0; rc == 0 && i < has->tables->n_sets; i++)
		if (names_add(&there, has->tables->set[i]->name) < 0)
			rc = problem_no_memory(p);
	if (rc == 0) {
		names_join(&there, its, sizeof its);
		names_join(&others, theirs, sizeof theirs);
		rc = refuse_table(plugin, missing, its, theirs, p);
	}
	names_free(&there);
	names_free(&others);
	return rc;
}

static int check(const sc_plugin *plugin, const struct needs_of *has,
		 struct problem *p)
{
	const sc_setup *s = has->setup;
	if (needs_admit(plugin, s, p) < 0)
		return -1;
	const sc_need *missing = needs_missing(plugin, s->n_tables, s->table);
	return missing ? refuse(plugin, has, missing, p) : 0;
}

int needs_check(const sc_plugin *plugin, const struct needs_of *has,
		struct problem *p)
{
	const struct when_of knobs = {plugin->knob, plugin->n_knobs,
				      has->knobs};
	const sc_need **due = calloc(plugin->n_needs + 1, sizeof *due);
	sc_plugin now = *plugin;
	if (!due)
		return problem_no_memory(p);
	now.need = due;
	now.n_needs = 0;
	for (uint32_t i = 0; i < plugin->n_needs; i++)
		if (when_holds(plugin->need[i]->when, &knobs))
			due[now.n_needs++] = plugin->need[i];
	int rc = check(&now, has, p);
	free(due);
	return rc;
}
