/* pricing.c -- Prices the rows of a file under every arm. */
#include "cmd/pricing.h"
#include <string.h>
#include "arm/host.h"
#include "base/file/infile.h"

struct jobs_options pricing_jobs(const struct pricing_options *o,
				 size_t answer_bytes)
{
	return (struct jobs_options){.in_process = o->in_process,
				     .answer_limit_s = o->answer_limit_s,
				     .memory_limit_gib = o->memory_limit_gib,
				     .shared_bytes = answer_bytes};
}

FILE *pricing_open(struct pricing *r, const struct cmdline *c, const char *rows,
		   struct problem *p)
{
	r->line = c;
	if (open_kernels_config(&r->config, c, p) < 0)
		return NULL;
	return infile_open(rows, p);
}

int pricing_run(struct pricing *r, arm_fn work, void *ctx, size_t answer_bytes,
		struct problem *p)
{
	const struct jobs_options how =
	    pricing_jobs(r->line->own, answer_bytes);
	const sc_host host = host_writing(NULL);
	if (arms_run_all(&r->at_work, &r->config, &host, work, ctx, &how, p) <
	    0)
		return -1;
	pass_on_notes(r->line, &r->at_work.arms, 0);
	return 0;
}

void pricing_free(struct pricing *r)
{
	arms_run_free(&r->at_work);
	config_free(&r->config);
}
