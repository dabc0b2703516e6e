/* recommend_progress.c -- Writes the progress of a recommendation. */
#include "report/recommend/recommend_progress.h"
#include <inttypes.h>

/* Returns the best of all races so far, requests/s; 0: there is none. */
static double best_rate(const struct recommend *r)
{
	double best = 0;
	for (size_t i = 0; i < r->sweep.arms.n; i++) {
		const struct race *race = &r->arm[i].race;
		double rate = race->best_scale * r->base_rate;
		if (race->n_incumbents && rate > best)
			best = rate;
	}
	return best;
}

/* Full searches take most of the time. */
static void count_searches(const struct recommend *r, struct progress_state *s)
{
	s->unit = "full searches";
	s->all = s->done = 0;
	for (size_t i = 0; i < r->sweep.arms.n * r->n_shortlist; i++) {
		s->all += r->found[i].is_wanted != 0;
		s->done += r->found[i].is_done != 0;
	}
}

struct progress_state recommend_progress_of(const struct recommend *r)
{
	struct progress_state s = {.unit = "configurations tried"};
	for (size_t i = 0; r->arm && i < r->sweep.arms.n; i++) {
		s.all += r->arm[i].n;
		s.done += r->arm[i].race.n_tried;
	}
	if (!s.all) {
		s.unit = "preparing configurations";
		return s;
	}
	if (r->found)
		count_searches(r, &s);
	snprintf(s.more, sizeof s.more, ", %" PRIu64 " simulations",
		 r->simulations);
	if (!r->is_closed && best_rate(r) > 0)
		snprintf(s.best, sizeof s.best, "%.3g requests/s",
			 best_rate(r));
	return s;
}

void recommend_progress_show(void *user, const struct recommend *r)
{
	struct progress_meter *p = user;
	if (!progress_is_due(p))
		return;
	const struct progress_state s = recommend_progress_of(r);
	progress_line(p, &s);
}
