/* capacity/deployment_search.h -- asks all candidates under all arms, in
 * jobs side by side.  Results do not depend on how many jobs run at once.
 * [main] */
#pragma once
#include "capacity/deployment.h"

/* how: as jobs_run() takes it; shared_bytes is set here.  0, or -1 with *p:
 * nothing was run.  How each search fared is in its job. */
int deployments_run(struct deployments *d, const struct jobs_options *how,
		    struct problem *p);
/* The search of a job while it runs, for how->progress: another process changes
 * its numbers meanwhile. */
const struct capacity_search *deployments_live(const struct job *j);
