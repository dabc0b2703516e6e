/* sim/step/first_use.h -- kernels that a server lacks just after its start.
 *
 * The first step that is not replayed from a captured graph loads its kernels.
 * Experts in 16 bits run in a Triton kernel with tiles that vLLM tuned for 18
 * numbers of tokens; a step uses the tiles of the nearest number.  Triton
 * compiles a variant for each of them, and for whether each of two arguments is
 * a multiple of 16.  The variants of the profiling step and of the captured
 * graphs exist at the start; for any other variant the first step that needs it
 * waits.  Source: vLLM, layers/fused_moe/fused_moe.py, and its pull request
 * 55268.  [one thread] */
#pragma once
#include <stdint.h>
#include "engine/engine.h"

enum { FIRST_USE_TUNED = 18 };

struct first_use {
	int has_run; /* 1: a step without a captured graph has run */
	/* [i]: bits of the variants for the i-th number of tokens. */
	uint8_t variants[FIRST_USE_TUNED];
};

/* Returns 1 if there can be steps that wait. */
static inline int first_use_may_wait(const struct engine *e)
{
	return e->first_step_us > 0 ||
	       (e->n_experts && e->expert_compile_us > 0);
}
/* Returns the state of a server that has just started. */
struct first_use first_use_begin(const struct engine *e);
/* Returns how long a step of that many tokens waits; the next one does not
 * wait. */
double first_use_wait_us(struct first_use *f, const struct engine *e,
			 uint32_t tokens);
