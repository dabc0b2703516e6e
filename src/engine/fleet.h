/* engine/fleet.h -- how the number of replicas changes, and how replicas die,
 * in plain numbers; engine/keys/fleet_keys.h makes them from the keys of
 * [autoscaler] and [failures]. */
#pragma once
#include <stdint.h>
#include "engine/choices.h"

enum { FLEET_DEATHS = 64 }; /* of failures.at, at most */

/* All fields have eight bytes, so that two are the same if their bytes are. */
struct fleet_rules {
	uint64_t metric; /* FLEET_METRIC_*; none: the number stays           */
	uint64_t target; /* thousandths of the metric, for each replica      */
	uint64_t start, min, max; /* replicas                               */
	uint64_t tolerance;       /* millionths                             */
	int64_t up_window_ns, down_window_ns, period_ns;
	uint64_t up_pods, up_percent;
	int64_t first_ns; /* time of the first decision                      */
	int64_t sync_ns, delay_ns;
	int64_t cold_start_ns, drain_ns;
	uint64_t dies;  /* 1: replicas die; the next ones say how             */
	double mtbf_ns; /* 0: only at the times below                        */
	int64_t detect_ns;
	uint64_t restart, max_retries;
	uint64_t n_deaths;
	struct fleet_death {
		int64_t at_ns;
		uint64_t replica;
	} death[FLEET_DEATHS]; /* in order of time                           */
	uint64_t gpus; /* of a replica                                       */
	double gpu_hour_price; /* 0: unknown                                 */
};
/* Returns 1 if replicas come or go. */
static inline int fleet_changes(const struct fleet_rules *f)
{
	return f->metric != FLEET_METRIC_NONE || f->dies;
}
