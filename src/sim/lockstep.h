/* sim/lockstep.h -- ranks of a model with experts, which take each step
 * together: the experts of a rank compute for all of them.
 *
 * Every turn of a rank's thread brings one step to the group: what its
 * scheduler chose, or, where that was nothing, a dummy of one decode.  When all
 * ranks have brought their next one, these run: from when the last of them was
 * ready, and the GPUs are free, for as long as the longest takes.  If each is
 * within the captured sizes all are padded to the largest; else all are eager.
 * A dummy holds its thread: until it is over, under async_scheduling until it
 * starts.
 *
 * A wave begins with the first request.  After every 32nd step all ranks are
 * asked whether somebody has requests left; until then dummies go on.  If
 * nobody has, the wave is over, and steps are counted from 0 again.
 *
 * Source: vLLM, v1/engine/core.py DPEngineCoreProc, v1/worker/dp_utils.py.
 * [one thread] */
#ifndef SC_SIM_LOCKSTEP_H
#define SC_SIM_LOCKSTEP_H
#include <stdint.h>
#include "sim/replica_state.h"

struct lockstep;
/* Of the engine's lockstep_ranks replicas from `rank` on, which outlive it.
 * NULL: out of memory. */
struct lockstep *lockstep_new(struct replica *rank);
void lockstep_free(struct lockstep *g);

/* ---- a rank at its turn ---- */

/* A turn begins, at r->next_ns.  0: it must not; its next event is set. */
int lockstep_may_turn(struct lockstep *g, struct replica *r);
/* The rank has a request: a wave begins, unless one is under way. */
void lockstep_wake(struct lockstep *g, const struct replica *r);
int lockstep_is_running(const struct lockstep *g);
/* Prompts that can wait do, in this turn. */
int lockstep_defers(const struct lockstep *g, const struct replica *r);
/* The batch was chosen in a call at called_ns and is handed over at
 * r->ready_ns; it is committed.  0, or -1 with *p. */
int lockstep_join(struct lockstep *g, struct replica *r, struct batch *b,
		  int64_t called_ns);
/* The turn is over; if it chose nothing it runs a dummy in a wave, and its next
 * event is set.  0, or -1 with *p. */
int lockstep_end_turn(struct lockstep *g, struct replica *r);
#endif
