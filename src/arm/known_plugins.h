/* arm/known_plugins.h -- what the plugins of arms declare, asked once in child
 * processes, for any number of configurations that use them.  Zeroed: none is
 * known. */
#ifndef SC_ARM_KNOWN_PLUGINS_H
#define SC_ARM_KNOWN_PLUGINS_H
#include "arm/arm_list.h"
#include "plugin/ask.h"

struct known_plugins {
	struct plugin_question *question; /* [n], one a file                 */
	size_t n;
};

/* Asks those that are not yet known.  -1 with *p: nobody could be asked; a
 * plugin that cannot be loaded is known as that.  [main]; not from a process
 * with threads. */
int known_plugins_ask(struct known_plugins *k, const struct arm_config *arm,
		      size_t n, struct problem *p);
/* NULL: the file is not known, or could not be loaded. */
const struct plugin_description *known_plugin(const struct known_plugins *k,
					      const char *file);
void known_plugins_free(struct known_plugins *k);
#endif
