/* sim/policy/sglang.h -- SGLang's scheduler: a step holds either prompts or
 * decodes.
 *
 * Prompts come first, while requests, tokens and memory last; running requests
 * reserve a share of the tokens they may still make.  One prompt at a time may
 * be split into chunks.  Without prompts all running requests decode one token.
 * If memory is too small for that, the requests with the fewest output tokens
 * give up everything and wait to be computed again.  The share falls with each
 * decode step, and rises when requests give up.
 *
 * Memory is counted in pages of tokens; prefixes of prompt and output are kept
 * in a tree (radix.h).
 *
 * Source: SGLang, managers/schedule_policy.py was read; scheduler.py,
 * schedule_batch.py and the tree are known from descriptions.  SGLang was not
 * run.  Integers only.  [one thread] */
#ifndef SC_SIM_POLICY_SGLANG_H
#define SC_SIM_POLICY_SGLANG_H
#include "sim/policy/sglang_state.h"

extern const struct policy policy_sglang;
#endif
