/* queued.c -- Reads how long a process has waited for a processor. */
#include "jobs/queued.h"
#include <inttypes.h>
#include <stdio.h>

int64_t queued_ns(pid_t pid)
{
	char path[64];
	int64_t waited = 0;
	snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
	FILE *f = fopen(pid ? path : "/proc/self/schedstat", "re");
	/* the time that it ran, the time that it waited, how often it ran */
	if (f && fscanf(f, "%*u %" SCNd64, &waited) != 1)
		waited = 0;
	if (f)
		fclose(f);
	return waited;
}
