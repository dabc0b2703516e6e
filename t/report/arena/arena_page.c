/* A leaderboard as a page. */
#include "report/arena/arena.h"
#include "ranked.h"
#include "rendered.h"

int main(void)
{
	scratch_open();
	ranked_fitted("const_step,two.csv,yes\n");
	ranked_open("far");
	arena_html(&arena, "stepcost arena", rendered_begin());
	const char *page = rendered_end();
	rendered_has(page, "stepcost arena");
	rendered_has(page, "No arm prices all sets");
	rendered_has(page, "does not price all sets");
	rendered_has(page, "fitted to it");
	rendered_has(page, "outside of its domain");
	rendered_has(page, "Mean error, %");
	ok(rendered_count("measured, us") == 3,
	   "a figure for each arm with prices: %d",
	   rendered_count("measured, us"));
	rendered_lacks(page, "nan");
	arena_free(&arena);
	return done();
}
