/* known_names.c -- Refuses sections and keys that no configuration has. */
#include "arm/known_names.h"
#include <string.h>
#include "arm/arm_list.h"
#include "arm/key_tables.h"
#include "base/nearest.h"
#include "keys/keys.h"

#define N(array) (uint32_t)(sizeof(array) / sizeof *(array))

/* In the order of the manual. */
static const char *const section_name[] = {
    "stepcost",       "model",         "hardware", "engine",
    "engine:prefill", "engine:decode", "router",   "router:prefill",
    "router:decode",  "autoscaler",    "failures", "tables",
    "workload",       "cost_model",    "slo",      "serve",
    "arena"};

/* Returns 1 if the section is in the list; an entry that ends in ':' is a
 * prefix. */
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
	if (arm_is_section(name)) {
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
	return problem_set(
	    p, EXIT_USAGE,
	    "%s: unknown section [%s]%s; allowed: stepcost, "
	    "model, hardware, engine, engine:prefill, "
	    "engine:decode, router, router:prefill, "
	    "router:decode, autoscaler, failures, tables, "
	    "workload, cost_model, cost_model:NAME, slo, serve, arena",
	    t->at, name, nearest_hint(&near, hint));
}

/* A section of an arm may occur only once; other sections may be continued. */
static int check_arm_once(const struct ini *c, size_t i, struct problem *p)
{
	for (size_t k = 0; k < i; k++)
		if (arm_is_section(c->head[i].section) &&
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
			return problem_set(
			    p, EXIT_USAGE,
			    "%s: '%s' comes before the first [section]",
			    c->item[i].at, c->item[i].key);
		if (check_section(&c->item[i], own, p) < 0)
			return -1;
	}
	return 0;
}

static int check_keys(const struct ini *c, struct problem *p)
{
	const char *section;
	struct key_table known[KEY_TABLES];
	for (size_t i = 0; (section = key_tables_section(i)) != NULL; i++) {
		size_t n = key_tables_of(section, NULL, known);
		if (keys_check(c, section, known, n, p) < 0)
			return -1;
	}
	return 0;
}

int known_names_check(const struct ini *c, const char *const *own,
		      struct problem *p)
{
	return check_sections(c, own, p) < 0 ? -1 : check_keys(c, p);
}
