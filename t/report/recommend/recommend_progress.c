/* How far a recommendation is. */
#include "report/recommend/recommend_progress.h"
#include "rendered.h"

static const char *line_of(const struct recommend *r)
{
	const struct progress_state s = recommend_progress_of(r);
	progress_write(rendered_begin(), &s, 12.4);
	return rendered_end();
}

int main(void)
{
	struct recommend_arm arm[2] = {{.n = 4, .race = {.n_tried = 1}},
				       {.n = 6, .race = {.n_tried = 2}}};
	struct recommend r = {.simulations = 9, .base_rate = 2};
	is(line_of(&r), "preparing configurations, 12 s",
	   "before there are arms");
	r.arm = arm;
	r.sweep.arms.n = 2;
	is(line_of(&r),
	   "3 of 10 configurations tried, 9 simulations, 12 s, 29 s left",
	   "in the race");
	arm[0].race.best_scale = 3, arm[0].race.n_incumbents = 1;
	arm[1].race.best_scale = 9;
	is(line_of(&r),
	   "3 of 10 configurations tried, 9 simulations, 12 s, 29 s left, "
	   "best 6 requests/s",
	   "with the best of those that won");
	arm[0].race.n_tried = 4, arm[1].race.n_tried = 6;
	is(line_of(&r),
	   "10 of 10 configurations tried, 9 simulations, 12 s, best 6 "
	   "requests/s",
	   "once the races are over");
	struct recommend_found found[4] = {{.is_wanted = 1, .is_done = 1},
					   {.is_wanted = 1},
					   {.is_wanted = 1},
					   {0}};
	r.found = found;
	r.n_shortlist = 2;
	is(line_of(&r),
	   "1 of 3 full searches, 9 simulations, 12 s, 25 s left, best 6 "
	   "requests/s",
	   "in the full searches, of which the last row wants none");
	return done();
}
