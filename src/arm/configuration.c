/* configuration.c -- Reads an INI as sections, keys and arms, and refuses
 * what does not belong there. */
#include <config.h>
#include "arm/configuration.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/nearest.h"
#include "jobs/jobs.h"
#include "plugin/loader.h"
#include "plugin/schema.h"
#include "setup/keys.h"
#include "tables/set.h"
#include "stepcost/knob.h"

struct host_keys {
	int64_t schema;
};
static const sc_knob *const host_key[] = {
    SC_INT(struct host_keys, schema, "1", 1, 1, "1",
	   "Of this file's sections and keys."),
};
struct tables_keys {
	const char *path, *set;
};
static const sc_knob *const tables_key[] = {
    KEY_TEXT_OF(struct tables_keys, path, "",
		"Folder of table sets. Empty: bench_data."),
    KEY_TEXT_OF(struct tables_keys, set, "", "The set. Empty: no tables."),
};
struct arm_keys {
	const char *plugin, *preset;
};
static const sc_knob *const arm_key[] = {
    KEY_TEXT_OF(struct arm_keys, plugin, NULL, "The cost model's plugin."),
    KEY_TEXT_OF(struct arm_keys, preset, "", "A preset of its knobs."),
};
#define N(array) (uint32_t)(sizeof(array) / sizeof *(array))

/* ---- sections ---- */

/* In the order of the manual. */
static const char *const section_name[] = {"stepcost",   "model",  "hardware",
					   "engine",     "tables", "workload",
					   "cost_model", "slo"};

static int is_arm(const char *section)
{
	size_t n = strlen("cost_model");
	return !strncmp(section, "cost_model", n) &&
	       (section[n] == '\0' || section[n] == ':');
}

/* In a list of names, and of prefixes that end in ':'? */
static int is_own(const char *section, const char *const *own)
{
	for (; own && *own; own++) {
		size_t n = strlen(*own);
		if ((*own)[n - 1] == ':' ? !strncmp(section, *own, n)
					 : !strcmp(section, *own))
			return 1;
	}
	return 0;
}

static int check_section(const struct ini_item *t, const char *const *own,
			 struct problem *p)
{
	struct nearest near;
	char hint[100];
	const char *name = t->section;
	if (is_own(name, own))
		return 0;
	if (is_arm(name)) {
		const char *colon = strchr(name, ':');
		static const char allowed[] =
		    "abcdefghijklmnopqrstuvwxyz0123456789_-";
		if (!colon ||
		    (colon[1] && !colon[1 + strspn(colon + 1, allowed)]))
			return 0;
		return problem_set(p, EXIT_USAGE,
				   "%s: [%s]: an arm's name is letters a-z, "
				   "digits, _ and -",
				   t->at, name);
	}
	nearest_start(&near, name);
	for (uint32_t i = 0; i < N(section_name); i++) {
		if (!strcmp(section_name[i], name))
			return 0;
		nearest_try(&near, section_name[i]);
	}
	return problem_set(p, EXIT_USAGE,
			   "%s: unknown section [%s]%s; allowed: stepcost, "
			   "model, hardware, engine, tables, workload, "
			   "cost_model, cost_model:NAME, slo",
			   t->at, name, nearest_hint(&near, hint));
}

/* An arm may stand in the file once; other sections may be continued. */
static int check_arm_once(const struct ini *c, size_t i, struct problem *p)
{
	for (size_t k = 0; k < i; k++)
		if (is_arm(c->head[i].section) &&
		    !strcmp(c->head[i].section, c->head[k].section))
			return problem_set(
			    p, EXIT_USAGE, "%s: [%s] given twice, first at %s",
			    c->head[i].at, c->head[i].section, c->head[k].at);
	return 0;
}

