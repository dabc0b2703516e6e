/* sim/step/launch.h -- a step on its way from the scheduler to the GPU: its
 * description when it is chosen, its duration, and reporting it.  [one
 * thread] */
#pragma once
#include <stdint.h>
#include "base/whole.h"
#include "sim/observer.h"
#include "sim/replica_state.h"

/* Describes the step that the replica's scheduler has just chosen in a call at
 * called_ns, without its result, start and end. */
struct step_event launch_event(const struct replica *r, int64_t called_ns);
/* Sets *us to the time that the engine waits for the step: async scheduling
 * hides the host's share; the event's draft_us is filled in and added.  The
 * event's step is in step memory.  Returns 0, or -1 with *p filled in. */
int launch_us(struct replica *r, struct step_event *event,
	      struct drafter_group group, double *us);
static inline int64_t launch_ns(double us)
{
	return whole_round(1e3 * us);
}
/* Returns 1 if a step that starts then ends within the clock. */
static inline int launch_fits(int64_t start_ns, double us)
{
	return us * 1e3 + (double)start_ns <= (double)REPLICA_LAST_INSTANT;
}
/* Sets *end_ns for a step that starts at start_ns and takes `us`.  Returns 0,
 * or -1 with *p filled in if that is beyond the end of the clock. */
int launch_end(const struct replica *r, int64_t start_ns, double us,
	       int64_t *end_ns);
/* Passes a step through the stages: event->start_ns, on entry the earliest
 * start, becomes the actual start, and event->end_ns the time when it has
 * passed all stages.  Returns 0, or -1 with *p filled in. */
int launch_pass(struct replica *r, struct step_event *event);
/* A step that admits these n requests starts then: they leave the queue. */
void launch_admitted(struct replica *r, const uint32_t *admitted, uint32_t n,
		     int64_t start_ns);
/* Notes that a step runs then.  Steps begin one after the other; those of a
 * pipeline overlap. */
void launch_occupied(struct replica *r, int64_t start_ns, int64_t end_ns);
/* Reports the complete event, which admits these n requests.  Returns 0, or -1
 * with *p filled in. */
int launch_report(struct replica *r, const struct step_event *event,
		  const uint32_t *admitted, uint32_t n);
