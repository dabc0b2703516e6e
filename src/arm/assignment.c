/* assignment.c -- Reads "section.key=value", and finds the section of a key
 * that is given without one. */
#include "arm/assignment.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/key_tables.h"

size_t assignment_dot(const char *name, size_t n)
{
	const char *dot = memchr(name, '.', n);
	if (dot &&
	    (!strncmp(name, "cost_model.", 11) ||
	     !strncmp(name, "cost_model:", 11) ||
	     !strncmp(name, "engine:", 7)) &&
	    (!strncmp(dot + 1, "tables.", 7) ||
	     !strncmp(dot + 1, "hardware.", 9) ||
	     !strncmp(dot + 1, "engine.", 7) ||
	     !strncmp(dot + 1, "router.", 7)))
		return (size_t)(dot - name);
	dot = memrchr(name, '.', n);
	return dot && dot + 1 < name + n ? (size_t)(dot - name) : 0;
}

/* Returns what the section calls the key, which may be typed as another
 * program spells it; NULL: the section has no such key. */
static const char *key_of(const char *section, const char *typed)
{
	struct key_table t[KEY_TABLES];
	const char *prefix, *key = NULL;
	size_t n = key_tables_of(section, NULL, t);
	const sc_knob *own = key_in_tables(t, n, typed, &prefix);
	if (own)
		return *prefix ? NULL : own->name;
	for (size_t i = 0; !key && i < n; i++)
		key = t[i].key_of ? t[i].key_of(typed) : NULL;
	return key;
}

/* Writes "engine.max_num_seqs=8" for each section that has the key, and " or "
 * between them.  The sections of pools repeat keys, so they are left out.
 * Writes an example if no section has the key. */
static void suggest(char *to, size_t size, const char *key, const char *value)
{
	const char *section;
	size_t at = 0;
	for (size_t i = 0; (section = key_tables_section(i)) != NULL; i++) {
		const char *name =
		    strchr(section, ':') ? NULL : key_of(section, key);
		if (name && at < size)
			at += (size_t)snprintf(to + at, size - at,
					       "%s%s.%s%.60s", at ? " or " : "",
					       section, name, value);
	}
	if (at == 0)
		snprintf(to, size,
			 "SECTION.KEY=VALUE, as in engine.max_num_seqs=64");
}

int assignment_refuse(const char *option, const char *text, size_t n,
		      struct problem *p)
{
	char hint[300], key[64];
	snprintf(key, sizeof key, "%.*s", (int)n, text);
	suggest(hint, sizeof hint, key, text + n);
	return problem_set(p, EXIT_USAGE,
			   "%s %.200s: not section.key=value; write %s", option,
			   text, hint);
}

int assignment_apply(struct ini *c, const char *text, struct problem *p)
{
	char at[16] = "--set";
	if (!strncmp(text, "--", 2)) {
		size_t n = strcspn(text, " ");
		snprintf(at, sizeof at, "%.*s", (int)n, text);
		text += n + (text[n] == ' ');
	}
	size_t equals = strcspn(text, "=");
	size_t dot = assignment_dot(text, equals);
	char *name;
	if (!dot || !text[equals])
		return assignment_refuse(at, text, equals, p);
	if (asprintf(&name, "%.*s", (int)equals, text) < 0)
		return problem_no_memory(p);
	name[dot] = '\0';
	int rc = ini_put(c, name, name + dot + 1, text + equals + 1, at, p);
	free(name);
	return rc;
}
