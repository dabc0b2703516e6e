/* kernel.c -- The command `kernel`: prices single kernels under every arm that
 * has a hook for them. */
#include <stdlib.h>
#include "cmd/output/command_files.h"
#include "cmd/kernel_against.h"
#include "cmd/pricing.h"
#include "cost/breakdown.h"
#include "cost/kernel_floor.h"
#include "report/kernel_plot.h"
#include "report/kernels.h"

struct options {
	struct pricing_options pricing;
	const char *points, *against, *plot;
};
static const struct options defaults = {.pricing = PRICING_DEFAULTS};
static const struct option_def option[] = {
    OPTION(TEXT, "points", "FILE", points,
	   "CSV: "
	   "op,dtype,m,n,k,heads,kv_heads,head_dim,tp,batch,new_tokens,context,"
	   "message_bytes, and more: doc/tables.md"),
    OPTION(TEXT, "against", "SET", against,
	   "price every measured kernel of this set of tables, and print "
	   "errors by operator: a name of `tables list`, or FOLDER/NAME"),
    OPTION(OUTPUT, "plot", "FILE", plot,
	   "plot latency over the column that varies, as .svg or .png; .png "
	   "needs rsvg-convert"),
    PRICING_OPTIONS,
};

/* The result of a job, in shared memory; behind result[] is a floor_mark for
 * each kernel. */
struct priced {
	uint64_t n; /* kernels before an error, or all */
	uint64_t no_hook;
	struct kernel_errors errors; /* of the arm's cost model */
	sc_kernel_result result[];
};
struct kernel {
	struct pricing pricing;
	struct kernels points;
	struct command_files files;
	struct strict strict;
};

static struct floor_mark *marks_of(const struct kernel *k, struct priced *out)
{
	return (struct floor_mark *)(void *)(out->result + k->points.n);
}

/* ---- in the job ---- */

/* Fails at what --strict refuses. */
static int check_strict(const struct kernel *k, const sc_kernel_result *r,
			const struct floor_mark *m, struct problem *p)
{
	char text[FLOOR_TEXT];
	if (r->provenance >= k->strict.lookups)
		return problem_set(p, EXIT_INPUT, "a lookup is %s (--strict)",
				   provenance_name[r->provenance]);
	if (k->strict.floor && m->is_below)
		return problem_set(p, EXIT_INPUT,
				   "faster than the hardware: %s "
				   "(--strict=floor)",
				   kernel_floor_text(text, &m->worst));
	return 0;
}

static int price_one(const struct kernel *k, struct arm *a, struct priced *out,
		     struct problem *p)
{
	const sc_kernel *is = &k->points.item[out->n].kernel;
	struct floor_mark *m = &marks_of(k, out)[out->n];
	const sc_kernel_result *r = cost_kernel(&a->cost, is, p);
	if (!r)
		return -1;
	*m = kernel_floor_mark(&a->cost.floor, is, r->latency_us);
	out->result[out->n] = *r;
	return check_strict(k, r, m, p);
}

static int price_all(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct kernel *k = ctx;
	struct priced *out = j->shared;
	struct problem why;
	if (!a->cost.p->kernel) {
		out->no_hook = 1;
		return 0;
	}
	kernel_errors_find(&out->errors, a->cost.p->name, a->cost.p->version);
	for (; out->n < k->points.n; out->n++) {
		if (price_one(k, a, out, &why) < 0)
			return problem_set(p, why.code, "%s, point %llu",
					   why.text,
					   (unsigned long long)out->n + 1);
	}
	return 0;
}

/* ---- in the parent ---- */

static int load(struct kernel *k, const struct cmdline *c, struct problem *p)
{
	const struct options *o = c->own;
	const struct command_paths to = {.plot = o->plot};
	FILE *f = pricing_open(&k->pricing, c, o->points, p);
	if (!f)
		return -1;
	k->strict = strict_of(o->pricing.strict);
	int rc = kernels_read(&k->points, f, o->points, p);
	fclose(f);
	if (rc == 0)
		rc = command_files_open(&k->files, c, &to, p);
	return rc;
}

static int price(struct kernel *k, struct problem *p)
{
	return pricing_run(&k->pricing, price_all, k,
			   sizeof(struct priced) +
			       k->points.n * (sizeof(sc_kernel_result) +
					      sizeof(struct floor_mark)),
			   p);
}

static struct priced *priced_by(const struct kernel *k, size_t arm)
{
	return k->pricing.at_work.job[arm].shared;
}

/* Returns the arms that answered anything, with their number in *n; the caller
 * frees them.  NULL: memory is out. */
