/* sweep_show.c -- The command `sweep show`: prints the rows of a store. */
#include "cmd/sweep/sweep_rows.h"

struct options {
	const char *where, *sort;
};

static const struct option_def option[] = {
    OPTION(TEXT, "where", "EXPR", where,
	   "only rows for which this holds, as in 'p99_ttft_ms < 500 and arm "
	   "== \"a\"'"),
    OPTION(TEXT, "sort", "COLUMN", sort,
	   "sort by this column, ascending; -COLUMN: descending"),
};

static int show(const struct cmdline *c, struct store *s, struct reader *r,
		struct problem *p)
{
	return sweep_write_rows(c, s, r, NULL, p);
}

static int run(const struct cmdline *c)
{
	const struct options *o = c->own;
	return sweep_read(c, o->where, o->sort, show);
}

const struct command command_sweep_show = {
    .name = "sweep show",
    .args = "FILE.db",
    .summary = "print the rows of a sweep: points, arms, figures",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .min_args = 1,
    .max_args = 1,
    .has_no_config = 1,
    OWN_OPTIONS(option, struct options),
    .run = run,
};
