/* fit.c -- The command `fit`: fits knobs of an arm to measured steps, or to
 * measured runs. */
#include "cmd/fit.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/output/command_files.h"
#include "cmd/step_set.h"
#include "report/progress.h"
#include "report/score/fit.h"

static const struct fit_command defaults = {.pricing = PRICING_DEFAULTS,
					    .max_stage_s = 150};
static const char *const flag_choice[] = {"sound", "all", NULL};

#define FIT_OPTION(...) OPTION_OF(struct fit_command, __VA_ARGS__)
static const struct option_def option[] = {
    FIT_OPTION(LIST, "steps", "FILE", steps,
	       "measured steps: CSV as in doc/score.md; repeatable"),
    FIT_OPTION(LIST, "measured", "FILE", measured,
	       "measured runs instead, as of validate; repeatable"),
    FIT_OPTION(TEXT, "knobs", "A[=START][:LOW..HIGH],B", knobs,
	       "the knobs to fit, where each starts, and its bounds",
	       .required = 1),
    FIT_OPTION(TEXT, "folds", "leave-one-out|K|run|stage", folds,
	       "deployments left out of each fit: one, or every K-th; of "
	       "measured runs: a run, or a stage"),
    FIT_OPTION(CHOICE, "residual", "FORM", residual,
	       "predicted / measured - 1, or its logarithm",
	       .choices = fit_residual_choice),
    FIT_OPTION(CHOICE, "weight", "HOW", weight,
	       "each deployment counts alike, each step, or steps by how well "
	       "they repeat",
	       .choices = fit_weight_choice),
    FIT_OPTION(TEXT, "loss", "square|soft_l1=SCALE", loss,
	       "soft_l1: errors above SCALE count less"),
    FIT_OPTION(FLAG, "sigma", NULL, sigma,
	       "print the knobs sigma and noise of linear, from the errors "
	       "that are left"),
    FIT_OPTION(CHOICE, "flags", "ROWS", flags,
	       "all: include rows with a flag that marks a doubtful time",
	       .choices = flag_choice),
    STEPS_OF_OPTION(struct fit_command, steps_of),
    FIT_OPTION(OUTPUT, "rows", "FILE", rows, "write one CSV line per step"),
    FIT_OPTION(TEXT, "aliases", "FILE", aliases,
	       "of measured runs, as of validate"),
    FIT_OPTION(NUMBER, "max-stage", "SECONDS", max_stage_s,
	       "of measured runs: stages are cut to this", .min = 1,
	       .max = 1e6),
    FIT_OPTION(INT, "jobs", "N", jobs,
	       "fits at once; 0: as many as there are cores", .max = 4096),
    PRICING_OPTIONS,
};

/* ---- fits to steps ---- */

struct work {
	struct step_set set;
	struct step_arms arms;
	struct fit fit;
	struct fit_uncertainty uncertainty;
	struct command_files files;
};

/* Reads "square" or "soft_l1=SCALE". */
static int read_loss(const char *text, double *scale, struct problem *p)
{
	static const char soft[] = "soft_l1=";
	char *end = NULL;
	*scale = 0;
	if (!text || !strcmp(text, "square"))
		return 0;
	if (!strncmp(text, soft, strlen(soft)))
		*scale = strtod(text + strlen(soft), &end);
	if (!end || *end || !(*scale > 0) || isinf(*scale))
		return problem_set(p, EXIT_USAGE,
				   "--loss %s: not square or soft_l1=SCALE",
				   text);
	return 0;
}

static int read_folds(const char *text, size_t *folds, struct problem *p)
{
	char *end = NULL;
	*folds = 0;
	if (!text)
		return 0;
	if (!strcmp(text, "leave-one-out")) {
		*folds = SIZE_MAX;
		return 0;
	}
	unsigned long k = strtoul(text, &end, 10);
	if (*end || *text == '-' || k < 2 || k > 1000)
		return problem_set(p, EXIT_USAGE,
				   "--folds %s: not leave-one-out or a number "
				   "from 2 on",
				   text);
	*folds = k;
	return 0;
}

static int read_options(struct fit_options *to, const struct fit_command *o,
			struct problem *p)
{
	*to = (struct fit_options){
	    .knobs = o->knobs,
	    .residual = o->residual ? (enum fit_residual)(o->residual - 1)
				    : FIT_RELATIVE,
	    .weight = o->weight ? (enum fit_weight)(o->weight - 1)
				: FIT_BY_DEPLOYMENT};
	return read_loss(o->loss, &to->soft_l1, p) < 0 ||
		       read_folds(o->folds, &to->folds, p) < 0
		   ? -1
		   : 0;
}

