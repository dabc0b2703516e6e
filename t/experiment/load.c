/* Sections of an experiment: what each key makes of a table, and each refusal
 * with its message. */
#include "experiment/load.h"
#include "scratch.h"

static struct experiment x;
static struct ini ini;
static struct problem problem;

static int load(const char *text)
{
	experiment_free(&x);
	ini_free(&ini);
	x = (struct experiment){0};
	problem = (struct problem){0};
	return ini_read(&ini, text, strlen(text), &problem) < 0
		   ? -1
		   : experiment_load(&x, &ini, &problem);
}

/* A table of two rows and a column without cost models, and these lines. */
#define TABLE "[table:t]\naxis.n = 1,2\ncolumn.c = 2*n\n"

static void loads(const char *more)
{
	char text[1000];
	snprintf(text, sizeof text, TABLE "%s", more);
	if (!ok(load(text) == 0, "it loads"))
		printf("# %s\n", problem.text);
}

static void refused(const char *more, int code, const char *want)
{
	char text[1000];
	snprintf(text, sizeof text, TABLE "%s", more);
	ok(load(text) < 0 && problem.code == code && strstr(problem.text, want),
	   "%s", problem.text);
}

static void heads(void)
{
	loads("[experiment]\ntitle = T\nquestion = Q?\nsource = S\n"
	      "refuted_if = never\nrefuted = 1 > 2\n[engine]\nany = 1\n");
	is(x.title, "T", "title");
	is(x.question, "Q?", "question");
	is(x.source, "S", "source");
	is(x.refuted_if, "never", "refuted_if");
	ok(x.refuted != NULL, "refuted");
	refused("[experiment]\ncolour = red\n", EXIT_USAGE,
		"unknown key colour in [experiment]; allowed: title, ");
	refused("[experiment]\nrefuted = 1 >\n", EXIT_USAGE,
		"a value expected");
}

