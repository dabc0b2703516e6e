/* plugin/loader.h -- finds, loads and checks cost-model plugins. */
#pragma once
#include "base/file/searchpath.h"
#include "base/problem.h"
#include "stepcost/plugin.h"

struct plugin {
	void *dso;
	char *path; /* the file */
	/* our copy: fields that the plugin does not know are zero */
	sc_plugin p;
};

/* Searches NAME/NAME.so, then NAME.so, in each of the folders of the
 * ':'-separated path (may be NULL; usually plugin_path()), then in the folder
 * of installed plugins; the first one found counts.  *shadowed: the next one of
 * that name, or NULL.  The caller frees both.  Returns 0, or -1 with *p filled
 * in (EXIT_USAGE). */
int plugin_find(const char *path, const char *name, char **file,
		char **shadowed, struct problem *p);
/* Returns the folder of the plugin's own data, absolute: that of a file
 * FOLDER/NAME/NAME.so, else plugins/field/NAME of the data folders, for a
 * shipped model.  The caller frees it.  NULL: the plugin is a file alone. */
char *plugin_folder(const char *file);
/* Adds the names of the regular files NAME.* in the folder of FOLDER/NAME.so,
 * in byte order: the file, and for a plugin that runs a program that program.
 * libtool's .la are no part of a plugin.
 * Returns 0, or -1 if they cannot be listed. */
int plugin_files(struct names *files, const char *file);
/* Lists the folders that plugin_find() searches.  Returns 0, or -1 if memory is
 * out. */
int plugin_folders(struct searchpath *s, const char *path);
/* Returns the NAME of FOLDER/NAME.so; the caller frees it.  Returns NULL with
 * *p filled in (EXIT_USAGE) if the file is not named like a plugin. */
char *plugin_name(const char *file, struct problem *p);
/* Loads the file, NAME.so, and checks its declarations.  This runs the plugin's
 * code, so it belongs in the process of a job; code that only needs the
 * declarations uses ask.h.  Returns 0, or -1 with *p filled in: EXIT_PLUGIN if
 * it cannot be used.  [main] */
int plugin_open(struct plugin *m, const char *file, struct problem *p);
/* Returns $STEPCOST_PLUGIN_PATH, which may be NULL. */
const char *plugin_path(void);
/* Returns 1 if a plugin may be named by this path: unless plugin_path() begins
 * with '!', any; else it must lie below a folder of it.  Links are followed. */
int plugin_may_be(const char *file);
void plugin_close(struct plugin *m);
/* The check that plugin_open() applies; public for its test. */
int plugin_check(const sc_plugin *declared, const char *name, sc_plugin *out,
		 struct problem *p);
