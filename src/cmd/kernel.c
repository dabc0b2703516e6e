/* kernel.c -- price single kernels through the hooks of the arms, each in a
 * child process of its own. */
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
#include "cost/kernels.h"
#include "report/kernel_plot.h"

struct options {
	const char *points, *plot;
	int in_process;
};
static const struct option_def option[] = {
    {.name = "points",
     .arg = "FILE",
     .type = OPTION_TEXT,
     .offset = offsetof(struct options, points),
     .help = "CSV: op,dtype,m,n,k,heads,kv_heads,head_dim,tp,batch,"
	     "new_tokens,context,message_bytes",
     .required = 1},
    {.name = "plot",
     .arg = "FILE",
     .type = OPTION_TEXT,
     .offset = offsetof(struct options, plot),
     .help = "latency over the column that varies, .svg or .png, through "
	     "gnuplot"},
    {.name = "in-process",
     .type = OPTION_FLAG,
     .offset = offsetof(struct options, in_process),
     .help = "no child processes: for debuggers"},
};

/* What a child leaves behind. */
struct priced {
	uint64_t n; /* points before it failed, or all */
	uint64_t no_hook;
	sc_kernel_result result[];
};
struct pricing {
	struct config config;
	struct kernels points;
	sc_host host;
	struct arms_at_work jobs;
	struct problem problem;
};

/* ---- in the child ---- */

static int price_all(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct pricing *k = ctx;
	struct priced *out = j->shared;
	struct problem why;
	if (!a->cost.p->kernel) {
		out->no_hook = 1;
		return 0;
	}
	for (; out->n < k->points.n; out->n++) {
		const sc_kernel_result *r =
		    cost_kernel(&a->cost, &k->points.item[out->n].kernel, &why);
		if (!r)
			return problem_set(p, why.code, "%s, point %llu",
					   why.text,
					   (unsigned long long)out->n + 1);
		out->result[out->n] = *r;
	}
	return 0;
}

/* ---- in the parent ---- */

static int price(struct pricing *k, const struct options *o)
{
	const struct jobs_options how = {
	    .in_process = o->in_process,
	    .answer_limit_s = 60,
	    .shared_bytes =
		sizeof(struct priced) + k->points.n * sizeof(sc_kernel_result),
	};
	return arms_run_all(&k->jobs, &k->config, &k->host, price_all, k, &how,
			    &k->problem);
}

static int load(struct pricing *k, const struct cmdline *c)
{
	const struct options *o = c->own;
	struct problem *p = &k->problem;
	if (open_config(&k->config, c, p) < 0)
		return -1;
	/* No scheduler here, as in eval. */
	k->config.engine_keys.num_gpu_blocks = "unlimited";
	FILE *f = fopen(o->points, "r");
	if (!f)
		return problem_set(p, EXIT_USAGE, "%s: %s", o->points,
				   strerror(errno));
	int rc = kernels_read(&k->points, f, o->points, p);
	fclose(f);
	return rc;
}

static void json_row(struct jw *j, const struct kernel_row *point,
		     const char *arm, const sc_kernel_result *r)
{
	jw_flat_object(j, NULL);
	for (int c = 0; c < KERNEL_COLUMNS; c++) {
		const char *cell = point->cell[c];
		if (c < 2)
			jw_text(j, kernels_column[c], cell);
		else if (*cell)
			jw_uint(j, kernels_column[c], strtoull(cell, NULL, 10));
	}
	jw_text(j, "arm", arm);
	jw_number(j, "latency_us", r->latency_us);
	jw_number(j, "mfu", r->mfu);
	jw_text(j, "provenance", provenance_name[r->provenance]);
	jw_text(j, "used", r->used);
	jw_end(j);
}

static void csv_row(FILE *f, const struct kernel_row *point, const char *arm,
		    const sc_kernel_result *r)
{
	for (int c = 0; c < KERNEL_COLUMNS; c++)
		fprintf(f, "%s,", point->cell[c]);
	fprintf(f, "%s,", arm);
	csv_number(f, r->latency_us);
	putc(',', f);
	csv_number(f, r->mfu);
	fprintf(f, ",%s,", provenance_name[r->provenance]);
	csv_text(f, r->used);
	putc('\n', f);
}

static void text_row(FILE *f, const struct kernel_row *point, const char *arm,
		     const sc_kernel_result *r)
{
	char latency[NUMBER_SIZE], mfu[NUMBER_SIZE];
	number_format(latency, r->latency_us);
	number_format(mfu, r->mfu);
	fputs(point->cell[0], f);
	for (int c = 1; c < KERNEL_COLUMNS; c++)
		if (*point->cell[c])
			fprintf(f, " %s=%s", kernels_column[c], point->cell[c]);
	fprintf(f, ": %s: %s us, mfu %s, %s, %s\n", arm, latency, mfu,
		provenance_name[r->provenance], r->used);
}

