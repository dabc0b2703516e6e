/* experiment_list.c -- The command `experiment list`: the names and titles of
 * all experiments. */
#include <config.h>
#include <stdlib.h>
#include "base/file/outfile.h"
#include "cmd/cmd.h"
#include "experiment/load.h"
#include "keys/datafile.h"

static void list_one(FILE *f, const char *name)
{
	struct problem p;
	struct ini c = {0};
	char *path = datafile_find(experiment_folder, name, ".ini", &p);
	const char *title = NULL;
	if (path && ini_load(&c, path, &p) == 0)
		title = ini_get(&c, "experiment", "title");
	fprintf(f, "%-16s %s\n", name, title ? title : "");
	ini_free(&c);
	free(path);
}

static void list_all(FILE *f, const struct searchpath *folders)
{
	for (size_t i = 0; i < folders->folder.n; i++) {
		struct names names = {0};
		names_add_files(&names, folders->folder.item[i], ".ini");
		for (size_t k = 0; k < names.n; k++)
			list_one(f, names.item[k]);
		names_free(&names);
	}
}

static int run(const struct cmdline *c)
{
	struct searchpath folders = {0};
	struct outfile out;
	struct problem p;
	int rc = datafile_folders(&folders, experiment_folder) < 0
		     ? problem_no_memory(&p)
		     : open_output(&out, c, &p);
	if (rc == 0) {
		list_all(out.f, &folders);
		rc = outfile_commit(&out, &p);
	}
	searchpath_free(&folders);
	return rc < 0 ? complain(&p) : EXIT_DONE;
}

const struct command command_experiment_list = {
    .name = "experiment list",
    .args = "",
    .has_no_config = 1,
    .summary = "the shipped experiments, and those on the data path",
    .run = run,
    .formats = WRITES_TEXT,
};
