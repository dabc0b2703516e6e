/* jobs/queued.h -- how long a process has waited for a processor.  On a machine
 * with more work than processors a process is ready to run for most of its
 * time, and does not run: limits of time leave that out. */
#pragma once
#include <stdint.h>
#include <sys/types.h>

/* The time since the main thread of pid began; pid 0 is this process.  Returns
 * 0 where the kernel does not count it, or if there is no such process. */
int64_t queued_ns(pid_t pid);
