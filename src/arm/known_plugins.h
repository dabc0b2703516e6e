/* arm/known_plugins.h -- the declarations of the arms' plugins.  Each plugin is
 * asked once in a child process, for all configurations that use it.  Zeroed
 * means that none is known. */
#pragma once
#include "arm/arm_list.h"
#include "plugin/ask.h"

struct known_plugins {
	struct plugin_query *question; /* [n] one per file */
	size_t n;
};

/* Asks the plugins that are not known yet.  Returns -1 with *p filled in if no
 * plugin could be asked; a plugin that cannot be loaded is remembered as such.
 * [main]; must not be used in a process with threads. */
int known_plugins_ask(struct known_plugins *k, const struct arm_config *arm,
		      size_t n, struct problem *p);
/* Returns NULL if the file is not known or could not be loaded. */
const struct plugin_description *known_plugin(const struct known_plugins *k,
					      const char *file);
void known_plugins_free(struct known_plugins *k);
