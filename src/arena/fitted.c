/* fitted.c -- Finds out whether an arm was fitted to a file. */
#include "arena/fitted.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/csv.h"
#include "base/file/infile.h"
#include "base/file/path.h"
#include "keys/datafile.h"
#include "plugin/loader.h"
#include "tables/set.h"

const char *const fitted_name[N_FITTED] = {"no", "perhaps", "yes"};

/* Returns 1 if the list "a.csv, b.csv" has the name. */
static int has(const char *list, const char *name)
{
	size_t length = strlen(name);
	while (list && *list) {
		size_t n = strcspn(list, ", ");
		if (n == length && !strncmp(list, name, n))
			return 1;
		list += n;
		list += strspn(list, ", ");
	}
	return 0;
}

static void raise_to(enum fitted *is, enum fitted to)
{
	if (to > *is)
		*is = to;
}

static void read_notes(enum fitted *is, const struct ini *manifest,
		       const char *file)
{
	if (has(ini_get(manifest, "", "fitted_to"), file))
		raise_to(is, FITTED_YES);
	if (has(ini_get(manifest, "", "perhaps_fitted_to"), file))
		raise_to(is, FITTED_PERHAPS);
}

/* ---- shipped plugins ---- */

struct rows {
	enum fitted *is;
	const char *plugin, *file;
};

static const char *on_row(void *user, uint64_t row, uint32_t n,
			  char *const *cell)
{
	const struct rows *r = user;
	if (n != 3 || (row == 0 && strcmp(cell[0], "plugin") != 0))
		return "the columns are plugin, file, fitted";
	if (row == 0 || strcmp(cell[0], r->plugin) != 0 ||
	    strcmp(cell[1], r->file) != 0)
		return NULL;
	for (int k = 0; k < N_FITTED; k++)
		if (!strcmp(cell[2], fitted_name[k])) {
			raise_to(r->is, (enum fitted)k);
			return NULL;
		}
	return "fitted is yes, perhaps or no";
}

static int read_shipped(enum fitted *is, const char *plugin, const char *file,
			struct problem *p)
{
	struct rows r = {is, plugin, file};
	return datafile_shipped_csv("bench_data/accuracy/fitted_to.csv", on_row,
				    &r, p);
}

/* ---- MANIFESTs ---- */

static int read_folder(enum fitted *is, const char *plugin_path,
		       const char *file, struct problem *p)
{
	char *folder = plugin_path ? plugin_folder(plugin_path) : NULL;
	char *path = NULL;
	struct ini manifest = {0};
	int rc = 0;
	if (!folder)
		return 0;
	if (asprintf(&path, "%s/MANIFEST", folder) < 0) {
		path = NULL;
		rc = problem_no_memory(p);
	} else if (access(path, F_OK) == 0) {
		rc = ini_load(&manifest, path, p);
	}
	if (rc == 0)
		read_notes(is, &manifest, file);
	ini_free(&manifest);
	free(path);
	free(folder);
	return rc;
}

static int read_tables(enum fitted *is, const struct set_choice *c,
		       const char *file, struct problem *p)
{
	for (size_t i = 0; i < c->n; i++) {
		struct ini manifest = {0};
		int rc = set_manifest(&manifest, c->item[i].path,
				      c->item[i].name, p);
		if (rc == 0)
			read_notes(is, &manifest, file);
		ini_free(&manifest);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int fitted_find(enum fitted *is, const struct config *c, size_t arm,
		const char *file, struct problem *p)
{
	const struct arm_config *a = &c->arm[arm];
	const char *name = path_name(file);
	*is = FITTED_NO;
	return read_shipped(is, a->plugin, name, p) < 0 ||
		       read_folder(is, a->plugin_path, name, p) < 0 ||
		       read_tables(is, &a->tables, name, p) < 0
		   ? -1
		   : 0;
}
