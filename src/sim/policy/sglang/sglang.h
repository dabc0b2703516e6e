/* sim/policy/sglang/sglang.h -- SGLang's scheduler: a step holds either prompts
 * or decodes.
 *
 * Prompts come first, while seats, tokens and memory last; running requests
 * reserve a share of the tokens they may still make.  One prompt at a time may
 * be split into chunks.  Without prompts all running requests decode one token.
 * If memory is too small for that, the requests with the fewest output tokens
 * give up everything and wait to be computed again.  The share falls with each
 * decode step, and rises when requests give up.
 *
 * A step is formed without the results of the one before it.  So a request that
 * ended keeps its seat until a later call decodes.
 *
 * Memory is counted in pages of tokens; prefixes of prompt and output are kept
 * in a tree (radix_cache.h).
 *
 *   sglang_prompts.h  forms steps of prompts
 *   sglang_queue.h    who waits in which order, and who gives up a seat
 *   sglang_decode.h   forms steps of decodes, and retracts
 *   sglang_pages.h    counts memory
 *
 * Source: SGLang, managers/scheduler.py, schedule_policy.py, schedule_batch.py
 * and mem_cache/radix_cache.py, of July 2026 and of 0.5.6; the same decisions
 * as these files in every step of small random cases (t/2916).  [one thread] */
#pragma once
#include "sim/policy/sglang/sglang_state.h"

extern const struct policy policy_sglang;
