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
#include "problem.h"

/* A stretch of a prompt.  Token t of a segment is the same token in every
 * prompt that has a segment of that id there: two prompts share the longest
 * prefix in which their (id, offset within the segment) agree.  What no
 * segment covers is unlike every other prompt. */
struct segment {
	uint64_t id;
	uint32_t tokens;
};

struct request {
	uint64_t row;	     /* its identity: 0, 1, … in order of arrival or
				of the file                                    */
	int64_t arrival_ns;  /* at the client                                  */
	uint32_t input_tokens, output_tokens; /* both >= 1                     */
	int32_t priority;    /* lower is served first, as in vLLM; 0           */
	uint32_t slo_class;
	uint64_t session;    /* 0: none                                        */
	uint32_t turn;
	uint32_t n_segments;
	const struct segment *segment; /* until the next pop                   */
	uint64_t output_id;  /* segment id of the tokens it will generate, 0:
				nobody continues it                            */
	const char *name;    /* request_id of the trace, or NULL; until the
				next pop                                       */
};

struct workload;

/* 1: the next known arrival's time is in *arrival_ns; 0: none is known until
 * a request finishes (or, if none is in flight, the workload is exhausted);
 * -1: *p. */
int workload_peek(struct workload *w, int64_t *arrival_ns, struct problem *p);
/* Takes the request that peek announced.  0, or -1 with *p. */
int workload_pop(struct workload *w, struct request *r, struct problem *p);
/* A request that was popped has ended (also: was rejected) at that time. */
void workload_finished(struct workload *w, uint64_t row, int64_t finish_ns);
void workload_free(struct workload *w);
#endif
