/* cmd/pricing.h -- the options of commands that price the rows of a CSV file
 * under every arm of a configuration, and the jobs that do so for kernels.  No
 * requests are scheduled. */
#pragma once
#include <stdio.h>
#include "arm/run.h"
#include "cmd/cmd.h"
#include "cost/floor.h"
#include "cost/strict.h"

/* The first member of a command's options. */
struct pricing_options {
	int in_process, strict;
	double answer_limit_s, memory_limit_gib;
};
#define PRICING_DEFAULTS                                                       \
	{                                                                      \
		.answer_limit_s = 60, .memory_limit_gib = JOB_MEMORY_LIMIT_GIB \
	}
#define PRICING_OPTIONS                                                        \
	JOB_LIMITS(struct pricing_options, , "an arm fails", "an arm"),        \
	    OPTION_OF(struct pricing_options, CHOICE, "strict", "[=CLASS]",    \
		      strict, STRICT_HELP, .choices = strict_choice),          \
	    OPTION_OF(struct pricing_options, FLAG, "in-process", NULL,        \
		      in_process, "no child processes: for debuggers")

/* Zero before it is opened; must not be moved while it is open. */
struct pricing {
	const struct cmdline *line;
	struct config config;
	struct arms_at_work at_work;
};
/* How jobs run by these options; each job leaves answer_bytes in job.shared. */
struct jobs_options pricing_jobs(const struct pricing_options *o,
				 size_t answer_bytes);
/* Opens the configuration c->arg[0] for kernels.  Returns the file of rows,
 * which the caller closes.  NULL with *p filled in on an error. */
FILE *pricing_open(struct pricing *r, const struct cmdline *c, const char *rows,
		   struct problem *p);
/* Runs `work` for every arm, as the options say.  An arm's job leaves
 * answer_bytes in job.shared.  Returns 0, or -1 with *p filled in if no arm was
 * run. */
int pricing_run(struct pricing *r, arm_fn work, void *ctx, size_t answer_bytes,
		struct problem *p);
void pricing_free(struct pricing *r);
