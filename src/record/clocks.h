/* record/clocks.h -- which entries of a log of steps are one step.  Ranks that
 * take each step together share one clock; every other replica has its own.
 * [any thread] */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "record/steplog.h"

struct engine; /* engine/engine.h */

/* Returns the number of the replica's clock: the first replica that has it. */
uint32_t clock_of_replica(const struct engine *e, uint32_t replica);
/* Returns 1 if two replicas with one clock are in one step. */
int clock_is_same_step(const struct engine *e, const struct logged_step *a,
		       const struct logged_step *b);
/* Returns where the step that begins at `from` ends in the log. */
size_t clock_step_end(const struct engine *e, const struct steplog *l,
		      size_t from);
