/* sweep_merge.c -- The command `sweep merge`: combines the stores of shards. */
#include <inttypes.h>
#include "cmd/cmd.h"
#include "store/merge.h"

static int run(const struct cmdline *c)
{
	struct problem p = {0};
	struct merge_result r = {0};
	int rc =
	    store_merge(c->arg[0], c->arg + 1, (size_t)c->n_args - 1, &r, &p);
	int code = r.damaged.n ? EXIT_INPUT : EXIT_DONE;
	for (size_t i = 0; i < r.damaged.n; i++)
		say("%s", r.damaged.item[i]);
	names_free(&r.damaged);
	if (rc < 0)
		return print_error(&p);
	if (r.without_digests)
		print_note(
		    c,
		    "%zu of the stores were written before rows had digests: "
		    "damage to them cannot be noticed",
		    r.without_digests);
	if (r.points < r.planned)
		print_note(
		    c,
		    "%s: %" PRId64 " of %" PRId64
		    " points are missing; run `stepcost sweep` with this "
		    "store to compute them",
		    c->arg[0], r.points, r.planned);
	return code;
}

const struct command command_sweep_merge = {
    .name = "sweep merge",
    .args = "OUT.db IN.db ...",
    .summary = "merge the stores of shards into one",
    .formats = WRITES_TEXT,
    .min_args = 2,
    .max_args = 100000,
    .has_no_config = 1,
    .run = run,
};
