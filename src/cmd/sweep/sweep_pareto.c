/* sweep_pareto.c -- The command `sweep pareto`: the rows on the Pareto
 * front. */
#include <stdlib.h>
#include <string.h>
#include "cmd/cmd.h"
#include "cmd/sweep/sweep_rows.h"
#include "report/sweep/sweep_pareto_rows.h"

struct options {
	const char *x, *y, *by, *where;
};
static const struct options defaults = {.by = "arm"};

static const struct option_def option[] = {
    OPTION(TEXT, "x", "COLUMN", x,
	   "a figure, for example mean_tpot_ms; its kind says whether less or "
	   "more of it is better",
	   .required = 1),
    OPTION(TEXT, "y", "COLUMN", y,
	   "a second figure, for example output_throughput", .required = 1),
    OPTION(TEXT, "by", "COLUMN,...", by,
	   "one front for each value of these; default arm; \"\": one for all"),
    OPTION(TEXT, "where", "EXPR", where, "only rows for which this holds"),
};

static int split(const char *text, struct names *out, struct problem *p)
{
	char *copy = strdup(text), *rest = copy, *word;
	int rc = copy ? 0 : -1;
	while (rc == 0 && *text && (word = strsep(&rest, ",")))
		rc = names_add(out, word);
	free(copy);
	return rc < 0 ? problem_no_memory(p) : 0;
}

static int write_front(const struct cmdline *c, struct store *s,
		       struct reader *r, struct problem *p)
{
	const struct options *o = c->own;
	struct names by = {0};
	unsigned char *chosen = NULL;
	size_t blank = 0;
	if (!strcmp(o->x, o->y))
		return problem_set(p, EXIT_USAGE,
				   "--x and --y are both %s: a front is of two "
				   "figures",
				   o->x);
	int rc = split(o->by, &by, p);
	if (rc == 0)
		rc = sweep_pareto_rows(r, o->x, o->y, &by, &chosen, &blank, p);
	if (rc == 0 && blank)
		print_note(c,
			   "%zu rows are on no front: they have no %s or no %s "
			   "(failed, or a GPU without a price)",
			   blank, o->x, o->y);
	if (rc == 0)
		rc = sweep_write_rows(c, s, r, chosen, p);
	free(chosen);
	names_free(&by);
	return rc;
}

static int run(const struct cmdline *c)
{
	const struct options *o = c->own;
	return sweep_read(c, o->where, o->x, write_front);
}

const struct command command_sweep_pareto = {
    .name = "sweep pareto",
    .args = "FILE.db",
    .summary = "the Pareto front of a sweep in two figures",
    .formats = WRITES_TEXT | WRITES_JSON | WRITES_CSV,
    .min_args = 1,
    .max_args = 1,
    .has_no_config = 1,
    OWN_OPTIONS(option, struct options),
    .defaults = &defaults,
    .run = run,
};
