/* How far a recommendation is. */
#include "report/recommend/recommend_progress.h"
#include <stdlib.h>
#include "tap.h"

static const char *line_of(const struct recommend *r)
{
	static char text[200];
	FILE *f = fmemopen(text, sizeof text, "w");
	recommend_progress_write(f, r, 12.4);
	fclose(f);
	return text;
}

int main(void)
{
	struct recommend_arm arm[2] = {{.n = 4, .race = {.n_tried = 1}},
				       {.n = 6, .race = {.n_tried = 2}}};
	struct recommend r = {.simulations = 9};
	struct recommend_progress p;
	is(line_of(&r), "9 simulations, 12 s", "before there are arms");
	r.arm = arm;
	r.sweep.arms.n = 2;
	is(line_of(&r), "3 of 10 configurations tried, 9 simulations, 12 s",
	   "in the race");
	arm[0].race.n_tried = 4, arm[1].race.n_tried = 6;
	is(line_of(&r), "9 simulations, 12 s", "once the races are over");
	recommend_progress_begin(&p, 1);
	recommend_progress_show(&p, &r);
	recommend_progress_end(&p);
	ok(!p.wanted && !p.shown, "with --quiet there is no line");
	return done();
}
