/* engine/memory/memory.h -- whether the GPUs of a replica have room for what
 * they hold: weights, the KV cache, activations and captured graphs.
 *
 * Every way to say how many blocks there are is checked: a number, auto and
 * unlimited.  An unlimited cache must have room for one block, and for the
 * blocks that requests held when a simulation ends.  Nothing is checked if the
 * size of the weights or the GPU's memory is unknown, or with memory_check =
 * off.  [any thread]; no allocation, no printing. */
#pragma once
#include "base/problem.h"
#include "engine/engine.h"
#include "engine/facts.h"
#include "engine/keys/engine_keys.h"

/* What functions return, and engine_resolve() with them, if *p says that the
 * memory has no room: other sizes may fit (engine/memory/fits.h). */
enum { ENGINE_NO_ROOM = -2 };

/* Bytes of activations on a GPU, measured on vLLM's servers. */
#define MEMORY_ACTIVATIONS_BYTES 0.9e9

/* Returns the KV of the whole model as a multiple of the stage's. */
double memory_stages(const struct engine_facts *f,
		     const struct engine_share *s);
/* Compares the resolved engine with the memory, sets kv_room_blocks, and adds
 * to blocks_text what memory_check = off lets through.  Returns 0, or
 * ENGINE_NO_ROOM with *p filled in (EXIT_USAGE): the stage, what its GPUs would
 * hold and what they have. */
int memory_check(struct engine *e, const struct engine_keys *k,
		 const struct engine_facts *f, struct problem *p);
