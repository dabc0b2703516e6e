/* The searched rows if an arm errs by as much as elsewhere, and which of them
 * is better then. */
#include "recommend/pessimistic.h"
#include "tap.h"

enum { N = 6 };
static struct recommend_request from = {.precision = 0.02};
static struct race_entry entry[N] = {
    {.point = 10, .shape = 1, .weight = 1},
    {.point = 11, .shape = 2, .weight = 1},
    {.point = 12, .shape = 2, .weight = 1},
    {.point = 13, .shape = 3, .weight = 1},
    {.point = 14, .shape = 4, .weight = 1},
    {.point = 15, .shape = 5, .weight = 1, .level = 1}};
static struct race_track track[N] = {{.met = 4},   {.met = 2}, {.met = 3},
				     {.met = 2.5}, {.met = 0}, {.met = 9}};
static struct recommend_arm arm = {
    .entry = entry, .n = N, .winner = 10, .race = {.track = track, .n = N}};
enum { ROWS = 4 };
static size_t shortlist[ROWS] = {10, 12, 13, 11};
static double score[ROWS] = {4, 3, 2.5, 3.5};
static struct recommend_found found[ROWS];
static size_t best[1];
static struct recommend r = {.from = &from,
			     .sweep.arms.n = 1,
			     .objective = OBJECTIVE_RATE,
			     .arm = &arm,
			     .shortlist = shortlist,
			     .n_shortlist = ROWS,
			     .found = found,
			     .score = score,
			     .best = best,
			     .base_rate = 2};

static void fresh(void)
{
	for (int k = 0; k < ROWS; k++)
		found[k] = (struct recommend_found){
		    .is_done = 1,
		    .trusted.support = {.verdict = SUPPORT_MEASURED},
		    .has_pessimistic = 1,
		    .pessimistic = {.request_rate = score[k] / 2,
				    .simulations = 7}};
}

static void lists(void)
{
	fresh();
	pessimistic_list(&r, 0);
	ok(arm.n_pessimistic == 3 && arm.pessimistic[0].entry == 0 &&
	       arm.pessimistic[1].entry == 1 && arm.pessimistic[2].entry == 3,
	   "the winner, and the best of two other shapes");
	ok(pessimistic_is_known(&arm) && pessimistic_rate(&r, 0, 0) == 2 &&
	       arm.pessimistic_runs == 21,
	   "by the answers of their searches");
	found[0].pessimistic.verdict = CAPACITY_NONE;
	pessimistic_list(&r, 0);
	ok(pessimistic_rate(&r, 0, 0) == 0 && pessimistic_rival(&r, 0) == 1,
	   "no rate meets the bounds, and another row is better");
	found[0].has_pessimistic = 0;
	pessimistic_list(&r, 0);
	ok(arm.n_pessimistic == 0, "nothing without an interval");
	fresh();
	best[0] = SIZE_MAX;
	pessimistic_list(&r, 0);
	ok(arm.n_pessimistic == 0, "nor without a winner");
	best[0] = 0;
	pessimistic_list(&r, 0);
}

static void ends(double winner, double second, double third)
{
	const double scale[3] = {winner, second, third};
	for (size_t k = 0; k < 3; k++) {
		arm.pessimistic[k].is_done = arm.pessimistic[k].has_interval =
		    1;
		arm.pessimistic[k].scale = scale[k];
	}
}

static void rivals(void)
{
	ends(1, 0.9, 0.5);
	ok(pessimistic_is_known(&arm) && pessimistic_rival(&r, 0) == 0,
	   "it stands");
	ok(pessimistic_rate(&r, 0, 0) == 2, "requests/s");
	ends(1, 1.01, 0.5);
	ok(pessimistic_rival(&r, 0) == 0,
	   "within the precision it stands, too");
	ends(1, 1.1, 1.2);
	ok(pessimistic_rival(&r, 0) == 2, "the best of those that are better");
	ends(0, 0, 0.1);
	ok(pessimistic_rival(&r, 0) == 2, "one that meets the bounds at all");
	entry[3].weight = 100;
	ends(1, 0.5, 2);
	ok(pessimistic_rival(&r, 0) == 0, "rates count by what they cost");
	entry[3].weight = 1;
	r.is_closed = 1;
	ok(pessimistic_rate(&r, 0, 2) == 2, "tokens/s of a closed loop");
	r.is_closed = 0;
	arm.pessimistic[0].has_interval = 0;
	ok(!pessimistic_is_known(&arm) && pessimistic_rival(&r, 0) == 0,
	   "without an interval there is nothing to say");
}

int main(void)
{
	lists();
	rivals();
	return done();
}
