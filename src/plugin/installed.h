/* plugin/installed.h -- the cost models on the search path, and their
 * declarations.  [main]; must not be used in a process with threads. */
#pragma once
#include "base/names.h"
#include "plugin/ask.h"

/* Zeroed means none; the caller calls installed_free() in any case. */
struct installed {
	/* [n] by folder, then name; with answers */
	struct plugin_query *plugin;
	size_t n;
	/* "FOLDER/NAME.so": an earlier folder has one of this name */
	struct names shadowed;
};
/* Searches the same folders as plugin_find().  Returns 0, or -1 with *p filled
 * in if no plugin could be asked. */
int installed_ask(struct installed *l, struct problem *p);
void installed_free(struct installed *l);
/* Returns the file of the plugin with that id, which the caller frees; -1 with
 * *p filled in (EXIT_USAGE): none has it, or two have. */
int installed_with_id(char **file, const char *id, struct problem *p);
/* Writes "const_step, operators": the plugins that declare all of these
 * SC_CAP_*.  Returns buf, truncated to fit; "none" if there is none, or if no
 * plugin could be asked. */
const char *installed_with(char *buf, size_t size, uint32_t capabilities);
