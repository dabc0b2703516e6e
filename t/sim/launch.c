/* How long a step lasts. */
#include "sim/launch.h"
#include <math.h>
#include <string.h>
#include "tap.h"

static struct problem problem;
static struct replica_shared shared = {.p = &problem};
static const sc_plugin plugin = {.size = sizeof plugin, .name = "slow"};
static struct cost cost = {.p = &plugin};

static void lasts(void)
{
	struct engine e = {.async_scheduling = 0};
	sc_result r = {.total_us = 100, .host_us = 30};
	ok(launch_us(&e, &r) == 100, "synchronous: all of it");
	e.async_scheduling = 1;
	ok(launch_us(&e, &r) == 70, "asynchronous: less what the host does");
	r.host_us = NAN;
	ok(launch_us(&e, &r) == 100, "which may be unknown");
}

static void ends(void)
{
	const struct replica r = {.shared = &shared, .cost = &cost};
	int64_t end;
	ok(launch_end(&r, 1000, 2.0006, &end) == 0 && end == 3001, "to the ns");
	ok(launch_end(&r, 1000, 1e16, &end) < 0 &&
	       strstr(problem.text, "slow") && strstr(problem.text, "clock"),
	   "not beyond the clock");
}

int main(void)
{
	lasts();
	ends();
	return done();
}
