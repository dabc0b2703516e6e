/* eval.c -- The command `eval`: prices given steps under every arm. */
#include <math.h>
#include <string.h>
#include "base/arrays.h"
#include "base/file/outfile.h"
#include "cmd/pricing.h"
#include "cmd/step_set.h"
#include "cost/breakdown.h"
#include "report/steps.h"
#include "steps/arms.h"

struct options {
	struct pricing_options pricing;
	const char *steps, *steps_of;
	int check;
};
static const struct options defaults = {.pricing = PRICING_DEFAULTS};

static const struct option_def option[] = {
    OPTION(TEXT, "steps", "FILE", steps,
	   "CSV with columns decode and prefill, as in doc/score.md",
	   .required = 1),
    STEPS_OF_OPTION(struct options, steps_of),
    OPTION(FLAG, "check", NULL, check,
	   "compare with the columns total_us and exact_us of FILE, which `run "
	   "--write-steps` wrote; exit code 1 if a step differs"),
    PRICING_OPTIONS,
};

/* What a job leaves, in shared memory; one for each step of a deployment. */
struct priced {
	sc_result result;
	struct floor_mark floor;
	struct work work;
};
struct eval {
	const struct cmdline *line;
	struct step_set set;
	struct step_arms arms;
	struct outfile out;
	struct strict strict;
	/* [set.n]; and of each arm, side by side */
	const char **name;
	const sc_result **result;
	const struct floor_mark **floor;
	const struct work **work;
	struct step_prices *prices; /* [arms.n_arms] */
	struct arrays arrays;
};

/* ---- in the job ---- */

static int price_all(struct job *j, struct arm *a,
		     const struct step_deployment *d, void *ctx,
		     struct problem *p)
{
	const struct eval *e = ctx;
	struct priced *out = j->shared;
	if (cost_ask_figures(&a->cost, p) < 0)
		return -1;
	for (size_t i = 0; i < d->n; i++) {
		const struct given_step *g = e->set.row[d->row[i]].given;
		sc_step step;
		const sc_result *r = step_price(a, g, &step, p);
		if (!r || step_check_strict(&e->strict, a, g, &step, r, p) < 0)
			return -1;
		out[i].floor = floor_mark(&a->cost.floor, &step, r);
		out[i].result = *r;
		work_of(&out[i].work, r, a->cost.p->n_sigma);
	}
	return 0;
}

/* ---- in the parent ---- */

static int load(struct eval *e, const struct cmdline *c, struct problem *p)
{
	const struct options *o = c->own;
	const struct step_set_options how = {.steps_of = o->steps_of,
					     .all_flags = 1};
	e->line = c;
	e->strict = strict_of(o->pricing.strict);
	struct ini aliases = {0};
	int rc = open_step_set(&e->set, &aliases, c, &o->steps, 1, &how, p);
	if (rc == 0)
		rc = open_step_arms(&e->arms, &e->set, &aliases, c, NULL, NULL,
				    p);
	ini_free(&aliases);
	return rc < 0 ? -1 : open_output(&e->out, c, p);
}

static int price(struct eval *e, struct problem *p)
{
	const struct options *o = e->line->own;
	size_t most = step_set_most(&e->set);
	const struct jobs_options how =
	    pricing_jobs(&o->pricing, most * sizeof(struct priced));
	if (step_arms_run(&e->arms, price_all, e, &how, p) < 0)
		return -1;
	pass_on_notes(e->line, &e->arms.jobs, 0);
	return 0;
}

/* Puts the answers of an arm on a deployment in their places. */
static void place(struct eval *e, size_t arm, size_t deployment)
{
	const struct step_deployment *d = &e->set.deployment[deployment];
	const struct job *j = step_arms_job(&e->arms, arm, deployment);
	struct step_prices *to = &e->prices[arm];
	const char *why = step_arms_why(&e->arms, arm, deployment);
	if (why && !to->error)
		to->error = j ? j->complaint : why;
	for (size_t i = 0; !why && i < d->n; i++) {
		const struct priced *is = (const struct priced *)j->shared + i;
		to->result[d->row[i]] = &is->result;
		to->floor[d->row[i]] = &is->floor;
		to->work[d->row[i]] = &is->work;
	}
}

/* Brings the prices of all arms and deployments into the order of the rows. */
static int collect(struct eval *e, struct problem *p)
{
	size_t n = e->set.n, n_arms = e->arms.n_arms;
	e->name = arrays_add(&e->arrays, n, sizeof *e->name);
	e->result = arrays_add(&e->arrays, n * n_arms, sizeof *e->result);
	e->floor = arrays_add(&e->arrays, n * n_arms, sizeof *e->floor);
	e->work = arrays_add(&e->arrays, n * n_arms, sizeof *e->work);
	e->prices = arrays_add(&e->arrays, n_arms, sizeof *e->prices);
	if (e->arrays.out_of_memory)
		return problem_no_memory(p);
	for (size_t i = 0; i < n; i++)
		e->name[i] = e->set.row[i].given->name;
	for (size_t k = 0; k < n_arms; k++) {
		e->prices[k] = (struct step_prices){.arm = e->arms.arm[k],
						    .plugin = e->arms.plugin[k],
						    .result = e->result + k * n,
						    .floor = e->floor + k * n,
						    .work = e->work + k * n};
		for (size_t d = 0; d < e->set.n_deployments; d++)
			place(e, k, d);
	}
	return 0;
}

