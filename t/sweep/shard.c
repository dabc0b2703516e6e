/* Which shard a task is. */
#include "sweep/shard.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

static void gives(const char *text, int64_t n, int64_t want_i, int64_t want_n)
{
	struct shard s;
	struct problem p = {0};
	int rc = shard_parse(&s, text, n, &p);
	ok(rc == 0 && s.i == want_i && s.n == want_n, "'%s' and %d",
	   text ? text : "(none)", (int)n);
}

static void refuses(const char *text, int64_t n, const char *why)
{
	struct shard s;
	struct problem p = {0};
	int rc = shard_parse(&s, text, n, &p);
	ok(rc < 0 && p.code == EXIT_USAGE && strstr(p.text, why), "'%s': %s",
	   text, why);
}

int main(void)
{
	unsetenv("SLURM_ARRAY_TASK_ID");
	unsetenv("JOB_COMPLETION_INDEX");
	gives(NULL, 0, 0, 0);
	gives("0/1", 0, 0, 1);
	gives("2/3", 0, 2, 3);
	gives("2/3", 3, 2, 3);
	gives("2", 3, 2, 3);
	refuses("3/3", 0, "count from 0");
	refuses("1/0", 0, "of how many");
	refuses("1", 0, "of how many");
	refuses("1/3", 4, "--shards 4");
	refuses("one/3", 0, "not I/N");
	refuses("1/3/5", 0, "not I/N");
	refuses("", 3, "neither SLURM_ARRAY_TASK_ID");
	setenv("JOB_COMPLETION_INDEX", "2", 1);
	gives("", 3, 2, 3);
	setenv("SLURM_ARRAY_TASK_ID", "1", 1);
	setenv("SLURM_ARRAY_TASK_COUNT", "2", 1);
	gives("", 3, 1, 3);
	refuses("", 0, "of how many");
	setenv("SLURM_ARRAY_TASK_ID", "9", 1);
	refuses("", 3, "count from 0");
	setenv("SLURM_ARRAY_TASK_ID", "x", 1);
	refuses("", 3, "not a number");
	return done();
}
