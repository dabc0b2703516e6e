/* source.c -- Finds the keys of [engine] in an INI, and refuses them. */
#include "engine/keys/source.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const engine_pool_section[2] = {"engine:prefill", "engine:decode"};

const struct ini_item *engine_key_item(const struct engine_source *s,
				       const char *key)
{
	const struct ini_item *t = NULL;
	if (s->arm)
		t = ini_find_behind(s->ini, s->arm, "engine.", key);
	if (!t && s->pool)
		t = ini_find(s->ini, s->pool, key);
	return t ? t : ini_find(s->ini, "engine", key);
}

int engine_is_of_arm(const struct engine_source *s, const struct ini_item *t)
{
	return t && s->arm && !strcmp(t->section, s->arm);
}

int engine_refuse(struct problem *p, const struct engine_source *from,
		  const char *key, const char *fmt, ...)
{
	char why[500];
	const struct ini_item *at = from ? engine_key_item(from, key) : NULL;
	const char *path = from ? from->ini->path : NULL;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	if (at)
		return problem_set(p, EXIT_USAGE, "%s: %s", at->at, why);
	int has_path = path && *path;
	return problem_set(p, EXIT_USAGE, "%s%s[engine] %s",
			   has_path ? path : "", has_path ? ": " : "", why);
}
