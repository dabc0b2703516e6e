/* phase.c -- Hands the questions of a phase to workers. */
#include "recommend/phase.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "jobs/pool.h"
#include "recommend/entries.h"
#include "recommend/pareto.h"
#include "recommend/judge.h"
#include "recommend/work.h"
#include "sweep/prepared_arm.h"
#include "sweep/run.h"

/* Who asks what, and what becomes of the answers.  hears_failures: over() also
 * gets the answers of workers that failed; else their entries are refused. */
struct questions {
	int (*next)(void *user, unsigned arm, void *question,
		    struct problem *p);
	int (*over)(void *user, unsigned arm, const void *question,
		    const struct pool_result *a, struct problem *p);
	int hears_failures;
};

/* The user data of the pool's functions; work_do() knows only the task. */
struct running {
	struct work_task task;
	struct recommend *r;
	const struct questions *ask;
	size_t *at; /* [n_arms] questions of that arm so far                 */
};

static struct recommend_arm *arm_of(const struct running *x, unsigned arm)
{
	return &x->r->arm[arm];
}

/* ---- who asks what ---- */

static int next_survey(void *user, unsigned arm, void *question,
		       struct problem *p)
{
	struct running *x = user;
	(void)p;
	if (x->at[arm] == x->r->sweep.plan.n_points)
		return POOL_NO_MORE;
	*(struct work_question *)question =
	    (struct work_question){.ask = WORK_SURVEY, .point = x->at[arm]++};
	return POOL_NEXT;
}

static int over_survey(void *user, unsigned arm, const void *question,
		       const struct pool_result *a, struct problem *p)
{
	struct running *x = user;
	struct recommend_arm *of = arm_of(x, arm);
	const struct work_question *q = question;
	const struct work_answer *got = a->data;
	(void)p;
	of->survey[q->point] = got->survey;
	return 0;
}

static int next_race(void *user, unsigned arm, void *question,
		     struct problem *p)
{
	struct running *x = user;
	struct work_question *q = question;
	struct recommend_arm *of = arm_of(x, arm);
	(void)p;
	*q = (struct work_question){.ask = WORK_RACE};
	int got = race_next(&of->race, &q->race);
	if (got == POOL_NEXT)
		q->point = of->entry[q->race.entry].point;
	return got;
}

static int over_race(void *user, unsigned arm, const void *question,
		     const struct pool_result *a, struct problem *p)
{
	struct running *x = user;
	struct recommend_arm *of = arm_of(x, arm);
	const struct work_question *q = question;
	const struct work_answer *got = a->data;
	struct race_answer answer = got->race;
	answer.failed = a->code != EXIT_DONE;
	race_take(&of->race, &q->race, &answer);
	if (answer.failed)
		return entries_refuse(of, (size_t)q->point, a->says,
				      a->code == EXIT_PLUGIN, p);
	if (answer.met) {
		of->served[q->point] = got->served;
		if (pareto_add(of, (size_t)q->point, &got->served, p) < 0)
			return -1;
	}
	return *got->warning
		   ? entries_warn(of, (size_t)q->point, got->warning, p)
		   : 0;
}

static int is_to_be_searched(const struct recommend *r, size_t arm, size_t k)
{
	const struct recommend_found *f = recommend_found(r, arm, k);
	return r->arm[arm].survey[r->shortlist[k]].gpus && f->is_wanted &&
	       !f->is_done;
}

/* Returns 1 if both ask how many of one unit carry the rate. */
static int are_twins(const struct recommend *r, size_t arm, size_t a, size_t b)
{
	return recommend_asks_fleet(r) &&
	       recommend_same_unit(r, &r->arm[arm], r->shortlist[a],
				   r->shortlist[b]);
}

/* A row takes the answer to a full search: it has its own number of GPUs, and
 * serves the rate or not. */
static void fill_row(struct recommend *r, size_t arm, size_t k,
		     const struct recommend_found *from)
{
	struct recommend_found *f = &r->found[arm * r->n_shortlist + k];
	const struct recommend_arm *of = &r->arm[arm];
	struct capacity *c = &f->capacity;
	memmove(f, from, sizeof *f);
	f->is_wanted = f->is_done = 1;
	f->survey = of->survey[r->shortlist[k]];
	f->joules_per_token = of->served[r->shortlist[k]].joules_per_token;
	if (c->question != QUESTION_FLEET)
		return;
	c->request_rate = c->asked;
	c->verdict =
	    f->survey.gpus < f->needs_gpus ? CAPACITY_NONE : CAPACITY_FOUND;
}

