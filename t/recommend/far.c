/* Which shapes are searched at the far end of intervals, and which of them is
 * better there. */
#include "recommend/far.h"
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
static struct recommend_found found[1] = {
    {.is_done = 1, .support = {.verdict = SUPPORT_MEASURED}}};
static size_t best[1];
static struct recommend r = {.from = &from,
			     .sweep.arms.n = 1,
			     .objective = OBJECTIVE_RATE,
			     .arm = &arm,
			     .n_shortlist = 1,
			     .found = found,
			     .best = best,
			     .base_rate = 2};

static void lists(void)
{
	far_list(&r, 0);
	ok(arm.n_far == 3 && arm.far[0].entry == 0 && arm.far[1].entry == 2 &&
	       arm.far[2].entry == 3,
	   "the winner, and the best of two other shapes of its level");
	ok(!far_is_known(&arm) && far_rival(&r, 0) == 0,
	   "nothing is known yet");
	track[2].met = track[1].met = track[3].met = 0;
	far_list(&r, 0);
	ok(arm.n_far == 1, "only one shape met the bounds");
	track[1].met = 2, track[2].met = 3, track[3].met = 2.5;
	found[0].support.verdict = SUPPORT_NOT_SCORED;
	far_list(&r, 0);
	ok(arm.n_far == 0, "without scored runs there is no interval");
	found[0].support.verdict = SUPPORT_MEASURED;
	best[0] = SIZE_MAX;
	far_list(&r, 0);
	ok(arm.n_far == 0, "nor without a winner");
	best[0] = 0;
	far_list(&r, 0);
}

static void ends(double winner, double second, double third)
{
	const double scale[3] = {winner, second, third};
	for (size_t k = 0; k < 3; k++) {
		arm.far[k].is_done = arm.far[k].has_interval = 1;
		arm.far[k].scale = scale[k];
	}
}

static void rivals(void)
{
	ends(1, 0.9, 0.5);
	ok(far_is_known(&arm) && far_rival(&r, 0) == 0, "it stands");
	ok(far_rate(&r, 0, 0) == 2, "requests/s");
	ends(1, 1.01, 0.5);
	ok(far_rival(&r, 0) == 0, "within the precision it stands, too");
	ends(1, 1.1, 1.2);
	ok(far_rival(&r, 0) == 2, "the best of those that are better");
	ends(0, 0, 0.1);
	ok(far_rival(&r, 0) == 2, "one that meets the bounds at all");
	entry[3].weight = 100;
	ends(1, 0.5, 2);
	ok(far_rival(&r, 0) == 0, "rates count by what they cost");
	entry[3].weight = 1;
	r.is_closed = 1;
	ok(far_rate(&r, 0, 2) == 2, "tokens/s of a closed loop");
	r.is_closed = 0;
	arm.far[0].has_interval = 0;
	ok(!far_is_known(&arm) && far_rival(&r, 0) == 0,
	   "without an interval there is nothing to say");
}

int main(void)
{
	lists();
	rivals();
	return done();
}
