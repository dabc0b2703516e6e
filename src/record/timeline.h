/* record/timeline.h -- a run as Chrome trace events, for ui.perfetto.dev.
 *
 * An arm is a process.  A replica is a track of it: a slice for each step with
 * prefills, and one for each stretch of decode steps of the same batch, which
 * says how many there are.  Counters (batch, KV blocks, queue) are written
 * where a slice begins, if they have changed.  Requests that ended are slices
 * on further tracks, as many as there are requests at once; within each stand
 * queue, prefill and decode.
 *
 * The file: timeline_head(), what each arm wrote, timeline_tail().
 * [one thread] */
#ifndef SC_RECORD_TIMELINE_H
#define SC_RECORD_TIMELINE_H
#include <stdint.h>
#include <stdio.h>
#include "base/problem.h"
#include "sim/observer.h"

struct timeline;
/* arm: its place, from 0.  NULL with *p: out of memory. */
struct timeline *timeline_open(FILE *f, uint32_t arm, uint32_t replicas,
			       struct problem *p);
void timeline_step(struct timeline *t, const struct step_event *e);
/* 0, or -1 with *p: out of memory. */
int timeline_request(struct timeline *t, const struct request_event *e,
		     struct problem *p);
/* Writes what is not written yet; NULL: nothing to do. */
void timeline_close(struct timeline *t);

/* Names of arms are [a-z0-9_-]+. */
void timeline_head(FILE *f, const char *const *arm, uint32_t n_arms,
		   uint32_t replicas);
void timeline_tail(FILE *f);
#endif
