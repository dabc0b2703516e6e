/* eval.c -- price given steps under every arm of the configuration, each
 * in a child process of its own. */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "arm/run.h"
#include "base/csv.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "cost/breakdown.h"
#include "cost/steps.h"

struct options {
	const char *steps;
	int strict, in_process;
};

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
     .choices = provenance_name + SC_CLAMPED},
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
struct eval {
	struct config config;
	struct steps steps;
	sc_host host;
	struct arms_at_work jobs;
	int strict; /* SC_CLAMPED …; 0: no */
	struct problem problem;
};

/* ---- in the child ---- */

static int price_all(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct eval *e = ctx;
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
				    g->name, r->lookups[c], provenance_name[c]);
	}
	return 0;
}

/* ---- in the parent ---- */

static int price(struct eval *e, const struct options *o)
{
	const struct jobs_options how = {
	    .in_process = o->in_process,
	    .answer_limit_s = 60,
	    .shared_bytes =
		sizeof(struct priced) + e->steps.n * sizeof(sc_result),
	};
	return arms_run_all(&e->jobs, &e->config, &e->host, price_all, e, &how,
			    &e->problem);
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

/* ---- results ---- */

static void csv_head(FILE *f)
{
	fputs("step,arm,", f);
	breakdown_csv_head(f);
	putc('\n', f);
}

static void csv_row(FILE *f, const char *step, const char *arm,
		    const sc_result *r)
{
	csv_text(f, step);
	fprintf(f, ",%s,", arm);
	breakdown_csv_cells(f, r);
	putc('\n', f);
}

static void text_row(FILE *f, const char *step, const char *arm,
		     const sc_result *r)
{
	char total[NUMBER_SIZE], exact[NUMBER_SIZE];
	number_format(total, r->total_us);
	number_format(exact, breakdown_exact_us(r));
	fprintf(f, "%-10s %-20s %18s %20s  %-8s", step, arm, total, exact,
		breakdown_bound(r));
	for (int i = 0; i < SC_N_PROVENANCE; i++)
		fprintf(f, " %4u", r->lookups[i]);
	putc('\n', f);
}

static void json_row(struct jw *j, const char *step, const char *arm,
		     const sc_result *r)
{
	char key[40];
	jw_flat_object(j, NULL);
	jw_text(j, "step", step);
	jw_text(j, "arm", arm);
	jw_number(j, "total_us", r->total_us);
	jw_number(j, "exact_us", breakdown_exact_us(r));
	jw_text(j, "bound", breakdown_bound(r));
	for (int i = 0; i < N_PARTS; i++) {
		snprintf(key, sizeof key, "%s_us", part_name[i]);
		jw_number(j, key, part_of(r, (enum part)i));
	}
	for (int i = 0; i < SC_N_PROVENANCE; i++) {
		snprintf(key, sizeof key, "lookups_%s", provenance_name[i]);
		jw_uint(j, key, r->lookups[i]);
	}
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
		if (e->jobs.job[i].complaint)
			jw_text(j, "error", e->jobs.job[i].complaint);
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
			const struct priced *out = e->jobs.job[k].shared;
			const char *step = e->steps.item[i].name;
			const char *arm = e->config.arm[k].name;
			if (e->jobs.job[k].problem->code != EXIT_DONE)
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
	arms_run_free(&e->jobs);
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
		rc = complain_of_arms(&e.jobs);
		if (arms_run_worked(&e.jobs) &&
		    write_results(&e, c, &e.problem) < 0) {
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
