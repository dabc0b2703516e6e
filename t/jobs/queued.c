/* The time that a process waits for a processor is told from the time that it
 * sleeps or computes. */
#include "jobs/queued.h"
#include "base/clock.h"
#include "busy.h"

static const char *shared(void *user)
{
	static char text[64];
	pid_t other[3];
	(void)user;
	on_one_processor();
	for (int i = 0; i < 3; i++)
		other[i] = busy_process();
	int64_t from = clock_now_ns(), waited = queued_ns(0);
	compute_for_ns(60000000);
	waited = queued_ns(0) - waited;
	int64_t took = clock_now_ns() - from;
	int64_t others = queued_ns(other[0]);
	for (int i = 0; i < 3; i++) {
		kill(other[i], SIGKILL);
		in_child_code(other[i]);
	}
	/* It ran for 60 ms of them, and waited for the rest; the clocks do not
	 * agree to the millisecond. */
	snprintf(text, sizeof text, "%s, %s, %s",
		 took > 100000000 ? "shared" : "alone",
		 waited > (took - 60000000) * 8 / 10 && waited <= took
		     ? "waited"
		     : "did not wait",
		 others > 0 ? "as others did" : "others did not");
	return text;
}

int main(void)
{
	if (queued_ns(0) == 0 && access("/proc/self/schedstat", R_OK) < 0) {
		puts("1..0 # SKIP this kernel does not count it");
		return 0;
	}
	is(in_child(shared, NULL), "shared, waited, as others did",
	   "one that shares its processor");
	int64_t before = queued_ns(0), from = clock_now_ns();
	usleep(200000);
	int64_t slept = clock_now_ns() - from;
	/* All that it slept longer than it wished to, it waited. */
	ok(queued_ns(0) - before <= slept - 190000000, "sleep is no waiting");
	pid_t none = fork();
	if (none == 0)
		_exit(0);
	in_child_code(none);
	ok(queued_ns(none) == 0, "a process that is gone");
	return done();
}
