/* arm_list.c -- Finds the arms of an INI, and the files of their plugins. */
#include <config.h>
#include "arm/arm_list.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/nearest.h"
#include "keys/keys.h"
#include "plugin/installed.h"
#include "plugin/loader.h"
#include "stepcost/knob.h"

struct arm_keys {
	const char *plugin, *preset;
};
const sc_knob *const arm_key[] = {
    KEY_TEXT_OF(struct arm_keys, plugin, NULL, "The cost model's plugin."),
    KEY_TEXT_OF(struct arm_keys, preset, "", "A preset of its knobs."),
};
const uint32_t arm_n_keys = sizeof arm_key / sizeof *arm_key;

struct tables_keys {
	const char *path, *set;
};
const sc_knob *const arm_tables_key[] = {
    KEY_TEXT_OF(struct tables_keys, path, "",
		"Folder of table sets. Empty: bench_data."),
    KEY_TEXT_OF(
	struct tables_keys, set, "auto",
	"The sets, \"a, b\"; cost models that read no tables ignore them. "
	"auto: "
	"all sets of the GPU, or of the nearest GPU of its architecture; "
	"\"auto, a\": those and a. Empty: no tables."),
};
const uint32_t arm_tables_n_keys =
    sizeof arm_tables_key / sizeof *arm_tables_key;

int arm_is_section(const char *section)
{
	size_t n = strlen("cost_model");
	return !strncmp(section, "cost_model", n) &&
	       (section[n] == '\0' || section[n] == ':');
}

/* ---- the plugin's file ---- */

/* Handles `plugin = ./NAME.so`, relative to the INI. */
static int take_file(struct arm_config *a, const struct ini *c,
		     const struct ini_item *plugin, struct problem *p)
{
	struct problem why;
	a->plugin = plugin_name(plugin->value, &why);
	if (!a->plugin)
		return problem_set(p, why.code, "%s: %s", plugin->at, why.text);
	a->plugin_path = ini_resolve_path(c, plugin->value);
	if (!a->plugin_path)
		return problem_no_memory(p);
	if (access(a->plugin_path, R_OK) != 0)
		return problem_set(p, EXIT_USAGE,
				   "%s: plugin = %s: no such "
				   "file",
				   plugin->at, plugin->value);
	return 0;
}

/* Finds `plugin = NAME`, or an id, which has a dot. */
static int find_plugin(struct arm_config *a, const char *name,
		       struct problem *why)
{
	if (!strchr(name, '.')) {
		a->plugin = strdup(name);
		return plugin_find(plugin_path(), name, &a->plugin_path,
				   &a->shadowed, why);
	}
	if (installed_with_id(&a->plugin_path, name, why) < 0) {
		a->plugin = strdup(name);
		return -1;
	}
	a->plugin = plugin_name(a->plugin_path, why);
	return a->plugin ? 0 : -1;
}

/* Handles `plugin = NAME`.  A missing file is an error only if the arm runs. */
static int look_for(struct arm_config *a, const struct ini_item *plugin,
		    struct problem *p)
{
	struct problem why;
	if (find_plugin(a, plugin->value, &why) < 0 &&
	    asprintf(&a->missing, "%s: %s", plugin->at, why.text) < 0)
		a->missing = NULL;
	return a->plugin && (a->plugin_path || a->missing)
		   ? 0
		   : problem_no_memory(p);
}

/* ---- the list ---- */

static int check_name(const struct arm_list *l, const struct arm_config *a,
		      const struct ini *c, struct problem *p)
{
	for (const struct arm_config *b = l->item; b < a; b++)
		if (!strcmp(b->name, a->name))
			return problem_set(p, EXIT_USAGE,
					   "%s: [%s] and [%s] are both called "
					   "'%s'",
					   ini_section_at(c, a->section),
					   b->section, a->section, a->name);
	return 0;
}

