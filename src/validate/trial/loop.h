/* validate/trial/loop.h -- requests through a batch former in a few rules: what
 * published closed-loop runs of three engines are compared with, where their
 * schedulers' own policies are not known.
 *
 * Requests are admitted first come first served, if there is room in the KV
 * cache for what its layers keep of all of their tokens.  A step takes:
 *   in chunks  every decode, then chunks of prompts up to step_tokens (vLLM)
 *   alone      prompts up to step_tokens; decodes only where there are none
 *              (SGLang)
 *   whole      every decode, then prompts that fit whole into step_tokens
 *              (TensorRT-LLM)
 * A request reaches the former delay_ns after its issue and gap_ns after the
 * one before it at the least.  A step holds the requests of all data-parallel
 * ranks; its cost model deals them out.  [one thread]; no printing. */
#ifndef SC_VALIDATE_TRIAL_LOOP_H
#define SC_VALIDATE_TRIAL_LOOP_H
#include <stddef.h>
#include "cost/cost.h"
#include "engine/engine.h"
#include "sim/observer.h"
#include "sim/outcome.h"
#include "workload/workload.h"

enum loop_prompts { PROMPTS_IN_CHUNKS, PROMPTS_ALONE, PROMPTS_WHOLE };
extern const char *const loop_prompts_name[]; /* ends with NULL */

struct loop_rules {
	enum loop_prompts prompts;
	uint32_t step_tokens, max_num_seqs;
	/* tokens that there is room for in all layers; UINT64_MAX: no bound */
	uint64_t kv_tokens;
	struct kv_layers kv_layer[KV_KINDS];
	uint32_t n_kv_layers; /* 0: each layer keeps all                      */
	int64_t delay_ns, gap_ns;
};

/* Bytes of step memory, an sc_step at its start. */
size_t loop_step_bytes(uint32_t max_num_seqs);
/* As simulate(); of *out it fills in counts of requests, tokens and steps, the
 * first arrival and the last token, coverage, and saturation.  0, or -1 with
 * *p. */
int loop_run(const struct loop_rules *rules, struct cost *cost,
	     struct workload *w, const struct observer *o, void *step_memory,
	     struct outcome *out, struct problem *p);
#endif
