/* cmd_eval.c -- price given steps under every arm of the configuration, each
 * in a child process of its own. */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "arm_job.h"
#include "cmd.h"
#include "csvtext.h"
#include "json.h"
#include "number.h"
#include "outfile.h"
#include "result_field.h"
#include "steps.h"

struct options {
	const char *steps;
	int strict, in_process;
};

static const char *const classes[] = {"clamped", "substituted", "fallback",
				      NULL};
static const struct option_def option[] = {
    {.name = "steps",
     .arg = "FILE",
     .type = OPTION_TEXT,
     .offset = offsetof(struct options, steps),
     .help = "CSV: step,decode,prefill[,sampled]",
     .required = 1},
    {.name = "strict",
     .arg = "[=CLASS]",
     .type = OPTION_CHOICE,
     .offset = offsetof(struct options, strict),
     .help = "a lookup of that class or worse is an error; fallback if none",
     .choices = classes},
    {.name = "in-process",
     .type = OPTION_FLAG,
     .offset = offsetof(struct options, in_process),
     .help = "no child processes: for debuggers"},
};

/* What a child leaves behind. */
struct priced {
	uint64_t n; /* steps before it failed, or all */
	sc_result result[];
};
struct task {
	const struct eval *e;
	size_t arm;
};
struct eval {
	struct config config;
	struct steps steps;
	sc_host host;
	struct arms arms;
	struct job *job; /* [config.n_arms] */
	struct task *task;
	int strict; /* SC_CLAMPED …; 0: no */
	struct problem problem;
};

/* ---- in the child ---------------------------------------------------------
 */

static int price_all(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct task *t = ctx;
	const struct eval *e = t->e;
	struct priced *out = j->shared;
	for (; out->n < e->steps.n; out->n++) {
		const struct given_step *g = &e->steps.item[out->n];
		const sc_result *r = cost_eval(&a->cost, &g->step, p);
		if (!r)
			return -1;
		out->result[out->n] = *r;
		for (int c = e->strict; c && c < SC_N_PROVENANCE; c++)
			if (r->lookups[c])
				return problem_set(
				    p, EXIT_INPUT,
				    "step %s: %u lookups are %s (--strict)",
				    g->name, r->lookups[c],
				    classes[c - SC_CLAMPED]);
	}
	return 0;
}

static int run_arm(struct job *j, struct problem *p)
{
	const struct task *t = j->user;
	return arm_job_run(j, &t->e->config, t->arm, &t->e->host, price_all,
			   j->user, p);
}

/* ---- in the parent --------------------------------------------------------
 */

static int price(struct eval *e, const struct options *o)
{
	size_t n = e->config.n_arms;
	struct arms_options how = {
	    .in_process = o->in_process,
	    .answer_limit_s = 60,
	    .shared_bytes =
		sizeof(struct priced) + e->steps.n * sizeof(sc_result),
	};
	e->job = calloc(n, sizeof *e->job);
	e->task = calloc(n, sizeof *e->task);
	if (!e->job || !e->task)
		return problem_set(&e->problem, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < n; i++) {
		e->task[i] = (struct task){e, i};
		e->job[i].name = e->config.arm[i].name;
		e->job[i].user = &e->task[i];
	}
	return arms_run(&e->arms, e->job, n, run_arm, &how, &e->problem);
}

static int load(struct eval *e, const struct cmdline *c)
{
	const struct options *o = c->own;
	struct problem *p = &e->problem;
	if (open_config(&e->config, c, p) < 0)
		return -1;
	/* No scheduler here: nothing asks how many blocks there are, so the
	 * memory of the GPU need not be known. */
	e->config.engine_keys.num_gpu_blocks = "unlimited";
	FILE *f = fopen(o->steps, "r");
	if (!f)
		return problem_set(p, EXIT_USAGE, "%s: %s", o->steps,
				   strerror(errno));
	int rc = steps_read(&e->steps, f, o->steps, p);
	fclose(f);
	return rc;
}

/* ---- results --------------------------------------------------------------
 */

/* The parts of a result in the order of the columns. */
enum { N_PARTS = 10 };
static const char *const part_name[N_PARTS] = {
    "prefill_gemm_us",   "prefill_attention_us", "prefill_compute_us",
    "prefill_memory_us", "decode_gemm_us",       "decode_attention_us",
    "decode_compute_us", "decode_memory_us",     "comm_us",
    "overhead_us"};
static const char *const lookup_name[SC_N_PROVENANCE] = {
    "lookups_exact", "lookups_interpolated", "lookups_clamped",
    "lookups_substituted", "lookups_fallback"};

static double field_of(const sc_result *r, const char *name)
{
	double v = 0;
	result_field(r, name, &v);
	return v;
}

static void csv_head(FILE *f)
{
	fputs("step,arm,total_us,exact_us,bound", f);
	for (int i = 0; i < N_PARTS; i++)
		fprintf(f, ",%s", part_name[i]);
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		fprintf(f, ",%s", lookup_name[i]);
	putc('\n', f);
}

static void csv_row(FILE *f, const char *step, const char *arm,
		    const sc_result *r)
{
	csv_text(f, step);
	fprintf(f, ",%s,", arm);
	csv_number(f, r->total_us);
	putc(',', f);
	csv_number(f, field_of(r, "exact_us"));
	fprintf(f, ",%s", result_bound(r));
	for (int i = 0; i < N_PARTS; i++) {
		putc(',', f);
		csv_number(f, field_of(r, part_name[i]));
	}
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		fprintf(f, ",%u", r->lookups[i]);
	putc('\n', f);
}

