/* How long a step lasts. */
#include "sim/step/launch.h"
#include <math.h>
#include <string.h>
#include "tap.h"

static struct problem problem;
static struct replica_shared shared = {.p = &problem};
static const sc_plugin plugin = {.size = sizeof plugin, .name = "slow"};
static struct cost cost = {.p = &plugin};

static double lasts_us(struct replica *r, const sc_step *step,
		       const sc_result *result)
{
	struct step_event event = {.step = step, .result = result};
	double us;
	if (launch_us(r, &event, (struct drafter_group){0}, &us) < 0)
		bail_out("a step has no length");
	return us;
}

static void lasts(void)
{
	struct engine e = {.async_scheduling = 0};
	struct replica r = {.shared = &shared, .e = &e, .drafter.e = &e};
	sc_step step = {.size = sizeof step, .n_sampled = 2};
	sc_result is = {.total_us = 100, .host_us = 30};
	ok(lasts_us(&r, &step, &is) == 100, "synchronous: all of it");
	e.async_scheduling = 1;
	ok(lasts_us(&r, &step, &is) == 70,
	   "asynchronous: less what the host does");
	is.host_us = NAN;
	ok(lasts_us(&r, &step, &is) == 100, "which may be unknown");
	e.speculation.drafts = 3;
	e.draft_us = 5;
	ok(lasts_us(&r, &step, &is) == 115, "what is drafted comes on top");
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

/* Three steps through three stages, as start, end and the time of the step. */
static void passes(enum pipeline_stages how, double ready_us, const char *want)
{
	const struct engine e = {.preset = PRESET_VLLM_2026_07,
				 .parallel.pp = 3,
				 .pipeline_stages = how};
	struct scheduler scheduler = {0};
	struct replica r = {.shared = &shared,
			    .cost = &cost,
			    .e = &e,
			    .scheduler = &scheduler,
			    .drafter.e = &e};
	sc_step step = {.size = sizeof step};
	char text[200];
	size_t n = 0;
	static const double us[3] = {3, 6, 3};
	for (int i = 0; i < 3; i++) {
		sc_result result = {.total_us = us[i],
				    .ready_us = ready_us * us[i]};
		struct step_event event = {.step = &step, .result = &result};
		if (launch_pass(&r, &event) < 0)
			bail_out("a step does not pass");
		n += (size_t)snprintf(text + n, sizeof text - n, "%d-%d/%d ",
				      (int)event.start_ns, (int)event.end_ns,
				      (int)event.lasts_ns);
	}
	is(text, want, "%s", want);
}

int main(void)
{
	lasts();
	passes(STAGES_EQUAL, NAN, "0-3000/3000 1000-7000/6000 3000-8000/3000 ");
	passes(STAGES_BY_MODEL, NAN,
	       "0-9000/3000 3000-21000/6000 9000-24000/3000 ");
	passes(STAGES_BY_MODEL, 0.5,
	       "0-4500/3000 1500-10500/6000 4500-12000/3000 ");
	ends();
	return done();
}
