/* workload.h -- requests, in order of arrival: generated from a seed or read
 * from a trace, streaming where the trace is sorted.
 *
 * The same settings and seed give the same requests for every arm; arms never
 * share a workload, each makes its own.  Closed loops and sessions learn of
 * finished requests through workload_finished(); what is not yet known (it
 * waits for a request to finish) is not seen by workload_peek().
 * [one thread]; no printing; the clock is integer ns from the run's start. */
#ifndef SC_SRC_WORKLOAD_H
#define SC_SRC_WORKLOAD_H
#include <stdint.h>
#include "base/problem.h"
#include "base/ini.h"
#include "stepcost/plugin.h"

/* A stretch of a prompt.  Token t of a segment is the same token in every
 * prompt that has a segment of that id there: two prompts share the longest
 * prefix in which their (id, offset within the segment) agree.  What no
 * segment covers is unlike every other prompt. */
struct segment {
	uint64_t id;
	uint32_t tokens;
};

struct request {
	uint64_t row;       /* its identity: 0, 1, … in order of arrival or
			       of the file                                    */
	int64_t arrival_ns; /* at the client                                  */
	uint32_t input_tokens, output_tokens; /* both >= 1 */
	int32_t priority; /* lower is served first, as in vLLM; 0           */
	uint32_t slo_class;
	uint64_t session; /* 0: none                                        */
	uint32_t turn;
	uint32_t n_segments;
	const struct segment *segment; /* until the next pop */
	uint64_t output_id; /* segment id of the tokens it will generate, 0:
			       nobody continues it                            */
	const char *name;   /* request_id of the trace, or NULL; until the
			       next pop                                       */
	uint64_t line;      /* where it stands in the trace, 0: generated     */
};

/* The keys of [workload]; fill it with knobs_fill() and workload_keys. */
struct workload_keys {
	const char *trace; /* "": generated */
	int64_t format; /* 0: auto                                          */
	double rate_scale;
	int64_t num_requests; /* 0, not given: the whole trace, all stages, or
				 1000 */
	int64_t failed; /* 0: skip, 1: error                                */
	int64_t retime; /* a trace's lengths at the times of the keys below */
	int64_t hash_block_tokens; /* 0: the format's */
	double chars_per_token;
	int64_t arrival; /* enum arrival_process                             */
	double request_rate, interarrival_us; /* 0: not given */
	int64_t concurrency; /* 0: not given                  */
	const char *stages;  /* "": not given                 */
	double cv;
	int64_t burst_size;
	double on_s, off_s;
	const char *input_tokens, *output_tokens; /* "": not given */
	int64_t prompts, prompt_groups, shared_prefix_tokens, prompt_order;
	int64_t turns;
	const char *think_time_s;
	int64_t seed;
};
extern const sc_knob *const workload_keys[];
extern const uint32_t n_workload_keys;

struct workload;

/* c, the INI that the keys came from, may be NULL: it gives paths their folder
 * and messages their place, and tells what was given from what is a default.
 * A trace is read through once here, so that its faults show before the run.
 * Keeps no pointer into k or c.  NULL: *p. */
struct workload *workload_open(const struct workload_keys *k,
			       const struct cfg *c, struct problem *p);
struct planned_request; /* plan.h */
/* A list of requests; the list must outlive the workload.  concurrency 0: they
 * come at their times; else a closed loop of so many clients.  NULL: *p. */
struct workload *workload_planned(const struct planned_request *request,
				  uint64_t n, uint64_t concurrency,
				  struct problem *p);
/* 1: the next known arrival's time is in *arrival_ns; 0: none is known until
 * a request finishes (or, if none is in flight, the workload is exhausted);
 * -1: *p. */
int workload_peek(struct workload *w, int64_t *arrival_ns, struct problem *p);
/* Takes the request that peek announced.  0, or -1 with *p. */
int workload_pop(struct workload *w, struct request *r, struct problem *p);
/* A request that was popped has ended (also: was rejected) at that time. */
void workload_finished(struct workload *w, uint64_t row, int64_t finish_ns);
void workload_free(struct workload *w);

/* How many requests it will yield in all. */
uint64_t workload_total(const struct workload *w);
/* A hash of the requests popped so far, in whatever order: equal for arms that
 * were given the same ones.  Arrival times count where they do not depend on
 * the arm (not in a closed loop, nor after a session's first turn). */
uint64_t workload_hash(const struct workload *w);
/* What the user should know (rows dropped or sorted, keys not used, …): line
 * i = 0, 1, … or NULL. */
const char *workload_note(const struct workload *w, uint32_t i);
/* The name of the trace's format; "generated". */
const char *workload_kind(const struct workload *w);
/* Of a trace's hash ids; 0: the requests have none. */
uint32_t workload_block_tokens(const struct workload *w);
#endif
