/* Which configurations are searched to hold the race to its guarantee. */
#include "recommend/verify.h"
#include <stdlib.h>
#include "tap.h"

enum { N = 6 };
static struct race_entry entry[N];
static struct race_track track[N];
static struct recommend_arm arm;
static struct problem why;

static void begin(void)
{
	free(arm.checked);
	for (int i = 0; i < N; i++) {
		entry[i].weight = i == 5 ? 2 : 1;
		track[i].state = i ? RACE_OUT : RACE_MET;
	}
	arm = (struct recommend_arm){
	    .entry = entry,
	    .n = N,
	    .race = {.best = 0, .best_scale = 10, .track = track}};
}

static int is_out(size_t i)
{
	return arm.checked[i] > 0 && arm.checked[i] < N;
}

int main(void)
{
	size_t first[2];
	begin();
	ok(verify_draw(&arm, 1, 2, &why) == 0 && arm.n_checked == 2 &&
	       is_out(0) && is_out(1) && arm.checked[0] != arm.checked[1],
	   "two of those that are out");
	first[0] = arm.checked[0], first[1] = arm.checked[1];
	begin();
	ok(verify_draw(&arm, 1, 2, &why) == 0 && arm.checked[0] == first[0] &&
	       arm.checked[1] == first[1],
	   "the same for the same seed");
	begin();
	ok(verify_draw(&arm, 1, 100, &why) == 0 && arm.n_checked == N - 1,
	   "all, if there are no more");
	verify_take(&arm, 1, 9);
	near(arm.checked_share, .9, 1e-12, "the share of the winner's rate");
	verify_take(&arm, 5, 30);
	near(arm.checked_share, 1.5, 1e-12, "the largest, by weight");
	verify_take(&arm, 2, 0);
	near(arm.checked_share, 1.5, 1e-12, "one that meets no bound is none");
	begin();
	arm.race.best = RACE_NONE;
	ok(verify_draw(&arm, 1, 9, &why) == 0 && arm.n_checked == 0,
	   "none without a winner");
	free(arm.checked);
	return done();
}
