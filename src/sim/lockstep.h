/* sim/lockstep.h -- ranks of a model with experts, which take each step
 * together, because the experts of a rank compute for all ranks.
 *
 * Every turn of a rank's thread submits one step to the group: the step that
 * its scheduler chose, or a dummy of one decode if it chose none.  When all
 * ranks have submitted their next step, these steps run together.  They start
 * when the last rank was ready and the GPUs are free, and take as long as the
 * longest.  If every rank is within the captured sizes, all are padded to the
 * largest; else all are eager.  A dummy blocks its thread until it is over, or
 * under async_scheduling until it starts.
 *
 * A wave begins with the first request.  After every 32nd step all ranks are
 * asked whether one of them has requests left; until then dummies continue.  If
 * no rank has any, the wave is over, and steps are counted from 0 again.
 *
 * Source: vLLM, v1/engine/core.py DPEngineCoreProc, v1/worker/dp_utils.py. [one
 * thread] */
#pragma once
#include <stdint.h>
#include "sim/replica_state.h"

struct lockstep;
/* Makes a group of the engine's lockstep_ranks replicas from `rank` on, which
 * outlive it.  Returns NULL if memory is out. */
struct lockstep *lockstep_new(struct replica *rank);
void lockstep_free(struct lockstep *g);

/* ---- during a rank's turn ---- */

/* A turn begins at r->next_ns.  Returns 0 if it must not begin; its next event
 * is set then. */
int lockstep_may_turn(struct lockstep *g, struct replica *r);
/* The rank has a request: a wave begins, unless one is in progress. */
void lockstep_wake(struct lockstep *g, const struct replica *r);
int lockstep_is_running(const struct lockstep *g);
/* Returns 1 if prompts that can wait are deferred in this turn. */
int lockstep_defers(const struct lockstep *g, const struct replica *r);
/* Submits the batch, which was chosen in a call at called_ns, is handed over at
 * r->ready_ns, and is committed.  Returns 0, or -1 with *p filled in. */
int lockstep_join(struct lockstep *g, struct replica *r, struct batch *b,
		  int64_t called_ns);
/* Ends the turn; if it chose nothing it submits a dummy in a wave, and its next
 * event is set.  Returns 0, or -1 with *p filled in. */
int lockstep_end_turn(struct lockstep *g, struct replica *r);
