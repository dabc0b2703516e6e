/* sim/launch.h -- a step on its way from the scheduler to the GPU: what it was
 * when it was chosen, how long it lasts, and who is told.  [one thread] */
#ifndef SC_SIM_LAUNCH_H
#define SC_SIM_LAUNCH_H
#include <stdint.h>
#include "base/whole.h"
#include "sim/observer.h"
#include "sim/replica_state.h"

/* The step that the replica's scheduler has just chosen in a call at called_ns,
 * as far as it is known by now: without its result, start and end. */
struct step_event launch_event(const struct replica *r, int64_t called_ns);
/* *us: what the engine waits for: async scheduling hides the host's share; the
 * event's draft_us, filled in, come on top.  The event's step stands in step
 * memory.  0, or -1 with *p. */
int launch_us(struct replica *r, struct step_event *event,
	      struct drafter_group group, double *us);
static inline int64_t launch_ns(double us)
{
	return whole_round(1e3 * us);
}
/* Whether a step that starts then ends within the clock. */
static inline int launch_fits(int64_t start_ns, double us)
{
	return us * 1e3 + (double)start_ns <= (double)REPLICA_LAST_INSTANT;
}
/* *end_ns of a step that starts at start_ns and lasts so long.  0, or -1 with
 * *p: beyond the end of the clock. */
int launch_end(const struct replica *r, int64_t start_ns, double us,
	       int64_t *end_ns);
/* Through the stages one after the other: event->start_ns, so far when the step
 * may begin, is when it does, and event->end_ns when it has passed them all.
 * 0, or -1 with *p. */
int launch_pass(struct replica *r, struct step_event *event);
/* A step that admits those n starts then: they leave the queue. */
void launch_admitted(struct replica *r, const uint32_t *admitted, uint32_t n,
		     int64_t start_ns);
/* A step runs then; they begin one after the other, those of a pipeline
 * overlap. */
void launch_occupied(struct replica *r, int64_t start_ns, int64_t end_ns);
/* The event is complete; it admits those n.  0, or -1 with *p. */
int launch_tell(struct replica *r, const struct step_event *event,
		const uint32_t *admitted, uint32_t n);
#endif
