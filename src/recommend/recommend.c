/* recommend.c -- Surveys the configurations, lets each arm race, and searches
 * the shortlist under all of them. */
#include "recommend/recommend.h"
#include <math.h>
#include <stdlib.h>
#include "recommend/entries.h"
#include "recommend/pessimistic.h"
#include "recommend/pareto.h"
#include "recommend/look.h"
#include "recommend/phase.h"

const char *const recommend_objective_name[] = {"auto", "rate",   "usd",
						"gpus", "energy", NULL};

/* ---- survey and race ---- */

static int begin_arms(struct recommend *r, struct problem *p)
{
	size_t n = r->sweep.plan.n_points;
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		struct recommend_arm *a = &r->arm[i];
		a->winner = a->runner_up = a->nearest = SIZE_MAX;
		a->survey = calloc(n + 1, sizeof *a->survey);
		a->served = calloc(n + 1, sizeof *a->served);
		if (!a->survey || !a->served)
			return problem_no_memory(p);
		for (size_t k = 0; k < n; k++)
			a->served[k] = (struct work_served){NAN, NAN, NAN, NAN};
	}
	return 0;
}

static int begin_races(struct recommend *r, struct problem *p)
{
	const struct recommend_request *from = r->from;
	int is_energy = r->objective == OBJECTIVE_ENERGY;
	const struct race_how how = {
	    .precision = from->precision,
	    .floor = from->rate / r->base_rate,
	    .measures = r->is_closed || is_energy,
	    .measured_at = is_energy ? from->rate / r->base_rate : 0,
	    .budget = (uint64_t)from->budget,
	};
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		struct recommend_arm *a = &r->arm[i];
		if (entries_make(r, a, p) < 0 ||
		    race_begin(&a->race, &how, a->entry, a->n, p) < 0)
			return -1;
	}
	return 0;
}

static size_t point_of(const struct recommend_arm *a, size_t entry)
{
	return entry == RACE_NONE ? SIZE_MAX : a->entry[entry].point;
}

/* ---- the shortlist ---- */

static void put_on_shortlist(struct recommend *r, size_t point)
{
	for (size_t i = 0; i < r->n_shortlist; i++)
		if (r->shortlist[i] == point)
			return;
	if (point != SIZE_MAX)
		r->shortlist[r->n_shortlist++] = point;
}

/* Returns 1 if the arm searches that point in full: the winners of all arms,
 * and its own best of another shape. */
static int is_of_arm(const struct recommend *r, size_t arm, size_t point)
{
	int is = point == r->arm[arm].runner_up;
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		is |= point == r->arm[i].winner;
	return is;
}

static int make_shortlist(struct recommend *r, struct problem *p)
{
	size_t n = r->sweep.arms.n;
	r->shortlist = calloc(2 * n + 1, sizeof *r->shortlist);
	if (!r->shortlist)
		return problem_no_memory(p);
	for (size_t i = 0; i < n; i++) {
		struct recommend_arm *a = &r->arm[i];
		a->winner = point_of(a, a->race.best);
		a->runner_up = point_of(a, race_runner_up(&a->race));
		put_on_shortlist(r, a->winner);
		put_on_shortlist(r, a->runner_up);
	}
	r->found = calloc(n * r->n_shortlist + 1, sizeof *r->found);
	for (size_t i = 0; r->found && i < n * r->n_shortlist; i++)
		r->found[i].is_wanted = is_of_arm(
		    r, i / r->n_shortlist, r->shortlist[i % r->n_shortlist]);
	r->best = calloc(n + 1, sizeof *r->best);
	r->votes = calloc(n + 1, sizeof *r->votes);
	r->score = calloc(n * r->n_shortlist + 1, sizeof *r->score);
	return r->found && r->best && r->votes && r->score
		   ? 0
		   : problem_no_memory(p);
}

/* ---- the front ---- */

/* A closed loop has one load, and so has the search for the least energy: its
 * runs are those of the race. */
static int run_front(struct recommend *r, struct problem *p)
{
	int has_rate_steps =
	    r->from->front && !r->is_closed && r->objective != OBJECTIVE_ENERGY;
	for (size_t i = 0; has_rate_steps && i < r->sweep.arms.n; i++)
		if (pareto_rate_steps(&r->arm[i], p) < 0)
			return -1;
	if (has_rate_steps && phase_run(r, PHASE_FRONT, p) < 0)
		return -1;
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		if (pareto_mark(r, &r->arm[i], p) < 0)
			return -1;
	return 0;
}

int recommend_run(struct recommend *r, struct problem *p)
{
	if (begin_arms(r, p) < 0 || phase_run(r, PHASE_SURVEY, p) < 0 ||
	    begin_races(r, p) < 0 || phase_run(r, PHASE_RACE, p) < 0 ||
	    make_shortlist(r, p) < 0 || phase_run(r, PHASE_SEARCH, p) < 0 ||
	    look_again(r, p) < 0 || run_front(r, p) < 0 ||
	    phase_run(r, PHASE_MISS, p) < 0)
		return -1;
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		pessimistic_list(r, i);
	return 0;
}

int recommend_code(const struct recommend *r)
{
	int any = 0;
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		if (r->arm[i].failures)
			return EXIT_PLUGIN;
		any |= r->arm[i].winner != SIZE_MAX;
	}
	return any ? EXIT_DONE : EXIT_SAYS_NO;
}

static void free_arm(struct recommend_arm *a)
{
	free(a->survey), free(a->served), free(a->entry);
	free(a->met), free(a->rate_steps);
	race_free(&a->race);
	entries_free_reasons(&a->reasons);
	entries_free_reasons(&a->warnings);
}

void recommend_free(struct recommend *r)
{
	for (size_t i = 0; r->arm && i < r->sweep.arms.n; i++)
		free_arm(&r->arm[i]);
	free(r->arm), free(r->shortlist), free(r->found);
	free(r->best), free(r->votes), free(r->score);
	traces_free(&r->traces);
	sweep_free(&r->sweep);
	candidates_free(&r->candidates);
	*r = (struct recommend){0};
}
