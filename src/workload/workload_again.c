/* workload_again.c -- Lets the rows of a trace come more than once. */
#include "workload/trace/trace_formats.h"
#include "workload/workload_private.h"

int workload_begin_at(struct workload *w, double from, uint64_t n,
		      struct problem *p)
{
	if (w->replay.trees.n)
		return problem_set(p, EXIT_USAGE,
				   "%s: sessions as trees begin with their "
				   "first request, never in their middle",
				   trace_path(w->replay.trace));
	w->total = w->n_sessions = n;
	w->promised = workload_promised(w);
	return replay_begin_at(&w->replay,
			       (uint64_t)(from * (double)w->replay.rows), n, p);
}

int workload_may_repeat(const struct workload *w)
{
	return w->is_trace && !w->arrival.n_stages &&
	       (!w->is_timed || w->replay.period_ns > 0);
}

int workload_repeat(struct workload *w, uint64_t times, struct problem *p)
{
	if (!workload_may_repeat(w))
		return problem_set(p, EXIT_USAGE,
				   "only a trace that lasts can be repeated");
	w->total *= times;
	w->n_sessions *= times;
	w->promised = workload_promised(w);
	return workload_check_total(w->total, NULL, p) < 0
		   ? -1
		   : replay_repeat(&w->replay, times, p);
}
