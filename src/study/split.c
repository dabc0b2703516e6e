/* split.c -- Splits the latencies of arms into parts, in jobs. */
#include "study/split.h"
#include <stdlib.h>
#include "arm/run.h"

struct split_task {
	const struct study *study;
	const struct steplog *steps, *requests;
	size_t arm;
};

static int split_latencies(struct job *j, struct arm *a, void *ctx,
			   struct problem *p)
{
	const struct split_task *t = j->user;
	struct latency_task task = {
	    .steps = t->steps, .requests = t->requests, .engine = &a->engine};
	(void)ctx;
	arm_run_costs(a, task.cost);
	return latency_split(&task, j->shared, p);
}

static int run_one(struct job *j, struct problem *p)
{
	const struct split_task *t = j->user;
	return arm_run(j, t->study->results.config, t->arm, NULL,
		       split_latencies, NULL, p);
}

static int make_jobs(struct split *s, const char *wanted,
		     const struct steplog *steps,
		     const struct steplog *requests, struct problem *p)
{
	const struct study *of = s->study;
	s->arm = calloc(of->n, sizeof *s->arm);
	s->task = calloc(of->n, sizeof *s->task);
	s->job = calloc(of->n, sizeof *s->job);
	if (!s->arm || !s->task || !s->job)
		return problem_no_memory(p);
	for (size_t i = 0; i < of->n; i++) {
		if (!wanted[i])
			continue;
		s->task[s->n] = (struct split_task){.study = of,
						    .steps = &steps[i],
						    .requests = &requests[i],
						    .arm = i};
		s->job[s->n] = (struct job){.name = of->arm[i].name,
					    .plugin = of->arm[i].record->plugin,
					    .user = &s->task[s->n],
					    .given = steps[i].map,
					    .given_bytes = steps[i].bytes};
		s->n++;
	}
	return 0;
}

int split_run(struct split *s, const struct study *study, const char *wanted,
	      const struct steplog *steps, const struct steplog *requests,
	      struct problem *p)
{
	*s = (struct split){.study = study};
	if (make_jobs(s, wanted, steps, requests, p) < 0)
		return -1;
	struct jobs_options how = study->how;
	how.shared_bytes = sizeof(struct latency_parts);
	how.live_bytes = 0;
	how.progress = NULL;
	if (s->n && (jobs_run(&s->arms, s->job, s->n, run_one, &how, p) < 0 ||
		     jobs_if_machine_failed(&s->arms, p) < 0))
		return -1;
	for (size_t i = 0; i < s->n; i++) {
		const struct job *j = &s->job[i];
		s->arm[s->task[i].arm] =
		    (struct split_arm){.parts = j->complaint ? NULL : j->shared,
				       .error = j->complaint};
	}
	return 0;
}

int split_code(const struct split *s)
{
	return jobs_code(&s->arms);
}

void split_free(struct split *s)
{
	jobs_free(&s->arms);
	free(s->arm);
	free(s->task);
	free(s->job);
	*s = (struct split){0};
}
