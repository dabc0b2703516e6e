/* cmd/thresholds.h -- the option --fail-above METRIC=PERCENT of validate. */
#pragma once
#include "base/problem.h"
#include "validate/measured/measured.h"

struct threshold {
	enum run_latency metric;
	double percent;
};
/* Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int threshold_parse(const char *text, struct threshold *t, struct problem *p);
/* Says that an arm is above it; error: a fraction.  Returns 1 if it is. */
int threshold_exceeded(const struct threshold *t, const char *arm,
		       double error);
