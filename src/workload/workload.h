/* workload/workload.h -- requests in order of arrival: generated from a seed or
 * read from a trace, streaming if the trace is sorted.
 *
 * The same settings and seed give the same requests for every arm.  Arms never
 * share a workload; each makes its own.  Closed loops and sessions learn of
 * finished requests through workload_finished().  workload_peek() does not see
 * a request that waits for another one to finish. [one thread]; no printing;
 * the clock is integer ns from the run's start. */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "workload/keys.h"
#include "workload/request.h"

struct workload;
struct distribution;
struct trace;
struct traces;

/* Opens a workload.  c, the INI that the keys came from, may be NULL: it gives
 * the folder of paths and the place of keys in messages, and tells given keys
 * from defaults.  A trace is read through once here, so that its errors appear
 * before the run.  Keeps no pointer into k or c.  Returns NULL with *p filled
 * in if that fails. */
struct workload *workload_open(const struct workload_keys *k,
			       const struct ini *c, struct problem *p);
/* The same; a trace that s keeps is not read from its file.  s may be NULL and
 * must outlive the workload. */
struct workload *workload_open_with(const struct workload_keys *k,
				    const struct ini *c, const struct traces *s,
				    struct problem *p);
/* Reads the trace that the keys name into s, unless it is there.  *hash: hash
 * of its content.  Returns 0, or -1 with *p filled in if it cannot be read at
 * all; an error in a row appears when that row is read. */
int workload_read_trace(struct traces *s, const struct workload_keys *k,
			const struct ini *c, uint64_t *hash, struct problem *p);
struct planned_request; /* planned.h */
/* Opens a workload from a list of requests, which must outlive it.  concurrency
 * 0: they arrive at their times; else: the number of clients of a closed loop.
 * Returns NULL with *p filled in if that fails. */
struct workload *workload_planned(const struct planned_request *request,
				  uint64_t n, uint64_t concurrency,
				  struct problem *p);
/* To be called before the first request: every session begins at 0, and its
 * turns follow each other without think time.  If there are stages,
 * num_requests says how many requests there are.  A trace keeps its own
 * times. */
void workload_send_at_once(struct workload *w);
/* To be called before the first request of a trace without times of its own: it
 * begins at share `from` of its rows (0 <= from < 1), goes around, and yields n
 * requests in all.  Returns 0, or -1 with *p filled in. */
int workload_begin_at(struct workload *w, double from, uint64_t n,
		      struct problem *p);
/* Returns 1 if the workload is a trace that lasts for some time, so that it can
 * come more than once. */
int workload_may_repeat(const struct workload *w);
/* To be called before the first request of such a trace: it comes `times` times
 * over at the same rate.  Prompts of one time around share nothing with those
 * of another: hash ids, prefix groups, sessions and items are new.  Returns 0,
 * or -1 with *p filled in. */
int workload_repeat(struct workload *w, uint64_t times, struct problem *p);
/* Opens a workload without requests; workload_give() gives them in the order of
 * their arrival_ns. longest_item: tokens of the longest item that one may have.
 * Returns NULL if memory is out. */
struct workload *workload_live(uint32_t longest_item);
/* Copies the request.  Returns 0, or -1 if memory is out. */
int workload_give(struct workload *w, const struct request *r);
/* Returns 1 with the time of the next known arrival in *arrival_ns.  Returns 0
 * if none is known until a request finishes; if no request is in flight, the
 * workload is exhausted.  Returns -1 with *p filled in on errors. */
int workload_peek(struct workload *w, int64_t *arrival_ns, struct problem *p);
/* Takes the request that workload_peek() found.  Returns 0, or -1 with *p
 * filled in. */
int workload_pop(struct workload *w, struct request *r, struct problem *p);
/* Reports that a request which was popped ended, or was rejected, at that time.
 * Returns 1 if the answer of workload_peek() may have changed. */
int workload_finished(struct workload *w, uint64_t row, int64_t finish_ns);
void workload_free(struct workload *w);

/* Returns 1 if requests come at the times of a trace. */
int workload_is_timed(const struct workload *w);
/* Returns 1 if requests may come after others, as the trace says. */
int workload_has_trees(const struct workload *w);
/* Returns which of them come after others; NULL: the requests are no trees. */
struct trees; /* workload/trees.h */
const struct trees *workload_trees(const struct workload *w);
/* The requests of each session, one after the other; 1: no sessions. */
uint64_t workload_turns(const struct workload *w);
/* How many requests it will yield in all. */
uint64_t workload_total(const struct workload *w);
/* The clients of a closed loop; 0: requests arrive at their own times. */
uint64_t workload_clients(const struct workload *w);
/* Tokens of the longest item (struct mm_item) of its requests; 0: none has
 * any. */
uint32_t workload_longest_item(const struct workload *w);
/* Returns 1 if a request may leave the engine before the tokens that it
 * plans. */
int workload_may_leave(const struct workload *w);
/* Returns how many resets of prefix caches its trace has, in *reset. */
size_t workload_resets(const struct workload *w,
		       const struct workload_reset **reset);
/* Returns a hash of the requests popped so far, in any order: it is equal for
 * arms that got the same requests.  Arrival times count if they do not depend
 * on the arm (not in a closed loop, nor after a session's first turn). */
uint64_t workload_hash(const struct workload *w);
/* Returns note i = 0, 1, … for the user (rows dropped or sorted, keys not used,
 * …), or NULL. */
const char *workload_note(const struct workload *w, uint32_t i);
