/* knob_check.c -- Checks arms against the declarations of their plugins. */
#include "arm/knob_check.h"
#include <stdlib.h>
#include <string.h>
#include "arm/key_tables.h"
#include "plugin/schema.h"

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
	int rc = inert_check(
	    &(const struct inert_in){c,
				     section,
				     "",
				     {plugin->knob, plugin->n_knobs, block},
				     INERT_KNOBS,
				     0},
	    notes, p);
	free(block);
	return rc;
}

int knob_is_inert(const struct ini *c, const struct arm_config *arm,
		  const struct known_plugins *known, const char *knob,
		  char why[INERT_TEXT])
{
	const struct plugin_description *about =
	    arm->plugin_path ? known_plugin(known, arm->plugin_path) : NULL;
	struct problem unused;
	void *block =
	    about ? knobs_new(&about->is, c, arm->section, &unused) : NULL;
	if (!block)
		return 0;
	const struct inert_in in = {
	    c,           arm->section,
	    "",          {about->is.knob, about->is.n_knobs, block},
	    INERT_KNOBS, 0};
	const struct ini_item *item;
	uint32_t i = 0;
	while ((item = inert_next(&in, &i)) && strcmp(item->key, knob) != 0)
		;
	if (item)
		inert_say(why, &in, i);
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
