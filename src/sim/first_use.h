/* sim/first_use.h -- what a server that has just started does not have yet.
 *
 * The first step that no captured graph replays loads its kernels.  Experts of
 * 16 bits are computed by a Triton kernel whose tiles vLLM tunes for 18 numbers
 * of tokens; a step takes those of the nearest.  Triton compiles a variant for
 * each of them, and for each of two arguments that is or is not a multiple of
 * 16.  Those of the profiling step and of the captured graphs are there; every
 * other is waited for by the first step that needs it.  Source: vLLM,
 * layers/fused_moe/fused_moe.py, and its pull request 55268.  [one thread] */
#ifndef SC_SIM_FIRST_USE_H
#define SC_SIM_FIRST_USE_H
#include <stdint.h>
#include "engine/engine.h"

enum { FIRST_USE_TUNED = 18 };

struct first_use {
	int has_run; /* a step without a captured graph                      */
	/* [i]: bits of the variants for the i-th number of tokens           */
	uint8_t variants[FIRST_USE_TUNED];
};

/* Can there be steps that wait? */
static inline int first_use_may_wait(const struct engine *e)
{
	return e->first_step_us > 0 ||
	       (e->n_experts && e->expert_compile_us > 0);
}
/* Of a server that has just started. */
struct first_use first_use_begin(const struct engine *e);
/* What a step of so many tokens waits for; the next one does not. */
double first_use_wait_us(struct first_use *f, const struct engine *e,
			 uint32_t tokens);
#endif
