/* workload/keys.h -- the keys of [workload], as data, and the place of a key in
 * the INI, for messages. */
#pragma once
#include <stdint.h>
#include "base/ini.h"
#include "base/problem.h"
#include "stepcost/plugin.h"

/* The keys of [workload]; fill it with knobs_fill() and workload_keys. */
struct workload_keys {
	const char *trace;   /* "": generated */
	int64_t format;      /* 0: auto */
	const char *columns; /* "": not given */
	double rate_scale;
	/* 0, if not given: the whole trace, all stages, or 1000 */
	int64_t num_requests;
	int64_t failed; /* 0: skip, 1: error */
	/* 1: the lengths of a trace at the times of the keys below */
	int64_t retime;
	int64_t hash_block_tokens; /* 0: as the format says */
	double chars_per_token;
	int64_t timing_strategy; /* enum trace_timing */
	double api_time_scale;
	int64_t arrival;                      /* enum arrival_process */
	double request_rate, interarrival_us; /* 0: not given */
	int64_t concurrency;                  /* 0: not given */
	const char *stages;                   /* "": not given */
	double cv;
	int64_t burst_size;
	double peak_to_trough, period_s;
	double on_s, off_s;
	const char *input_tokens, *output_tokens; /* "": not given */
	int64_t prompts, prompt_groups, shared_prefix_tokens, prompt_order;
	int64_t turns;
	const char *think_time_s;
	const char *mm_item_tokens; /* "": prompts have no items */
	const char *mm_items_per_prompt;
	double mm_item_share;
	int64_t mm_distinct_items; /* 0: each item is new */
	int64_t adapters;          /* 0: none */
	double adapter_skew;
	int64_t seed;
};
extern const sc_knob *const workload_keys[];
extern const uint32_t n_workload_keys;

/* Returns NULL if the key is not given. */
static inline const struct ini_item *workload_given(const struct ini *c,
						    const char *key)
{
	return c ? ini_find(c, "workload", key) : NULL;
}

static inline const char *workload_at(const struct ini *c, const char *key)
{
	const struct ini_item *i = workload_given(c, key);
	return i ? i->at : "[workload]";
}

/* Refuses more requests than a run can end with.  Returns 0, or -1 with *p
 * filled in. */
int workload_check_total(uint64_t n, const struct ini *c, struct problem *p);
/* Why a trace does not use a key of [workload]. */
enum workload_unused {
	WORKLOAD_USED,
	WORKLOAD_OWN_TIMES, /* retime = true makes it use the key */
	WORKLOAD_OWN_REQUESTS,
};
enum workload_unused workload_key_unused(const char *key, int has_times,
					 int takes_lengths);
/* Writes the keys that c gives and a trace does not use, with commas: those of
 * requests, those of arrivals if the trace has times of its own, and lengths
 * unless it takes them.  Returns how many. */
uint32_t workload_unused_keys(char *to, size_t size, int has_times,
			      int takes_lengths, const struct ini *c);
/* Returns the name of the format. */
const char *workload_format(const struct workload_keys *k);
int workload_has_key(const char *section, const char *key);
