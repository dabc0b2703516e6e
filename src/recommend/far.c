/* far.c -- Compares the first shapes at the far end of intervals. */
#include <config.h>
#include "recommend/far.h"
#include "recommend/judge.h"

static double score(const struct recommend_arm *a, size_t entry)
{
	return a->race.track[entry].met / a->entry[entry].weight;
}

static int has_shape(const struct recommend_arm *a, uint64_t shape)
{
	for (size_t k = 0; k < a->n_far; k++)
		if (a->entry[a->far[k].entry].shape == shape)
			return 1;
	return 0;
}

/* The best entry of a shape that is not listed; a->n: none.  Equal ones stay in
 * the order of their points. */
static size_t next_best(const struct recommend_arm *a)
{
	double level = a->entry[a->far[0].entry].level;
	size_t best = a->n;
	for (size_t i = 0; i < a->n; i++)
		if (a->race.track[i].met > 0 && !(a->entry[i].level > level) &&
		    !has_shape(a, a->entry[i].shape) &&
		    (best == a->n || score(a, i) > score(a, best)))
			best = i;
	return best;
}

static void add(struct recommend_arm *a, size_t entry)
{
	if (entry < a->n && a->race.track[entry].met > 0)
		a->far[a->n_far++] = (struct recommend_far){.entry = entry};
}

void far_list(const struct recommend *r, size_t arm)
{
	struct recommend_arm *a = &r->arm[arm];
	size_t winner = 0, k = r->best[arm];
	a->n_far = 0;
	if (k == SIZE_MAX || r->objective == OBJECTIVE_ENERGY ||
	    recommend_found(r, arm, k)->support.verdict == SUPPORT_NOT_SCORED)
		return;
	while (winner < a->n && a->entry[winner].point != a->winner)
		winner++;
	add(a, winner);
	while (a->n_far && a->n_far < FAR_SHAPES) {
		size_t before = a->n_far;
		add(a, next_best(a));
		if (a->n_far == before)
			break;
	}
}

int far_is_known(const struct recommend_arm *a)
{
	return a->n_far && a->far[0].is_done && a->far[0].has_interval;
}

size_t far_rival(const struct recommend *r, size_t arm)
{
	const struct recommend_arm *a = &r->arm[arm];
	size_t best = 0;
	double most = 0;
	for (size_t k = 0; far_is_known(a) && k < a->n_far; k++) {
		double is = a->far[k].scale / a->entry[a->far[k].entry].weight;
		if (k == 0)
			most = is * (1 + r->from->precision);
		else if (is > most) {
			most = is;
			best = k;
		}
	}
	return best;
}

double far_rate(const struct recommend *r, size_t arm, size_t k)
{
	double scale = r->arm[arm].far[k].scale;
	return r->is_closed ? scale : scale * r->base_rate;
}
