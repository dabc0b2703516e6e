/* aliases.c -- Looks names up in an alias file. */
#include "validate/measured/aliases.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/path.h"
#include "keys/datafile.h"
#include "validate/measured/launch.h"
#include "validate/measured/rules.h"

int alias_is_path(const char *id)
{
	return strchr(id, '/') || path_ends_in(id, ".json") ||
	       path_ends_in(id, ".ini");
}

static int is_name_of_what_is_served(const struct ini_item *t)
{
	return !strcmp(t->section, "model") || !strcmp(t->section, "gpu");
}

/* Lays one key of `own` over the aliases. */
static int add(struct ini *aliases, const struct ini *own,
	       const struct ini_item *t, struct problem *p)
{
	char *path = NULL;
	if (is_name_of_what_is_served(t) && alias_is_path(t->value)) {
		char *near = ini_resolve_path(own, t->value);
		path = near ? realpath(near, NULL) : NULL;
		free(near);
		if (!path)
			return problem_set(p, EXIT_USAGE, "%s: %s = %s: %s",
					   t->at, t->key, t->value,
					   strerror(errno));
	}
	int rc = ini_put(aliases, t->section, t->key, path ? path : t->value,
			 t->at, p);
	free(path);
	return rc;
}

/* Lays a file of the project over the aliases. */
static int add_shipped(struct ini *aliases, const char *name, struct problem *p)
{
	struct ini more = {0};
	char *path = datafile_find("etc", name, ".ini", p);
	int rc = path ? ini_load(&more, path, p) : -1;
	for (size_t i = 0; rc == 0 && i < more.n; i++)
		rc = add(aliases, &more, &more.item[i], p);
	ini_free(&more);
	free(path);
	return rc;
}

int aliases_read(struct ini *aliases, const char *own, struct problem *p)
{
	struct ini more = {0};
	*aliases = (struct ini){0};
	int rc = add_shipped(aliases, "measured", p);
	if (rc == 0)
		rc = add_shipped(aliases, "measured-apart", p);
	if (rc == 0)
		rc = launches_read(aliases, p);
	if (rc == 0 && own)
		rc = ini_load(&more, own, p);
	for (size_t i = 0; rc == 0 && i < more.n; i++)
		rc = add(aliases, &more, &more.item[i], p);
	if (rc == 0)
		rc = rules_check(aliases, p);
	if (rc == 0)
		rc = launches_check(aliases, p);
	ini_free(&more);
	return rc;
}

const char *alias_of_column(const struct ini *aliases, const char *name)
{
	const char *own = ini_get(aliases, "column", name);
	return own ? own : name;
}

const char *alias_of(const struct ini *aliases, const char *section,
		     const char *name)
{
	char head[200];
	const char *as = ini_get(aliases, section, name);
	if (as)
		return as;
	snprintf(head, sizeof head, "%.*s", (int)strcspn(name, " ("), name);
	as = ini_get(aliases, section, head);
	return as ? as : name;
}
