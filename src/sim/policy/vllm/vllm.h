/* sim/policy/vllm/vllm.h -- the policy of an engine with a preset of vLLM: the
 * decisions of vLLM's own scheduler in every step.
 *
 * Running requests come first, in order of admission: each takes the tokens
 * that it still has to compute, while the token budget lasts.  If there is no
 * block for one, the last one admitted (policy = priority: the last by rank)
 * gives back its blocks and waits at the front to be recomputed; its tokens in
 * flight are kept.  Then, unless a request was preempted, waiting requests are
 * admitted while sequences, budget and blocks last; none overtakes another.
 *
 * Sources: vLLM, v1/core/sched/scheduler.py, async_scheduler.py.  Integers
 * only. [one thread] */
#pragma once
#include "sim/scheduler.h"

extern const struct policy policy_vllm;
