/* aliases.c -- Looks names up in an alias file. */
#include <config.h>
#include "validate/aliases.h"
#include <stdio.h>
#include <string.h>

const char *alias_of_column(const struct ini *aliases, const char *name)
{
	const char *own = aliases ? ini_get(aliases, "column", name) : NULL;
	return own ? own : name;
}

const char *alias_of(const struct ini *aliases, const char *section,
		     const char *name)
{
	char head[200];
	const char *as = aliases ? ini_get(aliases, section, name) : NULL;
	if (as || !aliases)
		return as ? as : name;
	snprintf(head, sizeof head, "%.*s", (int)strcspn(name, " ("), name);
	as = ini_get(aliases, section, head);
	return as ? as : name;
}
