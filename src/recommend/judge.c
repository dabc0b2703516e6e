/* judge.c -- Names the winner of each arm, from the full searches of the
 * shortlist. */
#include "recommend/judge.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct recommend_found *recommend_found(const struct recommend *r,
					      size_t arm, size_t k)
{
	return &r->found[arm * r->n_shortlist + k];
}

int recommend_asks_fleet(const struct recommend *r)
{
	int is_least =
	    r->objective == OBJECTIVE_GPUS || r->objective == OBJECTIVE_USD;
	return r->from->rate > 0 && is_least && !r->is_closed &&
	       !r->from->one_draw && !r->is_timed;
}

static int is_number_of_replicas(const char *key)
{
	const char *dot = strrchr(key, '.');
	return dot &&
	       (!strcmp(dot, ".replicas") || !strcmp(dot, ".prefill_replicas"));
}

int recommend_same_unit(const struct recommend *r,
			const struct recommend_arm *of, size_t a, size_t b)
{
	const struct plan *l = &r->sweep.plan;
	double gpus_a = of->survey[a].gpus, gpus_b = of->survey[b].gpus;
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

int recommend_serves(const struct recommend *r, const struct recommend_found *f)
{
	return f->is_done && f->capacity.verdict == CAPACITY_FOUND &&
	       f->capacity.request_rate >=
		   r->from->rate * (1 - r->from->precision);
}

double recommend_score(const struct recommend *r,
		       const struct recommend_found *f)
{
	const struct capacity *c = &f->capacity;
	double per = 1;
	if (!f->is_done)
		return NAN;
	if (c->verdict != CAPACITY_FOUND)
		return 0;
	if (r->objective == OBJECTIVE_USD && f->survey.usd_per_hour > 0)
		per = f->survey.usd_per_hour;
	if (r->objective == OBJECTIVE_GPUS)
		per = f->survey.gpus;
	if (r->objective == OBJECTIVE_ENERGY) {
		int serves = r->is_closed || recommend_serves(r, f);
		return serves && f->joules_per_token > 0
			   ? 1 / f->joules_per_token
			   : 0;
	}
	if (r->from->rate > 0 && r->objective != OBJECTIVE_RATE)
		return recommend_serves(r, f) ? 1 / per : 0;
	return (r->is_closed ? c->output_throughput : c->request_rate) / per;
}

static int has_vote(const struct recommend_found *f)
{
	return f->is_done &&
	       (f->trusted.support.verdict == SUPPORT_MEASURED ||
		f->trusted.support.verdict == SUPPORT_EXTRAPOLATED);
}

/* Rows with scores this close are alike; with a rate to serve, only equal
 * ones. */
static double margin(const struct recommend *r)
{
	return recommend_asks_fleet(r) ? 0 : 0.03;
}

/* The score where the arm errs by as much as elsewhere; 0: it is not known, or
 * nothing is served. */
static double pessimistic_score(const struct recommend_found *f, double score)
{
	const struct capacity *c = &f->capacity, *pessimistic = &f->pessimistic;
	if (!f->has_pessimistic || pessimistic->verdict != CAPACITY_FOUND)
		return 0;
	if (c->question == QUESTION_FLEET)
		return 1.0 / pessimistic->units_high;
	return c->request_rate > 0
		   ? score * pessimistic->request_rate / c->request_rate
		   : 0;
}

static double usd(const struct recommend_found *f)
{
	return f->survey.usd_per_hour > 0 ? f->survey.usd_per_hour : 0;
}

/* Returns 1 if row a goes before b where both are equally good: the one that
 * has a rate even if its arm errs; the greater of these rates; the cheaper; the
 * one with fewer GPUs; the earlier. */
static int is_preferred(const struct recommend *r, size_t arm, size_t a,
			size_t b)
{
	const double *score = r->score + arm * r->n_shortlist;
	const struct recommend_found *x = recommend_found(r, arm, a);
	const struct recommend_found *y = recommend_found(r, arm, b);
	double pessimistic_x = pessimistic_score(x, score[a]);
	double pessimistic_y = pessimistic_score(y, score[b]);
	if (pessimistic_x > pessimistic_y * (1 + margin(r)) ||
	    pessimistic_y > pessimistic_x * (1 + margin(r)))
		return pessimistic_x > pessimistic_y;
	if (usd(x) != usd(y))
		return usd(x) < usd(y);
	if (x->survey.gpus != y->survey.gpus)
		return x->survey.gpus < y->survey.gpus;
	return r->shortlist[a] < r->shortlist[b];
}

/* Returns the place of the arm's winner on the shortlist, by the full searches;
 * SIZE_MAX: it has none.  The winner of the race, if nothing was found. */
static size_t settled(const struct recommend *r, size_t arm)
{
	size_t m = r->n_shortlist, own = SIZE_MAX, best = SIZE_MAX;
	const double *score = r->score + arm * m;
	double most = 0;
	for (size_t k = 0; k < m; k++) {
		most = fmax(most, score[k]);
		if (r->shortlist[k] == r->arm[arm].winner)
			own = k;
	}
	for (size_t k = 0; most > 0 && k < m; k++)
		if (score[k] > 0 && score[k] >= most * (1 - margin(r)) &&
		    (best == SIZE_MAX || is_preferred(r, arm, k, best)))
			best = k;
	return best != SIZE_MAX ? best : own;
}

static void take_winner(struct recommend_arm *a, size_t point)
{
	if (a->runner_up == point)
		a->runner_up = a->winner;
	a->winner = point;
}

void judge(struct recommend *r)
{
	size_t n = r->sweep.arms.n, m = r->n_shortlist;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < m; k++)
			r->score[i * m + k] =
			    recommend_score(r, recommend_found(r, i, k));
		r->best[i] = settled(r, i);
		if (r->best[i] == SIZE_MAX)
			continue;
		take_winner(&r->arm[i], r->shortlist[r->best[i]]);
		r->votes[i] = has_vote(recommend_found(r, i, r->best[i]));
	}
	r->regret = (struct regret){.n = n,
				    .winner = r->best,
				    .n_configs = m,
				    .score = r->score,
				    .votes = r->votes};
}
