/* experiment.c -- The command `experiment`: recomputes a published table,
 * shipped or the user's own, and compares it cell by cell. */
#include <stdlib.h>
#include <string.h>
#include "base/file/outfile.h"
#include "cmd/cmd.h"
#include "cmd/experiment/experiment_file.h"
#include "experiment/claim.h"
#include "report/experiment.h"

static int load(const struct cmdline *c, struct experiment_at_work *w,
		struct problem *p)
{
	if (c->arms)
		return problem_set(p, EXIT_USAGE,
				   "--arms: an experiment runs the arms that "
				   "its columns name; leave --arms out");
	return experiment_open(w, c->arg[0], &c->set, p);
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
	struct experiment_at_work w = {0};
	struct problem p;
	const sc_host host = command_host(c);
	int code = EXIT_DONE;
	if (load(c, &w, &p) < 0 || experiment_judge(&w, &host, &p) < 0 ||
	    write_out(c, &w.x, &p) < 0)
		code = print_error(&p);
	else if (w.x.claim.id ? !claim_is_as_expected(&w.x) : w.x.differs)
		code = EXIT_SAYS_NO;
	experiment_close(&w);
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
