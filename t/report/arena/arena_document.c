/* A leaderboard as a document. */
#include "report/arena/arena.h"
#include "ranked.h"
#include "document_asked.h"
#include "rendered.h"

static struct document d;

static void fill(const char *baseline)
{
	document_free(&d);
	ranked_open(baseline);
	arena_document(&arena, &d);
}

static void has(const char *text)
{
	ok(document_says(&d, IN_TEXT, text), "%s", text);
}

/* Returns the text of a cell, the label at 0. */
static const char *cell(const char *table, size_t row, size_t at)
{
	const struct columns *c = document_find(&d, table);
	const char *text =
	    c && row < c->n_rows ? columns_at(c, row)[at].text : NULL;
	return text ? text : "";
}

int main(void)
{
	static const char matrix[] = "macro mean %, and rank";
	scratch_open();
	ranked_fitted("");
	fill("far");
	has("near leads over 2 sets: skill ");
	ok(!strncmp(d.answer.item[0], "near leads over", 15) && d.answer.n == 3,
	   "the verdict is the answer");
	has("near, known beat far on one.");
	has("No arm beats the baseline on two.");
	has("bad lacks one, two: ");
	has("one: 40 of 40 steps, 1 deployment; verdicts speak for these "
	    "alone");
	is(cell(matrix, 1, 4), "–", "an arm without figures has a dash");
	has("bad prices 0 of 40: ");
	is(cell("arm", 1, 0), "near", "the first place");
	is(cell("arm", 1, 1), "1", "is counted");
	ranked_fitted("const_step,two.csv,perhaps\nconst_step,one.csv,yes\n");
	fill("far");
	has("No arm prices all sets without having been fitted to one of "
	    "them.");
	is(cell("arm", 1, 4), "1", "a fitted arm says to how many sets");
	ok(strchr(cell(matrix, 1, 2), '*') && strchr(cell(matrix, 2, 2), '?'),
	   "and is marked: %s", cell(matrix, 1, 2));
	has("perhaps");
	fill("none");
	has("No set has a baseline");
	document_free(&d);
	arena_free(&arena);
	return done();
}
