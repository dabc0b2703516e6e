/* engine/router.h -- a router's rules in plain numbers, as part of struct
 * engine; engine/keys/router_keys.h makes them from the keys of [router]. */
#pragma once
#include <stdint.h>
#include "engine/choices.h"

/* All fields have eight bytes, so that two are the same if their bytes are. */
struct router_rules {
	uint64_t ties, picker; /* TIES_*, PICKER_*                           */
	double weight[N_SCORERS];
	double cache_threshold, balance_rel_threshold;
	uint64_t balance_abs_threshold;
	int64_t eviction_interval_ns; /* 0: it never evicts                  */
	uint64_t max_tree_size;       /* characters of a replica             */
	uint64_t prefix_min_match_length;
	int64_t request_stats_window_ns;
	int64_t refresh_metrics_interval_ns;
	uint64_t block_tokens, max_blocks, lru_blocks;
	double overlap_score_credit, prefill_load_scale, temperature;
	uint64_t use_kv_events; /* 0 or 1                                     */
	int64_t ttl_ns, kv_event_delay_ns;
	double chars_per_token;
};
