/* sim/policy/sglang/sglang_decode.h -- steps of policy sglang that decode, and
 * requests that give up their memory for others.  [one thread] */
#pragma once
#include "sim/policy/sglang/sglang_state.h"

enum { SGLANG_MOST_COMING = 4096 }; /* cap on a request's expected output */

/* Returns the tokens that a prompt is charged for its output. */
static inline int64_t sglang_future(const struct sequence *q)
{
	uint32_t n = q->quota + q->early;
	return n < SGLANG_MOST_COMING ? n : SGLANG_MOST_COMING;
}
/* Returns the expected number of further output tokens. */
static inline int64_t sglang_expected(const struct sequence *q)
{
	int64_t n = (int64_t)q->progress.most - q->progress.known;
	return n < SGLANG_MOST_COMING ? n : SGLANG_MOST_COMING;
}
/* Returns what a running request reserves of them. */
static inline double sglang_share(const struct sglang *s,
				  const struct sequence *q)
{
	return (double)sglang_expected(q) * s->share;
}
/* Ended requests leave `running`. */
void sglang_drop_ended(struct sglang *s);
/* All running requests decode one token; if memory is short, some of them give
 * up theirs. */
void sglang_decode(struct sglang *s);
/* The same beside the prompts of a step, if there is memory; then `running` is
 * empty. */
void sglang_mix(struct sglang *s);
/* The request gives up its memory and its tokens in flight; it does not wait
 * yet, and is still in `running`.  others: how many stay. */
void sglang_retract(struct sglang *s, uint32_t i, uint32_t others);
/* Then it waits, at the end of the queue. */
void sglang_wait(struct sglang *s, uint32_t i);
