/* clock.c -- Reads the clocks of the machine. */
#include "base/clock.h"
#include <time.h>

static int64_t now_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_now_ns(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

int64_t clock_cpu_ns(void)
{
	return now_ns(CLOCK_PROCESS_CPUTIME_ID);
}
