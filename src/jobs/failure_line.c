/* failure_line.c -- Writes the line about a job that failed. */
#include "jobs/failure_line.h"
#include <inttypes.h>
#include <stdio.h>
#include "base/text.h"
#include "cost/steps.h"

/* A plugin that crashed may have overwritten anything, so a column is only read
 * if it lies in memory that this process has as well. */
static int column_ok(const struct memory_range *range, size_t n_ranges,
		     const void *col, uint32_t n)
{
	uintptr_t at = (uintptr_t)col;
	if (n == 0 || n_ranges == 0)
		return 1;
	for (size_t i = 0; i < n_ranges; i++) {
		uintptr_t begin = (uintptr_t)range[i].at;
		if (at >= begin && at <= begin + range[i].bytes &&
		    n <= (begin + range[i].bytes - at) / sizeof(uint32_t))
			return 1;
	}
	return 0;
}

static int step_ok(const struct job_status *status,
		   const struct memory_range *range, size_t n)
{
	const sc_step *s = &status->step;
	return column_ok(range, n, s->decode_ctx, s->n_decode) &&
	       column_ok(range, n, s->prefill_ctx, s->n_prefill) &&
	       column_ok(range, n, s->prefill_new, s->n_prefill);
}

/* Returns 1 if the plugin failed while it answered a question, or if the step
 * is to blame. */
static int has_question(const struct problem *p,
			const struct job_status *status)
{
	uint64_t at;
	if (!status_is_sound(status, &at) ||
	    (p->code != EXIT_PLUGIN && !status->failed_step))
		return 0;
	enum job_place place = status_place(at);
	return place == JOB_IN_HOST || place == JOB_IN_EVAL ||
	       place == JOB_IN_KERNEL;
}

static void write_question(FILE *f, const struct job_status *status,
			   const struct memory_range *range, size_t n)
{
	if (status->n_kernels)
		fprintf(f, " at kernel %" PRIu64, status->n_kernels);
	if (!status->has_step)
		return;
	if (status->n_steps > 1)
		fprintf(f, " at one of %u steps from %" PRIu64 " on",
			status->n_steps, status->step.step_index);
	else
		fprintf(f, " at step %" PRIu64, status->step.step_index);
	if (step_ok(status, range, n)) {
		fputs("; step,decode,prefill,sampled: ", f);
		steps_write_row(f, &status->step);
	}
}

char *failure_line(const char *name, const struct problem *p,
		   const struct job_status *status,
		   const struct memory_range *range, size_t n)
{
	struct text t;
	FILE *f = text_begin(&t);
	if (!f)
		return NULL;
	fprintf(f, "%s%s%s%s", name ? "arm " : "", name ? name : "",
		name ? ": " : "", p->text);
	if (has_question(p, status))
		write_question(f, status, range, n);
	return text_end(&t);
}
