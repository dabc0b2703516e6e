/* sweep_show.c -- The command `sweep show`: prints the rows of a store. */
#include "cmd/cmd.h"
#include "cmd/sweep/sweep_rows.h"

struct options {
	const char *where, *sort;
};

#define AT(field) offsetof(struct options, field)
static const struct option_def option[] = {
    {"where", "EXPR", OPTION_TEXT, AT(where),
     "only rows for which this holds, as in 'p99_ttft_ms < 500 and arm == "
     "\"a\"'",
     NULL, 0, 0, 0},
    {"sort", "COLUMN", OPTION_TEXT, AT(sort),
     "sort by this column, ascending; -COLUMN: descending", NULL, 0, 0, 0},
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
    .option = option,
    .n_options = sizeof option / sizeof *option,
    .own_size = sizeof(struct options),
    .run = run,
};
