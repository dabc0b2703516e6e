/* sim/policy/trtllm.h -- TensorRT-LLM's scheduler: it decides which requests
 * fit in memory, and which of them fit in a step.
 *
 *   guaranteed_no_evict  Requests that generate come first, then the others in
 *                        order of arrival.  Each reserves the blocks that it
 *                        needs at its end.  The first that does not fit ends
 *                        the search, and no request is ever paused.
 *   max_utilization      In order of arrival, each with the blocks of its next
 *                        step.  For one that does not fit, the last one with
 *                        blocks from there on is paused and gives them up, in
 *                        the end it itself; the search ends before it.
 *
 * With either, a prompt waits while another one computes the next block that it
 * needs, and a request that has its last token in flight is in no further step.
 * As many requests as a step may have are looked at.
 *
 * Then the step takes, in that order, a token for each request that generates,
 * and prompts, whole or in chunks, while requests and tokens last.  Prompts
 * come before decodes in it, those that it does not complete first.  Blocks of
 * complete prompts and of finished requests are found by their content.
 *
 * Source: TensorRT-LLM, _torch/pyexecutor/scheduler/scheduler.py was read; the
 * rest is known from descriptions.  TensorRT-LLM was not run.  Integers only.
 * [one thread] */
#ifndef SC_SIM_POLICY_TRTLLM_H
#define SC_SIM_POLICY_TRTLLM_H
#include "sim/scheduler.h"

extern const struct policy policy_trtllm;
#endif
