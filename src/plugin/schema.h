/* plugin/schema.h -- the knobs, presets and parts that a plugin declares. */
#pragma once
#include "base/ini.h"
#include "base/problem.h"
#include "stepcost/plugin.h"

/* Returns 1 for a name of [a-z0-9_]+. */
int schema_is_name(const char *s);
/* Checks the declarations of a plugin: names, types, ranges, offsets, kinds;
 * defaults and presets must be in range, and no two declarations may have one
 * name or one place. */
int knobs_check(const sc_plugin *plugin, struct problem *p);
/* Returns NULL if there is no preset with that name. */
const sc_preset *preset_named(const sc_plugin *plugin, const char *name);
/* Returns the knob block of a plugin for [section]; its key `preset` names the
 * preset.  The caller frees it; texts in it are those of *c and of the plugin.
 * NULL on error. */
void *knobs_new(const sc_plugin *plugin, const struct ini *c,
		const char *section, struct problem *p);
