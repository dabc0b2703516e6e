/* Ranks on each set, and places over all sets. */
#include "arena/arena.h"
#include "ranked.h"

enum { NEAR_ARM, FAR_ARM, BAD_ARM, KNOWN_ARM };

static const struct arena_overall *overall_of(size_t arm)
{
	for (size_t i = 0; i < arena.n_arms; i++)
		if (arena.overall[i].arm == arm)
			return &arena.overall[i];
	return NULL;
}

static double mean_of(const struct arena_set *s, size_t arm)
{
	return s->score.arm[arm].regime[REGIME_ALL].of[FIGURE_MEAN];
}

static void on_a_set(void)
{
	const struct arena_set *one = &arena.set[0], *two = &arena.set[1];
	ok(arena.n == 2 && arena.n_arms == 4, "two sets, four arms");
	is(one->name, "one", "a set is named after its file");
	ok(one->best == NEAR_ARM && !one->arm[NEAR_ARM].to_best,
	   "the nearest arm is the best");
	ok(one->arm[FAR_ARM].to_best &&
	       one->arm[FAR_ARM].to_best->verdict != PAIR_UNDECIDED,
	   "another one has an interval to it");
	/* near and known are one in 101 and 100, both nearer than far */
	ok(one->arm[FAR_ARM].rank[0] == 3 && one->arm[FAR_ARM].rank[1] == 3,
	   "ranks are among three arms: %zu to %zu", one->arm[FAR_ARM].rank[0],
	   one->arm[FAR_ARM].rank[1]);
	ok(!one->arm[BAD_ARM].has_most && !one->arm[BAD_ARM].rank[0] &&
	       strstr(arena_why(one, BAD_ARM), "total_us = 0"),
	   "an arm that fails has no rank, and a reason");
	ok(!arena_why(one, NEAR_ARM), "one that prices all has none");
	ok(two->best == FAR_ARM && two->arm[FAR_ARM].rank[0] == 1,
	   "the second set has another best");
}

static void over_all(void)
{
	const struct arena_overall *o = overall_of(NEAR_ARM);
	double logs = 0;
	for (size_t i = 0; i < 2; i++)
		logs += log(mean_of(&arena.set[i], NEAR_ARM) /
			    mean_of(&arena.set[i], FAR_ARM));
	ok(arena.n_with_baseline == 2, "both sets have a baseline");
	near(1 - o->skill, exp(logs / 2), 1e-12,
	     "skill is 1 - the geometric mean of the ratios");
	near(overall_of(FAR_ARM)->skill, 0, 1e-12, "the baseline's is 0");
	ok(o->sets == 2 && isnan(overall_of(BAD_ARM)->skill) &&
	       !overall_of(BAD_ARM)->place && overall_of(BAD_ARM)->sets == 0,
	   "an arm that lacks sets has none");
	ok(arena_beats_baseline(&arena.set[0], NEAR_ARM) &&
	       !arena_beats_baseline(&arena.set[1], NEAR_ARM) &&
	       !arena_beats_baseline(&arena.set[0], FAR_ARM),
	   "an arm beats the baseline where it is nearer");
	ok(arena.overall[arena.n_arms - 1].arm == BAD_ARM, "and stands last");
}

static void fitted(void)
{
	ranked_fitted("const_step,one.csv,yes\n");
	ranked_open("far");
	ok(arena.set[0].best == SIZE_MAX && !arena.set[0].arm[0].rank[0] &&
	       arena.set[0].arm[0].has_most,
	   "an arm that was fitted to a set has no rank there");
	ok(!arena_beats_baseline(&arena.set[0], NEAR_ARM),
	   "and beats no baseline");
	ok(!overall_of(NEAR_ARM)->place &&
	       overall_of(NEAR_ARM)->fitted_to == 1 &&
	       !isnan(overall_of(NEAR_ARM)->skill),
	   "it has a skill and no place");
	ok(arena.set[1].best != SIZE_MAX, "other sets have ranks");
}

int main(void)
{
	scratch_open();
	ranked_fitted("");
	ranked_open("far");
	on_a_set();
	over_all();
	fitted();
	ranked_fitted("");
	ranked_open("none");
	ok(arena.n_with_baseline == 0 && !overall_of(NEAR_ARM)->place,
	   "without a baseline there is no order over all sets");
	arena_free(&arena);
	ok(arena_make(&arena, 0, 0, &why) == 0 && arena_judge(&arena, &why) < 0,
	   "no set at all: %s", why.text);
	arena_free(&arena);
	return done();
}
