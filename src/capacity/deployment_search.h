/* capacity/deployment_search.h -- searches all ways to serve under all arms.
 *
 * Searches run in jobs, side by side, and in rounds: between two rounds they
 * are looked at together, so that all arms of a way use runs of the same
 * length, and so that they end once no narrower interval would change what to
 * buy.  Rounds do not depend on how many jobs run at once, nor do the results.
 * [main] */
#ifndef SC_CAPACITY_DEPLOYMENT_SEARCH_H
#define SC_CAPACITY_DEPLOYMENT_SEARCH_H
#include "capacity/deployment.h"

/* how: as jobs_run() takes it; shared_bytes is set here.  0, or -1 with *p:
 * nothing was run.  How each search fared is in its job. */
int deployments_run(struct deployments *d, const struct jobs_options *how,
		    struct problem *p);
#endif
