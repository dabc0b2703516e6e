/* progress.c -- Draws the progress line on a terminal. */
#include "report/progress.h"
#include <inttypes.h>
#include <unistd.h>
#include "base/clock.h"

enum { FIRST_MS = 1000, LINE_MS = 200, MS = 1000000 };

void progress_begin(struct progress_meter *p, int quiet)
{
	*p = (struct progress_meter){.wanted = !quiet && isatty(STDERR_FILENO),
				     .began_ns = clock_now_ns()};
}

int progress_is_due(const struct progress_meter *p)
{
	int64_t now = clock_now_ns();
	return p->wanted && now - p->began_ns >= (int64_t)FIRST_MS * MS &&
	       now - p->line_ns >= (int64_t)LINE_MS * MS;
}

void progress_write(FILE *f, const struct progress_state *s, double seconds)
{
	uint64_t now = s->done - s->before;
	if (s->all)
		fprintf(f, "%" PRIu64 " of %" PRIu64 " %s", s->done, s->all,
			s->unit);
	else
		fputs(s->unit, f);
	fprintf(f, "%s, %.0f s", s->more, seconds);
	if (now && s->all > s->done)
		fprintf(f, ", %.0f s left",
			seconds * (double)(s->all - s->done) / (double)now);
	if (*s->best)
		fprintf(f, ", best %s", s->best);
}

void progress_line(struct progress_meter *p, const struct progress_state *s)
{
	p->line_ns = clock_now_ns();
	fputc('\r', stderr);
	progress_write(stderr, s, (double)(p->line_ns - p->began_ns) / 1e9);
	fputs("\033[K", stderr);
	fflush(stderr);
	p->shown = 1;
}

void progress_show(void *user, const struct job *job, size_t n)
{
	struct progress_meter *p = user;
	struct progress_state s = {.unit = "requests"};
	double simulated_s = 0;
	if (!progress_is_due(p))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct job_status *w = job[i].status;
		simulated_s += (double)atomic_load(&w->clock_ns) / 1e9;
		s.done += atomic_load(&w->n_ended);
		/* A job that has not begun yet will have the same number of
		 * requests as the others. */
		s.all +=
		    w->n_requests ? w->n_requests : job[0].status->n_requests;
	}
	snprintf(s.more, sizeof s.more, ", %.0f s simulated", simulated_s);
	progress_line(p, &s);
}

void progress_end(struct progress_meter *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = 0;
}
