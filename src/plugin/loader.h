/* plugin/loader.h -- find, load and check cost-model plugins. */
#ifndef SC_PLUGIN_LOADER_H
#define SC_PLUGIN_LOADER_H
#include "base/problem.h"
#include "base/searchpath.h"
#include "stepcost/plugin.h"

struct plugin {
	void *dso;
	char *path;
	char *shadowed; /* the next of that name on the path, or NULL */
	sc_plugin p;    /* our copy: fields a plugin does not know are zero */
};

/* Looks for NAME.so in the folders of the ':'-separated path (may be NULL;
 * usually plugin_path()), then where plugins are installed; the first found
 * wins.  0, or -1: EXIT_USAGE if there is none, EXIT_PLUGIN if it cannot be
 * used.  [main] */
int plugin_open(struct plugin *m, const char *path, const char *name,
		struct problem *p);
/* Only finds the file, and the one that it shadows (or NULL); free both.
 * 0, or -1 with *p. */
int plugin_find(const char *path, const char *name, char **file,
		char **shadowed, struct problem *p);
/* Where plugin_open() looks.  0, or -1: out of memory. */
int plugin_folders(struct searchpath *s, const char *path);
/* $STEPCOST_PLUGIN_PATH, may be NULL. */
const char *plugin_path(void);
void plugin_close(struct plugin *m);
/* The check plugin_open() applies; apart so that it can be tested. */
int plugin_check(const sc_plugin *declared, const char *name, sc_plugin *out,
		 struct problem *p);
#endif
