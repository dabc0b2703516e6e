/* schema.c -- Checks the knobs and presets of a plugin; fills its knob block.
 */
#include <config.h>
#include "plugin/schema.h"
#include <stdlib.h>
#include <string.h>
#include "keys/keys.h"

static int is_name(const char *s)
{
	return s && *s &&
	       !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static const sc_knob *knob_named(const sc_plugin *plugin, const char *name)
{
	for (uint32_t i = 0; i < plugin->n_knobs; i++)
		if (!strcmp(plugin->knob[i]->name, name))
			return plugin->knob[i];
	return NULL;
}

static const char *knob_fault(const sc_plugin *plugin, const sc_knob *k)
{
	if (!k || !SC_HAS(k, choices))
		return "descriptor too short";
	if (!is_name(k->name) || knob_named(plugin, k->name) != k)
		return "name missing, malformed or given twice";
	if (!strcmp(k->name, "plugin") || !strcmp(k->name, "preset"))
		return "the name is reserved for the host";
	if (!k->def || !k->unit || !k->help)
		return "default, unit and help are required";
	if (k->type < SC_KNOB_DOUBLE || k->type > SC_KNOB_CHOICE ||
	    (k->type == SC_KNOB_CHOICE && !k->choices))
		return "unknown type, or no choices";
	if (k->offset % 8 || (uint64_t)k->offset + 8 > plugin->knob_block)
		return "offset misaligned or outside knob_block";
	return NULL;
}

static const char *preset_fault(const sc_plugin *plugin, const sc_preset *s)
{
	if (!s || !SC_HAS(s, values) || !s->name || !s->help || !s->values)
		return "descriptor too short, or a part missing";
	for (const char *const *v = s->values; v[0]; v += 2)
		if (!knob_named(plugin, v[0]) || !v[1])
			return "sets an unknown knob, or has no value";
	return NULL;
}

int knobs_check(const sc_plugin *plugin, struct problem *p)
{
	const char *why = NULL;
	if ((plugin->n_knobs && !plugin->knob) ||
	    (plugin->n_presets && !plugin->preset))
		return problem_set(p, EXIT_PLUGIN, "knobs or presets missing");
	for (uint32_t i = 0; i < plugin->n_knobs; i++)
		if ((why = knob_fault(plugin, plugin->knob[i])))
			return problem_set(p, EXIT_PLUGIN, "knob %u: %s", i,
					   why);
	for (uint32_t i = 0; i < plugin->n_presets; i++)
		if ((why = preset_fault(plugin, plugin->preset[i])))
			return problem_set(p, EXIT_PLUGIN, "preset %u: %s", i,
					   why);
	void *block = calloc(1, plugin->knob_block + 1);
	int rc = block ? 0 : problem_no_memory(p);
	/* The last round, with NULL, checks the defaults alone. */
	for (uint32_t i = 0; rc == 0 && i <= plugin->n_presets; i++)
		rc =
		    knobs_fill(block, plugin->knob, plugin->n_knobs,
			       i < plugin->n_presets ? plugin->preset[i] : NULL,
			       NULL, "", "", p);
	free(block);
	if (rc < 0 && p)
		p->code = EXIT_PLUGIN;
	return rc;
}

const sc_preset *preset_named(const sc_plugin *plugin, const char *name)
{
	for (uint32_t i = 0; i < plugin->n_presets; i++)
		if (!strcmp(plugin->preset[i]->name, name))
			return plugin->preset[i];
	return NULL;
}

void *knobs_new(const sc_plugin *plugin, const struct ini *c,
		const char *section, struct problem *p)
{
	const struct ini_item *want = ini_find(c, section, "preset");
	const sc_preset *preset =
	    want ? preset_named(plugin, want->value) : NULL;
	if (want && !preset) {
		problem_set(p, EXIT_USAGE, "%s: %s has no preset '%s'",
			    want->at, plugin->name, want->value);
		return NULL;
	}
	void *block = calloc(1, plugin->knob_block + 1);
	if (!block) {
		problem_no_memory(p);
	} else if (knobs_fill(block, plugin->knob, plugin->n_knobs, preset, c,
			      section, "", p) < 0) {
		free(block);
		block = NULL;
	}
	return block;
}
