/* keys.c -- Lists the keys of [workload]. */
#include "workload/keys.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "keys/keys.h"
#include "workload/trace/trace_formats.h"
#include "stepcost/knob.h"

#define KEYS struct workload_keys
static const char *const failed[] = {"skip", "error", NULL};
static const char *const arrival[] = {"poisson", "constant", "gamma", "weibull",
				      "burst",   "diurnal",  NULL};
static const char *const timing[] = {"think-only", "original", "api-scaled",
				     NULL};
static const char *const order[] = {"in_order", "shuffled", NULL};

const sc_knob *const workload_keys[] = {
    KEY_TEXT_OF(KEYS, trace, "",
		"file of requests; without it, requests are generated"),
    SC_CHOICE(KEYS, format, "auto", trace_format_names, "format of the trace",
	      .when = "trace=*"),
    KEY_TEXT_OF(KEYS, columns, "",
		"columns of a CSV trace of your own: time:NAME@UNIT, "
		"input:NAME, output:NAME; units s, ms, us, ns, date",
		.when = "trace=*"),
    SC_DOUBLE(KEYS, rate_scale, "1", 1e-9, 1e9, "1",
	      "factor on the rate; 2: arrivals twice as dense"),
    SC_INT(KEYS, num_requests, "0", 0, 1e15, "requests",
	   "number of requests, at most; without it: the whole trace, all "
	   "stages, or 1000 generated"),
    SC_CHOICE(KEYS, failed, "skip", failed,
	      "requests of 0 tokens in a trace: drop and count them, or refuse "
	      "the trace",
	      .when = "trace=*"),
    SC_BOOL(KEYS, retime, "false",
	    "true: take lengths from the trace in its order, and generate the "
	    "times",
	    .when = "trace=*"),
    SC_INT(KEYS, hash_block_tokens, "0", 0, 1048576, "tokens",
	   "tokens of one hash id; 0: as the format defines",
	   .when = "trace=*"),
    SC_DOUBLE(KEYS, chars_per_token, "4", 0.1, 100, "1",
	      "estimate for a trace that has text instead of token counts"),
    SC_CHOICE(KEYS, timing_strategy, "think-only", timing,
	      "the next request of a weka session comes after its recorded "
	      "think time, after the recorded difference of the times, or "
	      "after the server's time and the think time",
	      .when = "trace=*"),
    SC_DOUBLE(KEYS, api_time_scale, "1", 0, 1e6, "1",
	      "factor on the server's recorded times, with timing_strategy = "
	      "api-scaled",
	      .when = "timing_strategy=api-scaled"),
    SC_CHOICE(KEYS, arrival, "poisson", arrival,
	      "arrival process (with only interarrival_us: constant)"),
    SC_DOUBLE(KEYS, request_rate, "0", 0, INFINITY, "1/s",
	      "mean rate; inf: all at once"),
    SC_DOUBLE(KEYS, interarrival_us, "0", 0, 1e15, "us",
	      "mean gap, instead of a rate"),
    SC_INT(KEYS, concurrency, "0", 0, 1e9, "requests",
	   "closed loop, instead of a rate: the number of requests in flight"),
    KEY_TEXT_OF(KEYS, stages, "",
		"rate:seconds,rate:seconds,… instead of a rate; rate 0 pauses"),
    SC_DOUBLE(KEYS, cv, "1", 0, 20, "1",
	      "coefficient of variation of gamma and weibull gaps",
	      .when = "arrival=gamma|weibull"),
    SC_INT(KEYS, burst_size, "10", 1, 1e9, "requests",
	   "requests that arrive together, with arrival = burst",
	   .when = "arrival=burst"),
    SC_DOUBLE(KEYS, peak_to_trough, "3", 1, 1e6, "1",
	      "highest rate of a period, as a multiple of the lowest, with "
	      "arrival = diurnal",
	      .when = "arrival=diurnal"),
    SC_DOUBLE(KEYS, period_s, "86400", 1e-3, 1e9, "s",
	      "period of arrival = diurnal, which begins at the lowest rate",
	      .when = "arrival=diurnal"),
    SC_DOUBLE(KEYS, on_s, "0", 0, 1e9, "s",
	      "the process runs for this time, then pauses for off_s; 0: it "
	      "never pauses",
	      .when = "off_s>0"),
    SC_DOUBLE(KEYS, off_s, "0", 0, 1e9, "s", "pause after each on_s",
	      .when = "on_s>0"),
    KEY_TEXT_OF(KEYS, input_tokens, "",
		"constant:N uniform:a,b normal:mean,std lognormal:mean=,p50= "
		"exponential:mean histogram:EDGE=COUNT,… empirical:FILE"),
    KEY_TEXT_OF(KEYS, output_tokens, "", "distribution as in input_tokens"),
    SC_INT(KEYS, prompts, "0", 0, 1e9, "prompts",
	   "distinct prompts, used again in a cycle; 0: each prompt is new"),
    SC_INT(KEYS, prompt_groups, "0", 0, 1e9, "groups",
	   "groups of prompts, each with a common prefix; 0: one, if there is "
	   "a prefix",
	   .when = "shared_prefix_tokens>0"),
    SC_INT(
	KEYS, shared_prefix_tokens, "0", 0, INT32_MAX, "tokens",
	"tokens that all prompts of a group begin with; part of input_tokens"),
    SC_CHOICE(KEYS, prompt_order, "in_order", order,
	      "order of the pool; shuffled: a random permutation, used again "
	      "in a cycle",
	      .when = "prompts>0"),
    SC_INT(KEYS, turns, "1", 1, 100000, "turns",
	   "turns of a session: each prompt is all text before it, and "
	   "input_tokens more"),
    KEY_TEXT_OF(KEYS, think_time_s, "0",
		"time from an answer to the next turn, or to the next request "
		"of a closed loop: seconds or a distribution",
		.when = "turns>1 ; concurrency>0 ; trace=*"),
    KEY_TEXT_OF(KEYS, mm_item_tokens, "",
		"tokens of a picture or sound in a prompt, as in input_tokens; "
		"they come on top of input_tokens, in front of the prompt's "
		"own text"),
    KEY_TEXT_OF(KEYS, mm_items_per_prompt, "1",
		"pictures and sounds of a prompt, or of a turn of a session: a "
		"number or a distribution"),
    SC_DOUBLE(KEYS, mm_item_share, "1", 0, 1, "1",
	      "share of prompts (of turns) that have pictures or sound"),
    SC_INT(KEYS, mm_distinct_items, "0", 0, 1e9, "items",
	   "distinct pictures and sounds, drawn with equal chances; 0: each is "
	   "new"),
    SC_INT(KEYS, adapters, "0", 0, 1e6, "adapters",
	   "adapters (LoRA) that requests ask for, one each; all turns of a "
	   "session ask for the same; 0: none"),
    SC_DOUBLE(KEYS, adapter_skew, "0", 0, 10, "1",
	      "how uneven adapters are asked for: the i-th with weight 1 / "
	      "i^adapter_skew; 0: all alike"),
    SC_INT(KEYS, seed, "42", 0, 9e15, "1", "seed of all random numbers"),
};
const uint32_t n_workload_keys = sizeof workload_keys / sizeof *workload_keys;

