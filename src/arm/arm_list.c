/* arm_list.c -- Finds the arms of an INI, and the files of their plugins. */
#include "arm/arm_list.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/names.h"
#include "base/nearest.h"
#include "keys/datafile.h"
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

/* Handles `plugin = ./NAME.so`, relative to the INI, or, of an option, to the
 * current folder. */
static int take_file(struct arm_config *a, const struct ini *c,
		     const struct ini_item *plugin, struct problem *p)
{
	struct problem why;
	a->plugin = plugin_name(plugin->value, &why);
	if (!a->plugin)
		return problem_set(p, why.code, "%s: %s", plugin->at, why.text);
	a->plugin_path = datafile_path(c, plugin);
	if (!a->plugin_path)
		return problem_no_memory(p);
	if (access(a->plugin_path, R_OK) != 0)
		return problem_set(p, EXIT_USAGE,
				   "%s: plugin = %s: no such "
				   "file",
				   plugin->at, plugin->value);
	if (!plugin_may_be(a->plugin_path))
		return problem_set(p, EXIT_USAGE,
				   "%s: plugin = %s: is in no folder of "
				   "STEPCOST_PLUGIN_PATH, which is the whole "
				   "list, because it begins with !",
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
					   "'%s'; give one another name: "
					   "[cost_model:NAME]",
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
		    p, EXIT_USAGE,
		    "%s: [%s] needs plugin = NAME; a key of another arm is "
		    "[cost_model:ARM] KEY",
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

/* The selection under way: the first n arms of the list are in it. */
struct selecting {
	struct arm_list *l;
	size_t *order; /* [l->n] by index in the list: place in the file */
	size_t n;
	struct names plain; /* names that were given without a pattern */
	const char *ini_path;
};

/* Moves arm `from` up to the end of the selection. */
static void take_arm(struct selecting *s, size_t from)
{
	size_t order = s->order[from];
	memmove(&s->order[s->n + 1], &s->order[s->n],
		(from - s->n) * sizeof *s->order);
	s->order[s->n] = order;
	move_up(s->l, from, s->n++);
}

/* Takes arm `at` out of the selection; it becomes the first of the others. */
static void drop_arm(struct selecting *s, size_t at)
{
	struct arm_config a = s->l->item[at];
	size_t order = s->order[at], behind = --s->n - at;
	memmove(&s->l->item[at], &s->l->item[at + 1],
		behind * sizeof *s->l->item);
	memmove(&s->order[at], &s->order[at + 1], behind * sizeof *s->order);
	s->l->item[s->n] = a;
	s->order[s->n] = order;
}

static int matches(const struct selecting *s, size_t i, const char *pattern)
{
	return fnmatch(pattern, s->l->item[i].name, 0) == 0;
}

static int add_name(struct selecting *s, const char *name, struct problem *p)
{
	size_t i = 0;
	while (i < s->l->n && strcmp(s->l->item[i].name, name))
		i++;
	if (i == s->l->n)
		return unknown_arm(s->l, name, s->ini_path, p);
	if (names_have(&s->plain, name))
		return problem_set(p, EXIT_USAGE, "--arms: '%s' given twice",
				   name);
	if (i >= s->n)
		take_arm(s, i);
	return names_add(&s->plain, name) < 0 ? problem_no_memory(p) : 0;
}

/* Adds the arms that a pattern matches, in the order of the file. */
static int add_pattern(struct selecting *s, const char *pattern,
		       struct problem *p)
{
	int any = 0;
	for (size_t i = 0; i < s->n; i++)
		any |= matches(s, i, pattern);
	for (;;) {
		size_t next = s->l->n;
		for (size_t i = s->n; i < s->l->n; i++)
			if (matches(s, i, pattern) &&
			    (next == s->l->n || s->order[i] < s->order[next]))
				next = i;
		if (next == s->l->n)
			break;
		take_arm(s, next);
		any = 1;
	}
	return any ? 0 : unknown_arm(s->l, pattern, s->ini_path, p);
}

/* Takes the arms that a pattern matches out of the selection. */
static int drop_pattern(struct selecting *s, const char *pattern,
			struct problem *p)
{
	int any = 0;
	for (size_t i = 0; i < s->l->n; i++)
		any |= matches(s, i, pattern);
	for (size_t i = s->n; i-- > 0;)
		if (matches(s, i, pattern))
			drop_arm(s, i);
	return any ? 0 : unknown_arm(s->l, pattern, s->ini_path, p);
}

static int select_item(struct selecting *s, const char *item, struct problem *p)
{
	if (*item == '!')
		return drop_pattern(s, item + 1, p);
	return strpbrk(item, "*?[") ? add_pattern(s, item, p)
				    : add_name(s, item, p);
}

int arm_list_select(struct arm_list *l, const char *arms, const char *ini_path,
		    struct problem *p)
{
	char *list = strdup(arms), *rest = list, *item;
	struct selecting s = {.l = l,
			      .order = calloc(l->n + 1, sizeof *s.order),
			      .ini_path = ini_path};
	int rc = list && s.order ? 0 : problem_no_memory(p);
	for (size_t i = 0; rc == 0 && i < l->n; i++)
		s.order[i] = i;
	if (*arms == '!')
		s.n = l->n;
	while (rc == 0 && (item = strsep(&rest, ",")))
		rc = select_item(&s, item + strspn(item, " "), p);
	if (rc == 0 && s.n == 0)
		rc = problem_set(p, EXIT_USAGE, "--arms %s: no arm is left",
				 arms);
	free(list);
	free(s.order);
	names_free(&s.plain);
	if (rc == 0)
		l->n = s.n;
	return rc;
}
