/* pricing.c -- Prices the rows of a file under every arm. */
#include <config.h>
#include "cmd/pricing.h"
#include <errno.h>
#include <string.h>

FILE *pricing_open(struct pricing *r, const struct cmdline *c, const char *rows,
		   struct problem *p)
{
	r->line = c;
	if (open_priced_config(&r->config, c, p) < 0)
		return NULL;
	/* No scheduler here: nothing asks how many blocks there are, so the
	 * memory of the GPU need not be known. */
	r->config.engine_keys.num_gpu_blocks = "unlimited";
	FILE *f = fopen(rows, "r");
	if (!f)
		problem_set(p, EXIT_USAGE, "%s: %s", rows, strerror(errno));
	return f;
}

int pricing_run(struct pricing *r, arm_fn work, void *ctx, size_t answer_bytes,
		int in_process, struct problem *p)
{
	const struct jobs_options how = {.in_process = in_process,
					 .answer_limit_s = 60,
					 .shared_bytes = answer_bytes};
	r->host = command_host(r->line);
	return arms_run_all(&r->at_work, &r->config, &r->host, work, ctx, &how,
			    p);
}

void pricing_free(struct pricing *r)
{
	arms_run_free(&r->at_work);
	config_free(&r->config);
}
