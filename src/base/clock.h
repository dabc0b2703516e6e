/* base/clock.h -- time that passes, for limits and for speeds.  Results do not
 * depend on it: a simulation has a clock of its own. */
#ifndef SC_BASE_CLOCK_H
#define SC_BASE_CLOCK_H
#include <stdint.h>

/* Nanoseconds since some moment before the program began; never goes back. */
int64_t clock_now_ns(void);
#endif
