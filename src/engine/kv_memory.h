/* engine/kv_memory.h -- how many KV blocks there are: as num_gpu_blocks says,
 * or as many as the memory has room for.  [any thread] */
#ifndef SC_ENGINE_KV_MEMORY_H
#define SC_ENGINE_KV_MEMORY_H
#include "base/problem.h"
#include "engine/engine.h"
#include "engine/engine_keys.h"
#include "engine/facts.h"
#include "engine/source.h"

/* 0, or -1 with EXIT_USAGE in *p: num_gpu_blocks is neither auto, unlimited nor
 * a number of blocks. */
int kv_memory_check(const struct engine_keys *k,
		    const struct engine_source *from, struct problem *p);
/* Makes num_gpu_blocks and blocks_text of *e, whose block_size, kv_groups,
 * step_ranks and max_model_len are there.  0, or -1 with EXIT_USAGE in *p: the
 * memory is unknown, or has no room. */
int kv_memory_resolve(struct engine *e, const struct engine_keys *k,
		      const struct engine_facts *f, struct problem *p);
#endif
