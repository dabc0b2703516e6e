/* engine/memory/kv_memory.h -- how many KV blocks there are: as num_gpu_blocks
 * says, or as many as the memory has room for.  [any thread] */
#pragma once
#include "base/problem.h"
#include "engine/engine.h"
#include "engine/facts.h"
#include "engine/keys/engine_keys.h"
#include "engine/keys/source.h"

/* Returns 0, or -1 with *p filled in (EXIT_USAGE): num_gpu_blocks is neither
 * auto, unlimited nor a number of blocks. */
int kv_memory_check(const struct engine_keys *k,
		    const struct engine_source *from, struct problem *p);
/* Sets num_gpu_blocks and blocks_text of *e; block_size, kv_groups, step_ranks
 * and max_model_len of *e must be set.  Returns 0, or with *p filled in
 * (EXIT_USAGE) -1: the memory is unknown, or ENGINE_NO_ROOM
 * (engine/memory/memory.h).
 */
int kv_memory_resolve(struct engine *e, const struct engine_keys *k,
		      const struct engine_facts *f, struct problem *p);
