/* coefficients.c -- Describes which coefficients an arm uses. */
#include <config.h>
#include "arm/coefficients.h"
#include <stdlib.h>
#include <string.h>

static const char *text(const struct ini *c, const char *section,
			const char *key)
{
	const char *value = ini_get(c, section, key);
	return value ? value : "";
}

/* A word chosen by a knob changes no coefficient. */
static int is_number(const char *value)
{
	char *end;
	strtod(value, &end);
	return end != value && !*end;
}

static const char *changed_knob(const struct ini *c, const char *section)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct ini_item *t = &c->item[i];
		if (!strcmp(t->section, section) && !strchr(t->key, '.') &&
		    strcmp(t->key, "plugin") != 0 &&
		    strcmp(t->key, "preset") != 0 && is_number(t->value))
			return t->key;
	}
	return "";
}

struct arm_coefficients arm_coefficients_of(const struct config *c, size_t arm)
{
	const struct arm_config *a = &c->arm[arm];
	const char *own = text(&c->cfg, a->section, "tables.set");
	return (struct arm_coefficients){
	    .preset = a->preset ? a->preset : "",
	    .tables = *own ? own : text(&c->cfg, "tables", "set"),
	    .changed = changed_knob(&c->cfg, a->section)};
}
