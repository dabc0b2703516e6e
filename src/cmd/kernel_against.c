/* kernel_against.c -- Prices the measured kernels of a set, and compares. */
#include "cmd/kernel_against.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/pricing.h"
#include "report/kernel_against.h"
#include "tables/set.h"

/* The result of a job, in shared memory. */
struct priced {
	uint64_t no_hook;
	uint64_t has_set; /* the arm looks kernels up in this very set */
	uint64_t n_without;
	char why[300]; /* of the first kernel without a price */
	struct against_price price[];
};
struct against {
	struct pricing pricing;
	struct table_set set;
	struct measured_kernels measured;
	struct outfile out;
};

/* ---- in the job ---- */

static int has_set(const struct arm *a, const char *name)
{
	for (size_t i = 0; i < a->tables.n_sets; i++)
		if (!strcmp(a->tables.set[i]->name, name))
			return 1;
	return 0;
}

static int price_all(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct against *k = ctx;
	const struct kernels *s = &k->measured.kernels;
	struct priced *out = j->shared;
	struct problem why;
	(void)p;
	for (size_t i = 0; i < s->n; i++)
		out->price[i].us = NAN;
	out->has_set = (uint64_t)has_set(a, k->set.name);
	out->no_hook = !a->cost.p->kernel;
	for (size_t i = 0; !out->no_hook && i < s->n; i++) {
		const sc_kernel_result *r =
		    cost_kernel(&a->cost, &s->item[i].kernel, &why);
		if (r)
			out->price[i] = (struct against_price){r->latency_us,
							       r->provenance};
		else if (!out->n_without++)
			snprintf(out->why, sizeof out->why, "%.250s", why.text);
	}
	return 0;
}

/* ---- in the parent ---- */

static int load(struct against *k, const struct cmdline *c, const char *set,
		struct problem *p)
{
	const char *slash = strrchr(set, '/');
	char *folder = slash ? strndup(set, (size_t)(slash - set)) : NULL;
	k->pricing.line = c;
	if (open_kernels_config(&k->pricing.config, c, p) < 0) {
		free(folder);
		return -1;
	}
	const char *name = slash ? slash + 1 : set;
	char *path = set_find(folder, folder, name, p);
	free(folder);
	int rc = path ? set_load(&k->set, path, name, KERNEL_OF_ANY, p) : -1;
	free(path);
	if (rc == 0)
		rc = measured_kernels_of(&k->measured, &k->set, p);
	return rc < 0 ? -1 : open_output(&k->out, c, p);
}

static const struct priced *priced_by(const struct against *k, size_t arm)
{
	return k->pricing.at_work.job[arm].shared;
}

/* Returns 1 if the arm priced a kernel; says what else the reader must know. */
static int worked(const struct against *k, size_t i)
{
	const struct priced *is = priced_by(k, i);
	const char *name = k->pricing.config.arm[i].name;
	if (k->pricing.at_work.job[i].problem->code != EXIT_DONE)
		return 0;
	if (is->no_hook) {
		print_note(k->pricing.line,
			   "arm %s: %s prices no single kernels", name,
			   k->pricing.config.arm[i].plugin);
		return 0;
	}
	if (is->n_without)
		print_note(k->pricing.line,
			   "arm %s: %llu of %zu not priced: %s", name,
			   (unsigned long long)is->n_without,
			   k->measured.kernels.n, is->why);
	if (is->has_set)
		print_note(
		    k->pricing.line,
		    "arm %s looks kernels up in %s itself: these errors say "
		    "how it interpolates, not how it predicts",
		    name, k->set.name);
	return is->n_without < k->measured.kernels.n;
}

static void print(const struct against *k, const struct kernel_against *what)
{
	if (k->pricing.line->format == FORMAT_JSON)
		kernel_against_json(what, k->out.f);
	else if (k->pricing.line->format == FORMAT_CSV)
		kernel_against_csv(what, k->out.f);
	else
		kernel_against_text(what, k->out.f);
}

static int write_results(struct against *k, struct problem *p)
{
	struct against_arm *arm = calloc(k->pricing.at_work.n, sizeof *arm);
	size_t n = 0;
	if (!arm)
		return problem_no_memory(p);
	for (size_t i = 0; i < k->pricing.at_work.n; i++)
		if (worked(k, i))
			arm[n++] =
			    (struct against_arm){k->pricing.config.arm[i].name,
						 priced_by(k, i)->price};
	const struct kernel_against what = {k->set.name, &k->measured, arm, n};
	int rc = n ? 0
		   : problem_set(p, EXIT_USAGE,
				 "no arm prices a kernel of %s; use plugin = "
				 "operators, which prices all kinds",
				 k->set.name);
	if (rc == 0) {
		print(k, &what);
		rc = outfile_commit(&k->out, p);
	}
	free(arm);
	return rc;
}

int kernel_against(const struct cmdline *c, const char *set)
{
	struct against k = {0};
	struct problem p;
	int code;
	int rc = load(&k, c, set, &p);
	if (rc == 0)
		rc = pricing_run(&k.pricing, price_all, &k,
				 sizeof(struct priced) +
				     k.measured.kernels.n *
					 sizeof(struct against_price),
				 &p);
	if (rc < 0) {
		code = print_error(&p);
	} else {
		code = print_job_errors(&k.pricing.at_work.arms);
		if ((arms_run_worked(&k.pricing.at_work) ||
		     code == EXIT_DONE) &&
		    write_results(&k, &p) < 0)
			code = print_error_too(code, &p);
	}
	outfile_discard(&k.out);
	pricing_free(&k.pricing);
	measured_kernels_free(&k.measured);
	set_free(&k.set);
	return code;
}
