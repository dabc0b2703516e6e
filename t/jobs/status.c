/* What a job's status says of where its plugin is, and whether it can be
 * believed. */
#include "jobs/status.h"
#include "tap.h"

static void names(struct job_status *s)
{
	is(status_plugin(s), "", "no name yet");
	snprintf(s->plugin, sizeof s->plugin, "roofline_v2");
	is(status_plugin(s), "roofline_v2", "a name");
	snprintf(s->plugin, sizeof s->plugin, "a\033b");
	ok(!status_plugin(s), "no name has such letters");
	memset(s->plugin, 'x', sizeof s->plugin);
	ok(!status_plugin(s), "nor has it no end");
}

int main(void)
{
	struct job_status s = {0};
	uint64_t at;
	ok(!status_is_sound(&s, &at), "nothing but zeros makes no sense");
	status_begin(&s);
	ok(status_is_sound(&s, &at) && status_place(at) == JOB_IN_HOST,
	   "in the host");
	uint64_t in = status_move(&s, at, JOB_IN_EVAL);
	ok(status_is_sound(&s, &at) && status_place(at) == JOB_IN_EVAL,
	   "in the plugin");
	ok(status_is(&s, in), "as it was noted");
	uint64_t back = status_move(&s, in, JOB_IN_HOST);
	uint64_t again = status_move(&s, back, JOB_IN_EVAL);
	ok(again != in, "the next call is another");
	ok(!status_is(&s, in), "which is seen");
	memset(&s, 0x41, sizeof s);
	ok(!status_is_sound(&s, &at) && !status_is(&s, again),
	   "somebody wrote over it");
	is(status_place_text(JOB_IN_UNLOAD), " while unloading", "for people");
	is(status_place_name(JOB_IN_EVAL), "eval", "by name");
	memset(&s, 0, sizeof s);
	names(&s);
	return done();
}
