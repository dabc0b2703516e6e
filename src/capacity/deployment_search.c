/* deployment_search.c -- Searches ways to serve for their capacity, in rounds
 * of jobs. */
#include <config.h>
#include "capacity/deployment_search.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arm/arm_gpus.h"
#include "arm/host.h"
#include "arm/run.h"
#include "capacity/one_draw.h"
#include "capacity/search.h"
#include "capacity/judged.h"

/* ---- one search, in its job ---- */

/* How far a prediction can be trusted here, and the rate that remains where
 * it errs by as much as it did elsewhere. */
static int search_cautious(const struct search_task *t,
			   const struct capacity_task *c, struct arm *a,
			   struct search_left *left, struct problem *p)
{
	struct deployment *found = &left->found;
	struct capacity_task task = *c;
	struct bounds bounds;
	found->trusted = trusted_of(t->config, t->arm, a->plugin.p.version,
				    &left->search.answer.load);
	if (!trusted_bounds(&found->trusted, c->bounds, &bounds))
		return 0;
	task.bounds = &bounds;
	task.said = NULL;
	found->has_cautious = 1;
	if (t->all->how.one_draw)
		return capacity_one_draw(&task, &found->cautious, p);
	struct capacity_search *s = calloc(1, sizeof *s);
	int rc = s ? capacity_pilot(&task, s, p) : problem_no_memory(p);
	if (rc == 0) {
		found->cautious = s->answer;
		if (!s->is_over)
			found->cautious.request_rate = exp(s->log_rate);
	}
	free(s);
	return rc;
}

static int begin_search(const struct search_task *t,
			const struct capacity_task *c, struct arm *a,
			struct search_left *left, struct problem *p)
{
	left->found.gpus = (uint32_t)config_arm_gpus(t->config, a->index);
	left->found.usd_per_hour = arm_usd_per_hour(a);
	left->found.usd_per_joule = a->hardware.power.usd_per_joule;
	left->found.price[0] = a->hardware.price;
	if (a->pool)
		left->found.price[1] = a->decode->hardware.price;
	int rc = t->all->how.one_draw
		     ? capacity_one_draw(c, &left->search.answer, p)
		     : capacity_pilot(c, &left->search, p);
	left->search.is_over |= t->all->how.one_draw;
	return rc < 0 ? -1 : search_cautious(t, c, a, left, p);
}

static int search(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct search_task *t = ctx;
	const struct deployment_search *how = &t->all->how;
	struct search_left *left = j->shared;
	struct cost *cost[2];
	const struct capacity_task c = {
	    .engine = &a->engine,
	    .cost = cost,
	    .workload = &t->config->workload_keys,
	    .cfg = &t->config->cfg,
	    .bounds = &t->all->bounds,
	    .precision = how->precision,
	    .confidence = how->confidence,
	    .request_limit = how->request_limit,
	    .said = t->so_far ? NULL : j->stream[0],
	    .step_memory = j->live,
	};
	arm_run_costs(a, cost);
	if (t->so_far)
		*left = *t->so_far;
	else if (begin_search(t, &c, a, left, p) < 0)
		return -1;
	int rc = t->half_width > 0
		     ? capacity_refine(&c, &left->search, t->half_width, p)
		     : 0;
	left->found.capacity = left->search.answer;
	return rc;
}

static int run_one(struct job *j, struct problem *p)
{
	const struct search_task *t = j->user;
	const sc_host host = host_writing(j->stream[0]);
	return arm_run(j, t->config, t->arm, &host, search, j->user, p);
}

/* ---- rounds of jobs ---- */

enum { MOST_ROUNDS = 3 };

static int plan_round(struct deployments *d, struct deployment_round *r,
		      double half_width, size_t *step_bytes, struct problem *p)
{
	size_t n = deployments_n(d);
	int begins = d->n_rounds == 0;
	r->job = calloc(n, sizeof *r->job);
	r->task = calloc(n, sizeof *r->task);
	r->index = calloc(n, sizeof *r->index);
	if (!r->job || !r->task || !r->index)
		return problem_no_memory(p);
	for (size_t i = 0; i < n; i++) {
		const struct config *c = &d->way[i / d->n_arms].config;
		size_t arm = i % d->n_arms, bytes = arm_run_step_bytes(c);
		if (!begins &&
		    (!deployments_at(d, i / d->n_arms, i % d->n_arms) ||
		     d->left[i].search.is_over))
			continue;
		r->index[r->n] = i;
		r->task[r->n] =
		    (struct search_task){.all = d,
					 .config = c,
					 .arm = arm,
					 .so_far = begins ? NULL : &d->left[i],
					 .half_width = half_width};
		r->job[r->n] = (struct job){.name = c->arm[arm].name,
					    .plugin = c->arm[arm].plugin,
					    .user = &r->task[r->n],
					    .wanted_streams = 1};
		r->n++;
		*step_bytes = bytes > *step_bytes ? bytes : *step_bytes;
	}
	return 0;
}