static void shown(void)
{
	loads("title = A table\nhide = n\nshow = no\nkeys = c\n"
	      "digits.c = 3\n");
	is(x.table[0].title, "A table", "title");
	is(x.table[0].hide, "n", "hide");
	ok(x.table[0].is_hidden, "show = no");
	ok(x.table[0].column[0].digits == 3, "digits");
	loads("show = yes\n");
	ok(!x.table[0].is_hidden && x.table[0].column[0].digits == -1,
	   "show = yes; no digits given");
	refused("show = perhaps\n", EXIT_USAGE, "show = yes or no");
	refused("colour = red\n", EXIT_USAGE,
		"unknown key colour in [table:t]; allowed: title, axis.NAME, "
		"rows, where, decode.NAME");
	refused("colour.n = red\n", EXIT_USAGE, "unknown key colour.n");
	static const char *const bad[] = {
	    "digits.other = 1\n", "digits.c =\n",    "digits.c = x\n",
	    "digits.c = 1x\n",    "digits.c = -1\n", "digits.c = 16\n"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		refused(bad[i], EXIT_USAGE,
			"not a column above with 0 to 15 digits");
	refused("keys = c, d\n", EXIT_USAGE, "no column d above");
	refused("column.n = 3\n", EXIT_USAGE, "one named as a variable");
	refused("column.d = 3 *\n", EXIT_USAGE, "a value expected");
}

static void rows(void)
{
	char text[1000];
	const char *file = scratch_file("rows.csv", "a,b\n1,x\n2,y\n3,z\n");
	snprintf(text, sizeof text,
		 "[table:t]\nrows = %s\nwhere = a != 2\ncolumn.c = 1\n", file);
	ok(load(text) == 0 && x.table[0].rows.n_rows == 2,
	   "rows of a file, without those that `where` drops: %s",
	   problem.text);
	is(grid_cell(&x.table[0].rows, 1, 1), "z", "the last stays");
	refused("rows = rows.csv\n", EXIT_USAGE,
		"[table:t] has axis.NAME and rows; give one of the two");
	refused("where = n >\n", EXIT_USAGE, "a value expected");
	refused("where = m > 1\n", EXIT_USAGE, "nothing is called m");
	ok(load("[table:t]\nrows = /none.csv\ncolumn.c = 1\n") < 0 &&
	       problem.code == EXIT_USAGE &&
	       strstr(problem.text, "/none.csv: No such file"),
	   "%s", problem.text);
	snprintf(text, sizeof text, "[table:t]\nrows = %s\ncolumn.c = 1\n",
		 scratch_file("short.csv", "a,b\n1\n"));
	ok(load(text) < 0 && problem.code == EXIT_INPUT &&
	       strstr(problem.text, "short.csv:2"),
	   "%s", problem.text);
	ok(load("[table:t]\ncolumn.c = 1\n") < 0 &&
	       strstr(problem.text, "needs rows or axis.NAME, and column.NAME"),
	   "no rows: %s", problem.text);
	ok(load("[table:t]\naxis.n = 1\n") < 0 &&
	       strstr(problem.text, "needs rows or axis.NAME, and column.NAME"),
	   "no columns: %s", problem.text);
	ok(load("[engine]\na = 1\n") < 0 &&
	       strstr(problem.text, "it needs a section [table:NAME]"),
	   "%s", problem.text);
}

#define ARMS "[cost_model:v1]\nplugin = none\n[cost_model:v2]\nplugin = none\n"

static void arms(void)
{
	ok(load("[table:t]\naxis.arm = arms(v*, !v1)\naxis.n = 1,2\n"
		"column.c = n\n" ARMS) == 0 &&
	       x.table[0].rows.n_rows == 2,
	   "the arms of a pattern: %s", problem.text);
	is(grid_cell(&x.table[0].rows, 1, 0), "v2", "by their names");
	ok(load("[table:t]\naxis.arm = arms(w*)\ncolumn.c = 1\n" ARMS) < 0 &&
	       strstr(problem.text, "w*"),
	   "no arm: %s", problem.text);
	ok(load("[table:t]\naxis.arm = arms(v*)\ncolumn.c = 1\n"
		"[cost_model:v1]\nbase_us = 1\n") < 0 &&
	       strstr(problem.text, "needs plugin = NAME"),
	   "%s", problem.text);
}

static void asks(void)
{
	loads("decode.s = 64x{n}\nprefill.s = 0:8\nkernel.k = gemm m={n}\n");
	ok(x.table[0].n_asks == 2, "two steps or kernels");
	is(x.table[0].ask[0].decode, "64x{n}", "decode");
	is(x.table[0].ask[0].prefill, "0:8", "prefill");
	is(x.table[0].ask[1].kernel, "gemm m={n}", "kernel");
	refused("kernel.k = gemm m=1\nprefill.k = 1\n", EXIT_USAGE,
		"k names both a step and a kernel");
}

static void expected(void)
{
	char more[600];
	const char *file = scratch_file("want.csv", "n,c\n1,2\n2,4\n");
	snprintf(more, sizeof more,
		 "expect = %s\nexpect.c = 2\nexpect.c.2 = 4\n", file);
	loads(more);
	ok(x.table[0].expected.n_rows == 2 &&
	       x.table[0].column[0].want.n_rows == 2,
	   "values of a file, and of the INI");
	refused("expect.d = 1\n", EXIT_USAGE, "expect.d: no column d above");
	refused("expect.c = 1,2,3\n", EXIT_INPUT,
		"[table:t] has 2 rows, expect.c 3 values");
	snprintf(more, sizeof more, "expect = %s\n",
		 scratch_file("one.csv", "c\n1\n"));
	refused(more, EXIT_INPUT,
		"[table:t] has 2 rows, its expected values 1");
	snprintf(more, sizeof more, "expect = %s\n",
		 scratch_file("other.csv", "d\n1\n2\n"));
	refused(more, EXIT_INPUT,
		"expects values of d, which it has no column for");
}

/* 65 lines of a kind, "beforeNUMBERafter", are one too many. */
static void many(const char *head, const char *before, const char *after,
		 const char *want)
{
	static char text[20000];
	size_t n = (size_t)snprintf(text, sizeof text, "%s", head);
	for (int i = 0; i < 65; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%d%s",
				      before, i, after);
	ok(load(text) < 0 && problem.code == EXIT_USAGE &&
	       strstr(problem.text, want),
	   "%s", problem.text);
}

int main(void)
{
	scratch_open();
	heads();
	shown();
	rows();
	arms();
	asks();
	expected();
	many("", "[table:", "]\naxis.n = 1\n", "too many tables");
	many("[table:t]\n", "decode.s", " = 1\n", "more than 64 steps");
	many("[table:t]\n", "column.c", " = 1\n", "more than 64 columns");
	experiment_free(&x);
	ini_free(&ini);
	return done();
}