static int check_sections(const struct ini *c, const char *const *own,
			  struct problem *p)
{
	for (size_t i = 0; i < c->n_heads; i++)
		if (check_section(&c->head[i], own, p) < 0 ||
		    check_arm_once(c, i, p) < 0)
			return -1;
	for (size_t i = 0; i < c->n; i++) {
		if (!c->item[i].section[0])
			return problem_set(p, EXIT_USAGE,
					   "%s: '%s' stands before the first "
					   "[section]",
					   c->item[i].at, c->item[i].key);
		if (check_section(&c->item[i], own, p) < 0)
			return -1;
	}
	return 0;
}

static int check_keys(const struct ini *c, struct problem *p)
{
	const struct {
		const char *section;
		struct key_table table;
	} known[] = {
	    {"stepcost", {host_key, N(host_key), ""}},
	    {"model", {model_key, model_n_keys, ""}},
	    {"hardware", {hardware_key, hardware_n_keys, ""}},
	    {"engine", {engine_key, engine_n_keys, ""}},
	    {"tables", {tables_key, N(tables_key), ""}},
	    {"workload", {workload_keys, n_workload_keys, ""}},
	    {"slo", {slo_key, slo_n_keys, ""}},
	};
	for (uint32_t i = 0; i < N(known); i++)
		if (keys_check(c, known[i].section, &known[i].table, 1, p) < 0)
			return -1;
	return 0;
}

static int fill_blocks(struct config *c, struct problem *p)
{
	struct host_keys host;
	const struct ini *f = &c->cfg;
	if (knobs_fill(&host, host_key, N(host_key), NULL, f, "stepcost", "",
		       p) < 0 ||
	    knobs_fill(&c->engine_keys, engine_key, engine_n_keys, NULL, f,
		       "engine", "", p) < 0 ||
	    engine_check(&c->engine_keys, f, p) < 0 ||
	    knobs_fill(&c->slo_keys, slo_key, slo_n_keys, NULL, f, "slo", "",
		       p) < 0)
		return -1;
	return knobs_fill(&c->workload_keys, workload_keys, n_workload_keys,
			  NULL, f, "workload", "", p);
}

/* ---- arms ---- */

static int same_name(const struct config *c, const struct arm_config *a,
		     struct problem *p)
{
	for (size_t i = 0; i + 1 < c->n_arms; i++)
		if (!strcmp(c->arm[i].name, a->name))
			return problem_set(p, EXIT_USAGE,
					   "%s: [%s] and [%s] are both called "
					   "'%s'",
					   ini_section_at(&c->cfg, a->section),
					   c->arm[i].section, a->section,
					   a->name);
	return 0;
}

/* `tables.path` of the arm, else `path` of [tables]. */
static const struct ini_item *tables_item(const struct config *c,
					  const char *section, const char *key)
{
	char name[32];
	snprintf(name, sizeof name, "tables.%s", key);
	const struct ini_item *t = ini_find(&c->cfg, section, name);
	return t ? t : ini_find(&c->cfg, "tables", key);
}

static int find_tables(struct config *c, struct arm_config *a,
		       struct problem *p)
{
	const struct ini_item *path = tables_item(c, a->section, "path");
	const struct ini_item *set = tables_item(c, a->section, "set");
	struct problem why;
	if (!set || !set->value[0]) {
		if (!path || !path->value[0])
			return 0;
		return problem_set(p, EXIT_USAGE,
				   "%s: tables need set = NAME beside path",
				   path->at);
	}
	a->tables_set = set->value;
	char *given = path && path->value[0]
			  ? ini_resolve_path(&c->cfg, path->value)
			  : NULL;
	a->tables_path =
	    set_find(given, path ? path->value : NULL, set->value, &why);
	free(given);
	if (!a->tables_path)
		return problem_set(p, EXIT_USAGE, "%s: %s", set->at, why.text);
	return 0;
}

const char *arm_plugin_path(const struct arm_config *a)
{
	return a->plugin_folder ? a->plugin_folder : plugin_path();
}

