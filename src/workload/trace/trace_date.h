/* workload/trace/trace_date.h -- dates in traces. */
#pragma once
#include <stdint.h>

/* Reads an ISO date with its time of day as ns since 1970: "2023-11-16
 * 18:15:46.6805900", also with a T between them, with a comma before the
 * fraction, and with Z or +hh:mm at its end.  Returns 1, or 0 if s is none, or
 * is outside of 1700 to 2200. */
int trace_date_ns(const char *s, int64_t *ns);
