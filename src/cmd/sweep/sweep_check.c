/* sweep_check.c -- The command `sweep check`: looks for damaged rows in
 * stores. */
#include <inttypes.h>
#include "cmd/cmd.h"
#include "store/damage.h"

struct looking {
	FILE *f;
	const char *file;
	uint64_t damaged;
};

static void on_row(void *user, const char *row)
{
	struct looking *l = user;
	fprintf(l->f, "%s: %s: damaged\n", l->file, row);
	l->damaged++;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? " is" : "s are";
}

static void write_counts(const struct looking *l, const struct store *s,
			 uint64_t good)
{
	if (!store_has_digests(s))
		fprintf(l->f,
			"%s: %" PRIu64 " row%s read, but was written before "
			"rows had digests: damage cannot be noticed\n",
			l->file, good, plural(good));
	else if (l->damaged)
		fprintf(l->f,
			"%s: %" PRIu64 " row%s good, %" PRIu64
			" damaged: resume the sweep to compute them again\n",
			l->file, good, plural(good), l->damaged);
	else
		fprintf(l->f, "%s: %" PRIu64 " row%s good\n", l->file, good,
			plural(good));
}

/* Returns the exit code. */
static int check(FILE *f, const char *file)
{
	struct looking l = {.f = f, .file = file};
	struct problem p;
	uint64_t good = 0;
	struct store *s = store_open(file, STORE_CHECK, &p);
	if (!s)
		return print_error(&p);
	int code = damage_find(s, on_row, &l, &good, &p) < 0 ? print_error(&p)
		   : l.damaged                               ? EXIT_INPUT
							     : EXIT_DONE;
	write_counts(&l, s, good);
	if (store_complaint(s))
		code = print_error_too(code, store_complaint(s));
	store_close(s, NULL);
	return code;
}

static int run(const struct cmdline *c)
{
	struct outfile out;
	struct problem p;
	int code = EXIT_DONE;
	int rc = open_output(&out, c, &p);
	for (int i = 0; rc == 0 && i < c->n_args; i++) {
		int got = check(out.f, c->arg[i]);
		code = got > code ? got : code;
	}
	rc = outfile_end(&out, rc, &p);
	return rc < 0 ? print_error(&p) : code;
}

const struct command command_sweep_check = {
    .name = "sweep check",
    .args = "FILE.db ...",
    .summary = "count the good rows of stores, and name damaged ones",
    .formats = WRITES_TEXT,
    .min_args = 1,
    .max_args = 100000,
    .has_no_config = 1,
    .run = run,
};
