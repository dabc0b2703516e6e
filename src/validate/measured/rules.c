/* rules.c -- Finds what the rules of an alias file set for a row. */
#include "validate/measured/rules.h"
#include <string.h>
#include "validate/measured/cells.h"
#include "validate/measured/condition.h"
#include "validate/measured/launch.h"
#include "validate/measured/protocol_name.h"

static int is_rule(const char *section)
{
	return !strncmp(section, "when:", 5);
}

static int is_condition(const char *key)
{
	return !strchr(key, '.');
}

/* ---- conditions ---- */

static int condition(const struct ini *aliases, const struct measured_row *r,
		     const struct ini_item *t)
{
	if (!strcmp(t->key, "protocol"))
		return condition_on_text(t->value, protocol_name(r, aliases));
	return condition_holds(condition_column(t->key), t->value, r);
}

static int holds(const struct ini *aliases, const char *section,
		 const struct measured_row *r)
{
	for (size_t i = 0; i < aliases->n; i++) {
		const struct ini_item *t = &aliases->item[i];
		if (strcmp(t->section, section) || !is_condition(t->key))
			continue;
		if (!condition(aliases, r, t))
			return 0;
	}
	return 1;
}

/* ---- what they set ---- */

/* The launch of the row comes before all rules. */
static int launch_each(const struct ini *aliases, const struct measured_row *r,
		       const char *prefix, rules_fn fn, void *ctx)
{
	size_t n = strlen(prefix);
	int rc = 0;
	for (size_t i = 0; rc == 0 && r->launch && i < aliases->n; i++) {
		const struct ini_item *t = &aliases->item[i];
		if (!strcmp(t->section, r->launch) && !is_condition(t->key) &&
		    !strncmp(t->key, prefix, n))
			rc = fn(ctx, t->key + n, t);
	}
	return rc;
}

int rules_each(const struct ini *aliases, const struct measured_row *r,
	       const char *prefix, rules_fn fn, void *ctx)
{
	size_t n = strlen(prefix);
	const char *section = NULL;
	int is_true = 0;
	int rc = launch_each(aliases, r, prefix, fn, ctx);
	for (size_t i = 0; rc == 0 && i < aliases->n; i++) {
		const struct ini_item *t = &aliases->item[i];
		if (!is_rule(t->section))
			continue;
		if (!section || strcmp(section, t->section))
			is_true = holds(aliases, t->section, r);
		section = t->section;
		if (is_true && !is_condition(t->key) &&
		    !strncmp(t->key, prefix, n))
			rc = fn(ctx, t->key + n, t);
	}
	return rc;
}

struct wanted {
	const char *key, *value;
};

static int take(void *ctx, const char *key, const struct ini_item *t)
{
	struct wanted *w = ctx;
	if (!strcmp(key, w->key))
		w->value = t->value;
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
		    !condition_column(t->key))
			return problem_set(p, EXIT_USAGE,
					   "%s: %s is no column of the "
					   "measured rows",
					   t->at, t->key);
		if ((is_rule(t->section) || launch_is(t->section)) &&
		    !is_condition(t->key) &&
		    cells_check(t->value, t->at, p) < 0)
			return -1;
	}
	return 0;
}
