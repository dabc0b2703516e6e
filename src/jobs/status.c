/* status.c -- Notes where a job's plugin is at work. */
#include <config.h>
#include "jobs/status.h"
#include <stdio.h>

void job_enter(struct job_status *s, enum job_place place, const char *plugin)
{
	if (plugin)
		snprintf(s->plugin, sizeof s->plugin, "%s", plugin);
	/* One writer: no need for an atomic addition. */
	if (place != JOB_IN_HOST)
		atomic_store_explicit(
		    &s->n_calls,
		    atomic_load_explicit(&s->n_calls, memory_order_relaxed) + 1,
		    memory_order_relaxed);
	atomic_store_explicit(&s->place, place, memory_order_release);
}
