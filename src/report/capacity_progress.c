/* capacity_progress.c -- Writes the progress of a capacity. */
#include "report/capacity_progress.h"
#include <inttypes.h>
#include "capacity/deployment_search.h"

struct progress_state capacity_progress_of(const struct job *job, size_t n)
{
	struct progress_state s = {.unit = "searches", .all = n};
	uint64_t simulations = 0;
	double best = 0;
	for (size_t i = 0; i < n; i++) {
		const struct capacity_search *x = deployments_live(&job[i]);
		s.done += x->is_over != 0;
		simulations += x->answer.simulations;
		if (x->answer.verdict == CAPACITY_FOUND &&
		    x->answer.request_rate > best)
			best = x->answer.request_rate;
	}
	snprintf(s.more, sizeof s.more, ", %" PRIu64 " simulations",
		 simulations);
	if (best > 0)
		snprintf(s.best, sizeof s.best, "%.3g requests/s", best);
	return s;
}

void capacity_progress_show(void *user, const struct job *job, size_t n)
{
	struct progress_meter *p = user;
	if (!progress_is_due(p))
		return;
	const struct progress_state s = capacity_progress_of(job, n);
	progress_line(p, &s);
}