static void print(const struct pricing *k, int format, FILE *f)
{
	struct jw j;
	jw_start(&j, f);
	if (format == FORMAT_JSON) {
		jw_array(&j, NULL);
	} else if (format != FORMAT_TEXT) {
		for (int c = 0; c < KERNEL_COLUMNS; c++)
			fprintf(f, "%s,", kernels_column[c]);
		fputs("arm,latency_us,mfu,provenance,used\n", f);
	}
	for (size_t i = 0; i < k->points.n; i++)
		for (size_t a = 0; a < k->config.n_arms; a++) {
			const struct priced *out = k->jobs.job[a].shared;
			const struct kernel_row *point = &k->points.item[i];
			const char *arm = k->config.arm[a].name;
			if (i >= out->n)
				continue;
			if (format == FORMAT_JSON)
				json_row(&j, point, arm, &out->result[i]);
			else if (format == FORMAT_TEXT)
				text_row(f, point, arm, &out->result[i]);
			else
				csv_row(f, point, arm, &out->result[i]);
		}
	if (format == FORMAT_JSON) {
		jw_end(&j);
		jw_finish(&j);
	}
}

static int plot(const struct pricing *k, const char *path, struct problem *p)
{
	struct kernel_curve *curve = calloc(k->config.n_arms, sizeof *curve);
	size_t n = 0;
	if (!curve)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t a = 0; a < k->config.n_arms; a++) {
		const struct priced *out = k->jobs.job[a].shared;
		if (out->n)
			curve[n++] = (struct kernel_curve){
			    k->config.arm[a].name, out->result, out->n};
	}
	int rc = kernel_plot(&k->points, curve, n, path, p);
	free(curve);
	return rc;
}

static int write_results(const struct pricing *k, const struct cmdline *c,
			 struct problem *p)
{
	const struct options *o = c->own;
	struct outfile out;
	if (o->plot && plot(k, o->plot, p) < 0)
		return -1;
	if (outfile_open(&out, c->output, p) < 0)
		return -1;
	print(k, c->format, out.f);
	return outfile_commit(&out, p);
}

static size_t arms_without_hook(const struct pricing *k)
{
	size_t without = 0;
	for (size_t i = 0; i < k->config.n_arms; i++) {
		const struct priced *out = k->jobs.job[i].shared;
		without += out->no_hook;
	}
	return without;
}

/* Arms that failed; that none has the hook is the user's. */
static int complain_of_all(const struct pricing *k, const struct cmdline *c)
{
	int code = complain_of_arms(&k->jobs);
	size_t without = arms_without_hook(k);
	for (size_t i = 0; without < k->config.n_arms && i < k->config.n_arms;
	     i++)
		if (((const struct priced *)k->jobs.job[i].shared)->no_hook)
			note(c, "arm %s: %s prices no single kernels",
			     k->config.arm[i].name, k->config.arm[i].plugin);
	if (without == k->config.n_arms && code == EXIT_DONE) {
		struct problem p;
		problem_set(&p, EXIT_USAGE,
			    "no arm prices single kernels: %s does not",
			    k->config.arm[0].plugin);
		return complain(&p);
	}
	return code;
}

static int any_worked(const struct pricing *k)
{
	for (size_t i = 0; i < k->config.n_arms; i++) {
		const struct priced *out = k->jobs.job[i].shared;
		if (k->jobs.job[i].problem->code == EXIT_DONE && !out->no_hook)
			return 1;
	}
	return 0;
}

static int run(const struct cmdline *c)
{
	struct pricing k = {.host = command_host(c)};
	int rc;
	if (load(&k, c) < 0 || price(&k, c->own) < 0) {
		rc = complain(&k.problem);
	} else {
		rc = complain_of_all(&k, c);
		if (any_worked(&k) && write_results(&k, c, &k.problem) < 0) {
			complain(&k.problem);
			rc = rc > EXIT_USAGE ? rc : EXIT_USAGE;
		}
	}
	arms_run_free(&k.jobs);
	kernels_free(&k.points);
	config_free(&k.config);
	return rc;
}

const struct command command_kernel = {
    .name = "kernel",
    .args = "CONFIG --points FILE",
    .summary = "price single kernels through the arms' kernel hooks",
    .min_args = 1,
    .max_args = 1,
    .option = option,
    .n_options = sizeof option / sizeof *option,
    .own_size = sizeof(struct options),
    .run = run,
};
