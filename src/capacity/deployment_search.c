/* deployment_search.c -- Asks candidates for their capacity, in jobs. */
#include "capacity/deployment_search.h"
#include <stdlib.h>
#include <string.h>
#include "arm/host.h"
#include "arm/run.h"
#include "capacity/decision_inputs.h"

/* ---- one search, in its job ---- */

/* What both processes see at any time: the search while it runs, and behind it
 * the columns of steps. */
struct seen {
	_Alignas(64) struct capacity_search search;
};

/* Searches the capacity of one candidate for one arm; the work of a job. */
static int search(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct search_task *t = ctx;
	const struct deployments *d = t->all;
	struct search_left *left = j->shared;
	struct seen *seen = j->live;
	const struct deployment_candidate *candidate =
	    &d->candidate[t->candidate];
	const struct capacity_ask ask = {
	    .bounds = &d->bounds,
	    .workload = &candidate->config.workload_keys,
	    .rate = d->rate,
	    .is_given = candidate->sets_fleet,
	    .is_independent = d->how.is_independent,
	    .one_draw = d->how.one_draw,
	    .precision = d->how.precision,
	    .confidence = d->how.confidence,
	    .request_limit = d->how.request_limit,
	    .said = j->stream[0],
	    .step_memory = seen + 1,
	    .step_bytes = simulation_step_bytes(&a->engine),
	};
	int rc = capacity_answer_find(&ask, a, &seen->search, &left->found, p);
	left->search = seen->search;
	return rc;
}

static int run_one(struct job *j, struct problem *p)
{
	const struct search_task *t = j->user;
	const struct config *c = &t->all->candidate[t->candidate].config;
	const sc_host host = host_writing(j->stream[0]);
	return arm_run(j, c, t->arm, &host, search, j->user, p);
}

/* ---- all of them ---- */

/* Makes a job for each candidate and arm.  *step_bytes: the most that one
 * needs. */
static int plan(struct deployments *d, size_t *step_bytes, struct problem *p)
{
	size_t n = deployments_n(d);
	d->left = calloc(n, sizeof *d->left);
	d->said = calloc(n, sizeof *d->said);
	d->job = calloc(n, sizeof *d->job);
	d->task = calloc(n, sizeof *d->task);
	if (!d->left || !d->said || !d->job || !d->task)
		return problem_no_memory(p);
	for (size_t i = 0; i < n; i++) {
		size_t candidate = i / d->n_arms, arm = i % d->n_arms;
		const struct config *c = &d->candidate[candidate].config;
		size_t bytes = arm_run_step_bytes(c);
		d->task[i] = (struct search_task){d, candidate, arm};
		d->job[i] = (struct job){.name = c->arm[arm].name,
					 .plugin = c->arm[arm].plugin,
					 .user = &d->task[i],
					 .wanted_streams = 1};
		*step_bytes = bytes > *step_bytes ? bytes : *step_bytes;
	}
	return 0;
}

static int take(struct deployments *d, struct problem *p)
{
	for (size_t i = 0; i < deployments_n(d); i++) {
		const struct job *j = &d->job[i];
		if (names_add_lines(&d->said[i], j->stream[0]) < 0)
			return problem_no_memory(p);
		if (!j->complaint)
			memcpy(&d->left[i], j->shared, sizeof d->left[i]);
	}
	return 0;
}

/* After a signal the intervals so far are left.  Returns 0, or -1 if some
 * search has none yet. */
static int take_unfinished(struct deployments *d)
{
	for (size_t i = 0; i < deployments_n(d); i++) {
		const struct job *j = &d->job[i];
		const struct search_left *left = j->shared;
		const struct seen *seen = j->live;
		struct search_left *x = &d->left[i];
		int is_over = left->search.is_over;
		if (is_over)
			memcpy(x, left, sizeof *x);
		else
			x->search = seen->search;
		struct capacity *c = &x->search.answer;
		if (c->verdict != CAPACITY_FOUND || !(c->low > 0))
			return -1;
		if (is_over)
			continue;
		c->stopped_by = STOP_INTERRUPTED;
		x->found.capacity = *c;
		memcpy(x->found.test, x->search.test, sizeof x->found.test);
	}
	for (size_t i = 0; i < deployments_n(d); i++)
		d->job[i].complaint = NULL;
	return 0;
}

const struct capacity_search *deployments_live(const struct job *j)
{
	return j->live; /* struct seen begins with it */
}

int deployments_run(struct deployments *d, const struct jobs_options *how,
		    struct problem *p)
{
	struct jobs_options o = *how;
	size_t step_bytes = 0;
	if (plan(d, &step_bytes, p) < 0)
		return -1;
	o.shared_bytes = sizeof(struct search_left);
	o.live_bytes = sizeof(struct seen) + step_bytes;
	int rc = jobs_run(&d->jobs, d->job, deployments_n(d), run_one, &o, p);
	d->interrupted = rc < 0 ? d->jobs.interrupted : 0;
	if (rc == 0)
		rc = take(d, p);
	else if (d->interrupted)
		rc = take_unfinished(d);
	return rc < 0 || decision_inputs_pairs(d, p) < 0
		   ? -1
		   : decision_inputs_decide(d, p);
}
