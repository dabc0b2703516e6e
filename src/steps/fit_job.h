/* steps/fit_job.h -- a fit, or one of its folds, in a job. */
#pragma once
#include "steps/fit_state.h"

/* What a job leaves; behind it are 2 · set->n times in us: after the fit, and,
 * for the whole fit, before it. */
struct fit_answer {
	struct fit_found found;
	double us[];
};
struct fit_task {
	const struct fit *fit;
	size_t fold; /* SIZE_MAX: the whole fit */
};
/* The work of a job; its user is a struct fit_task. */
int fit_job(struct job *j, struct problem *p);
