/* sweep_progress.c -- Writes the progress of a sweep. */
#include "report/sweep/sweep_progress.h"
#include <inttypes.h>
#include <stdio.h>
#include "base/clock.h"
#include "base/file/outfile.h"

enum { FILE_MS = 1000, MS = 1000000 };

void sweep_progress_begin(struct sweep_progress *p, int quiet, const char *file)
{
	*p = (struct sweep_progress){.file = file};
	progress_begin(&p->line, quiet);
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

static void show_line(struct sweep_progress *s, const struct sweep_counts *c)
{
	struct progress_state is = {.unit = "rows",
				    .done = c->done,
				    .all = c->all,
				    .before = c->done - c->computed};
	if (c->refused + c->failed)
		snprintf(is.more, sizeof is.more,
			 ", %" PRIu64 " refused, %" PRIu64 " failed",
			 c->refused, c->failed);
	progress_line(&s->line, &is);
}

int sweep_progress_show(void *user, const struct sweep_counts *c,
			struct problem *p)
{
	struct sweep_progress *s = user;
	int64_t now = clock_now_ns();
	(void)p;
	if (progress_is_due(&s->line))
		show_line(s, c);
	if (s->file && now - s->file_ns >= (int64_t)FILE_MS * MS) {
		s->file_ns = now;
		write_file(s, c);
	}
	return 0;
}

void sweep_progress_end(struct sweep_progress *s, const struct sweep_counts *c)
{
	progress_end(&s->line);
	write_file(s, c);
}
