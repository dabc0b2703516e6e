/* record/timeline.h -- a run as Chrome trace events, for ui.perfetto.dev.
 *
 * An arm is a process.  A replica is a track of it: a slice for each step with
 * prefills, and a slice for each stretch of decode steps with the same batch,
 * which tells the number of steps.  Counters (batch, KV blocks, queue) are
 * written where a slice begins, if they have changed.  Requests that ended are
 * slices on further tracks, one per concurrent request; each slice contains
 * queue (and in it the load of KV from the host), prefill and decode.  Copies
 * of KV between a replica and its host have two tracks, one per direction, if
 * there are any; time in which adapters are loaded, and in which a step encodes
 * pictures or sound, is a slice on the replica's track.
 *
 * The file: timeline_head(), the output of each arm, timeline_tail(). [one
 * thread] */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include "base/problem.h"
#include "sim/observer.h"

struct timeline;
/* arm: its index, from 0.  Returns NULL with *p filled in if memory is out. */
struct timeline *timeline_open(FILE *f, uint32_t arm, uint32_t replicas,
			       struct problem *p);
void timeline_step(struct timeline *t, const struct step_event *e);
/* Returns 0, or -1 with *p filled in if memory is out. */
int timeline_request(struct timeline *t, const struct request_event *e,
		     struct problem *p);
void timeline_transfer(struct timeline *t, const struct transfer_event *e);
/* Writes the open slices; t may be NULL. */
void timeline_close(struct timeline *t);

/* Names of arms are [a-z0-9_-]+. */
void timeline_head(FILE *f, const char *const *arm, uint32_t n_arms,
		   uint32_t replicas);
void timeline_tail(FILE *f);