/* `plugin = NAME`, or a file as in `./NAME.so`, relative to the INI. */
static int name_plugin(struct config *c, struct arm_config *a,
		       const struct ini_item *plugin, struct problem *p)
{
	if (!strchr(plugin->value, '/')) {
		a->plugin = plugin->value;
		return 0;
	}
	a->plugin_file = ini_resolve_path(&c->cfg, plugin->value);
	char *slash = a->plugin_file ? strrchr(a->plugin_file, '/') : NULL;
	char *dot = slash ? strrchr(slash, '.') : NULL;
	if (!a->plugin_file)
		return problem_set(p, EXIT_USAGE, "out of memory");
	if (!dot || strcmp(dot, ".so") || access(a->plugin_file, R_OK) != 0)
		return problem_set(p, EXIT_USAGE, "%s: plugin = %s: %s",
				   plugin->at, plugin->value,
				   dot && !strcmp(dot, ".so")
				       ? "no such file"
				       : "a plugin's file is NAME.so");
	*slash = *dot = '\0';
	a->plugin_folder = a->plugin_file;
	a->plugin = slash + 1;
	return 0;
}

static int add_arm(struct config *c, const char *section, struct problem *p)
{
	struct arm_config *a = &c->arm[c->n_arms];
	const char *colon = strchr(section, ':');
	const struct ini_item *plugin = ini_find(&c->cfg, section, "plugin");
	char *path;
	*a = (struct arm_config){.section = section};
	if (!plugin || !plugin->value[0])
		return problem_set(
		    p, EXIT_USAGE, "%s: [%s] needs plugin = NAME",
		    plugin ? plugin->at : ini_section_at(&c->cfg, section),
		    section);
	/* From here on config_free() knows it. */
	c->n_arms++;
	if (name_plugin(c, a, plugin, p) < 0)
		return -1;
	a->name = colon ? colon + 1 : a->plugin;
	a->preset = ini_get(&c->cfg, section, "preset");
	if (same_name(c, a, p) < 0)
		return -1;
	/* That it is not there is said only if the arm is to run. */
	plugin_find(arm_plugin_path(a), a->plugin, &path, &a->shadowed, NULL);
	free(path);
	return 0;
}

/* Each section of an arm, in the order of the file. */
static int add_arms(struct config *c, struct problem *p)
{
	const struct ini *f = &c->cfg;
	c->arm = calloc(f->n + f->n_heads + 1, sizeof *c->arm);
	if (!c->arm)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < f->n_heads + f->n; i++) {
		const char *section = i < f->n_heads
					  ? f->head[i].section
					  : f->item[i - f->n_heads].section;
		int known = !is_arm(section);
		for (size_t k = 0; k < c->n_arms; k++)
			known |= !strcmp(c->arm[k].section, section);
		if (!known && add_arm(c, section, p) < 0)
			return -1;
	}
	return 0;
}

static void free_arm(struct arm_config *a)
{
	free(a->tables_path), free(a->shadowed), free(a->plugin_file);
}

static void swap(struct arm_config *a, struct arm_config *b)
{
	struct arm_config t = *a;
	*a = *b;
	*b = t;
}

static int unknown_arm(const struct config *c, const char *name,
		       struct problem *p)
{
	struct nearest near;
	char hint[100], known[500] = "";
	nearest_start(&near, name);
	for (size_t i = 0; i < c->n_arms; i++) {
		size_t n = strlen(known);
		nearest_try(&near, c->arm[i].name);
		snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "",
			 c->arm[i].name);
	}
	return problem_set(p, EXIT_USAGE,
			   "--arms: no arm '%s' in %s%s; there are: %s", name,
			   c->cfg.path, nearest_hint(&near, hint), known);
}

