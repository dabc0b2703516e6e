/* plugin/loader.h -- find, load and check cost-model plugins. */
#ifndef SC_PLUGIN_LOADER_H
#define SC_PLUGIN_LOADER_H
#include "base/problem.h"
#include "base/searchpath.h"
#include "stepcost/plugin.h"

struct plugin {
	void *dso;
	char *path;  /* the file */
	sc_plugin p; /* our copy: fields a plugin does not know are zero */
};

/* Looks for NAME.so in the folders of the ':'-separated path (may be NULL;
 * usually plugin_path()), then where plugins are installed; the first found
 * wins.  *shadowed: the next of that name, or NULL.  free() both.  0, or -1
 * with *p (EXIT_USAGE). */
int plugin_find(const char *path, const char *name, char **file,
		char **shadowed, struct problem *p);
/* Where plugin_find() looks.  0, or -1: out of memory. */
int plugin_folders(struct searchpath *s, const char *path);
/* The NAME of FOLDER/NAME.so; free() it.  NULL with *p (EXIT_USAGE): not the
 * name of a plugin's file. */
char *plugin_name(const char *file, struct problem *p);
/* Loads the file, NAME.so, and checks what it declares.  Runs code of the
 * plugin: for a job's process; who only wants to know asks (ask.h).  0, or -1
 * with *p: EXIT_PLUGIN if it cannot be used.  [main] */
int plugin_open(struct plugin *m, const char *file, struct problem *p);
/* $STEPCOST_PLUGIN_PATH, may be NULL. */
const char *plugin_path(void);
void plugin_close(struct plugin *m);
/* The check plugin_open() applies; public for its test. */
int plugin_check(const sc_plugin *declared, const char *name, sc_plugin *out,
		 struct problem *p);
#endif
