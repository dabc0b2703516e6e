/* The figures of a leaderboard on its page. */
#include "report/arena/arena.h"
#include "ranked.h"
#include "rendered.h"

int main(void)
{
	struct document d;
	struct problem p;
	size_t order[8];
	scratch_open();
	ranked_fitted("const_step,two.csv,yes\n");
	ranked_open("far");
	arena_document(&arena, &d);
	ok(document_html(&d, rendered_begin(), &p) == 0, "a page");
	const char *page = rendered_end();
	document_free(&d);
	rendered_has(page, "No arm prices all sets");
	rendered_has(page, "does not price all sets");
	rendered_has(page, "fitted to it");
	rendered_has(page, "outside of its domain");
	rendered_has(page, "Mean error, %");
	rendered_has(page, "Sets: 1: one; 2: two");
	ok(rendered_count("<div class=\"row\">") == 2,
	   "errors of sets stand side by side, and so do the arms");
	ok(rendered_count("measured, us") == 3,
	   "a figure for each arm with prices: %d",
	   rendered_count("measured, us"));
	rendered_lacks(page, "nan");
	ok(arena_order(&arena.set[1], order) == 4 && order[0] == 1 &&
	       order[3] == 2,
	   "by the mean error, arms without one last");
	arena_free(&arena);
	return done();
}
