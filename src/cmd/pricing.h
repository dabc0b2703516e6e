/* cmd/pricing.h -- what `eval` and `kernel` share: the rows of a CSV file are
 * priced under every arm of a configuration, each arm in a job of its own;
 * nothing is scheduled. */
#ifndef SC_CMD_PRICING_H
#define SC_CMD_PRICING_H
#include <stdio.h>
#include "arm/run.h"
#include "cmd/cmd.h"

/* Zeroed at first; not to be moved once open. */
struct pricing {
	const struct cmdline *line;
	struct config config;
	sc_host host;
	struct arms_at_work at_work;
};
/* The configuration c->arg[0], and the file of rows, to be closed.  NULL with
 * *p. */
FILE *pricing_open(struct pricing *r, const struct cmdline *c, const char *rows,
		   struct problem *p);
/* Runs work for every arm; an arm's job leaves answer_bytes in job.shared.  0,
 * or -1 with *p: none was run. */
int pricing_run(struct pricing *r, arm_fn work, void *ctx, size_t answer_bytes,
		int in_process, struct problem *p);
void pricing_free(struct pricing *r);
#endif
