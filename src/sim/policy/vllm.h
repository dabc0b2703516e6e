/* sim/policy/vllm.h -- the policy of an engine under a preset: what vLLM's own
 * scheduler decides, in every step.
 *
 * Running requests first, in order of admission: each takes what it still has
 * to compute, while the token budget lasts.  Without a block for one, the last
 * one admitted (policy priority: the last by rank) gives back its blocks and
 * waits to be recomputed, at the front; what it has in flight is kept.  Then,
 * unless somebody was preempted, waiting requests are admitted while sequences,
 * budget and blocks last; nobody overtakes.
 *
 * Sources: vLLM, v1/core/sched/scheduler.py, async_scheduler.py.  Integers
 * only.  [one thread] */
#ifndef SC_SIM_POLICY_VLLM_H
#define SC_SIM_POLICY_VLLM_H
#include "sim/scheduler.h"

extern const struct policy policy_vllm;
#endif
