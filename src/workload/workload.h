/* workload/workload.h -- requests, in order of arrival: generated from a seed
 * or read from a trace, streaming where the trace is sorted.
 *
 * The same settings and seed give the same requests for every arm; arms never
 * share a workload, each makes its own.  Closed loops and sessions learn of
 * finished requests through workload_finished(); what is not yet known (it
 * waits for a request to finish) is not seen by workload_peek().
 * [one thread]; no printing; the clock is integer ns from the run's start. */
#ifndef SC_WORKLOAD_WORKLOAD_H
#define SC_WORKLOAD_WORKLOAD_H
#include <stdint.h>
#include "base/problem.h"
#include "workload/keys.h"
#include "workload/request.h"

struct workload;
struct distribution;
struct trace;
struct traces;

/* c, the INI that the keys came from, may be NULL: it gives paths their folder
 * and messages their place, and tells what was given from what is a default.
 * A trace is read through once here, so that its faults show before the run.
 * Keeps no pointer into k or c.  NULL: *p. */
struct workload *workload_open(const struct workload_keys *k,
			       const struct ini *c, struct problem *p);
/* The same; a trace that s keeps is not read from its file.  s, which may be
 * NULL, must outlive it. */
struct workload *workload_open_with(const struct workload_keys *k,
				    const struct ini *c, const struct traces *s,
				    struct problem *p);
/* Reads the trace that the keys name into s, unless it is there.  *hash: of
 * what its rows say.  0, or -1 with *p: it cannot be read at all; a fault in
 * its rows is met by those who come to it. */
int workload_read_trace(struct traces *s, const struct workload_keys *k,
			const struct ini *c, uint64_t *hash, struct problem *p);
struct planned_request; /* planned.h */
/* A list of requests; the list must outlive the workload.  concurrency 0: they
 * come at their times; else a closed loop of so many clients.  NULL: *p. */
struct workload *workload_planned(const struct planned_request *request,
				  uint64_t n, uint64_t concurrency,
				  struct problem *p);
/* Before the first request: every session begins at 0 and its turns follow each
 * other without thinking; of stages, num_requests says how many there are.  A
 * trace keeps its own times. */
void workload_send_at_once(struct workload *w);
/* 1: the next known arrival's time is in *arrival_ns; 0: none is known until
 * a request finishes (or, if none is in flight, the workload is exhausted);
 * -1: *p. */
int workload_peek(struct workload *w, int64_t *arrival_ns, struct problem *p);
/* Takes the request that peek announced.  0, or -1 with *p. */
int workload_pop(struct workload *w, struct request *r, struct problem *p);
/* A request that was popped has ended (also: was rejected) at that time.  1:
 * what workload_peek() says may be another one now. */
int workload_finished(struct workload *w, uint64_t row, int64_t finish_ns);
void workload_free(struct workload *w);

/* Returns 1 if requests come at the times of a trace. */
int workload_is_timed(const struct workload *w);
/* How many requests it will yield in all. */
uint64_t workload_total(const struct workload *w);
/* A hash of the requests popped so far, in whatever order: equal for arms that
 * were given the same ones.  Arrival times count where they do not depend on
 * the arm (not in a closed loop, nor after a session's first turn). */
uint64_t workload_hash(const struct workload *w);
/* Notes for the user (rows dropped or sorted, keys not used, …): line i = 0, 1,
 * … or NULL. */
const char *workload_note(const struct workload *w, uint32_t i);
/* The name of the trace's format; "generated". */
const char *workload_kind(const struct workload *w);
/* Of a trace's hash ids; 0: the requests have none. */
uint32_t workload_block_tokens(const struct workload *w);
/* The trace that the keys name, at that path.  input and output become the
 * lengths of [workload], where given; they must live as long as the trace. */
struct trace *workload_trace(const struct workload_keys *k, const char *path,
			     const struct ini *c, struct distribution *input,
			     struct distribution *output, struct problem *p);
#endif
