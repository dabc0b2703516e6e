/* thresholds.c -- Reads limits of errors, and says which arm is above one. */
#include "cmd/thresholds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/cmd.h"

/* Accepts both common names. */
static int metric_of(const char *name, size_t n)
{
	if (n == 3 && !strncmp(name, "e2e", 3))
		return RUN_E2EL;
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		if (strlen(latency_name[k]) == n &&
		    !strncmp(name, latency_name[k], n))
			return k;
	return -1;
}

int threshold_parse(const char *text, struct threshold *t, struct problem *p)
{
	size_t n = strcspn(text, "=");
	char *end;
	int metric = metric_of(text, n);
	t->percent = text[n] ? strtod(text + n + 1, &end) : NAN;
	if (metric < 0 || !text[n] || end == text + n + 1 || *end ||
	    !(t->percent >= 0))
		return problem_set(p, EXIT_USAGE,
				   "--fail-above %s: not METRIC=PERCENT, as in "
				   "ttft=10, with e2e, ttft or tpot and a "
				   "percentage of 0 or more",
				   text);
	t->metric = (enum run_latency)metric;
	return 0;
}

int threshold_exceeded(const struct threshold *t, const char *arm, double error)
{
	if (!(100 * error > t->percent) && !isnan(error))
		return 0;
	say("%s: mean error of %s is %.2f %%, above %g %%", arm,
	    latency_name[t->metric], 100 * error, t->percent);
	return 1;
}
