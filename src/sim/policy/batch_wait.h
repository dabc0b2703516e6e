/* sim/policy/batch_wait.h -- TensorRT-LLM's prompts wait to be computed
 * together (batch_wait_timeout_iters, batch_wait_max_tokens_ratio).
 *
 * While requests decode, no prompt begins until the prompts that wait and the
 * decodes have as many tokens as the ratio asks for, or that many steps have
 * passed.  Ranks of attention data parallelism wait together: their tokens are
 * added, and compared with the limit of one rank.
 *
 * Source: TensorRT-LLM, _torch/pyexecutor/py_executor.py, as descriptions of it
 * say.  Integers only.  [one thread] */
#ifndef SC_SIM_BATCH_WAIT_H
#define SC_SIM_BATCH_WAIT_H
#include "engine/engine.h"
#include "sim/scheduler.h"

/* Of a group of ranks; zeroed at first. */
struct batch_wait {
	uint32_t steps; /* that the prompts have waited */
	uint64_t turn; /* of the last decision, and the rank that asked first */
	uint32_t rank;
	int holds;
};
/* Decodes and the prompts that wait. */
struct batch_load {
	uint64_t decodes, prompts, prompt_tokens;
};
void batch_load_add(struct batch_load *l, const struct scheduler *s);
/* Returns 1 if prompts wait in the step that is being formed. */
int batch_wait_holds(struct batch_wait *w, const struct engine *e,
		     const struct batch_load *l);
#endif
