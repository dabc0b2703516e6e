/* The line that says how far a command is. */
#include "report/progress.h"
#include "rendered.h"

int main(void)
{
	struct progress_state s = {.unit = "rows", .done = 30, .all = 90};
	progress_write(rendered_begin(), &s, 10);
	is(rendered_end(), "30 of 90 rows, 10 s, 20 s left",
	   "done, all, and the time left");
	s.before = 20;
	snprintf(s.more, sizeof s.more, ", 2 failed");
	snprintf(s.best, sizeof s.best, "7 ms");
	progress_write(rendered_begin(), &s, 10);
	is(rendered_end(),
	   "30 of 90 rows, 2 failed, 10 s, 60 s left, best 7 ms",
	   "rows that were there cost no time");
	struct progress_meter p;
	progress_begin(&p, 1);
	ok(!progress_is_due(&p), "with --quiet there is no line");
	p.wanted = 1;
	ok(!progress_is_due(&p), "nor in the first second");
	p.began_ns -= 2000000000;
	ok(progress_is_due(&p), "but then");
	p.line_ns = p.began_ns + 2000000000;
	ok(!progress_is_due(&p), "not all the time");
	progress_end(&p);
	ok(!p.shown, "none is left");
	return done();
}
