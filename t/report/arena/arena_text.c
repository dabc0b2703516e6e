/* A leaderboard for a reader. */
#include "report/arena/arena.h"
#include "ranked.h"
#include "rendered.h"

static const char *text(void)
{
	arena_text(&arena, rendered_begin());
	return rendered_end();
}

int main(void)
{
	char rank[ARENA_RANK];
	size_t order[8];
	scratch_open();
	ranked_fitted("");
	ranked_open("far");
	rendered_has(text(), "near leads over 2 sets: skill ");
	rendered_has(text(), "near, known beat far on one.");
	rendered_has(text(), "No arm beats the baseline on two.");
	rendered_has(text(), "bad lacks one, two: ");
	rendered_has(text(),
		     "one: 40 of 40 steps, 1 deployment; verdicts speak "
		     "for these alone.");
	ok(rendered_count("–") == 3, "an arm without figures has a dash");
	ok(rendered_count("bad prices 0 of 40") == 2, "and a reason");
	is(arena_rank(rank, (size_t[]){2, 3}), "2-3", "a rank");
	is(arena_rank(rank, (size_t[]){2, 2}), "2", "a sure one");
	is(arena_rank(rank, (size_t[]){0, 0}), "", "none");
	ok(arena_order(&arena.set[1], order) == 4 && order[0] == 1 &&
	       order[3] == 2,
	   "by the mean error, arms without one last");
	ranked_fitted("const_step,two.csv,perhaps\nconst_step,one.csv,yes\n");
	ranked_open("far");
	rendered_has(text(), "No arm prices all sets without having been "
			     "fitted to one of them.");
	ok(rendered_count("near *") == 1, "a fitted arm is marked");
	rendered_has(text(), "perhaps");
	ranked_open("none");
	rendered_has(text(), "No set has a baseline");
	arena_free(&arena);
	return done();
}
