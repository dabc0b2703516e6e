/* What a job's status says of where its plugin is. */
#include "jobs/status.h"
#include "tap.h"

int main(void)
{
	struct job_status s = {0};
	char longer[100];
	job_enter(&s, JOB_IN_CREATE, "first");
	ok(s.place == JOB_IN_CREATE && s.n_calls == 1, "a call into a plugin");
	is(s.plugin, "first", "by its name");
	job_enter(&s, JOB_IN_HOST, NULL);
	ok(s.place == JOB_IN_HOST && s.n_calls == 1, "back is no call");
	is(s.plugin, "first", "without a name, the last one stays");
	job_enter(&s, JOB_IN_EVAL, "second");
	ok(s.n_calls == 2, "the next call");
	is(s.plugin, "second", "into another plugin");
	memset(longer, 'x', sizeof longer);
	longer[sizeof longer - 1] = '\0';
	job_enter(&s, JOB_IN_EVAL, longer);
	ok(strlen(s.plugin) == sizeof s.plugin - 1, "a long name is cut");
	return done();
}
