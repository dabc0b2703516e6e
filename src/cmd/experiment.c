/* experiment.c -- The command `experiment`: recomputes a published table,
 * shipped or the user's own, and compares it cell by cell. */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/outfile.h"
#include "cmd/cmd.h"
#include "experiment/compute.h"
#include "experiment/load.h"
#include "experiment/run.h"
#include "keys/datafile.h"
#include "report/experiment.h"

/* Returns the path; the caller frees it.  A name with a '/' or an .ini is a
 * file.  NULL with *p filled in on an error. */
static char *experiment_path(const char *name, struct problem *p)
{
	const char *dot = strrchr(name, '.');
	char *path;
	if (!strchr(name, '/') && !(dot && !strcmp(dot, ".ini")))
		return datafile_find(experiment_folder, name, ".ini", p);
	if (!(path = strdup(name)))
		problem_no_memory(p);
	return path;
}

static int load(const struct cmdline *c, struct config *config,
		struct experiment *x, struct problem *p)
{
	char *path = experiment_path(c->arg[0], p);
	int rc = path ? 0 : -1;
	if (rc == 0 && c->arms)
		rc = problem_set(p, EXIT_USAGE,
				 "--arms: an experiment runs the arms that its "
				 "columns name; leave --arms out");
	if (rc == 0)
		rc = config_load_priced(config, path, c->set.item, c->set.n,
					NULL, experiment_sections, p);
	if (rc == 0)
		rc = experiment_load(x, &config->cfg, p);
	free(path);
	return rc;
}

static int write_out(const struct cmdline *c, const struct experiment *x,
		     struct problem *p)
{
	struct outfile out;
	if (open_output(&out, c, p) < 0)
		return -1;
	if (c->format == FORMAT_JSON)
		experiment_json(x, out.f);
	else if (c->format == FORMAT_CSV)
		experiment_csv(x, out.f);
	else
		experiment_text(x, out.f);
	return outfile_commit(&out, p);
}

static int run(const struct cmdline *c)
{
	struct config config = {0};
	struct experiment x = {0};
	struct problem p;
	const sc_host host = command_host(c);
	int code = EXIT_DONE;
	if (load(c, &config, &x, &p) < 0 ||
	    experiment_price(&x, &config, &host, &p) < 0 ||
	    experiment_compute(&x, &p) < 0 || write_out(c, &x, &p) < 0)
		code = complain(&p);
	else if (x.differs)
		code = EXIT_SAYS_NO;
	experiment_free(&x);
	config_free(&config);
	return code;
}

const struct command command_experiment = {
    .name = "experiment",
    .args = "NAME",
    .summary = "re-run a published experiment and check its tables",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