static int add_arm(struct arm_list *l, const struct ini *c, const char *section,
		   struct problem *p)
{
	struct arm_config *a = &l->item[l->n];
	const char *colon = strchr(section, ':');
	const struct ini_item *plugin = ini_find(c, section, "plugin");
	if (!plugin || !plugin->value[0])
		return problem_set(
		    p, EXIT_USAGE, "%s: [%s] needs plugin = NAME",
		    plugin ? plugin->at : ini_section_at(c, section), section);
	*a = (struct arm_config){.section = section,
				 .preset = ini_get(c, section, "preset")};
	l->n_all = ++l->n; /* arm_list_free() frees it from here on */
	int rc = strchr(plugin->value, '/') ? take_file(a, c, plugin, p)
					    : look_for(a, plugin, p);
	if (rc < 0)
		return -1;
	a->name = colon ? colon + 1 : a->plugin;
	return check_name(l, a, c, p);
}

int arm_list_read(struct arm_list *l, const struct ini *c, struct problem *p)
{
	*l = (struct arm_list){
	    .item = calloc(c->n + c->n_heads + 1, sizeof *l->item)};
	if (!l->item)
		return problem_no_memory(p);
	/* An arm may be an empty section, or come from --set alone. */
	for (size_t i = 0; i < c->n_heads + c->n; i++) {
		const char *section = i < c->n_heads
					  ? c->head[i].section
					  : c->item[i - c->n_heads].section;
		int known = !arm_is_section(section);
		for (size_t k = 0; k < l->n; k++)
			known |= !strcmp(l->item[k].section, section);
		if (!known && add_arm(l, c, section, p) < 0)
			return -1;
	}
	return 0;
}

static void free_arm(struct arm_config *a)
{
	free(a->plugin);
	free(a->plugin_path);
	free(a->missing);
	free(a->shadowed);
	set_choice_free(&a->tables);
	set_choice_free(&a->decode_tables);
	free(a->hardware);
	free(a->decode_hardware);
}

void arm_list_free(struct arm_list *l)
{
	for (size_t i = 0; i < l->n_all; i++)
		free_arm(&l->item[i]);
	free(l->item);
	*l = (struct arm_list){0};
}

/* ---- selection and order ---- */

/* Moves arm `from` up to place `to`; the others keep their order. */
static void move_up(struct arm_list *l, size_t from, size_t to)
{
	struct arm_config a = l->item[from];
	memmove(&l->item[to + 1], &l->item[to], (from - to) * sizeof *l->item);
	l->item[to] = a;
}

void arm_list_lead(struct arm_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->item[i].section, "cost_model"))
			move_up(l, i, 0);
}

int arm_list_drafts(const struct arm_config *a, const struct ini *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct ini_item *t = &c->item[i];
		const char *dot = strrchr(t->key, '.');
		if (!strcmp(dot ? dot + 1 : t->key, "draft_cost_model") &&
		    !strcmp(t->value, a->name) &&
		    strcmp(t->section, a->section) != 0)
			return 1;
	}
	return 0;
}

void arm_list_leave_drafters(struct arm_list *l, const struct ini *c)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++)
		if (!arm_list_drafts(&l->item[i], c))
			move_up(l, i, n++);
	if (n)
		l->n = n;
}

static int unknown_arm(const struct arm_list *l, const char *name,
		       const char *ini_path, struct problem *p)
{
	struct nearest near;
	char hint[100], known[500] = "";
	nearest_start(&near, name);
	for (size_t i = 0; i < l->n; i++) {
		size_t n = strlen(known);
		nearest_try(&near, l->item[i].name);
		snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "",
			 l->item[i].name);
	}
	return problem_set(p, EXIT_USAGE,
			   "--arms: no arm '%s' in %s%s; there are: %s", name,
			   ini_path, nearest_hint(&near, hint), known);
}

int arm_list_select(struct arm_list *l, const char *arms, const char *ini_path,
		    struct problem *p)
{
	char *list = strdup(arms), *rest = list, *name;
	size_t n = 0;
	int rc = list ? 0 : problem_no_memory(p);
	while (rc == 0 && (name = strsep(&rest, ","))) {
		size_t i = 0;
		while (i < l->n && strcmp(l->item[i].name, name))
			i++;
		if (i == l->n)
			rc = unknown_arm(l, name, ini_path, p);
		else if (i < n)
			rc = problem_set(p, EXIT_USAGE,
					 "--arms: '%s' given twice", name);
		else
			move_up(l, i, n);
		n++;
	}
	free(list);
	if (rc == 0)
		l->n = n;
	return rc;
}