/* Says which steps of an arm are faster than the hardware. */
static void warn(const struct eval *e, const struct step_prices *arm)
{
	const struct floor_mark *worst = NULL;
	size_t n = 0, at = 0;
	char text[FLOOR_TEXT];
	for (size_t i = 0; i < e->set.n; i++) {
		const struct floor_mark *m = arm->floor[i];
		if (!m || !m->is_below)
			continue;
		n++;
		if (!worst || m->worst.us * worst->worst.least_us <
				  worst->worst.us * m->worst.least_us) {
			worst = m;
			at = i;
		}
	}
	if (n)
		print_note(
		    e->line,
		    "%s: %zu of %zu steps are faster than the hardware; the "
		    "worst is step %s: %s",
		    arm->arm, n, e->set.n, e->name[at],
		    floor_text(text, &worst->worst));
}

/* ---- results ---- */

/* Returns 1 if a row has the prices that it was written with. */
static int is_as_written(const struct given_step *g, const sc_result *r)
{
	double total = steps_number(g, STEP_TOTAL);
	double exact = steps_number(g, STEP_EXACT);
	return r && r->total_us == total && breakdown_exact_us(r) == exact;
}

/* Writes how many steps of an arm are as the file has them.  Returns the exit
 * code. */
static int check_arm(struct eval *e, const struct step_prices *arm,
		     int is_named)
{
	const char *first = NULL;
	size_t equal = 0;
	for (size_t i = 0; i < e->set.n; i++)
		if (is_as_written(e->set.row[i].given, arm->result[i]))
			equal++;
		else if (!first)
			first = e->name[i];
	if (is_named)
		fprintf(e->out.f, "%s: ", arm->arm);
	fprintf(e->out.f, "%zu of %zu steps equal", equal, e->set.n);
	if (first)
		fprintf(e->out.f, "; the first that differs is step %s", first);
	putc('\n', e->out.f);
	return first ? EXIT_SAYS_NO : EXIT_DONE;
}

/* Checks the arm that wrote the steps; if there is none of its name, all. */
static int check(struct eval *e)
{
	int code = EXIT_DONE;
	const char *writer = e->set.n
				 ? steps_cell(&e->set.file[0].steps,
					      e->set.row[0].given, STEP_ARM)
				 : "";
	for (size_t k = 0; k < e->arms.n_arms; k++)
		if (!strcmp(e->prices[k].arm, writer))
			return check_arm(e, &e->prices[k], 0);
	for (size_t k = 0; k < e->arms.n_arms; k++)
		if (check_arm(e, &e->prices[k], e->arms.n_arms > 1))
			code = EXIT_SAYS_NO;
	return code;
}

static int can_check(const struct eval *e, struct problem *p)
{
	const struct step_file *f = &e->set.file[0];
	if (f->steps.at[STEP_TOTAL] < 0 || f->steps.at[STEP_EXACT] < 0)
		return problem_set(p, EXIT_INPUT,
				   "%s:1: --check needs the columns total_us "
				   "and exact_us, which `run --write-steps` "
				   "writes",
				   f->path);
	return 0;
}

static void print(const struct eval *e)
{
	const struct priced_steps s = {e->name, e->set.n, e->prices,
				       e->arms.n_arms};
	if (e->line->format == FORMAT_JSON)
		steps_json(&s, e->out.f);
	else if (e->line->format == FORMAT_TEXT)
		steps_text(&s, e->out.f);
	else
		steps_csv(&s, e->out.f);
}

/* Returns the exit code, or -1 with *p filled in. */
static int write_results(struct eval *e, struct problem *p)
{
	const struct options *o = e->line->own;
	int code = EXIT_DONE;
	if (collect(e, p) < 0)
		return -1;
	if (o->check)
		code = check(e);
	else
		print(e);
	for (size_t k = 0; k < e->arms.n_arms; k++)
		warn(e, &e->prices[k]);
	return outfile_commit(&e->out, p) < 0 ? -1 : code;
}

static int any_priced(const struct step_arms *a)
{
	for (size_t i = 0; i < a->jobs.n; i++)
		if (!a->job[i].complaint)
			return 1;
	return a->jobs.n == 0;
}

/* Prints what failed, and the results of the rest.  Returns the exit code. */
static int finish(struct eval *e)
{
	struct problem p;
	int code = print_job_errors(&e->arms.jobs);
	int written = any_priced(&e->arms) ? write_results(e, &p) : EXIT_DONE;
	return written < 0      ? print_error_too(code, &p)
	       : written > code ? written
				: code;
}

static int run(const struct cmdline *c)
{
	const struct options *o = c->own;
	struct eval e = {0};
	struct problem p;
	int rc = load(&e, c, &p);
	if (rc == 0 && o->check)
		rc = can_check(&e, &p);
	if (rc == 0)
		rc = price(&e, &p);
	int code = rc < 0 ? print_error(&p) : finish(&e);
	outfile_discard(&e.out);
	arrays_free(&e.arrays);
	step_arms_free(&e.arms);
	step_set_free(&e.set);
	return code;
}

const struct command command_eval = {
    .name = "eval",
    .args = "CONFIG --steps FILE",
    .summary = "price given steps under every arm, without a scheduler",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .min_args = 1,
    .max_args = 1,
    OWN_OPTIONS(option, struct options),
    .defaults = &defaults,
    .run = run,
};