static int take_round(struct deployments *d, const struct deployment_round *r,
		      struct problem *p)
{
	for (size_t k = 0; k < r->n; k++) {
		const struct job *j = &r->job[k];
		size_t i = r->index[k];
		if (names_add_lines(&d->said[i], j->stream[0]) < 0)
			return problem_no_memory(p);
		if (!j->complaint)
			memcpy(&d->left[i], j->shared, sizeof d->left[i]);
	}
	return 0;
}

static int run_round(struct deployments *d, const struct jobs_options *how,
		     double half_width, struct problem *p)
{
	struct deployment_round *r = &d->round[d->n_rounds];
	struct jobs_options o = *how;
	size_t step_bytes = 0;
	if (plan_round(d, r, half_width, &step_bytes, p) < 0)
		return -1;
	d->n_rounds++;
	if (r->n == 0)
		return 0;
	o.shared_bytes = sizeof(struct search_left);
	o.live_bytes = step_bytes;
	if (jobs_run(&r->jobs, r->job, r->n, run_one, &o, p) < 0) {
		d->interrupted = r->jobs.interrupted;
		return -1;
	}
	return take_round(d, r, p);
}

/* All arms of a way replicate with as many requests as the slowest to settle
 * needs, because only runs of the same requests can be compared. */
static void share_lengths(struct deployments *d)
{
	for (size_t way = 0; way < d->n_ways; way++) {
		struct search_left *of = &d->left[way * d->n_arms];
		uint64_t most = 0;
		for (size_t arm = 0; arm < d->n_arms; arm++)
			if (!of[arm].search.is_over &&
			    of[arm].search.requests > most)
				most = of[arm].search.requests;
		for (size_t arm = 0; arm < d->n_arms; arm++)
			if (!of[arm].search.is_over)
				of[arm].search.requests = most;
	}
}

/* ---- between rounds ---- */

/* Ends the searches if nothing that is printed as a decision can change. */
static int end_if_decided(struct deployments *d, struct problem *p)
{
	int stands = judged_pairs(d, p) < 0 ? -1 : judged_stands(d, p);
	for (size_t i = 0; stands > 0 && i < deployments_n(d); i++) {
		struct search_left *x = &d->left[i];
		if (x->search.is_over ||
		    !deployments_at(d, i / d->n_arms, i % d->n_arms))
			continue;
		x->search.is_over = 1;
		x->search.answer.stopped_by = STOP_DECISION;
		x->found.capacity = x->search.answer;
	}
	return stands < 0 ? -1 : 0;
}

/* With nothing to decide between, the search goes on to its precision. */
static int run_rounds(struct deployments *d, const struct jobs_options *how,
		      struct problem *p)
{
	static const double coarse = 0.1; /* to decide on                    */
	double fine = d->how.precision;
	if (d->how.one_draw)
		return run_round(d, how, 0, p);
	if (run_round(d, how, 0, p) < 0)
		return -1;
	share_lengths(d);
	if (fine < coarse && run_round(d, how, coarse, p) < 0)
		return -1;
	int is_open = deployments_n(d) > 1 || d->rate > 0;
	if (fine < coarse && is_open && end_if_decided(d, p) < 0)
		return -1;
	return run_round(d, how, fine, p);
}

/* After a signal the intervals of the rounds before are left.  Returns
 * 0, or -1 if some search has none yet. */
static int take_finished(struct deployments *d)
{
	deployment_round_free(&d->round[--d->n_rounds]);
	for (size_t i = 0; i < deployments_n(d); i++) {
		struct search_left *x = &d->left[i];
		int failed = !deployments_at(d, i / d->n_arms, i % d->n_arms);
		if (!failed && !x->search.is_over && !x->search.n)
			return -1;
	}
	for (size_t i = 0; i < deployments_n(d); i++) {
		struct search_left *x = &d->left[i];
		if (x->search.is_over)
			continue;
		x->search.answer.stopped_by = STOP_INTERRUPTED;
		x->found.capacity = x->search.answer;
	}
	return 0;
}

int deployments_run(struct deployments *d, const struct jobs_options *how,
		    struct problem *p)
{
	size_t n = deployments_n(d);
	d->left = calloc(n, sizeof *d->left);
	d->said = calloc(n, sizeof *d->said);
	d->round = calloc(MOST_ROUNDS, sizeof *d->round);
	if (!d->left || !d->said || !d->round)
		return problem_no_memory(p);
	int rc = run_rounds(d, how, p);
	if (rc == 0)
		rc = judged_pairs(d, p);
	if (d->interrupted && take_finished(d) == 0)
		rc = judged_pairs(d, p);
	return rc < 0 ? -1 : judged_decide(d, p);
}