int workload_has_key(const char *section, const char *key)
{
	return !strcmp(section, "workload") &&
	       knob_named(workload_keys, n_workload_keys, key);
}

const char *workload_format(const struct workload_keys *k)
{
	return trace_format_names[k->format];
}

/* A simulation takes at least about a microsecond for a request. */
int workload_check_total(uint64_t n, const struct ini *c, struct problem *p)
{
	const uint64_t most = UINT64_C(10000000000);
	const double per_s = 1e6, day_s = 86400;
	if (n <= most)
		return 0;
	return problem_set(p, EXIT_USAGE,
			   "%s: %llu requests take %.3g days, at a million "
			   "requests a second, which few runs reach; at most "
			   "%llu",
			   workload_at(c, "num_requests"),
			   (unsigned long long)n, (double)n / per_s / day_s,
			   (unsigned long long)most);
}

/* Keys that a trace may not use. */
static const struct {
	const char *name;
	enum { OF_ARRIVALS, OF_REQUESTS, OF_LENGTHS } is;
} of_generated[] = {{"request_rate", OF_ARRIVALS},
		    {"interarrival_us", OF_ARRIVALS},
		    {"concurrency", OF_ARRIVALS},
		    {"stages", OF_ARRIVALS},
		    {"arrival", OF_ARRIVALS},
		    {"cv", OF_ARRIVALS},
		    {"peak_to_trough", OF_ARRIVALS},
		    {"period_s", OF_ARRIVALS},
		    {"think_time_s", OF_ARRIVALS},
		    {"prompts", OF_REQUESTS},
		    {"prompt_groups", OF_REQUESTS},
		    {"turns", OF_REQUESTS},
		    {"shared_prefix_tokens", OF_REQUESTS},
		    {"mm_item_tokens", OF_REQUESTS},
		    {"mm_items_per_prompt", OF_REQUESTS},
		    {"mm_item_share", OF_REQUESTS},
		    {"mm_distinct_items", OF_REQUESTS},
		    {"adapters", OF_REQUESTS},
		    {"adapter_skew", OF_REQUESTS},
		    {"input_tokens", OF_LENGTHS},
		    {"output_tokens", OF_LENGTHS}};
enum { N_OF_GENERATED = sizeof of_generated / sizeof *of_generated };

static enum workload_unused unused(size_t i, int has_times, int takes_lengths)
{
	switch (of_generated[i].is) {
	case OF_ARRIVALS:
		return has_times ? WORKLOAD_OWN_TIMES : WORKLOAD_USED;
	case OF_LENGTHS:
		return takes_lengths ? WORKLOAD_USED : WORKLOAD_OWN_REQUESTS;
	default:
		return WORKLOAD_OWN_REQUESTS;
	}
}

enum workload_unused workload_key_unused(const char *key, int has_times,
					 int takes_lengths)
{
	for (size_t i = 0; i < N_OF_GENERATED; i++)
		if (!strcmp(of_generated[i].name, key))
			return unused(i, has_times, takes_lengths);
	return WORKLOAD_USED;
}

uint32_t workload_unused_keys(char *to, size_t size, int has_times,
			      int takes_lengths, const struct ini *c)
{
	uint32_t n = 0;
	size_t at = 0;
	to[0] = '\0';
	for (size_t i = 0; i < N_OF_GENERATED; i++)
		if (unused(i, has_times, takes_lengths) &&
		    workload_given(c, of_generated[i].name) && at < size)
			at += (size_t)snprintf(to + at, size - at, "%s%s",
					       n++ ? ", " : "",
					       of_generated[i].name);
	return n;
}
