/* sim/step_memory.h -- the memory that steps are shown in: an sc_step, and the
 * columns that it points to.  Replicas share the columns of a step; some
 * columns of a policy are a replica's own.  [any thread]; no allocation. */
#pragma once
#include <stddef.h>
#include "engine/engine.h"
#include "sim/scheduler.h"

/* Returns the most requests of a step, of both pools. */
size_t step_memory_max_seqs(const struct engine *e);
/* Places the step and all columns in memory, those of replica i in column[i].
 * Returns the size of all in bytes; with memory NULL it does only that. */
size_t step_memory_lay_out(const struct engine *e, void *memory,
			   struct step_columns *column);
