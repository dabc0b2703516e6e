/* arm_keys.c -- Compares the keys that the sections of two arms set. */
#include "study/arm_keys.h"
#include <stdio.h>
#include <string.h>
#include "engine/equal_schedules.h"
#include "keys/keys.h"

struct said {
	char *text;
	size_t length, n;
};

static void say(struct said *s, const char *name, const char *by,
		const char *of)
{
	s->n++;
	if (s->n > ARM_KEYS_SAID + 1 || s->length >= ARM_KEYS_TEXT)
		return;
	const char *between = s->n > 1 ? "; " : "";
	char *end = s->text + s->length;
	size_t left = ARM_KEYS_TEXT - s->length;
	int n = s->n > ARM_KEYS_SAID
		    ? snprintf(end, left, "%s...", between)
		    : snprintf(end, left, "%s%s is %s, not %s", between, name,
			       *by ? by : "empty", *of ? of : "empty");
	s->length += (size_t)n;
}

static const struct ini_item *of_section(const struct arm *a,
					 const char *prefix, const char *name)
{
	return ini_find_behind(&a->config->cfg, a->is->section, prefix, name);
}

static void compare_engines(struct said *s, const struct arm *of,
			    const struct arm *by)
{
	char was[32], is[32];
	for (uint32_t i = 0; i < engine_n_keys; i++) {
		const struct engine_row *r = engine_row(i);
		const char *name = r->knob.name;
		enum engine_effect effect = engine_row_effect(r);
		if ((!of_section(of, "engine.", name) &&
		     !of_section(by, "engine.", name)) ||
		    effect == EFFECT_PRICE || effect == EFFECT_NOTHING)
			continue;
		const char *a = knob_text(was, &r->knob, &of->engine_keys);
		const char *b = knob_text(is, &r->knob, &by->engine_keys);
		if (strcmp(a, b) != 0)
			say(s, name, b, a);
	}
}

/* Returns what the arm has for "hardware.NAME", of its own or of all. */
static const char *hardware_value(const struct arm *a, const char *name)
{
	const struct ini_item *own = of_section(a, "hardware.", name);
	if (!own)
		own = ini_find(&a->config->cfg, "hardware", name);
	return own ? own->value : "";
}

static void compare_hardware(struct said *s, const struct arm *section,
			     const struct arm *of, const struct arm *by)
{
	const struct ini *c = &section->config->cfg;
	const char *prefix = "hardware.";
	size_t n = strlen(prefix);
	for (size_t i = 0; i < c->n; i++) {
		const struct ini_item *item = &c->item[i];
		if (strcmp(item->section, section->is->section) != 0 ||
		    strncmp(item->key, prefix, n) != 0)
			continue;
		const char *name = item->key + n;
		const char *a = hardware_value(of, name);
		const char *b = hardware_value(by, name);
		/* What both set is seen in the section of `by`. */
		if (strcmp(a, b) != 0 &&
		    (section == by || !of_section(by, prefix, name)))
			say(s, item->key, b, a);
	}
}

size_t arm_keys_differ(char text[ARM_KEYS_TEXT], const struct arm *of,
		       const struct arm *by)
{
	struct said s = {text, 0, 0};
	*text = '\0';
	compare_engines(&s, of, by);
	compare_hardware(&s, by, of, by);
	compare_hardware(&s, of, of, by);
	return s.n;
}
