/* What a survey leaves: entries of a race, and reasons. */
#include "recommend/entries.h"
#include "recommended.h"

static struct recommend_arm *arm;

static void reasons(void)
{
	/* in the order of answers, which differs from call to call */
	ok(entries_refuse(arm, 8, "it crashed", 1, &why) == 0 &&
	       entries_refuse(arm, 5, "no room: 7.5 GB", 0, &why) == 0 &&
	       entries_refuse(arm, 2, "no room: 12 GB", 0, &why) == 0,
	   "three that cannot be");
	ok(arm->reasons.n == 2 && arm->reasons.item[0].n == 2,
	   "numbers make no other reason");
	is(arm->reasons.item[0].example, "no room: 12 GB", "the first is kept");
	ok(arm->failures == 1 && arm->reasons.item[1].is_failure,
	   "a failure is counted");
}

/* Of a TP size each, in the order of answers of two workers under load. */
static void warnings(void)
{
	ok(entries_warn(arm, 6, "tp 2 was not measured", &why) == 0 &&
	       entries_warn(arm, 3, "tp 1 was not measured", &why) == 0 &&
	       entries_warn(arm, 7, "tp 1 was not measured", &why) == 0 &&
	       entries_warn(arm, 1, "tp 2 was not measured", &why) == 0,
	   "four warnings");
	ok(arm->warnings.n == 2, "each text once, numbers count");
	is(arm->warnings.item[0].example, "tp 2 was not measured",
	   "the warning of the first configuration is first");
	is(arm->warnings.item[1].example, "tp 1 was not measured",
	   "behind it that of a later one");
	ok(arm->failures == 1 && arm->reasons.n == 2, "they refuse nothing");
}

static void entries(void)
{
	size_t n = recommended.sweep.plan.n_points;
	size_t with_8 = 0, firsts = 0;
	arm->survey = calloc(n, sizeof *arm->survey);
	for (size_t i = 0; i < n; i++)
		arm->survey[i] = (struct work_survey){
		    .gpus = 2, .kv_tokens = 1000, .usd_per_hour = 4};
	arm->survey[1].gpus = 0;
	ok(entries_make(&recommended, arm, &why) == 0 && arm->n == n - 1,
	   "those that can be");
	for (size_t i = 0; i < arm->n; i++) {
		const struct race_entry *x = &arm->entry[i];
		firsts += x->is_first != 0;
		with_8 += x->is_first && x->point == 3;
	}
	ok(firsts == 2, "one of each shape is first: %zu", firsts);
	ok(with_8 == 1, "the one with the larger limit");
	ok(arm->entry[1].shape == arm->entry[2].shape &&
	       arm->entry[0].shape != arm->entry[1].shape,
	   "limits make no other shape");
	ok(arm->entry[0].weight == 1 && arm->entry[0].level == 0,
	   "the most requests/s");
	free(arm->entry);
	arm->n = 0;
	recommended.objective = OBJECTIVE_USD;
	ok(entries_make(&recommended, arm, &why) == 0 &&
	       arm->entry[0].weight == 4,
	   "or the most for their price");
}

int main(void)
{
	scratch_open();
	ask_small();
	if (recommend_opened(RECOMMENDED) < 0)
		bail_out(why.text);
	arm = &recommended.arm[0];
	reasons();
	warnings();
	entries();
	recommend_free(&recommended);
	return done();
}
