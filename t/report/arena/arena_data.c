/* A leaderboard as JSON and CSV. */
#include "report/arena/arena.h"
#include "ranked.h"
#include "rendered.h"

static void json(void)
{
	arena_json(&arena, rendered_begin());
	json_t *d = rendered_json();
	const struct arena_set *one = &arena.set[0];
	is(json_text_at(d, "schema"), "stepcost arena 1", "schema");
	ok(json_array_size(json_at(d, "sets")) == 2 &&
	       json_array_size(json_at(d, "runs")) == 0 &&
	       json_array_size(json_at(d, "overall")) == 4,
	   "sets, runs, overall");
	is(json_text_at(d, "sets.0.name"), "one", "a set");
	is(json_text_at(d, "sets.0.best"), "near", "its best arm");
	is(json_text_at(d, "sets.0.baseline"), "far", "its baseline");
	near(json_number_at(d, "sets.0.arms.1.mean"),
	     one->score.arm[1].regime[REGIME_ALL].of[FIGURE_MEAN], 1e-12,
	     "figures are fractions");
	ok(json_number_at(d, "sets.0.arms.1.to_best.low") <=
		   json_number_at(d, "sets.0.arms.1.to_best.difference") &&
	       json_number_at(d, "sets.0.arms.1.to_best.difference") > .4,
	   "the difference to the best, this arm first");
	is(json_text_at(d, "sets.0.arms.1.to_best.verdict"), "farther",
	   "and its verdict");
	is(json_text_at(d, "sets.0.arms.0.fitted"), "no", "fitted");
	ok(json_is_true(json_at(d, "sets.0.arms.0.beats_baseline")) &&
	       json_is_null(json_at(d, "sets.0.arms.2.rank")),
	   "an arm that fails has no rank");
	ok(json_number_at(d, "overall.0.place") == 1 &&
	       json_number_at(d, "overall.0.sets") == 2 &&
	       json_number_at(d, "overall.0.skill") > 0,
	   "the first place");
	is(json_text_at(d, "overall.3.lacks.1.set"), "two", "what one lacks");
}

static void csv(void)
{
	arena_csv(&arena, rendered_begin());
	const char *text = rendered_end();
	is(rendered_cell(text, 2, "set"), "one", "a line a set and arm");
	is(rendered_cell(text, 2, "arm"), "far", "in their order");
	is(rendered_cell(text, 3, "n"), "0", "an arm that fails");
	is(rendered_cell(text, 3, "mean"), "", "has no figures");
	is(rendered_cell(text, 3, "rank_low"), "", "and no rank");
	ok(atof(rendered_cell(text, 2, "to_best_low")) > .4, "an interval");
	is(rendered_cell(text, 2, "rank_low"), "3", "a rank");
	is(rendered_cell(text, 8, "set"), "two", "eight lines");
	is(rendered_cell(text, 9, "set"), "(none)", "and no more");
}

int main(void)
{
	scratch_open();
	ranked_fitted("");
	ranked_open("far");
	json();
	csv();
	arena_free(&arena);
	return done();
}
