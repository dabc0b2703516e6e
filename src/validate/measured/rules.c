/* rules.c -- Finds what the rules of an alias file set for a row. */
#include <config.h>
#include "validate/measured/rules.h"
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include "validate/measured/protocol_name.h"

static int is_rule(const char *section)
{
	return !strncmp(section, "when:", 5);
}

static int is_condition(const char *key)
{
	return !strchr(key, '.');
}

static const struct measured_column *column(const char *name)
{
	for (size_t c = 0; c < measured_n_columns; c++)
		if (measured_column[c].type == MEASURED_TEXT &&
		    !strcmp(measured_column[c].name, name))
			return &measured_column[c];
	return NULL;
}

/* ---- conditions ---- */

static const char *cell(const struct ini *aliases, const struct measured_row *r,
			const struct measured_column *c)
{
	const char *text;
	if (strcmp(c->name, "protocol"))
		memcpy(&text, (const char *)r + c->offset, sizeof text);
	else
		text = protocol_name(r, aliases);
	return text ? text : "-";
}

static int matches_one(const char *globs, const char *text)
{
	char glob[200];
	while (*globs) {
		size_t n = strcspn(globs, ",");
		snprintf(glob, sizeof glob, "%.*s", (int)n, globs);
		if (fnmatch(glob, text, FNM_CASEFOLD) == 0)
			return 1;
		globs += n + (globs[n] == ',');
		globs += strspn(globs, " ");
	}
	return 0;
}

static int holds(const struct ini *aliases, const char *section,
		 const struct measured_row *r)
{
	for (size_t i = 0; i < aliases->n; i++) {
		const struct ini_item *t = &aliases->item[i];
		if (strcmp(t->section, section) || !is_condition(t->key))
			continue;
		const struct measured_column *c = column(t->key);
		if (!c || !matches_one(t->value, cell(aliases, r, c)))
			return 0;
	}
	return 1;
}

/* ---- what they set ---- */

int rules_each(const struct ini *aliases, const struct measured_row *r,
	       const char *prefix, rules_fn fn, void *ctx)
{
	size_t n = strlen(prefix);
	const char *section = NULL;
	int rc = 0, is_true = 0;
	for (size_t i = 0; rc == 0 && aliases && i < aliases->n; i++) {
		const struct ini_item *t = &aliases->item[i];
		if (!is_rule(t->section))
			continue;
		if (!section || strcmp(section, t->section))
			is_true = holds(aliases, t->section, r);
		section = t->section;
		if (is_true && !is_condition(t->key) &&
		    !strncmp(t->key, prefix, n))
			rc = fn(ctx, t->key + n, t->value);
	}
	return rc;
}

struct wanted {
	const char *key, *value;
};

static int take(void *ctx, const char *key, const char *value)
{
	struct wanted *w = ctx;
	if (!strcmp(key, w->key))
		w->value = value;
	return 0;
}

const char *rules_get(const struct ini *aliases, const struct measured_row *r,
		      const char *key)
{
	struct wanted w = {key, NULL};
	rules_each(aliases, r, "", take, &w);
	return w.value;
}

int rules_check(const struct ini *aliases, struct problem *p)
{
	for (size_t i = 0; i < aliases->n; i++) {
		const struct ini_item *t = &aliases->item[i];
		if (is_rule(t->section) && is_condition(t->key) &&
		    !column(t->key))
			return problem_set(p, EXIT_USAGE,
					   "%s: %s is no column of text of the "
					   "measured rows",
					   t->at, t->key);
	}
	return 0;
}
