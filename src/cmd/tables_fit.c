/* tables_fit.c -- the constants of a set's reference laws, as lines for
 * its MANIFEST. */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/outfile.h"
#include "cmd/cmd.h"
#include "tables/fit.h"
#include "tables/set.h"

struct options {
	const char *path;
};
static const struct option_def option[] = {
    {.name = "path",
     .arg = "FOLDER",
     .type = OPTION_TEXT,
     .offset = offsetof(struct options, path),
     .help = "where sets are (default: bench_data)"},
};

static void print_fit(FILE *f, const struct kernel_fit *fit)
{
	const struct sc_law_kind *kind = sc_law_kind_of(fit->law.op);
	for (uint32_t i = 0; i < kind->n_constants; i++)
		fprintf(f, "law.%s.%s.%s = %.6g\n", kind->op,
			sc_format_name(fit->format), kind->constant[i].name,
			fit->law.c[i]);
}

static int fit_set(const struct cmdline *c, const struct table_set *s, FILE *f,
		   struct problem *p)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct kernel_fit fit[8];
		int n = kernel_fit_table(s->view[i], fit, p);
		if (n < 0)
			return -1;
		for (int k = 0; k < n; k++) {
			print_fit(f, &fit[k]);
			note(c,
			     "%s %s: %llu points, mean error of the law "
			     "alone %.1f %%",
			     s->view[i]->op, sc_format_name(fit[k].format),
			     (unsigned long long)fit[k].n_points,
			     100 * fit[k].mean_error);
		}
	}
	return 0;
}

static int run(const struct cmdline *c)
{
	const struct options *o = c->own;
	struct table_set s = {0};
	struct outfile out;
	struct problem p;
	if (set_load(&s, o->path ? o->path : "bench_data", c->arg[0], &p) < 0)
		return complain(&p);
	int rc = outfile_open(&out, c->output, &p);
	if (rc == 0) {
		rc = fit_set(c, &s, out.f, &p);
		if (rc == 0)
			rc = outfile_commit(&out, &p);
		outfile_discard(&out);
	}
	set_free(&s);
	return rc < 0 ? complain(&p) : EXIT_DONE;
}

const struct command command_tables_fit = {
    .name = "tables fit",
    .args = "SET",
    .summary = "constants of a set's reference laws, for its MANIFEST",
    .min_args = 1,
    .max_args = 1,
    .option = option,
    .n_options = sizeof option / sizeof *option,
    .own_size = sizeof(struct options),
    .run = run,
};