static void text_row(FILE *f, const char *step, const char *arm,
		     const sc_result *r)
{
	char total[NUMBER_SIZE], exact[NUMBER_SIZE];
	number_format(total, r->total_us);
	number_format(exact, field_of(r, "exact_us"));
	fprintf(f, "%-10s %-20s %18s %20s  %-8s", step, arm, total, exact,
		result_bound(r));
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		fprintf(f, " %4u", r->lookups[i]);
	putc('\n', f);
}

static void json_row(struct jw *j, const char *step, const char *arm,
		     const sc_result *r)
{
	jw_flat_object(j, NULL);
	jw_text(j, "step", step);
	jw_text(j, "arm", arm);
	jw_number(j, "total_us", r->total_us);
	jw_number(j, "exact_us", field_of(r, "exact_us"));
	jw_text(j, "bound", result_bound(r));
	for (int i = 0; i < N_PARTS; i++)
		jw_number(j, part_name[i], field_of(r, part_name[i]));
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		jw_uint(j, lookup_name[i], r->lookups[i]);
	jw_end(j);
}

static void json_start_document(struct jw *j, FILE *f, const struct eval *e)
{
	jw_start(j, f);
	jw_object(j, NULL);
	jw_int(j, "schema", 1);
	jw_text(j, "stepcost", PACKAGE_VERSION);
	jw_array(j, "arms");
	for (size_t i = 0; i < e->config.n_arms; i++) {
		jw_flat_object(j, NULL);
		jw_text(j, "name", e->config.arm[i].name);
		jw_text(j, "plugin", e->config.arm[i].plugin);
		if (e->job[i].complaint)
			jw_text(j, "error", e->job[i].complaint);
		jw_end(j);
	}
	jw_end(j);
	jw_array(j, "steps");
}

static void print(const struct eval *e, int format, FILE *f)
{
	struct jw j;
	if (format == FORMAT_JSON) {
		json_start_document(&j, f, e);
	} else if (format == FORMAT_TEXT) {
		fprintf(f,
			"%-10s %-20s %18s %20s  %-8s lookups: exact, "
			"interpolated, clamped, substituted, fallback\n",
			"step", "arm", "total_us", "exact_us", "bound");
	} else {
		csv_head(f);
	}
	for (size_t i = 0; i < e->steps.n; i++)
		for (size_t k = 0; k < e->config.n_arms; k++) {
			const struct priced *out = e->job[k].shared;
			const char *step = e->steps.item[i].name;
			const char *arm = e->config.arm[k].name;
			if (e->job[k].problem->code != EXIT_DONE)
				continue;
			if (format == FORMAT_JSON)
				json_row(&j, step, arm, &out->result[i]);
			else if (format == FORMAT_TEXT)
				text_row(f, step, arm, &out->result[i]);
			else
				csv_row(f, step, arm, &out->result[i]);
		}
	if (format == FORMAT_JSON) {
		jw_end(&j);
		jw_end(&j);
		jw_finish(&j);
	}
}

static void eval_free(struct eval *e)
{
	arms_free(&e->arms);
	free(e->job), free(e->task);
	steps_free(&e->steps);
	config_free(&e->config);
}

static int write_results(const struct eval *e, const struct cmdline *c,
			 struct problem *p)
{
	struct outfile out;
	if (outfile_open(&out, c->output, p) < 0)
		return -1;
	print(e, c->format, out.f);
	return outfile_commit(&out, p);
}

/* A failed arm is said once, and does not take the others along. */
static int complain_of_arms(const struct eval *e)
{
	int code = EXIT_DONE;
	for (size_t i = 0; i < e->config.n_arms; i++) {
		struct problem p = *e->job[i].problem;
		if (p.code == EXIT_DONE)
			continue;
		snprintf(p.text, sizeof p.text, "%s", e->job[i].complaint);
		complain(&p);
		code = p.code > code ? p.code : code;
	}
	return code;
}

static int any_worked(const struct eval *e)
{
	for (size_t i = 0; i < e->config.n_arms; i++)
		if (e->job[i].problem->code == EXIT_DONE)
			return 1;
	return 0;
}

static int run(const struct cmdline *c)
{
	const struct options *o = c->own;
	struct eval e = {.host = command_host(c)};
	int rc = EXIT_DONE;
	if (o->strict)
		e.strict =
		    o->strict < 0 ? SC_FALLBACK : SC_CLAMPED + o->strict - 1;
	if (load(&e, c) < 0 || price(&e, o) < 0) {
		rc = complain(&e.problem);
	} else {
		rc = complain_of_arms(&e);
		if (any_worked(&e) && write_results(&e, c, &e.problem) < 0) {
			complain(&e.problem);
			rc = rc > EXIT_USAGE ? rc : EXIT_USAGE;
		}
	}
	eval_free(&e);
	return rc;
}

const struct command command_eval = {
    .name = "eval",
    .args = "CONFIG --steps FILE",
    .summary = "price given steps under every arm; no scheduler",
    .min_args = 1,
    .max_args = 1,
    .option = option,
    .n_options = sizeof option / sizeof *option,
    .own_size = sizeof(struct options),
    .run = run,
};
