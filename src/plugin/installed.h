/* plugin/installed.h -- the cost models that are on the search path, and what
 * they declare.  [main]; not from a process with threads. */
#ifndef SC_PLUGIN_INSTALLED_H
#define SC_PLUGIN_INSTALLED_H
#include "base/names.h"
#include "plugin/ask.h"

/* Zeroed: none; installed_free() in any case. */
struct installed {
	struct plugin_question *plugin; /* [n] by folder, then name; asked   */
	size_t n;
	struct names shadowed; /* "FOLDER/NAME.so": an earlier folder has one */
};
/* Looks where plugin_find() does.  0, or -1 with *p: nobody could be asked. */
int installed_ask(struct installed *l, struct problem *p);
void installed_free(struct installed *l);
/* "const_step, operators": those that declare all of these SC_CAP_*.  Returns
 * buf, cut off at its end; "none" if there is none or nobody can be asked. */
const char *installed_with(char *buf, size_t size, uint32_t capabilities);
#endif
