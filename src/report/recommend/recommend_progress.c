/* recommend_progress.c -- Writes the progress of a recommendation. */
#include <config.h>
#include "report/recommend/recommend_progress.h"
#include <inttypes.h>
#include <unistd.h>
#include "base/clock.h"

enum { FIRST_MS = 1000, LINE_MS = 200, MS = 1000000 };

void recommend_progress_begin(struct recommend_progress *p, int quiet)
{
	*p = (struct recommend_progress){.wanted =
					     !quiet && isatty(STDERR_FILENO),
					 .began_ns = clock_now_ns()};
}

void recommend_progress_write(FILE *f, const struct recommend *r,
			      double seconds)
{
	uint64_t all = 0, tried = 0;
	for (size_t i = 0; r->arm && i < r->sweep.arms.n; i++) {
		all += r->arm[i].n;
		tried += r->arm[i].race.n_tried;
	}
	if (all && tried < all)
		fprintf(f, "%" PRIu64 " of %" PRIu64 " configurations tried, ",
			tried, all);
	fprintf(f, "%" PRIu64 " simulations, %.0f s", r->simulations, seconds);
}

void recommend_progress_show(void *user, const struct recommend *r)
{
	struct recommend_progress *p = user;
	int64_t now = clock_now_ns();
	if (!p->wanted || now - p->began_ns < (int64_t)FIRST_MS * MS ||
	    now - p->line_ns < (int64_t)LINE_MS * MS)
		return;
	p->line_ns = now;
	fputc('\r', stderr);
	recommend_progress_write(stderr, r, (double)(now - p->began_ns) / 1e9);
	fputs("\033[K", stderr);
	fflush(stderr);
	p->shown = 1;
}

void recommend_progress_end(struct recommend_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = 0;
}
