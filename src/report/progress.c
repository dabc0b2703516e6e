/* progress.c -- Draws the progress line on a terminal. */
#include <config.h>
#include "report/progress.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "base/clock.h"

void progress_begin(struct progress *p, int quiet)
{
	*p = (struct progress){.wanted = !quiet && isatty(STDERR_FILENO),
			       .began_ns = clock_now_ns()};
}

void progress_show(void *user, const struct job *job, size_t n)
{
	struct progress *p = user;
	double real_s = (double)(clock_now_ns() - p->began_ns) / 1e9;
	double simulated_s = 0;
	uint64_t ended = 0, all = 0;
	if (!p->wanted || real_s < 1)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct job_status *w = job[i].status;
		simulated_s += (double)atomic_load(&w->clock_ns) / 1e9;
		ended += atomic_load(&w->n_ended);
		/* A job that has not begun yet will have the same number of
		 * requests as the others. */
		all +=
		    w->n_requests ? w->n_requests : job[0].status->n_requests;
	}
	fprintf(stderr,
		"\r%.0f s simulated, %.0f x real time, %" PRIu64 " of %" PRIu64
		" requests",
		simulated_s, simulated_s / real_s, ended, all);
	if (ended && all > ended)
		fprintf(stderr, ", %.0f s left",
			real_s * (double)(all - ended) / (double)ended);
	fputs("\033[K", stderr);
	fflush(stderr);
	p->shown = 1;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = 0;
}
