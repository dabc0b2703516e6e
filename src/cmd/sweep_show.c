/* sweep_show.c -- The command `sweep show`: the rows of a store. */
#include <config.h>
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "cmd/sweep.h"

struct options {
	const char *where, *sort;
};

#define AT(field) offsetof(struct options, field)
static const struct option_def option[] = {
    {"where", "EXPR", OPTION_TEXT, AT(where),
     "rows for which this holds, as in 'p99_ttft_ms < 500 and arm == \"a\"'",
     NULL, 0, 0, 0},
    {"sort", "COLUMN", OPTION_TEXT, AT(sort),
     "by this column, ascending; -COLUMN descending", NULL, 0, 0, 0},
};

struct store *sweep_store(const struct cmdline *c, struct problem *p)
{
	return store_open(c->arg[0], STORE_READ, p);
}

int sweep_write_table(const struct cmdline *c, const struct sweep_table *t,
		      struct problem *p)
{
	struct outfile out = {0};
	int rc = outfile_open(&out, c->output, p);
	if (rc == 0)
		rc = sweep_table_write(out.f, c->format, t, p);
	if (rc == 0)
		rc = outfile_commit(&out, p);
	outfile_discard(&out);
	return rc;
}

static int run(const struct cmdline *c)
{
	const struct options *o = c->own;
	struct problem p = {0};
	struct store *s = sweep_store(c, &p);
	struct reader *r = s ? reader_open(s, o->where, o->sort, &p) : NULL;
	const struct sweep_table t = {
	    .command = "sweep show", .store = s, .reader = r};
	int rc = r ? sweep_write_table(c, &t, &p) : -1;
	reader_close(r);
	if (s)
		store_close(s, NULL);
	return rc < 0 ? complain(&p) : EXIT_DONE;
}

const struct command command_sweep_show = {
    .name = "sweep show",
    .args = "FILE.db",
    .summary = "the rows of a sweep: points, arms, figures",
    .min_args = 1,
    .max_args = 1,
    .option = option,
    .n_options = sizeof option / sizeof *option,
    .own_size = sizeof(struct options),
    .run = run,
};
