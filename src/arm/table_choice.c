/* table_choice.c -- Chooses the sets of tables of each arm, and reads them. */
#include "arm/table_choice.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cost/kernel_op.h"
#include "keys/hardware.h"
#include "plugin/loader.h"
#include "plugin/needs.h"

/* Returns `tables.KEY` of the arm, else KEY of [tables]. */
static const struct ini_item *tables_item(const struct table_source *c,
					  const char *section, const char *key)
{
	const struct ini_item *t =
	    ini_find_behind(c->ini, section, "tables.", key);
	return t ? t : ini_find(c->ini, "tables", key);
}

/* Returns the layers with tables that arms get, KERNEL_OF_*. */
static uint32_t table_layers(const struct table_source *c)
{
	return c->any_kernel ? KERNEL_OF_ANY
			     : kernel_layers_of(&c->model->view);
}

/* Chooses every set for the arm's GPU in the pool. */
static int choose_of_gpu(const struct table_source *c,
			 const struct arm_config *a, const char *pool,
			 struct set_choice *tables, const char *path,
			 const char *written, struct problem *p)
{
	struct hardware h;
	int rc = hardware_load(&h, c->ini, pool, a->section,
			       c->model->view.compute_format, p);
	if (rc == 0)
		rc = set_choice_of_gpu(tables, c->library, path, written, &h,
				       table_layers(c), p);
	hardware_free(&h);
	return rc;
}

/* Whether a plugin looks kernels up. */
enum reads_tables {
	READS_NONE,
	READS_MAYBE, /* another program may, or an older plugin              */
	READS_TABLES,
};

static enum reads_tables reads_tables(const struct table_source *c,
				      const struct arm_config *a)
{
	enum { SAID_SINCE_MINOR = 2 };
	const struct plugin_description *about =
	    known_plugin(c->known, a->plugin_path);
	uint32_t has = about ? about->is.capabilities : 0;
	if (has & SC_CAP_TABLES || (about && needs_tables(&about->is)))
		return READS_TABLES;
	return about && about->is.abi_minor >= SAID_SINCE_MINOR &&
		       !(has & SC_CAP_DOES_IO)
		   ? READS_NONE
		   : READS_MAYBE;
}

/* Fills in a->set; *at: where it is written.  Returns 1 if the arm reads no
 * tables and has no set of its own: then a set of [tables] is only checked. */
static int find_set(const struct table_source *c, struct arm_config *a,
		    const char **at)
{
	enum reads_tables reads = reads_tables(c, a);
	const struct ini_item *own =
	    ini_find_behind(c->ini, a->section, "tables.", "set");
	const struct ini_item *set = tables_item(c, a->section, "set");
	a->set = set ? set->value : reads == READS_TABLES ? "auto" : "";
	*at = set ? set->at : "[tables]";
	return reads == READS_NONE && !own;
}

/* Returns the folder of the sets that only the arms of this plugin's file see
 * by their short names; the caller frees it.  NULL: the plugin has none. */
static char *own_sets(const char *plugin_path)
{
	char *folder = plugin_folder(plugin_path), *sets = NULL;
	if (folder && asprintf(&sets, "%s/bench_data", folder) < 0)
		sets = NULL;
	free(folder);
	if (sets && access(sets, R_OK) == 0)
		return sets;
	free(sets);
	return NULL;
}

static char *sets_of(const char *plugin, struct problem *p)
{
	char *file = NULL, *shadowed = NULL, *sets = NULL;
	if (plugin_find(plugin_path(), plugin, &file, &shadowed, p) == 0 &&
	    !(sets = own_sets(file)))
		problem_set(p, EXIT_USAGE,
			    "the plugin %s has no folder bench_data of its own",
			    file);
	free(file);
	free(shadowed);
	return sets;
}

int table_choice_make(const struct table_source *c, struct arm_config *a,
		      const char *pool, struct set_choice *tables,
		      struct problem *p)
{
	const struct ini_item *path = tables_item(c, a->section, "path");
	const char *written = path ? path->value : NULL, *at;
	struct problem why;
	set_choice_free(tables);
	tables->layers = table_layers(c);
	int ignored = find_set(c, a, &at);
	int is_given = path && path->value[0];
	char *given = is_given ? ini_resolve_path(c->ini, path->value)
			       : own_sets(a->plugin_path);
	if (given && is_given && access(given, R_OK) < 0) {
		problem_set(p, EXIT_USAGE,
			    "%s: path = %s: %s; it is a folder "
			    "of table sets, as bench_data",
			    path->at, path->value, strerror(errno));
		free(given);
		return -1;
	}
	if (!a->set[0]) {
		free(given);
		return 0;
	}
	if (given && !written)
		written = "bench_data";
	int rc = 0;
	const char *names = a->set, *rest = set_names_behind_auto(names);
	if (rest && !ignored)
		rc = choose_of_gpu(c, a, pool, tables, given, written, p);
	if (rest)
		names = rest;
	tables->sets_of = sets_of;
	if (rc == 0 && *names &&
	    set_choice_named(tables, given, written, names, &why) < 0)
		rc = problem_set(p, EXIT_USAGE, "%s: %s", at, why.text);
	free(given);
	if (ignored) {
		set_choice_free(tables);
		a->set = "";
	}
	for (size_t i = 0; rc == 0 && i < tables->n; i++)
		library_set(c->library, tables->item[i].path,
			    tables->item[i].name, tables->layers, &why);
	return rc;
}