/* For jobs_options.progress: the whole fit is one job, the folds are several.
 */
static void show(void *user, const struct job *job, size_t n)
{
	const struct progress_state s = {
	    .unit =
		n == 1 ? "fitting to all steps" : "fitting without each fold"};
	(void)job;
	if (progress_is_due(user))
		progress_line(user, &s);
}

/* Reads the steps, opens the arms and fits them. */
static int compute(struct work *x, const struct cmdline *c, struct problem *p)
{
	const struct fit_command *o = c->own;
	const struct command_paths to = {.list = {o->rows}};
	const struct step_set_options rows = {.steps_of = o->steps_of,
					      .all_flags = o->flags == 2,
					      .needs_time = 1};
	struct fit_options how;
	struct jobs_options jobs = pricing_jobs(&o->pricing, 0);
	struct ini aliases = {0};
	jobs.at_once = (unsigned)o->jobs;
	x->uncertainty = (struct fit_uncertainty){(double)NAN, (double)NAN};
	int rc = read_options(&how, o, p);
	if (rc == 0)
		rc = open_step_set(&x->set, &aliases, c, o->steps.item,
				   o->steps.n, &rows, p);
	if (rc == 0)
		rc = open_step_arms(&x->arms, &x->set, &aliases, c, NULL, NULL,
				    p);
	ini_free(&aliases);
	if (rc == 0)
		rc = command_files_open(&x->files, c, &to, p);
	struct progress_meter meter;
	progress_begin(&meter, c->quiet);
	jobs.progress = show;
	jobs.progress_user = &meter;
	if (rc == 0)
		rc = fit_steps(&x->fit, &x->arms, &how, &jobs, p);
	progress_end(&meter);
	if (rc == 0 && o->sigma)
		rc = fit_sigma(&x->fit, &x->uncertainty.sigma,
			       &x->uncertainty.noise, p);
	return rc;
}

static int write_all(struct work *x, const struct cmdline *c, struct problem *p)
{
	if (c->format == FORMAT_JSON)
		fit_json(&x->fit, &x->uncertainty, x->files.result.f);
	else
		fit_text(&x->fit, &x->uncertainty, x->files.result.f);
	if (x->files.list[0].f)
		fit_rows(&x->fit, x->files.list[0].f);
	return command_files_commit(&x->files, c, p);
}

static int fit_to_steps(const struct cmdline *c)
{
	struct work x = {0};
	struct problem p;
	int rc = compute(&x, c, &p);
	if (rc == 0)
		rc = write_all(&x, c, &p);
	int code = rc < 0         ? print_error(&p)
		   : x.fit.better ? EXIT_DONE
				  : EXIT_SAYS_NO;
	command_files_discard(&x.files);
	fit_free(&x.fit);
	step_arms_free(&x.arms);
	step_set_free(&x.set);
	return code;
}

/* ---- the command ---- */

/* Options of the one kind of fit have no meaning with the other. */
static int check_kind(const struct cmdline *c, struct problem *p)
{
	const struct fit_command *o = c->own;
	if (!o->steps.n == !o->measured.n)
		return problem_set(p, EXIT_USAGE,
				   "fit needs --steps FILE, or --measured "
				   "FILE; steps first, if there are both");
	if (o->measured.n && (o->residual || o->weight || o->loss || o->sigma ||
			      o->rows || o->flags || o->steps_of))
		return problem_set(p, EXIT_USAGE,
				   "--residual, --weight, --loss, --sigma, "
				   "--rows, --flags and --steps-of are of "
				   "--steps");
	if (o->measured.n && c->format == FORMAT_JSON)
		return problem_set(p, EXIT_USAGE,
				   "fit --measured writes an INI");
	if (o->steps.n && o->aliases)
		return problem_set(p, EXIT_USAGE, "--aliases is of --measured");
	return 0;
}

static int run(const struct cmdline *c)
{
	const struct fit_command *o = c->own;
	struct problem p;
	if (check_kind(c, &p) < 0)
		return print_error(&p);
	return o->measured.n ? fit_measured(c) : fit_to_steps(c);
}

const struct command command_fit = {
    .name = "fit",
    .args = "CONFIG --steps FILE --knobs A,B",
    .summary = "fit knobs of an arm to measured steps or runs",
    .formats = WRITES_TEXT | WRITES_JSON,
    .min_args = 1,
    .max_args = 1,
    OWN_OPTIONS(option, struct fit_command),
    .defaults = &defaults,
    .run = run,
};
