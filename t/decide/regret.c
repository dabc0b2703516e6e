/* What a choice loses if another arm is right. */
#include "decide/regret.h"
#include <stdint.h>
#include "tap.h"

/* Two configurations, three arms: the last one chooses otherwise. */
static double score[] = {25, 18, 24, 17.9, 24, 31.5};
static size_t winner[] = {0, 0, 1};
static int votes[] = {1, 1, 0};
static struct regret r = {
    .n = 3, .winner = winner, .n_configs = 2, .score = score, .votes = votes};

int main(void)
{
	near(regret_of(&r, 2, 0), 1 - 18.0 / 25, 1e-12, "it loses");
	ok(regret_of(&r, 0, 1) == 0, "two that choose alike lose nothing");
	near(regret_of(&r, 0, 2), 1 - 24 / 31.5, 1e-12, "and the other way");
	ok(regret_agreement(&r, 0.05, 0) == AGREE_DEPENDS,
	   "the choice depends on the arm");
	ok(regret_agreement(&r, 0.05, 1) == AGREE_ROBUST,
	   "among those with a vote it does not");
	ok(regret_agreement(&r, 0.5, 0) == AGREE_ROBUST,
	   "nor if a half is little");
	votes[0] = 0;
	ok(regret_agreement(&r, 0.05, 1) == AGREE_ONE_ARM, "one vote is alone");
	votes[1] = 0;
	ok(!regret_any_votes(&r) &&
	       regret_agreement(&r, 0.05, 1) == AGREE_DEPENDS,
	   "without any vote all count");
	winner[0] = SIZE_MAX;
	ok(isnan(regret_of(&r, 0, 1)),
	   "an arm without a winner chooses nothing");
	winner[1] = winner[2] = SIZE_MAX;
	ok(regret_agreement(&r, 0.05, 0) == AGREE_NONE, "no winner at all");
	is(agreement_name[AGREE_DEPENDS], "depends", "names");
	winner[0] = 1;
	score[2] = score[3] = 0;
	ok(isnan(regret_of(&r, 0, 1)), "where nothing serves, nothing is lost");
	score[2] = 10;
	ok(regret_of(&r, 0, 1) == 1, "a choice that does not serve loses all");
	return done();
}
