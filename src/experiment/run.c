/* run.c -- Prices the points of an experiment in jobs. */
#include "experiment/run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/host.h"
#include "arm/run.h"
#include "base/csv.h"
#include "base/text.h"
#include "cost/steps.h"
#include "experiment/claim.h"

/* The result of a job for each point of its arm. */
struct answer {
	sc_result result;
	sc_kernel_result kernel;
	int is_below;
	struct floor_finding floor;
};
struct pricing {
	struct experiment *x;
	const struct config *config;
	const sc_host *host;
	struct steps steps; /* one per point; empty for a kernel */
	struct arms_at_work at_work;
};

/* ---- in the job ---- */

/* Heads and ranks are the model's, unless the template sets them. */
static sc_kernel complete(const sc_kernel *kernel, const sc_setup *setup)
{
	const sc_layers *g = setup->model->group[0];
	sc_kernel k = *kernel;
	if (!k.heads) {
		k.heads = g->n_heads;
		k.kv_heads = g->n_kv_heads;
		k.head_dim = g->head_dim;
		k.ranks = setup->parallel->tp;
	}
	return k;
}

static int price_kernel(struct arm *a, const struct xp_point *q,
			struct answer *to, struct problem *p)
{
	struct problem why;
	sc_kernel k = complete(&q->kernel, &a->setup);
	if (!a->cost.p->kernel)
		return problem_set(p, EXIT_USAGE,
				   "%s: %s cannot price single kernels",
				   q->ask->at, a->cost.p->name);
	const sc_kernel_result *is = cost_kernel(&a->cost, &k, &why);
	if (!is)
		return problem_set(p, why.code, "%s: %.900s", q->ask->at,
				   why.text);
	to->kernel = *is;
	return 0;
}

static int price_step(struct arm *a, const sc_step *step, struct answer *to,
		      struct problem *p)
{
	if (cost_ask_figures(&a->cost, p) < 0)
		return -1;
	const sc_result *is = cost_eval(&a->cost, step, p);
	if (!is)
		return -1;
	to->result = *is;
	to->is_below = floor_find_above(&a->cost.floor, step, is, &to->floor);
	return 0;
}

