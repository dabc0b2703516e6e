/* base/clock.h -- real time, for time limits and speeds.  Results do not depend
 * on it: a simulation has its own clock. */
#pragma once
#include <stdint.h>

/* Returns nanoseconds since some moment before the program began; the value
 * never decreases. */
int64_t clock_now_ns(void);

/* Returns the nanoseconds of CPU that the process has taken, which other
 * processes do not lengthen. */
int64_t clock_cpu_ns(void);
