/* report/capacity_progress.h -- how far the searches of a capacity are: a line
 * on a terminal. */
#pragma once
#include "jobs/jobs.h"
#include "report/progress.h"

/* Returns how many searches are over, the simulations of all, and the highest
 * rate that one has found. */
struct progress_state capacity_progress_of(const struct job *job, size_t n);
/* For jobs_options.progress of deployments_run(); user is a struct
 * progress_meter. */
void capacity_progress_show(void *user, const struct job *job, size_t n);