static struct kernel_prices *prices(const struct kernel *k, size_t *n)
{
	struct kernel_prices *arm = calloc(k->pricing.at_work.n, sizeof *arm);
	*n = 0;
	for (size_t i = 0; arm && i < k->pricing.at_work.n; i++)
		if (priced_by(k, i)->n)
			arm[(*n)++] = (struct kernel_prices){
			    k->pricing.config.arm[i].name,
			    priced_by(k, i)->result,
			    marks_of(k, priced_by(k, i)),
			    &priced_by(k, i)->errors, priced_by(k, i)->n};
	return arm;
}

static void print(const struct kernel *k, const struct kernel_prices *arm,
		  size_t n, FILE *f)
{
	if (k->pricing.line->format == FORMAT_JSON)
		kernels_json(&k->points, arm, n, f);
	else if (k->pricing.line->format == FORMAT_TEXT)
		kernels_text(&k->points, arm, n, f);
	else
		kernels_csv(&k->points, arm, n, f);
}

/* Warns of arms that price kernels below the least time of the hardware. */
static void warn(const struct kernel *k, const struct kernel_prices *arm,
		 size_t n_arms)
{
	for (size_t i = 0; i < n_arms; i++) {
		size_t worst;
		char text[FLOOR_TEXT];
		size_t n = floor_marks_worst(arm[i].floor, arm[i].n, &worst);
		if (n)
			print_note(k->pricing.line,
				   "%s: %zu of %zu kernels are faster than the "
				   "hardware; the worst is point %zu: %s",
				   arm[i].arm, n, arm[i].n, worst + 1,
				   kernel_floor_text(
				       text, &arm[i].floor[worst].worst));
	}
}

static int write_results(struct kernel *k, struct problem *p)
{
	size_t n;
	struct kernel_prices *arm = prices(k, &n);
	int rc = arm ? 0 : problem_no_memory(p);
	if (rc == 0 && k->files.plot.to.f)
		rc = kernel_plot(&k->points, arm, n, &k->files.plot, p);
	if (rc == 0) {
		print(k, arm, n, k->files.result.f);
		warn(k, arm, n);
		rc = command_files_commit(&k->files, k->pricing.line, p);
	}
	free(arm);
	return rc;
}

/* Reports arms that failed.  An arm with a plugin that lacks eval_kernels() is
 * left out with a note; if all lack it, that is an error.  Returns the exit
 * code. */
static int print_all_errors(const struct kernel *k)
{
	const struct config *config = &k->pricing.config;
	int code = print_job_errors(&k->pricing.at_work.arms);
	size_t without = 0;
	struct problem p;
	for (size_t i = 0; i < config->n_arms; i++)
		without += priced_by(k, i)->no_hook;
	for (size_t i = 0; without < config->n_arms && i < config->n_arms; i++)
		if (priced_by(k, i)->no_hook)
			print_note(k->pricing.line,
				   "arm %s: %s prices no single kernels",
				   config->arm[i].name, config->arm[i].plugin);
	if (without < config->n_arms || code != EXIT_DONE)
		return code;
	problem_set(&p, EXIT_USAGE,
		    "no arm can price single kernels: %s cannot",
		    config->arm[0].plugin);
	return print_error(&p);
}

static int any_worked(const struct kernel *k)
{
	for (size_t i = 0; i < k->pricing.at_work.n; i++)
		if (k->pricing.at_work.job[i].problem->code == EXIT_DONE &&
		    !priced_by(k, i)->no_hook)
			return 1;
	return 0;
}

static int run_points(const struct cmdline *c)
{
	struct kernel k = {0};
	struct problem p;
	int code;
	if (load(&k, c, &p) < 0 || price(&k, &p) < 0) {
		code = print_error(&p);
	} else {
		code = print_all_errors(&k);
		if (any_worked(&k) && write_results(&k, &p) < 0)
			code = print_error_too(code, &p);
	}
	command_files_discard(&k.files);
	pricing_free(&k.pricing);
	kernels_free(&k.points);
	return code;
}

static int run(const struct cmdline *c)
{
	const struct options *o = c->own;
	struct problem p;
	if (!o->points == !o->against)
		problem_set(&p, EXIT_USAGE,
			    "kernel needs --points FILE or --against SET, and "
			    "takes one of them");
	else if (o->against && (o->plot || o->pricing.strict))
		problem_set(&p, EXIT_USAGE,
			    "--plot and --strict need --points; --against "
			    "prints errors");
	else
		return o->against ? kernel_against(c, o->against)
				  : run_points(c);
	return print_error(&p);
}

const struct command command_kernel = {
    .name = "kernel",
    .args = "CONFIG --points FILE | --against SET",
    .summary = "price single kernels through the arms' kernel hooks",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .min_args = 1,
    .max_args = 1,
    OWN_OPTIONS(option, struct options),
    .defaults = &defaults,
    .run = run,
};
