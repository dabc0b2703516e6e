/* pessimistic.c -- Compares the first shapes at the pessimistic end of
 * intervals. */
#include "recommend/pessimistic.h"
#include "recommend/judge.h"

static int has_shape(const struct recommend_arm *a, uint64_t shape)
{
	for (size_t k = 0; k < a->n_pessimistic; k++)
		if (a->entry[a->pessimistic[k].entry].shape == shape)
			return 1;
	return 0;
}

static size_t entry_of(const struct recommend_arm *a, size_t point)
{
	size_t i = 0;
	while (i < a->n && a->entry[i].point != point)
		i++;
	return i;
}

/* A row that was searched in full, by its pessimistic answer. */
static void add(const struct recommend *r, struct recommend_arm *a, size_t arm,
		size_t k)
{
	const struct recommend_found *f = recommend_found(r, arm, k);
	const struct capacity *c = &f->pessimistic;
	size_t entry = entry_of(a, r->shortlist[k]);
	if (entry == a->n || !f->is_done ||
	    f->capacity.verdict != CAPACITY_FOUND)
		return;
	int is_fleet = f->capacity.question == QUESTION_FLEET;
	double rate = is_fleet ? r->from->rate : c->request_rate;
	a->pessimistic[a->n_pessimistic++] = (struct recommend_pessimistic){
	    .entry = entry,
	    .is_done = 1,
	    .has_interval = f->has_pessimistic,
	    .scale = c->verdict != CAPACITY_FOUND ? 0
		     : r->is_closed               ? c->output_throughput
						  : rate / r->base_rate};
	a->pessimistic_runs += c->simulations;
}

/* The row of the greatest score with a shape that is not listed; SIZE_MAX:
 * there is none. */
static size_t next_best(const struct recommend *r,
			const struct recommend_arm *a, size_t arm)
{
	const double *score = r->score + arm * r->n_shortlist;
	size_t best = SIZE_MAX;
	for (size_t k = 0; k < r->n_shortlist; k++) {
		size_t entry = entry_of(a, r->shortlist[k]);
		if (entry < a->n && score[k] > 0 &&
		    !has_shape(a, a->entry[entry].shape) &&
		    (best == SIZE_MAX || score[k] > score[best]))
			best = k;
	}
	return best;
}

void pessimistic_list(const struct recommend *r, size_t arm)
{
	struct recommend_arm *a = &r->arm[arm];
	size_t k = r->best[arm];
	a->n_pessimistic = 0;
	a->pessimistic_runs = 0;
	if (k == SIZE_MAX || r->objective == OBJECTIVE_ENERGY ||
	    !recommend_found(r, arm, k)->has_pessimistic)
		return;
	while (k != SIZE_MAX && a->n_pessimistic < PESSIMISTIC_SHAPES) {
		size_t before = a->n_pessimistic;
		add(r, a, arm, k);
		if (a->n_pessimistic == before)
			break;
		k = next_best(r, a, arm);
	}
}

int pessimistic_is_known(const struct recommend_arm *a)
{
	return a->n_pessimistic && a->pessimistic[0].is_done &&
	       a->pessimistic[0].has_interval;
}

size_t pessimistic_rival(const struct recommend *r, size_t arm)
{
	const struct recommend_arm *a = &r->arm[arm];
	size_t best = 0;
	double most = 0;
	for (size_t k = 0; pessimistic_is_known(a) && k < a->n_pessimistic;
	     k++) {
		double is = a->pessimistic[k].scale /
			    a->entry[a->pessimistic[k].entry].weight;
		if (k == 0)
			most = is * (1 + r->from->precision);
		else if (is > most) {
			most = is;
			best = k;
		}
	}
	return best;
}

double pessimistic_rate(const struct recommend *r, size_t arm, size_t k)
{
	double scale = r->arm[arm].pessimistic[k].scale;
	return r->is_closed ? scale : scale * r->base_rate;
}
