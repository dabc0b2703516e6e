/* engine/resolve.h -- makes the numbers of struct engine from the keys of
 * [engine] and [slo].  [any thread]; no allocation, no printing. */
#pragma once
#include "base/problem.h"
#include "engine/engine.h"
#include "engine/facts.h"
#include "engine/keys/engine_keys.h"
#include "engine/keys/source.h"

/* Checks the keys that knobs_fill() leaves as text: num_gpu_blocks,
 * graph_max_tokens, and those of speculation.  0, or -1 with EXIT_USAGE and
 * "file:line: what" in *p. */
int engine_check(const struct engine_keys *k, const struct engine_source *from,
		 struct problem *p);
/* What follows from the keys and the split alone: the sizes of a step, drafts
 * among them, how many replicas; the rest is zero. */
struct engine engine_sized(const struct engine_keys *k, const sc_parallel *s);
/* The engine that the keys describe.  0, or -1 with EXIT_USAGE and one line in
 * *p, beginning with the key's place if f->from is given; or ENGINE_NO_ROOM
 * (engine/memory/memory.h) if that line says that the memory has no room.
 * max_num_batched_tokens below max_num_seqs is served only without a preset,
 * because vLLM refuses it; a cache without room for one block is refused. */
int engine_resolve(struct engine *e, const struct engine_keys *k,
		   const struct slo_keys *s, const struct engine_facts *f,
		   struct problem *p);
