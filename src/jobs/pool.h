/* jobs/pool.h -- worker processes that each take many tasks, for tasks so short
 * that a process for each would cost more than the work.
 *
 * A task and its result are plain data.  Tasks belong to
 * groups (an arm each), and a worker serves one group: a plugin that damages
 * its process damages its own group only.  A worker that crashes, hangs, or
 * returns EXIT_PLUGIN is replaced, and its task is asked once more of a worker
 * that has done nothing yet; that result counts.  So no result depends on what
 * its worker did before, nor on the number of workers.  Must not be used in a
 * process with threads.  [main] */
#pragma once
#include "jobs/pool_task.h"

/* Runs until no group has a task left.  Returns 0, or -1 with *p filled in:
 * no worker could be started, a function of the caller failed, or the user
 * interrupted; then *interrupted is the signal. */
int pool_run(const struct pool_options *o, int *interrupted, struct problem *p);
