/* sim/policy/trtllm/trtllm.h -- TensorRT-LLM's scheduler: it decides which
 * requests fit in memory, and which of them fit in a step.
 *
 *   guaranteed_no_evict  Requests that generate come first, then the others in
 *                        order of arrival.  Each reserves the blocks that it
 *                        lacks at its end; a block that several hold counts
 *                        once.  The first that does not fit ends the search,
 *                        and no request is ever paused.
 *   static_batch         The same, but prompts begin only when no request
 *                        generates.
 *   max_utilization      In order of arrival, each with the blocks of its next
 *                        step.  For one that does not fit, the last one with
 *                        blocks from there on is paused, in the end it itself;
 *                        the search ends before it.
 *
 * With the first and the last a prompt waits while another one computes the
 * next block that it needs.  A request that has its last token in flight is in
 * no further step.  As many requests as a step may have are looked at.
 *
 * Then the step takes, in that order, a token for each request that generates,
 * and prompts, whole or in chunks, while tokens last; tokens that a prompt will
 * probably find do not count.  Prompts come before decodes in it, those that it
 * does not complete first.  sim/kv/kv_tree.h says which blocks prompts find.
 *
 * Where TensorRT-LLM fails or hangs, the run ends with a message.
 *
 * Source: TensorRT-LLM, _torch/pyexecutor/scheduler/scheduler.py and batch
 * waiting of py_executor.py were run; its loop and its KV cache manager (the
 * first one) were read.  Integers only.  [one thread] */
#pragma once
#include "sim/scheduler.h"

extern const struct policy policy_trtllm;
