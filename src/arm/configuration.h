/* arm/configuration.h -- the whole INI, resolved and checked: what every
 * command that takes a CONFIG begins with.
 *
 * Everything in the file is checked, also what a command does not use: unknown
 * sections and keys, keys given twice, values out of range, knobs that the
 * arm's plugin does not have (it is loaded for that, in a child process of its
 * own, so that a plugin that crashes on loading is the arm's failure later and
 * not the program's now).  [main]; not from a process with threads. */
#ifndef SC_ARM_CONFIGURATION_H
#define SC_ARM_CONFIGURATION_H
#include "base/ini.h"
#include "base/json_writer.h"
#include "base/problem.h"
#include "setup/engine.h"
#include "setup/hardware.h"
#include "setup/model.h"
#include "workload/workload.h"

struct arm_config {
	const char *name;    /* unique: [cost_model:NAME], or the plugin's   */
	const char *section; /* of the INI */
	/* of `plugin = ./NAME.so`, relative to the working directory; else
	 * NULL.  plugin_file holds the text of both.                       */
	const char *plugin_folder;
	char *plugin_file;
	const char *plugin, *preset; /* preset: NULL if none                 */
	char *tables_path; /* relative to the working directory; NULL: none */
	const char *tables_set;
	char *plugin_path; /* the file; NULL: not found               */
	char *shadowed;    /* the file of that name that comes later, or
			      NULL; the user is to be told             */
};

/* Not to be moved once loaded: what it points to is in it. */
struct config {
	struct ini cfg; /* with --set applied */
	struct model model;
	struct engine_keys engine_keys;
	struct slo_keys slo_keys;
	struct workload_keys workload_keys;
	struct arm_config *arm; /* as --arms says, else: [cost_model] or the
				   first in the file, then the others */
	size_t n_arms;
};

/* path: the INI.  set: --set assignments.  arms: of --arms "a,b", NULL: all.
 * 0, or -1 with *p.  config_free() in either case. */
int config_load(struct config *c, const char *path, const char *const *set,
		size_t n_set, const char *arms, struct problem *p);
/* The same for a file with sections that the command reads by itself: own, to
 * NULL, names and prefixes that end in ':'. */
int config_load_with(struct config *c, const char *path, const char *const *set,
		     size_t n_set, const char *arms, const char *const *own,
		     struct problem *p);
void config_free(struct config *c);
/* Where plugin_open() is to look for the arm's plugin. */
const char *arm_plugin_path(const struct arm_config *a);
/* As resolved: members "model", "engine", "slo", "workload" of the open
 * object. */
void config_write(struct jw *j, const struct config *c);
#endif