/* "a,b": these to the front, in that order. */
static int select_arms(struct config *c, const char *arms, struct problem *p)
{
	char *list = strdup(arms), *rest = list, *name;
	size_t n = 0;
	int rc = list ? 0 : problem_set(p, EXIT_USAGE, "out of memory");
	while (rc == 0 && (name = strsep(&rest, ","))) {
		size_t i = 0;
		while (i < c->n_arms && strcmp(c->arm[i].name, name))
			i++;
		if (i == c->n_arms)
			rc = unknown_arm(c, name, p);
		else if (i < n)
			rc = problem_set(p, EXIT_USAGE,
					 "--arms: '%s' given twice", name);
		else
			for (; i > n; i--) /* keep the others in order */
				swap(&c->arm[i], &c->arm[i - 1]);
		n++;
	}
	free(list);
	while (rc == 0 && c->n_arms > n)
		free_arm(&c->arm[--c->n_arms]);
	return rc;
}

/* Without --arms, [cost_model] leads. */
static void lead(struct config *c)
{
	size_t i = 0;
	while (i < c->n_arms && strcmp(c->arm[i].section, "cost_model"))
		i++;
	for (; i < c->n_arms && i > 0; i--)
		swap(&c->arm[i], &c->arm[i - 1]);
}

/* ---- what only the plugin knows ---- */

struct knob_check {
	const struct config *c;
	const struct arm_config *a;
};

/* In a child process: opens the plugin and checks the arm's section. */
static int check_knobs(struct job *j, struct problem *p)
{
	const struct knob_check *k = j->user;
	const struct ini *f = &k->c->cfg;
	struct plugin m;
	char *path, *shadowed;
	int found = plugin_find(arm_plugin_path(k->a), k->a->plugin, &path,
				&shadowed, NULL);
	free(path), free(shadowed);
	if (found < 0) /* matters only if the arm is to run: check_arms() */
		return 0;
	job_enter(j->status, JOB_IN_CREATE, k->a->plugin);
	if (plugin_open(&m, arm_plugin_path(k->a), k->a->plugin, p) < 0)
		return -1;
	job_enter(j->status, JOB_IN_HOST, NULL);
	const struct key_table known[] = {
	    {arm_key, N(arm_key), ""},
	    {m.p.knob, m.p.n_knobs, ""},
	    {tables_key, N(tables_key), "tables."},
	    {hardware_key, hardware_n_keys, "hardware."},
	};
	int rc = keys_check(f, k->a->section, known, N(known), p);
	if (rc == 0) {
		void *block = knobs_new(&m.p, f, k->a->section, p);
		rc = block ? 0 : -1;
		free(block);
	}
	plugin_close(&m);
	return rc;
}

/* What the user must put right ends it; a plugin that cannot be loaded is its
 * arm's failure, when that runs. */
static int check_all_knobs(const struct config *c, struct problem *p)
{
	struct jobs arms;
	struct job *job = calloc(c->n_arms, sizeof *job);
	struct knob_check *check = calloc(c->n_arms, sizeof *check);
	const struct jobs_options o = {.answer_limit_s = 10};
	int rc = 0;
	for (size_t i = 0; job && check && i < c->n_arms; i++) {
		check[i] = (struct knob_check){c, &c->arm[i]};
		job[i].name = c->arm[i].name;
		job[i].user = &check[i];
	}
	if (!job || !check) {
		rc = problem_set(p, EXIT_USAGE, "out of memory");
	} else {
		rc = jobs_run(&arms, job, c->n_arms, check_knobs, &o, p);
		for (size_t i = 0; rc == 0 && i < c->n_arms; i++)
			if (job[i].problem->code == EXIT_USAGE) {
				if (p)
					*p = *job[i].problem;
				rc = -1;
			}
		jobs_free(&arms);
	}
	free(job), free(check);
	return rc;
}

/* ---- the whole ---- */

