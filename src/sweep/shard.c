/* shard.c -- Finds out which shard this task has. */
#include "sweep/shard.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Parses a number of digits only; returns -1 if it is none. */
static int64_t whole(const char *s, size_t n)
{
	int64_t v = 0;
	if (!n || n > 9)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		v = 10 * v + (s[i] - '0');
	}
	return v;
}

static int of_environment(struct shard *out, struct problem *p)
{
	static const char *const name[] = {"SLURM_ARRAY_TASK_ID",
					   "JOB_COMPLETION_INDEX"};
	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		const char *value = getenv(name[i]);
		if (!value || !*value)
			continue;
		out->i = whole(value, strlen(value));
		return out->i >= 0
			   ? 0
			   : problem_set(p, EXIT_USAGE,
					 "%s=%s: not a number of a shard",
					 name[i], value);
	}
	return problem_set(p, EXIT_USAGE,
			   "--shard without a value: neither %s nor %s is set",
			   name[0], name[1]);
}

static int of_text(struct shard *out, const char *text, struct problem *p)
{
	const char *slash = strchr(text, '/');
	size_t n = slash ? (size_t)(slash - text) : strlen(text);
	int64_t of = slash ? whole(slash + 1, strlen(slash + 1)) : 0;
	out->i = whole(text, n);
	if (out->i < 0 || of < 0)
		return problem_set(p, EXIT_USAGE, "--shard %s: not I/N", text);
	if (of && out->n && of != out->n)
		return problem_set(p, EXIT_USAGE,
				   "--shard %s: and --shards %" PRId64, text,
				   out->n);
	if (slash)
		out->n = of;
	return 0;
}

int shard_parse(struct shard *out, const char *text, int64_t n,
		struct problem *p)
{
	*out = (struct shard){.n = n};
	if (!text)
		return 0;
	if ((*text ? of_text(out, text, p) : of_environment(out, p)) < 0)
		return -1;
	if (out->n < 1)
		return problem_set(p, EXIT_USAGE,
				   "--shard %" PRId64
				   ": of how many? give I/N, or --shards N",
				   out->i);
	if (out->i >= out->n)
		return problem_set(p, EXIT_USAGE,
				   "shard %" PRId64 " of %" PRId64
				   ": they count from 0",
				   out->i, out->n);
	return 0;
}
