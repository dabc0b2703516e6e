/* validate/measured/measured_steps.h -- engine steps as a server logged them:
 * what ran, how full the cache was, and how long it was until the next step.
 *
 * CSV, columns by name or alias: run, tensor_parallel_size, time_us, running,
 * n_prefill, n_decode, prefill_tokens, blocks_total, blocks_free, interval_us;
 * optional model, gpu.  Contexts are not logged: the mean of all running
 * sequences is (blocks_total - blocks_free) * 16 / running.  Steps of the first
 * minute, and those without an interval, are left out. */
#ifndef SC_VALIDATE_MEASURED_MEASURED_STEPS_H
#define SC_VALIDATE_MEASURED_MEASURED_STEPS_H
#include <stddef.h>
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"

/* The most that a step of such a file has of either kind. */
enum { MEASURED_STEP_SEQUENCES = 65536 };

struct measured_step {
	size_t run; /* index */
	uint32_t n_prefill, n_decode, prefill_tokens, running;
	double context, interval_us;
};
struct step_run {
	char *name, *model, *gpu; /* gpu may be NULL                        */
	uint32_t tensor_parallel_size;
};
struct measured_steps {
	struct step_run *run;
	size_t n_runs;
	struct measured_step *step;
	size_t n, cap;
};

/* 0, or -1 with *p; measured_steps_free() in either case. */
int measured_steps_read(struct measured_steps *m, const char *path,
			const struct ini *aliases, struct problem *p);
void measured_steps_free(struct measured_steps *m);
#endif