/* The arms that are to run: plugin, knobs, tables, hardware. */
static int check_arms(struct config *c, struct problem *p)
{
	for (size_t i = 0; i < c->n_arms; i++) {
		struct arm_config *a = &c->arm[i];
		struct hardware h;
		struct problem why;
		char *path, *shadowed;
		int found = plugin_find(arm_plugin_path(a), a->plugin, &path,
					&shadowed, &why);
		free(path), free(shadowed);
		if (found < 0)
			return problem_set(
			    p, why.code, "%s: %s",
			    ini_find(&c->cfg, a->section, "plugin")->at,
			    why.text);
		if (find_tables(c, a, p) < 0)
			return -1;
		int rc = hardware_load(&h, &c->cfg, a->section,
				       c->model.view.compute_format, p);
		hardware_free(&h);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* An arm's keys may have a dot of their own: "cost_model:x.tables.set=y" is the
 * key tables.set of [cost_model:x], whose name has no dot. */
static int override_one(struct ini *c, const char *assignment,
			struct problem *p)
{
	size_t equals = strcspn(assignment, "=");
	size_t section = strcspn(assignment, ".=");
	const char *key = assignment + section + 1;
	char *at;
	if (section >= equals ||
	    (strncmp(assignment, "cost_model.", 11) &&
	     strncmp(assignment, "cost_model:", 11)) ||
	    (strncmp(key, "tables.", 7) && strncmp(key, "hardware.", 9)))
		return ini_override(c, assignment, p);
	int rc = -1;
	if (asprintf(&at, "%.*s", (int)equals, assignment) < 0)
		return problem_set(p, EXIT_USAGE, "out of memory");
	at[section] = '\0';
	if (assignment[equals])
		rc = ini_put(c, at, at + section + 1, assignment + equals + 1,
			     "--set", p);
	else
		problem_set(p, EXIT_USAGE, "--set %s: not section.key=value",
			    assignment);
	free(at);
	return rc;
}

int config_load(struct config *c, const char *path, const char *const *set,
		size_t n_set, const char *arms, struct problem *p)
{
	return config_load_with(c, path, set, n_set, arms, NULL, p);
}

int config_load_with(struct config *c, const char *path, const char *const *set,
		     size_t n_set, const char *arms, const char *const *own,
		     struct problem *p)
{
	*c = (struct config){0};
	if (ini_load(&c->cfg, path, p) < 0)
		return -1;
	for (size_t i = 0; i < n_set; i++)
		if (override_one(&c->cfg, set[i], p) < 0)
			return -1;
	if (check_sections(&c->cfg, own, p) < 0 || check_keys(&c->cfg, p) < 0 ||
	    add_arms(c, p) < 0 || fill_blocks(c, p) < 0)
		return -1;
	if (c->n_arms == 0)
		return problem_set(p, EXIT_USAGE,
				   "%s: no arm: needs [cost_model] with "
				   "plugin = NAME",
				   path);
	if (check_all_knobs(c, p) < 0)
		return -1;
	lead(c);
	if (arms && select_arms(c, arms, p) < 0)
		return -1;
	return model_load(&c->model, &c->cfg, p) < 0 ? -1 : check_arms(c, p);
}

void config_free(struct config *c)
{
	for (size_t i = 0; i < c->n_arms; i++)
		free_arm(&c->arm[i]);
	free(c->arm);
	model_free(&c->model);
	ini_free(&c->cfg);
	*c = (struct config){0};
}

void config_write(struct jw *j, const struct config *c)
{
	jw_object(j, "model");
	if (c->model.view.n_groups) {
		jw_text(j, "name", c->model.name);
		knobs_write(j, &c->model.keys, model_key, model_n_keys);
		jw_uint(j, "parameters", c->model.view.n_params);
	}
	jw_end(j);
	jw_object(j, "engine");
	knobs_write(j, &c->engine_keys, engine_key, engine_n_keys);
	jw_end(j);
	jw_object(j, "slo");
	knobs_write(j, &c->slo_keys, slo_key, slo_n_keys);
	jw_end(j);
	jw_object(j, "workload");
	knobs_write(j, &c->workload_keys, workload_keys, n_workload_keys);
	jw_end(j);
}
