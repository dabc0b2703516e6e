/* The Pareto front of runs that met the bounds. */
#include "recommend/pareto.h"
#include <stdlib.h>
#include "tap.h"

static struct problem why;

static void the_front(void)
{
	struct work_survey takes[2] = {{.gpus = 1}, {.gpus = 2}};
	struct recommend r = {
	    .front = {RECOMMEND_TOKENS_PER_GPU, RECOMMEND_TOKENS_PER_USER}};
	struct recommend_arm a = {.survey = takes};
	const struct work_served run[] = {
	    {1, 100, 10, 1}, {1, 300, 10, 1}, {1, 100, 10, 1}, {1, 150, 50, 1}};
	const size_t point[] = {1, 1, 1, 0};
	int rc = 0;
	for (size_t i = 0; i < 4; i++)
		rc |= pareto_add(&a, point[i], &run[i], &why);
	ok(rc == 0 && pareto_mark(&r, &a, &why) == 0 && a.n_met == 3,
	   "a run that came twice counts once");
	ok(a.met[0].point == 0 && !a.met[0].is_on_front,
	   "as many tokens of a GPU, but slower for users");
	ok(!a.met[1].is_on_front && a.met[2].is_on_front,
	   "of equal speed the one with more tokens");
	free(a.met);
}

static void the_ladder(void)
{
	struct race_entry entry[3] = {{.shape = 1}, {.shape = 1}, {.shape = 2}};
	struct race_track track[3] = {{.met = 2}, {.met = 4}, {.asked = 0}};
	struct recommend_arm a = {
	    .entry = entry, .n = 3, .race = {.track = track, .n = 3}};
	ok(pareto_rate_steps(&a, &why) == 0 && a.n_rate_steps == 1 &&
	       a.rate_steps[0] == 1,
	   "of each shape that can serve the one that reached most");
	near(pareto_rate_step(&a, 1, 0), 0.8, 1e-12, "from a fifth");
	near(pareto_rate_step(&a, 1, PARETO_RUNGS - 1), 4, 1e-12,
	     "to all of it");
	free(a.rate_steps);
}

int main(void)
{
	the_front();
	the_ladder();
	return done();
}
