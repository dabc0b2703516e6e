/* workload/trace/trace_unit.h -- units of the times in a trace: by name, and
 * guessed from the times themselves. */
#pragma once
#include <stdint.h>

enum trace_unit {
	UNIT_UNKNOWN,
	UNIT_S,
	UNIT_MS,
	UNIT_US,
	UNIT_NS,
	UNIT_DATE, /* 2023-11-16 18:15:46.68 */
};
/* Times as the file has them. */
struct trace_times {
	uint64_t n;
	double min, max;
	int has_fractions; /* 1: some are not whole */
};

/* Returns UNIT_UNKNOWN for another name than s, ms, us, ns and date. */
enum trace_unit trace_unit_named(const char *name);
/* Returns "" for UNIT_UNKNOWN. */
const char *trace_unit_name(enum trace_unit unit);
/* Returns the power of ten of the unit in ns: 9, 6, 3 or 0. */
int trace_unit_power(enum trace_unit unit);
/* Adds a time. */
void trace_times_add(struct trace_times *t, double time);
/* Returns the unit at the end of a column's name, UNIT_S to UNIT_NS, or
 * UNIT_UNKNOWN. */
enum trace_unit trace_unit_of_column(const char *column);
/* Returns the likely unit, UNIT_S to UNIT_NS.  The first of these decides: an
 * epoch (seconds since 1970 have 10 digits); a unit at the end of the column's
 * name; a usual rate of requests, 0.1 to 100 per second. */
enum trace_unit trace_unit_estimate(const char *column,
				    const struct trace_times *t);
