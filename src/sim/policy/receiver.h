/* sim/policy/receiver.h -- the scheduler of a replica that only generates, in
 * the pool behind SGLang's or TensorRT-LLM's prefill replicas.
 *
 * The KV cache of a request's prompt is there when it comes.  Requests are
 * admitted in the order in which they came, while there is a seat and all the
 * blocks that the first of them needs at its end; those behind it wait.  From
 * then on each is in every step, with the drafts that are verified there, and
 * none is ever put back.  A request with its last token in flight is in no
 * further step, and keeps seat and blocks until the step is processed.
 *
 * Sources: TensorRT-LLM, scheduler.py (guaranteed_no_evict); SGLang,
 * disaggregation/decode.py: where each request makes all of its output, its
 * reserve for running requests is the same.  Integers only.  [one thread] */
#pragma once
#include "sim/scheduler.h"

extern const struct policy policy_receiver;
