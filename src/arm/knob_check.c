/* knob_check.c -- Checks arms against the declarations of their plugins. */
#include <config.h>
#include "arm/knob_check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/key_tables.h"
#include "keys/when.h"
#include "plugin/schema.h"

/* Refuses knobs without an effect, or adds a note where the command line made
 * the arm. */
static int check_effects(const struct ini *c, const char *section,
			 const struct when_of *of, struct names *notes,
			 struct problem *p)
{
	const struct ini_item *item;
	char state[WHEN_STATE], text[600];
	uint32_t i = 0;
	while ((item = when_inert(of, c, section, "", &i))) {
		when_state(state, knob_when(of->knob[i - 1]), of);
		snprintf(text, sizeof text, "%s: %s has no effect with %s",
			 section, item->key, state);
		if (!ini_is_made(item))
			return problem_set(p, EXIT_USAGE, "%s: %s", item->at,
					   text);
		if (names_add_new(notes, text) < 0)
			return problem_no_memory(p);
	}
	return 0;
}

static int check_section(const struct ini *c, const char *section,
			 const sc_plugin *plugin, struct names *notes,
			 struct problem *p)
{
	struct key_table known[KEY_TABLES];
	size_t n = key_tables_of(section, plugin, known);
	if (keys_check(c, section, known, n, p) < 0)
		return -1;
	void *block = knobs_new(plugin, c, section, p);
	if (!block)
		return -1;
	const struct when_of of = {plugin->knob, plugin->n_knobs, block};
	int rc = check_effects(c, section, &of, notes, p);
	free(block);
	return rc;
}

int knob_is_inert(const struct ini *c, const struct arm_config *arm,
		  const struct known_plugins *known, const char *knob,
		  char why[KNOB_WHY])
{
	const struct plugin_description *about =
	    arm->plugin_path ? known_plugin(known, arm->plugin_path) : NULL;
	char state[WHEN_STATE];
	struct problem unused;
	void *block =
	    about ? knobs_new(&about->is, c, arm->section, &unused) : NULL;
	if (!block)
		return 0;
	const struct when_of of = {about->is.knob, about->is.n_knobs, block};
	const struct ini_item *item;
	uint32_t i = 0;
	while ((item = when_inert(&of, c, arm->section, "", &i)) &&
	       strcmp(item->key, knob) != 0)
		;
	if (item) {
		when_state(state, knob_when(of.knob[i - 1]), &of);
		snprintf(why, KNOB_WHY, "no effect with %s", state);
	}
	free(block);
	return item != NULL;
}

int knob_check(const struct ini *c, const struct arm_config *arm, size_t n,
	       const struct known_plugins *known, struct names *notes,
	       struct problem *p)
{
	for (size_t i = 0; i < n; i++) {
		const struct plugin_description *about =
		    arm[i].plugin_path ? known_plugin(known, arm[i].plugin_path)
				       : NULL;
		if (about &&
		    check_section(c, arm[i].section, &about->is, notes, p) < 0)
			return -1;
	}
	return 0;
}
