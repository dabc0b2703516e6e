/* look.c -- Searches rows in full that may be better than a winner. */
#include "recommend/look.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "recommend/judge.h"
#include "recommend/phase.h"

/* ---- the shortlist ---- */

static size_t place_of(const struct recommend *r, size_t point)
{
	size_t k = 0;
	while (k < r->n_shortlist && r->shortlist[k] != point)
		k++;
	return k;
}

/* Appends a point to the shortlist, which all tables of arms and points follow.
 */
static int lengthen(struct recommend *r, size_t point, struct problem *p)
{
	size_t arms = r->sweep.arms.n, old = r->n_shortlist, n = old + 1;
	size_t *list = realloc(r->shortlist, n * sizeof *list);
	if (!list)
		return problem_no_memory(p);
	r->shortlist = list;
	double *score = realloc(r->score, arms * n * sizeof *score);
	if (!score)
		return problem_no_memory(p);
	r->score = score;
	struct recommend_found *found = calloc(arms * n, sizeof *found);
	if (!found)
		return problem_no_memory(p);
	for (size_t i = 0; i < arms; i++)
		memcpy(found + i * n, r->found + i * old, old * sizeof *found);
	free(r->found);
	r->found = found;
	list[old] = point;
	r->n_shortlist = n;
	judge(r); /* the figures have moved */
	return 0;
}

/* An arm is to search that point, SIZE_MAX: none, in full; *n counts those that
 * are new. */
static int want(struct recommend *r, size_t arm, size_t point, size_t *n,
		struct problem *p)
{
	size_t k = place_of(r, point);
	if (point == SIZE_MAX)
		return 0;
	if (k == r->n_shortlist && lengthen(r, point, p) < 0)
		return -1;
	struct recommend_found *f = &r->found[arm * r->n_shortlist + k];
	*n += !f->is_wanted;
	f->is_wanted = 1;
	return 0;
}

static int is_wanted(const struct recommend *r, size_t arm, size_t point)
{
	size_t k = place_of(r, point);
	return k < r->n_shortlist && recommend_found(r, arm, k)->is_wanted;
}

/* What an arm's winner serves under the others. */
static int want_winners(struct recommend *r, size_t arm, size_t *n,
			struct problem *p)
{
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		if (want(r, arm, r->arm[i].winner, n, p) < 0)
			return -1;
	return 0;
}

/* ---- the least fleet of a shape ---- */

/* The point of that shape with the fewest GPUs that are enough; SIZE_MAX: there
 * is none. */
static size_t least_enough(const struct recommend *r,
			   const struct recommend_arm *a, size_t point,
			   double gpus)
{
	const struct plan *l = &r->sweep.plan;
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < l->n_points; i++) {
		uint32_t has = a->survey[i].gpus;
		if (has && has >= gpus &&
		    (best == SIZE_MAX || has < a->survey[best].gpus) &&
		    recommend_same_unit(r, a, point, i))
			best = i;
	}
	return best;
}

static int want_fleets(struct recommend *r, size_t arm, size_t *n,
		       struct problem *p)
{
	size_t listed = r->n_shortlist;
	for (size_t k = 0; k < listed; k++) {
		const struct recommend_found *f = recommend_found(r, arm, k);
		if (f->is_done && f->capacity.question == QUESTION_FLEET &&
		    isfinite(f->needs_gpus) &&
		    want(r, arm,
			 least_enough(r, &r->arm[arm], r->shortlist[k],
				      f->needs_gpus),
			 n, p) < 0)
			return -1;
	}
	return 0;
}

/* ---- rows that the race has above the winner ---- */

static double estimate(const struct recommend *r, const struct recommend_arm *a,
		       size_t entry)
{
	return a->race.track[entry].met * r->base_rate / a->entry[entry].weight;
}

/* The entry of the greatest estimate above `least` that is not wanted;
 * SIZE_MAX: there is none. */
static size_t best_unsearched(const struct recommend *r, size_t arm,
			      double least)
{
	const struct recommend_arm *a = &r->arm[arm];
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < a->n; i++)
		if (estimate(r, a, i) > least &&
		    !is_wanted(r, arm, a->entry[i].point) &&
		    (best == SIZE_MAX ||
		     estimate(r, a, i) > estimate(r, a, best)))
			best = i;
	return best;
}

static int has_estimates(const struct recommend *r)
{
	return !r->is_closed && r->objective != OBJECTIVE_ENERGY &&
	       !recommend_asks_fleet(r);
}

static double score_of_winner(const struct recommend *r, size_t arm)
{
	size_t k = r->best[arm];
	return k == SIZE_MAX ? 0 : r->score[arm * r->n_shortlist + k];
}

static int want_better(struct recommend *r, size_t arm, size_t *n,
		       struct problem *p)
{
	for (int i = 0; has_estimates(r) && i < LOOK_ROWS; i++) {
		size_t entry = best_unsearched(r, arm, score_of_winner(r, arm));
		if (entry == SIZE_MAX)
			return 0;
		if (want(r, arm, r->arm[arm].entry[entry].point, n, p) < 0)
			return -1;
	}
	return 0;
}

static size_t count_better(const struct recommend *r)
{
	size_t n = 0;
	for (size_t arm = 0; has_estimates(r) && arm < r->sweep.arms.n; arm++) {
		const struct recommend_arm *a = &r->arm[arm];
		for (size_t i = 0; i < a->n; i++)
			n += !is_wanted(r, arm, a->entry[i].point) &&
			     estimate(r, a, i) > score_of_winner(r, arm);
	}
	return n;
}

/* ---- the looks ---- */

static int is_spent(const struct recommend *r)
{
	uint64_t n = 0;
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		n = r->arm[i].race.simulations > n ? r->arm[i].race.simulations
						   : n;
	return r->from->budget && n >= (uint64_t)r->from->budget;
}

/* more: rows that may be better, too, and not the winners alone. */
static int look(struct recommend *r, int more, size_t *n, struct problem *p)
{
	*n = 0;
	for (size_t arm = 0; arm < r->sweep.arms.n; arm++)
		if (want_winners(r, arm, n, p) < 0 ||
		    (more && (want_fleets(r, arm, n, p) < 0 ||
			      want_better(r, arm, n, p) < 0)))
			return -1;
	if (*n && phase_run(r, PHASE_SEARCH, p) < 0)
		return -1;
	judge(r);
	return 0;
}

int look_again(struct recommend *r, struct problem *p)
{
	size_t n = 1;
	judge(r);
	for (int i = 0; n && i < LOOKS && !is_spent(r); i++)
		if (look(r, 1, &n, p) < 0)
			return -1;
	if (n && look(r, 0, &n, p) < 0)
		return -1;
	r->n_unsearched = count_better(r);
	return 0;
}