/* Fills row k with another row's answer if both have the same.  Returns 1 if
 * they do; row k may have to wait for that answer. */
static int take_twin(struct recommend *r, size_t arm, size_t k)
{
	for (size_t i = 0; i < r->n_shortlist; i++) {
		const struct recommend_found *f = recommend_found(r, arm, i);
		int is_asked = i < k && is_to_be_searched(r, arm, i);
		if (!(f->is_done || is_asked) || !are_twins(r, arm, i, k))
			continue;
		if (f->is_done)
			fill_row(r, arm, k, f);
		return 1;
	}
	return 0;
}

static int next_search(void *user, unsigned arm, void *question,
		       struct problem *p)
{
	struct running *x = user;
	struct recommend *r = x->r;
	const struct recommend_arm *of = arm_of(x, arm);
	(void)p;
	while (x->at[arm] < r->n_shortlist) {
		size_t k = x->at[arm]++, point = r->shortlist[k];
		if (!is_to_be_searched(r, arm, k) || take_twin(r, arm, k))
			continue;
		*(struct work_question *)question = (struct work_question){
		    .ask = WORK_SEARCH,
		    .point = point,
		    .race = {.entry = (uint32_t)(x->at[arm] - 1),
			     .requests = of->race.requests}};
		return POOL_NEXT;
	}
	return POOL_NO_MORE;
}

static int over_search(void *user, unsigned arm, const void *question,
		       const struct pool_result *a, struct problem *p)
{
	struct running *x = user;
	const struct work_question *q = question;
	const struct work_answer *got = a->data;
	struct recommend *r = x->r;
	size_t k = q->race.entry;
	(void)p;
	struct recommend_found *f = &r->found[arm * r->n_shortlist + k];
	f->capacity = got->found;
	f->needs_gpus = got->needs_gpus;
	f->outside = got->outside;
	f->pessimistic = got->pessimistic;
	f->has_pessimistic = got->has_pessimistic;
	f->trusted = got->trusted;
	fill_row(r, arm, k, f);
	for (size_t i = k + 1; i < r->n_shortlist; i++)
		if (is_to_be_searched(r, arm, i) && are_twins(r, arm, i, k))
			fill_row(r, arm, i, f);
	return 0;
}

/* Rung by rung of each shape. */
static int next_front(void *user, unsigned arm, void *question,
		      struct problem *p)
{
	struct running *x = user;
	const struct recommend_arm *of = arm_of(x, arm);
	(void)p;
	if (x->at[arm] == PARETO_RUNGS * of->n_rate_steps)
		return POOL_NO_MORE;
	size_t at = x->at[arm]++, entry = of->rate_steps[at / PARETO_RUNGS];
	*(struct work_question *)question = (struct work_question){
	    .ask = WORK_RACE,
	    .point = of->entry[entry].point,
	    .race = {.ask = RACE_AT,
		     .entry = (uint32_t)entry,
		     .scale = pareto_rate_step(of, entry, at % PARETO_RUNGS),
		     .requests = of->race.requests}};
	return POOL_NEXT;
}

static int over_front(void *user, unsigned arm, const void *question,
		      const struct pool_result *a, struct problem *p)
{
	struct running *x = user;
	const struct work_question *q = question;
	const struct work_answer *got = a->data;
	struct recommend_arm *of = arm_of(x, arm);
	of->rungs += got->race.simulations;
	return got->race.met ? pareto_add(of, (size_t)q->point, &got->served, p)
			     : 0;
}

/* Arms that have no winner ask how near each configuration comes that the race
 * tried: the others are beyond its budget. */
