/* busy.h -- keeps a processor busy, and computes for some time of it. */
#ifndef T_BUSY_H
#define T_BUSY_H
#include <sched.h>
#include <time.h>
#include "in_child.h"

/* This process and those that it starts share one processor from here on. */
static void on_one_processor(void)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET((unsigned)sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof one, &one) < 0)
		bail_out("sched_setaffinity");
}

/* Starts a process that computes until it is killed. */
static pid_t busy_process(void)
{
	pid_t pid = fork();
	volatile int zero = 0;
	if (pid == 0)
		while (zero == 0)
			;
	return pid;
}

/* Computes for that much time of the processor, however long it takes. */
static void compute_for_ns(int64_t ns)
{
	struct timespec t;
	int64_t from = -1, now;
	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		now = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
		if (from < 0)
			from = now;
	} while (now - from < ns);
}
#endif
