/* judge.c -- Names the winner of each arm, from the full searches of the
 * shortlist. */
#include <config.h>
#include "recommend/judge.h"

const struct recommend_found *recommend_found(const struct recommend *r,
					      size_t arm, size_t k)
{
	return &r->found[arm * r->n_shortlist + k];
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
	if (!f->is_done || c->verdict != CAPACITY_FOUND)
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
	return f->is_done && (f->support.verdict == SUPPORT_MEASURED ||
			      f->support.verdict == SUPPORT_EXTRAPOLATED);
}

/* Returns the place of the arm's winner on the shortlist; SIZE_MAX: it has
 * none.  A race takes one run a rate, and the search may find that its winner
 * does not serve the load after all: then it is the best one that does. */
static size_t settled(const struct recommend *r, size_t arm)
{
	size_t m = r->n_shortlist, own = SIZE_MAX, best = SIZE_MAX;
	const double *score = r->score + arm * m;
	for (size_t k = 0; k < m; k++) {
		if (r->shortlist[k] == r->arm[arm].winner)
			own = k;
		if (score[k] > 0 &&
		    (best == SIZE_MAX || score[k] > score[best]))
			best = k;
	}
	return own != SIZE_MAX && !(score[own] > 0) && best != SIZE_MAX ? best
									: own;
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
