/* refusals.c -- Refuses the keys that an engine does not read. */
#include "engine/refusals.h"
#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "engine/engine_names.h"
#include "engine/presets.h"

/* The presets under which that scheduler's rules form the steps. */
static uint32_t presets_of(enum engine_scheduler s)
{
	uint32_t set = 0;
	for (uint32_t i = 0; i < ENGINE_N_PRESETS; i++)
		if (engine_preset_scheduler((enum engine_preset)i) == s)
			set |= ENGINE_BY(i);
	return set;
}

int engine_row_is_of(const struct engine_row *r, enum engine_scheduler s)
{
	return (r->obeyed_by & presets_of(s)) != 0;
}

static void append(char *buf, size_t size, const char *between,
		   const char *text)
{
	size_t n = strlen(buf);
	snprintf(buf + n, size - n, "%s%s", n ? between : "", text);
}

/* "vllm-0.24 or vllm-2026-07"; returns buf. */
static const char *preset_names(char *buf, size_t size, uint32_t set)
{
	buf[0] = '\0';
	for (uint32_t i = 0; engine_preset_words[i]; i++)
		if (set & ENGINE_BY(i))
			append(buf, size, " or ", engine_preset_words[i]);
	return buf;
}

/* "vllm or sglang": those that read the key under some preset. */
static const char *scheduler_names(char *buf, size_t size,
				   const struct engine_row *r)
{
	buf[0] = '\0';
	for (uint32_t i = 0; engine_scheduler_words[i]; i++)
		if (engine_row_is_of(r, (enum engine_scheduler)i))
			append(buf, size, " or ", engine_scheduler_words[i]);
	return buf;
}

/* ---- in documents ---- */

static void add_scheduler(char *buf, size_t size, enum engine_scheduler s,
			  uint32_t set)
{
	char names[100], text[140];
	uint32_t all = presets_of(s), of = set & all;
	const char *name = engine_scheduler_words[s];
	if (of == all)
		snprintf(text, sizeof text, "scheduler = %s", name);
	else if (of == (all & ~ENGINE_PLAIN))
		snprintf(text, sizeof text, "a preset of scheduler = %s", name);
	else
		snprintf(text, sizeof text, "preset = %s",
			 preset_names(names, sizeof names, of));
	if (of)
		append(buf, size, " or ", text);
}

const char *engine_row_scope(char *buf, size_t size, const struct engine_row *r)
{
	char with[300] = "";
	buf[0] = '\0';
	if (r->obeyed_by == ENGINE_ANY)
		return buf;
	if (r->obeyed_by == ENGINE_ANY_PRESET)
		snprintf(with, sizeof with, "a preset");
	else
		for (uint32_t i = 0; engine_scheduler_words[i]; i++)
			add_scheduler(with, sizeof with,
				      (enum engine_scheduler)i, r->obeyed_by);
	snprintf(buf, size, "Only with %s.", with);
	return buf;
}

/* ---- in configurations ---- */

/* What this scheduler's key of the same meaning is; NULL: it has none. */
static const char *own_name(enum engine_scheduler s, const char *key)
{
	const char *common = engine_name_key(key);
	const char *own =
	    common ? engine_name_by(engine_scheduler_words[s], common) : NULL;
	const struct engine_row *r = own ? engine_row_named(own) : NULL;
	return r ? r->knob.name : NULL;
}

static int refuse_scheduler(const struct engine_row *r,
			    const struct ini_item *t, enum engine_scheduler s,
			    struct problem *p)
{
	const char *key = r->knob.name;
	struct nearest near = {.typed = key, .name = own_name(s, key)};
	char hint[100], names[100];
	return problem_set(
	    p, EXIT_USAGE, "%s: %s is a key of scheduler = %s, not of %s%s",
	    t->at, key, scheduler_names(names, sizeof names, r),
	    engine_scheduler_words[s], nearest_hint(&near, hint));
}

static int refuse_no_preset(const struct engine_row *r,
			    const struct ini_item *t, struct problem *p)
{
	char names[100], which[120] = "a preset";
	if ((r->obeyed_by & ENGINE_VLLM) != ENGINE_VLLM)
		snprintf(which, sizeof which, "preset = %s",
			 preset_names(names, sizeof names, r->obeyed_by));
	return problem_set(p, EXIT_USAGE, "%s: %s needs %s: without one %s",
			   t->at, r->knob.name, which, r->without);
}

static int refuse_preset(const struct engine_row *r, const struct ini_item *t,
			 enum engine_preset preset, struct problem *p)
{
	char names[100];
	return problem_set(
	    p, EXIT_USAGE, "%s: %s is a key of preset = %s, not of %s", t->at,
	    r->knob.name, preset_names(names, sizeof names, r->obeyed_by),
	    engine_preset_words[preset]);
}

/* Returns 1 if a key in [engine] is meant for other arms. */
static int is_of_others(const struct engine_row *r, enum engine_preset preset,
			const struct engine_source *s, const struct ini_item *t)
{
	int has_own = engine_is_of_arm(s, engine_key_item(s, "preset")) ||
		      engine_is_of_arm(s, engine_key_item(s, "scheduler"));
	int needs_preset =
	    preset == PRESET_NONE && engine_row_is_of(r, SCHEDULER_VLLM);
	if (needs_preset)
		return s->is_part;
	return has_own && !engine_is_of_arm(s, t) && !r->neutral;
}

static int refuse(const struct engine_row *r, enum engine_preset preset,
		  const struct engine_source *s, struct problem *p)
{
	const enum engine_scheduler mine = engine_preset_scheduler(preset);
	const struct ini_item *t = engine_key_item(s, r->knob.name);
	if (!t || (r->neutral && !strcmp(t->value, r->neutral)) ||
	    is_of_others(r, preset, s, t))
		return 0;
	if (!engine_row_is_of(r, mine))
		return refuse_scheduler(r, t, mine, p);
	return preset == PRESET_NONE ? refuse_no_preset(r, t, p)
				     : refuse_preset(r, t, preset, p);
}

int engine_refuse_unread(enum engine_preset preset,
			 const struct engine_source *s, struct problem *p)
{
	for (uint32_t i = 0; i < engine_n_keys; i++)
		if (!engine_row_is_obeyed(engine_row(i), preset) &&
		    refuse(engine_row(i), preset, s, p) < 0)
			return -1;
	return 0;
}
