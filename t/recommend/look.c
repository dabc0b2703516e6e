/* A second search is tested by t/1401-one-answer.t; here that it
 * ends at once where nothing may be better. */
#include "recommend/look.h"
#include "tap.h"

static struct race_entry entry[2] = {{.point = 10, .weight = 1},
				     {.point = 11, .weight = 1}};
static struct race_track track[2] = {{.met = 5}, {.met = 4}};
static struct recommend_arm arm = {
    .entry = entry, .n = 2, .winner = 10, .race = {.track = track, .n = 2}};
static struct recommend_request from = {.precision = 0.02};
static size_t shortlist[1] = {10}, best[1];
static struct recommend_found found[1] = {
    {.is_wanted = 1, .is_done = 1, .capacity = {.request_rate = 9}}};
static int votes[1];
static double score[1];

int main(void)
{
	struct problem p;
	struct recommend r = {.from = &from,
			      .sweep.arms.n = 1,
			      .objective = OBJECTIVE_RATE,
			      .arm = &arm,
			      .shortlist = shortlist,
			      .n_shortlist = 1,
			      .found = found,
			      .best = best,
			      .votes = votes,
			      .score = score,
			      .base_rate = 2};
	ok(look_again(&r, &p) == 0 && r.n_shortlist == 1 && best[0] == 0 &&
	       r.n_unsearched == 0,
	   "the winner serves 9, the other row 8 in the race: it ends");
	track[1].met = 5;
	from.budget = 1;
	arm.race.simulations = 1;
	ok(look_again(&r, &p) == 0 && r.n_unsearched == 1,
	   "at the budget a row that may be better is left, and counted");
	return done();
}
