/* sim/policy/ideal.h -- the policy of an engine without a preset: the rules of
 * vLLM V1 as far as they decide which request computes which tokens, built for
 * speed.
 *
 * Running requests come first, in order of admission: a decode takes one token,
 * an unfinished prompt its next chunk, while the token budget lasts.  Then,
 * unless a request had to be preempted, waiting requests are admitted while
 * sequences, budget and blocks last.  If there is no block for a running
 * request, the last one admitted (policy = priority: the last among those with
 * the lowest priority) gives back its blocks and waits to be recomputed, with
 * its output so far.
 *
 * Tokens in flight count: a request is never scheduled past its output length.
 *
 * Speed comes from columns: running requests are columns in the order of
 * admission, and a cost model reads two of them directly.  While the first
 * n_decoding sequences all decode and no resource is short (`quick`), a step
 * only adds 1 to the context of each: the end of a request is stored as a tick,
 * and needed blocks are counted by (context − tick) mod block size, which never
 * changes.  Integers only.  [one thread] */
#pragma once
#include "sim/policy/ideal_state.h"

extern const struct policy policy_ideal;
