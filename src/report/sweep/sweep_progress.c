/* sweep_progress.c -- Writes the progress of a sweep. */
#include <config.h>
#include "report/sweep/sweep_progress.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/outfile.h"

enum { LINE_MS = 200, FILE_MS = 1000, MS = 1000000 };

void sweep_progress_begin(struct sweep_progress *p, int quiet, const char *file)
{
	*p = (struct sweep_progress){.wanted = !quiet && isatty(STDERR_FILENO),
				     .file = file,
				     .began_ns = clock_now_ns()};
}

/* No other part depends on this file, so an error while writing it is
 * ignored. */
static void write_file(const struct sweep_progress *s,
		       const struct sweep_counts *c)
{
	struct outfile out;
	struct problem ignored;
	if (!s->file || outfile_open(&out, s->file, &ignored) < 0)
		return;
	fprintf(out.f,
		"%" PRIu64 " of %" PRIu64 " rows, %" PRIu64 " refused, %" PRIu64
		" failed\n",
		c->done, c->all, c->refused, c->failed);
	outfile_commit(&out, &ignored);
}

static void write_line(struct sweep_progress *s, const struct sweep_counts *c,
		       int64_t now)
{
	double seconds = (double)(now - s->began_ns) / 1e9;
	fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " rows", c->done, c->all);
	if (c->refused + c->failed)
		fprintf(stderr, ", %" PRIu64 " refused, %" PRIu64 " failed",
			c->refused, c->failed);
	if (c->computed)
		fprintf(stderr, ", %.4g/s, %.0f s left",
			(double)c->computed / seconds,
			(double)(c->all - c->done) * seconds /
			    (double)c->computed);
	fputs("\033[K", stderr);
	fflush(stderr);
	s->shown = 1;
}

int sweep_progress_show(void *user, const struct sweep_counts *c,
			struct problem *p)
{
	struct sweep_progress *s = user;
	int64_t now = clock_now_ns();
	(void)p;
	if (s->wanted && now - s->began_ns > (int64_t)1000 * MS &&
	    now - s->line_ns >= (int64_t)LINE_MS * MS) {
		s->line_ns = now;
		write_line(s, c, now);
	}
	if (s->file && now - s->file_ns >= (int64_t)FILE_MS * MS) {
		s->file_ns = now;
		write_file(s, c);
	}
	return 0;
}

void sweep_progress_end(struct sweep_progress *s, const struct sweep_counts *c)
{
	if (s->shown)
		fputs("\r\033[K", stderr);
	s->shown = 0;
	write_file(s, c);
}
