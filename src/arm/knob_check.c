/* knob_check.c -- Checks arms against the declarations of their plugins. */
#include <config.h>
#include "arm/knob_check.h"
#include <stdlib.h>
#include "arm/key_tables.h"
#include "plugin/schema.h"

static int check_section(const struct ini *c, const char *section,
			 const sc_plugin *plugin, struct problem *p)
{
	struct key_table known[KEY_TABLES];
	size_t n = key_tables_of(section, plugin, known);
	if (keys_check(c, section, known, n, p) < 0)
		return -1;
	void *block = knobs_new(plugin, c, section, p);
	free(block);
	return block ? 0 : -1;
}

int knob_check(const struct ini *c, const struct arm_config *arm, size_t n,
	       const struct known_plugins *known, struct problem *p)
{
	for (size_t i = 0; i < n; i++) {
		const struct plugin_description *about =
		    arm[i].plugin_path ? known_plugin(known, arm[i].plugin_path)
				       : NULL;
		if (about &&
		    check_section(c, arm[i].section, &about->is, p) < 0)
			return -1;
	}
	return 0;
}
