/* plugin/schema.h -- the knobs and presets that a plugin declares. */
#ifndef SC_PLUGIN_SCHEMA_H
#define SC_PLUGIN_SCHEMA_H
#include "base/ini.h"
#include "base/problem.h"
#include "stepcost/plugin.h"

/* A plugin's schema: names, types, offsets; defaults and presets in range. */
int knobs_check(const sc_plugin *plugin, struct problem *p);
/* NULL: no preset of that name. */
const sc_preset *preset_named(const sc_plugin *plugin, const char *name);
/* A plugin's block for [section], whose key `preset` names the preset.
 * NULL on error; free() it. */
void *knobs_new(const sc_plugin *plugin, const struct ini *c,
		const char *section, struct problem *p);
#endif
