/* experiment_list.c -- The command `experiment list`: the names, verdicts
 * and titles of all experiments. */
#include <stdlib.h>
#include "arm/host.h"
#include "base/file/outfile.h"
#include "base/paragraph.h"
#include "cmd/cmd.h"
#include "cmd/experiment/experiment_file.h"
#include "experiment/claim.h"
#include "experiment/load.h"
#include "keys/datafile.h"
#include "report/experiment.h"

/* An experiment that cannot be judged here keeps its line, and says why. */
static int list_one(FILE *f, const char *name, struct problem *p)
{
	static const struct names no_set;
	struct experiment_at_work w;
	struct problem why;
	const char *verdict = "not judged";
	int rc = experiment_open(&w, name, &no_set, &why);
	if (rc == 0)
		rc = experiment_judge(&w, &host_silent, &why);
	if (rc == 0 && experiment_verdict(&w.x))
		verdict = experiment_verdict(&w.x);
	const char *title = rc < 0 ? why.text : w.x.title ? w.x.title : "";
	paragraph_print(f, PARAGRAPH_COLUMNS, 28, "%-16s %-10s %s", name,
			verdict, title);
	if (rc == 0 && w.x.claim.id && !claim_is_as_expected(&w.x))
		rc = problem_set(p, EXIT_SAYS_NO,
				 "%s: the verdict is not the expected one",
				 name);
	else if (rc < 0)
		problem_set(p, why.code, "%s: %s", name, why.text);
	experiment_close(&w);
	return rc;
}

/* Returns the highest exit code; *p is the last problem. */
static int list_all(FILE *f, const struct searchpath *folders,
		    struct problem *p)
{
	int code = EXIT_DONE;
	for (size_t i = 0; i < folders->folder.n; i++) {
		struct names names = {0};
		names_add_files(&names, folders->folder.item[i], ".ini");
		for (size_t k = 0; k < names.n; k++)
			if (list_one(f, names.item[k], p) < 0 && p->code > code)
				code = p->code;
		names_free(&names);
	}
	return code;
}

static int run(const struct cmdline *c)
{
	struct searchpath folders = {0};
	struct outfile out;
	struct problem p;
	int code = EXIT_DONE;
	int rc = datafile_folders(&folders, experiment_folder) < 0
		     ? problem_no_memory(&p)
		     : open_output(&out, c, &p);
	if (rc == 0) {
		code = list_all(out.f, &folders, &p);
		if (code != EXIT_DONE)
			print_error(&p);
		rc = outfile_commit(&out, &p);
	}
	searchpath_free(&folders);
	return rc < 0 ? print_error(&p) : code;
}

const struct command command_experiment_list = {
    .name = "experiment list",
    .args = "",
    .has_no_config = 1,
    .summary = "the shipped experiments, and those on the data path",
    .run = run,
    .formats = WRITES_TEXT,
};
