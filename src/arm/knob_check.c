/* knob_check.c -- Checks arms against what their plugins declare. */
#include <config.h>
#include "arm/knob_check.h"
#include <stdlib.h>
#include "plugin/schema.h"
#include "setup/hardware.h"
#include "setup/keys.h"

static int check_section(const struct ini *c, const char *section,
			 const sc_plugin *plugin, struct problem *p)
{
	const struct key_table known[] = {
	    {arm_key, arm_n_keys, ""},
	    {plugin->knob, plugin->n_knobs, ""},
	    {arm_tables_key, arm_tables_n_keys, "tables."},
	    {hardware_key, hardware_n_keys, "hardware."},
	};
	if (keys_check(c, section, known, sizeof known / sizeof *known, p) < 0)
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
