/* step_validation.c -- Prices measured engine steps under every arm, in jobs.
 * */
#include <config.h>
#include "validate/step_validation.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arm/run.h"

struct task {
	struct step_validation *v;
	size_t arm, run;
};

/* ---- one run's steps under one arm, in its job ---- */

struct columns {
	uint32_t *decode_ctx, *prefill_new, *prefill_ctx;
};

/* Every sequence at the mean context; prompts share the new tokens. */
static sc_step step_of(const struct measured_step *s, struct columns *c)
{
	uint32_t context = (uint32_t)fmax(0, s->context);
	uint32_t each = s->n_prefill ? s->prefill_tokens / s->n_prefill : 0;
	uint32_t rest = s->n_prefill ? s->prefill_tokens % s->n_prefill : 0;
	for (uint32_t i = 0; i < s->n_decode; i++)
		c->decode_ctx[i] = context;
	for (uint32_t i = 0; i < s->n_prefill; i++) {
		uint32_t n = each + (i < rest);
		c->prefill_new[i] = n ? n : 1;
		c->prefill_ctx[i] = context > n ? context - n : 0;
	}
	return (sc_step){.size = sizeof(sc_step),
			 .n_prefill = s->n_prefill,
			 .n_decode = s->n_decode,
			 .n_sampled = s->n_prefill + s->n_decode,
			 .prefill_new = c->prefill_new,
			 .prefill_ctx = c->prefill_ctx,
			 .decode_ctx = c->decode_ctx};
}

static int price_steps(struct job *j, struct arm *a, void *ctx,
		       struct problem *p)
{
	const struct task *t = ctx;
	const struct measured_steps *file = t->v->file;
	double *us = j->shared;
	uint32_t *block = j->live;
	struct columns c = {block, block + MEASURED_STEP_SEQUENCES,
			    block + 2 * MEASURED_STEP_SEQUENCES};
	for (size_t i = 0; i < file->n; i++) {
		if (file->step[i].run != t->run)
			continue;
		sc_step step = step_of(&file->step[i], &c);
		const sc_result *r = cost_eval(&a->cost, &step, p);
		if (!r)
			return -1;
		us[i] = r->total_us;
	}
	return 0;
}

static int run_task(struct job *j, struct problem *p)
{
	struct task *t = j->user;
	return arm_run(j, &t->v->config[t->run], t->arm, NULL, price_steps, t,
		       p);
}

/* ---- all of them ---- */

static int open_configs(struct step_validation *v, const char *path,
			const struct validate_options *o, struct problem *p)
{
	v->config = calloc(v->file->n_runs + 1, sizeof *v->config);
	if (!v->config || o->n_set > 200)
		return problem_no_memory(p);
	for (size_t i = 0; i < v->file->n_runs; i++) {
		const struct step_run *r = &v->file->run[i];
		char model[200], gpu[200], tp[80];
		const char *set[210] = {model, tp};
		size_t n = 2;
		snprintf(model, sizeof model, "model.config=%s", r->model);
		snprintf(tp, sizeof tp, "engine.tensor_parallel_size=%u",
			 r->tensor_parallel_size);
		if (r->gpu) {
			snprintf(gpu, sizeof gpu, "hardware.config=%s", r->gpu);
			set[n++] = gpu;
		}
		for (size_t k = 0; k < o->n_set; k++)
			set[n++] = o->set[k];
		if (config_load_beside(&v->config[i], i ? v->config : NULL,
				       path, set, n, o->arms, p) < 0)
			return -1;
	}
	v->n_arms = v->config[0].n_arms;
	v->arm = calloc(v->n_arms + 1, sizeof *v->arm);
	v->us = calloc(v->n_arms * v->file->n + 1, sizeof *v->us);
	v->why = calloc(v->n_arms * v->file->n_runs + 1, sizeof *v->why);
	if (!v->arm || !v->us || !v->why)
		return problem_no_memory(p);
	for (size_t k = 0; k < v->n_arms; k++)
		v->arm[k] = v->config[0].arm[k].name;
	for (size_t i = 0; i < v->n_arms * v->file->n; i++)
		v->us[i] = (double)NAN;
	return 0;
}

static void collect(const struct task *t, struct job *job)
{
	struct step_validation *v = t->v;
	const double *us = job->shared;
	if (job->complaint)
		v->why[t->arm * v->file->n_runs + t->run] =
		    strdup(job->problem->text);
	if (job->complaint && job->problem->code == EXIT_PLUGIN)
		v->plugin_failed = 1;
	for (size_t i = 0; !job->complaint && i < v->file->n; i++)
		if (v->file->step[i].run == t->run)
			v->us[t->arm * v->file->n + i] = us[i];
}

int validate_steps(struct step_validation *v, const char *path,
		   const struct measured_steps *file,
		   const struct validate_options *o, struct problem *p)
{
	*v = (struct step_validation){.file = file};
	if (open_configs(v, path, o, p) < 0)
		return -1;
	size_t n = v->n_arms * file->n_runs;
	struct task *task = calloc(n + 1, sizeof *task);
	struct job *job = calloc(n + 1, sizeof *job);
	struct jobs arms = {0};
	struct jobs_options how = {.at_once = o->jobs,
				   .in_process = o->in_process,
				   .answer_limit_s = JOB_ANSWER_LIMIT_S,
				   .memory_limit_gib = JOB_MEMORY_LIMIT_GIB,
				   .shared_bytes = file->n * sizeof(double),
				   .live_bytes = 3 * MEASURED_STEP_SEQUENCES *
						 sizeof(uint32_t)};
	int rc = task && job ? 0 : problem_no_memory(p);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		task[i] = (struct task){v, i / file->n_runs, i % file->n_runs};
		job[i] =
		    (struct job){.name = v->arm[task[i].arm], .user = &task[i]};
	}
	if (rc == 0)
		rc = jobs_run(&arms, job, n, run_task, &how, p);
	v->interrupted = arms.interrupted;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		collect(&task[i], &job[i]);
		if (o->done)
			o->done(o->done_user, &job[i]);
	}
	jobs_free(&arms);
	free(job);
	free(task);
	return rc;
}

void step_validation_free(struct step_validation *v)
{
	for (size_t i = 0; v->config && i < v->file->n_runs; i++)
		config_free(&v->config[i]);
	for (size_t i = 0; v->why && i < v->n_arms * v->file->n_runs; i++)
		free(v->why[i]);
	free(v->config);
	free(v->arm);
	free(v->us);
	free(v->why);
	*v = (struct step_validation){0};
}