static int next_miss(void *user, unsigned arm, void *question,
		     struct problem *p)
{
	struct running *x = user;
	const struct recommend_arm *of = arm_of(x, arm);
	(void)p;
	while (x->at[arm] < of->n &&
	       of->race.track[x->at[arm]].state == RACE_UNTRIED)
		x->at[arm]++;
	if (of->winner != SIZE_MAX || x->at[arm] == of->n)
		return POOL_NO_MORE;
	*(struct work_question *)question =
	    (struct work_question){.ask = WORK_MISS,
				   .point = of->entry[x->at[arm]++].point,
				   .race = {.scale = of->race.how.floor}};
	return POOL_NEXT;
}

/* Answers come in any order: of two that are as near, the first point counts.
 */
static int over_miss(void *user, unsigned arm, const void *question,
		     const struct pool_result *a, struct problem *p)
{
	struct running *x = user;
	const struct work_question *q = question;
	const struct work_answer *got = a->data;
	struct recommend_arm *of = arm_of(x, arm);
	int is_first = of->nearest == SIZE_MAX;
	(void)p;
	if (a->code == EXIT_DONE &&
	    (is_first || got->miss < of->miss ||
	     (!(got->miss > of->miss) && q->point < of->nearest))) {
		of->nearest = (size_t)q->point;
		of->miss = got->miss;
		of->nearest_run = got->found;
	}
	return 0;
}

/* ---- a phase ---- */

static const struct questions questions[] = {
    [PHASE_SURVEY] = {next_survey, over_survey, 0},
    [PHASE_RACE] = {next_race, over_race, 1},
    [PHASE_SEARCH] = {next_search, over_search, 0},
    [PHASE_FRONT] = {next_front, over_front, 0},
    [PHASE_MISS] = {next_miss, over_miss, 1},
};

static int next(void *user, unsigned arm, void *question, struct problem *p)
{
	const struct running *x = user;
	return x->ask->next(user, arm, question, p);
}

static int over(void *user, unsigned arm, const void *question,
		const struct pool_result *a, struct problem *p)
{
	struct running *x = user;
	const struct work_question *q = question;
	const struct work_answer *got = a->data;
	if (a->code == EXIT_DONE)
		x->r->simulations += got->race.simulations
					 ? got->race.simulations
					 : got->found.simulations;
	else if (!x->ask->hears_failures)
		return entries_refuse(arm_of(x, arm), (size_t)q->point, a->says,
				      a->code == EXIT_PLUGIN, p);
	return x->ask->over(user, arm, question, a, p);
}

static int on_tick(void *user, struct problem *p)
{
	const struct running *x = user;
	const struct recommend_request *from = x->r->from;
	(void)p;
	if (from->progress)
		from->progress(from->user, x->r);
	return 0;
}

int phase_run(struct recommend *r, enum phase which, struct problem *p)
{
	const struct recommend_request *from = r->from;
	struct sweep *s = &r->sweep;
	struct running x = {
	    .r = r,
	    .ask = &questions[which],
	    .at = calloc(s->arms.n + 1, sizeof *x.at),
	    .task = {.plan = &s->plan,
		     .config = &s->config,
		     .traces = &r->traces,
		     .bounds = &s->bounds,
		     .precision = from->precision,
		     .rate = recommend_asks_fleet(r) ? from->rate : 0,
		     .gpus = r->most_gpus,
		     .one_draw = from->one_draw,
		     .runs_are_fixed = r->runs_are_fixed,
		     .timed_requests = r->is_timed ? r->trace_requests : 0,
		     .is_energy = r->objective == OBJECTIVE_ENERGY,
		     .step_bytes = sweep_step_bytes(s)}};
	const struct pool_options o = {
	    .n_groups = (unsigned)s->arms.n,
	    .at_once = from->at_once,
	    .in_process = from->in_process,
	    .answer_limit_s = from->answer_limit_s,
	    .memory_limit_gib = from->memory_limit_gib,
	    .shared_bytes = x.task.step_bytes,
	    .task_bytes = sizeof(struct work_question),
	    .result_bytes = sizeof(struct work_answer),
	    .work = work_do,
	    .on_exit = prepared_arm_leave,
	    .next_task = next,
	    .on_done = over,
	    .on_tick = on_tick,
	    .user = &x,
	};
	int rc = x.at ? pool_run(&o, &r->interrupted, p) : problem_no_memory(p);
	free(x.at);
	return rc;
}
