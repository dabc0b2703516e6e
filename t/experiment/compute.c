/* Cells: computed, compared as text or as numbers, counted, and judged. */
#include "experiment/compute.h"
#include "experiment/load.h"
#include "tap.h"

static struct experiment x;
static struct ini ini;

static void compute(const char *text)
{
	struct problem p = {0};
	experiment_free(&x);
	ini_free(&ini);
	if (ini_read(&ini, text, strlen(text), &p) < 0 ||
	    experiment_load(&x, &ini, &p) < 0 || experiment_compute(&x, &p) < 0)
		bail_out(p.text);
}

static void agreement(void)
{
	compute("[table:t]\n"
		"axis.n = 1, 2, 3\n"
		"column.third = n / 3\n"
		"digits.third = 3\n"
		"expect.third = 0.333, 0.667, 1\n"
		"column.twice = n * 2\n"
		"expect.twice = 2.0, 4, 7\n");
	const struct xp_table *t = &x.table[0];
	is(t->cell[0].text, "0.333", "as many digits as the column says");
	is(t->cell[1].text, "2", "or as many as it takes");
	ok(!t->cell[1].differs, "without digits, numbers are compared: 2.0");
	ok(t->cell[4].differs, "with digits, texts: 1.000 is not 1");
	ok(x.n_cells == 6 && x.n_agree == 4 && x.differs, "four of six agree");
}

static void keys(void)
{
	compute("[table:t]\n"
		"axis.n = 1, 2\n"
		"column.key = n + 1\n"
		"expect.key = 2, 4\n"
		"keys = key\n"
		"column.v = if(n == 1, 5, log(0 - 1))\n"
		"expect.v = 5,\n");
	ok(x.table[0].n_key_differs == 1 && x.differs,
	   "a key that differs is not counted as a cell");
	ok(x.n_cells == 1 && x.n_agree == 1,
	   "nor is an empty cell that ought to be empty");
}

static void rows_around(void)
{
	compute("[table:t]\n"
		"axis.n = 1, 2, 4\n"
		"column.big = n > 1\n"
		"show = no\n"
		"[table:u]\n"
		"axis.least = 1, 2\n"
		"column.n_rows = count(t: n >= least)\n"
		"expect.n_rows = 3, 2\n");
	ok(x.n_agree == 2 && !x.differs, "a table sees the row around it");
	ok(x.table[0].is_hidden && !x.table[1].is_hidden, "show = no");
}

static void verdict(const char *rule, int want)
{
	char text[400];
	snprintf(text, sizeof text,
		 "[experiment]\nrefuted = %s\n[table:t]\naxis.n = 1, 2\n"
		 "column.sq = n * n\ncolumn.half = sq / 2\n",
		 rule);
	compute(text);
	ok(x.is_refuted == want, "%s: %d", rule, want);
}

int main(void)
{
	agreement();
	keys();
	rows_around();
	verdict("any(t: half > 1.9)", 1);
	verdict("all(t: sq > 1)", 0);
	verdict("sum(t: half) == 2.5", 1);
	experiment_free(&x);
	ini_free(&ini);
	return done();
}
