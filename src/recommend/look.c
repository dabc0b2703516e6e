/* look.c -- Searches rows in full that may be better than a winner. */
#include "recommend/look.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "recommend/judge.h"
#include "recommend/phase.h"

/* Points to be searched; each once. */
struct wanted {
	size_t *point;
	size_t n;
};

static int is_listed(const struct recommend *r, size_t point)
{
	for (size_t k = 0; k < r->n_shortlist; k++)
		if (r->shortlist[k] == point)
			return 1;
	return 0;
}

static void want(const struct recommend *r, struct wanted *w, size_t point)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->point[i] == point)
			return;
	if (point != SIZE_MAX && !is_listed(r, point))
		w->point[w->n++] = point;
}

/* ---- the least fleet of a shape ---- */

static int is_number_of_replicas(const char *key)
{
	const char *dot = strrchr(key, '.');
	return dot &&
	       (!strcmp(dot, ".replicas") || !strcmp(dot, ".prefill_replicas"));
}

/* Returns 1 if the points differ in their numbers of replicas alone, and those
 * are in the ratio of their GPUs. */
static int is_same_shape(const struct plan *l, size_t a, double gpus_a,
			 size_t b, double gpus_b)
{
	for (size_t i = 0; i < l->n_axes; i++) {
		const char *x = plan_value(l, a, i), *y = plan_value(l, b, i);
		if (!is_number_of_replicas(l->axis[i].name)) {
			if (strcmp(x, y) != 0)
				return 0;
		} else if (strtod(x, NULL) * gpus_b !=
			   strtod(y, NULL) * gpus_a) {
			return 0;
		}
	}
	return 1;
}

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
		    is_same_shape(l, point, a->survey[point].gpus, i, has))
			best = i;
	}
	return best;
}

static void want_fleets(const struct recommend *r, size_t arm, struct wanted *w)
{
	for (size_t k = 0; k < r->n_shortlist; k++) {
		const struct recommend_found *f = recommend_found(r, arm, k);
		if (f->is_done && f->capacity.question == QUESTION_FLEET &&
		    isfinite(f->needs_gpus))
			want(r, w,
			     least_enough(r, &r->arm[arm], r->shortlist[k],
					  f->needs_gpus));
	}
}

/* ---- rows that the race has above the winner ---- */

static double estimate(const struct recommend *r, const struct recommend_arm *a,
		       size_t entry)
{
	return a->race.track[entry].met * r->base_rate / a->entry[entry].weight;
}

/* The entry of the greatest estimate above `least` that is neither listed nor
 * wanted; SIZE_MAX: there is none. */
static size_t best_unsearched(const struct recommend *r, size_t arm,
			      double least, const struct wanted *w)
{
	const struct recommend_arm *a = &r->arm[arm];
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < a->n; i++) {
		int is_wanted = is_listed(r, a->entry[i].point);
		for (size_t k = 0; k < w->n; k++)
			is_wanted |= w->point[k] == a->entry[i].point;
		if (is_wanted || !(estimate(r, a, i) > least))
			continue;
		if (best == SIZE_MAX ||
		    estimate(r, a, i) > estimate(r, a, best))
			best = i;
	}
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

static void want_better(const struct recommend *r, size_t arm, struct wanted *w)
{
	for (int i = 0; has_estimates(r) && i < LOOK_ROWS; i++) {
		size_t entry =
		    best_unsearched(r, arm, score_of_winner(r, arm), w);
		if (entry == SIZE_MAX)
			return;
		want(r, w, r->arm[arm].entry[entry].point);
	}
}

static size_t count_better(const struct recommend *r)
{
	size_t n = 0;
	for (size_t arm = 0; has_estimates(r) && arm < r->sweep.arms.n; arm++) {
		const struct recommend_arm *a = &r->arm[arm];
		for (size_t i = 0; i < a->n; i++)
			n += !is_listed(r, a->entry[i].point) &&
			     estimate(r, a, i) > score_of_winner(r, arm);
	}
	return n;
}

/* ---- the shortlist ---- */

static int lengthen(struct recommend *r, const struct wanted *w,
		    struct problem *p)
{
	size_t arms = r->sweep.arms.n, old = r->n_shortlist, n = old + w->n;
	size_t *list = realloc(r->shortlist, (n + 1) * sizeof *list);
	if (!list)
		return problem_no_memory(p);
	r->shortlist = list;
	double *score = realloc(r->score, (arms * n + 1) * sizeof *score);
	if (!score)
		return problem_no_memory(p);
	r->score = score;
	struct recommend_found *found = calloc(arms * n + 1, sizeof *found);
	if (!found)
		return problem_no_memory(p);
	for (size_t i = 0; i < arms; i++)
		memcpy(found + i * n, r->found + i * old, old * sizeof *found);
	free(r->found);
	r->found = found;
	memcpy(list + old, w->point, w->n * sizeof *list);
	r->n_shortlist = n;
	return 0;
}

static int is_spent(const struct recommend *r)
{
	uint64_t n = 0;
	for (size_t i = 0; i < r->sweep.arms.n; i++)
		n = r->arm[i].race.simulations > n ? r->arm[i].race.simulations
						   : n;
	return r->from->budget && n >= (uint64_t)r->from->budget;
}

int look_again(struct recommend *r, struct problem *p)
{
	size_t arms = r->sweep.arms.n;
	judge(r);
	for (int i = 0; i < LOOKS && !is_spent(r); i++) {
		struct wanted w = {
		    .point = calloc(arms * (r->n_shortlist + LOOK_ROWS) + 1,
				    sizeof *w.point)};
		if (!w.point)
			return problem_no_memory(p);
		for (size_t arm = 0; arm < arms; arm++) {
			want_fleets(r, arm, &w);
			want_better(r, arm, &w);
		}
		int is_over = w.n == 0;
		int rc = is_over ? 0 : lengthen(r, &w, p);
		free(w.point);
		if (rc == 0 && !is_over)
			rc = phase_run(r, PHASE_SEARCH, p);
		if (rc < 0 || is_over)
			return rc;
		judge(r);
	}
	r->n_unsearched = count_better(r);
	return 0;
}
