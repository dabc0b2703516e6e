/* Rows of texts: from words and files, crossed, and fewer. */
#include "experiment/grid.h"
#include <stdint.h>
#include "tap.h"

static void words(void)
{
	struct grid g = {0};
	ok(grid_words(&g, "kv", "1024, 2048 ,x y,") == 0, "words are read");
	ok(g.n_cols == 1 && g.n_rows == 4, "four of them, the last empty");
	is(g.head[0], "kv", "under their name");
	is(grid_cell(&g, 1, 0), "2048", "without blanks around them");
	is(grid_cell(&g, 2, 0), "x", "and none in them");
	ok(grid_words(&g, "other", "5") == 0 && g.n_rows == 5,
	   "more go on from there");
	is(g.head[0], "kv", "under the first name");
	grid_free(&g);
	ok(!g.n_cols && !g.cell, "freed, it is empty");
}

static void crossed(void)
{
	struct grid g = {0}, a = {0}, b = {0};
	grid_words(&a, "a", "1,2");
	grid_words(&b, "b", "x,y,z");
	ok(grid_cross(&g, &a) == 0 && g.n_cols == 1 && g.n_rows == 2,
	   "nothing, crossed with a list, is the list");
	ok(grid_cross(&g, &b) == 0 && g.n_cols == 2 && g.n_rows == 6,
	   "two by three are six");
	char all[32] = "";
	for (size_t i = 0; i < g.n_rows; i++) {
		strcat(all, grid_cell(&g, i, 0));
		strcat(all, grid_cell(&g, i, 1));
	}
	is(all, "1x1y1z2x2y2z", "the first varies slowest");
	grid_drop_row(&g, 1);
	grid_drop_row(&g, 4);
	ok(g.n_rows == 4, "rows go");
	is(grid_cell(&g, 1, 1), "z", "and those behind move up");
	is(grid_cell(&g, 3, 1), "y", "to the last");
	ok(grid_column(&g, "b") == 1 && grid_column(&g, "c") == -1,
	   "columns have places");
	grid_free(&g);
	grid_free(&a);
	grid_free(&b);
}

static void read_from(const char *text, int want, size_t n_rows)
{
	struct grid g = {0};
	struct problem p = {0};
	FILE *f = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
	if (!f)
		bail_out("fmemopen");
	int rc = grid_read(&g, f, "f.csv", &p);
	ok(rc == want && (want < 0 || g.n_rows == n_rows), "%s%s",
	   rc < 0 ? "refused: " : "a file is read", rc < 0 ? p.text : "");
	if (rc == 0)
		is(grid_cell(&g, 1, 1), "b,d", "with its quoted cells");
	fclose(f);
	grid_free(&g);
}

int main(void)
{
	words();
	crossed();
	read_from("x,y\n1,2\n3,\"b,d\"\n", 0, 2);
	read_from("x,y\n1\n", -1, 0);
	return done();
}
