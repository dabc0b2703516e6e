/* seeds.c -- Repeats a study with other seeds, and compares its metrics. */
#include <config.h>
#include "study/seeds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/json/json_writer.h"

static const struct job *job_of(const struct seeds *s, size_t seed, size_t arm)
{
	size_t n = s->study->n;
	return s->unpaired ? &s->job[seed * n + arm]
	       : seed == 0 ? &s->study->job[arm]
			   : &s->job[(seed - 1) * n + arm];
}

int seeds_run(struct seeds *s, const struct study *study, size_t n_seeds,
	      int unpaired, struct problem *p)
{
	size_t first = unpaired ? 0 : 1, n = (n_seeds - first) * study->n;
	*s = (struct seeds){
	    .study = study, .n_seeds = n_seeds, .unpaired = unpaired};
	s->job = calloc(n, sizeof *s->job);
	s->task = calloc(n, sizeof *s->task);
	if (!s->job || !s->task)
		return problem_no_memory(p);
	for (size_t i = 0; i < n; i++) {
		size_t arm = i % study->n;
		s->task[i] = study->task[arm];
		s->task[i].seed_shift =
		    i / study->n + first + (unpaired ? arm * n_seeds : 0);
		s->job[i] = (struct job){.name = study->job[arm].name,
					 .user = &s->task[i]};
	}
	return jobs_run(&s->arms, s->job, n, study_job, &study->how, p);
}

int seeds_code(const struct seeds *s)
{
	return study_code_of(s->job, s->arms.n);
}

struct rejections seeds_rejections(const struct seeds *s, size_t arm)
{
	struct rejections all = {0};
	for (size_t i = arm; i < s->arms.n; i += s->study->n)
		if (!s->job[i].complaint)
			rejections_join(
			    &all,
			    &study_record(&s->job[i])->outcome.rejections);
	return all;
}

void seeds_free(struct seeds *s)
{
	jobs_free(&s->arms);
	free(s->job);
	free(s->task);
	*s = (struct seeds){0};
}

int seeds_values(const struct seeds *s, const struct metric *m, size_t arm,
		 double *value)
{
	for (size_t k = 0; k < s->n_seeds; k++) {
		const struct job *j = job_of(s, k, arm);
		if (j->complaint)
			return -1;
		value[k] = metric_value(m, &study_record(j)->outcome);
		if (isnan(value[k]))
			return -1;
	}
	return 0;
}

int seeds_difference(const struct seeds *s, const struct metric *m, size_t arm,
		     struct interval *out)
{
	double *x = calloc(2 * s->n_seeds, sizeof *x);
	double *first = x ? x + s->n_seeds : NULL;
	int rc = -1;
	if (x && seeds_values(s, m, arm, x) == 0 &&
	    seeds_values(s, m, 0, first) == 0) {
		for (size_t k = 0; !s->unpaired && k < s->n_seeds; k++)
			x[k] -= first[k];
		*out = s->unpaired ? bootstrap_difference(x, s->n_seeds, first,
							  s->n_seeds)
				   : bootstrap_mean(x, s->n_seeds);
		rc = 0;
	}
	free(x);
	return rc;
}