static int price_points(struct job *j, struct arm *a, void *ctx,
			struct problem *p)
{
	const struct pricing *r = ctx;
	struct answer *answer = j->shared;
	for (size_t i = 0; i < r->x->n_points; i++) {
		const struct xp_point *q = &r->x->point[i];
		if (strcmp(q->arm, a->is->name) != 0)
			continue;
		int rc = q->ask->kernel ? price_kernel(a, q, &answer[i], p)
					: price_step(a, &r->steps.item[i].step,
						     &answer[i], p);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* ---- in the parent ---- */

/* Returns the index of an arm in the configuration; n_arms: it is not there. */
static size_t arm_place(const struct config *c, const char *name)
{
	size_t k = 0;
	while (k < c->n_arms && strcmp(c->arm[k].name, name) != 0)
		k++;
	return k;
}

static int check_arms(const struct pricing *r, struct problem *p)
{
	for (size_t i = 0; i < r->x->n_points; i++) {
		const struct xp_point *q = &r->x->point[i];
		if (arm_place(r->config, q->arm) == r->config->n_arms)
			return problem_set(
			    p, EXIT_USAGE,
			    "%s: [table:%s] has columns of arm %s, but there "
			    "is no [cost_model:%s]",
			    r->x->path, q->table->name, q->arm, q->arm);
	}
	return 0;
}

/* Writes the points as a steps file.  The caller frees the result; NULL: memory
 * is out. */
static char *steps_text(const struct experiment *x, size_t *n)
{
	char *text = NULL;
	FILE *f = text_open(&text, n);
	if (!f)
		return NULL;
	fputs("step,decode,prefill\n", f);
	for (size_t i = 0; i < x->n_points; i++) {
		const struct xp_point *q = &x->point[i];
		char *name;
		if (asprintf(&name, "%s.%s", q->table->name, q->ask->name) < 0)
			name = NULL;
		csv_text(f, name ? name : "");
		csv_next_text(f, q->decode ? q->decode : "");
		csv_next_text(f, q->prefill ? q->prefill : "");
		putc('\n', f);
		free(name);
	}
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

static int make_steps(struct pricing *r, struct problem *p)
{
	size_t n;
	char *text = steps_text(r->x, &n);
	FILE *f = text ? fmemopen(text, n, "r") : NULL;
	int rc = f ? steps_read(&r->steps, f, r->x->path, NULL, p)
		   : problem_no_memory(p);
	if (f)
		fclose(f);
	free(text);
	return rc;
}

/* ---- log messages of the arms ---- */

struct log_lines {
	char **line;
	size_t n;
};

/* Returns 1 if the line is new; it is kept then. */
static int keep_new(struct log_lines *said, const char *line)
{
	for (size_t k = 0; k < said->n; k++)
		if (!strcmp(said->line[k], line))
			return 0;
	char **more = realloc(said->line, (said->n + 1) * sizeof *more);
	if (!more)
		return 0;
	said->line = more;
	said->line[said->n] = strdup(line);
	return said->line[said->n] != NULL && ++said->n;
}

/* Passes on a line that host_writing() wrote, without its end. */
static void pass_on(const sc_host *host, const char *line)
{
	static const char info[] = "info: ", warning[] = "warning: ";
	if (!strncmp(line, warning, strlen(warning)))
		host->log(host, 2, line + strlen(warning));
	else if (!strncmp(line, info, strlen(info)))
		host->log(host, 1, line + strlen(info));
	else
		host->log(host, 1, line);
}

/* Many arms share a plugin and a table and log the same lines. */
static void log_once(const struct pricing *r)
{
	struct log_lines said = {0};
	char *line = NULL;
	size_t size = 0;
	for (size_t i = 0; i < r->config->n_arms; i++)
		while (getline(&line, &size, r->at_work.job[i].stream[0]) > 0) {
			line[strcspn(line, "\n")] = '\0';
			if (keep_new(&said, line))
				pass_on(r->host, line);
		}
	for (size_t k = 0; k < said.n; k++)
		free(said.line[k]);
	free(said.line);
	free(line);
}

/* ---- all points ---- */

static int run_jobs(struct pricing *r, struct problem *p)
{
	const struct jobs_options how = {
	    .answer_limit_s = 60,
	    .memory_limit_gib = JOB_MEMORY_LIMIT_GIB,
	    .shared_bytes = (r->x->n_points + 1) * sizeof(struct answer),
	};
	const sc_host host = host_writing(NULL);
	if (arms_run_all(&r->at_work, r->config, &host, price_points, r, &how,
			 p) < 0)
		return -1;
	log_once(r);
	for (size_t i = 0; i < r->config->n_arms; i++) {
		const struct job *j = &r->at_work.job[i];
		if (j->problem->code != EXIT_DONE)
			return problem_set(p, j->problem->code, "%s",
					   j->complaint);
	}
	return 0;
}

static void describe_batch(struct xp_point *q, const sc_step *step)
{
	q->n_decode = step->n_decode;
	q->n_prefill = step->n_prefill;
	for (uint32_t i = 0; i < step->n_decode; i++) {
		uint32_t kv = step->decode_ctx[i];
		q->min_kv = i && q->min_kv < kv ? q->min_kv : kv;
		q->max_kv = q->max_kv > kv ? q->max_kv : kv;
	}
}

static void take_answers(const struct pricing *r)
{
	for (size_t i = 0; i < r->x->n_points; i++) {
		struct xp_point *q = &r->x->point[i];
		size_t arm = arm_place(r->config, q->arm);
		const struct answer *a = r->at_work.job[arm].shared;
		q->result = a[i].result;
		q->kernel_result = a[i].kernel;
		q->is_below = a[i].is_below;
		q->us = a[i].floor.us;
		q->least_us = a[i].floor.least_us;
		describe_batch(q, &r->steps.item[i].step);
	}
}

int experiment_price(struct experiment *x, struct config *config,
		     const sc_host *host, struct problem *p)
{
	struct pricing r = {.x = x, .config = config, .host = host};
	int rc = check_arms(&r, p);
	if (rc == 0)
		rc = claim_compare_arms(&x->claim, config, p);
	if (rc == 0)
		rc = make_steps(&r, p);
	if (rc == 0)
		rc = run_jobs(&r, p);
	if (rc == 0)
		take_answers(&r);
	arms_run_free(&r.at_work);
	steps_free(&r.steps);
	return rc;
}
