/* sim/content.h -- the tokens of a request, as far as the KV cache must know
 * them: what they have in common with others, and keys of prefixes.
 *
 * A key is a hash of all tokens up to its place: equal keys mean equal
 * prefixes.  A content owns its memory.  Integers only.  [one thread] */
#ifndef SC_SIM_CONTENT_H
#define SC_SIM_CONTENT_H
#include <stdint.h>
#include "workload/request.h"

/* Prompt and output of one request as segments.  Ids of segments that were
 * given never equal those of tokens that are unlike all others. */
struct content {
	struct segment *segment;
	uint32_t n;
	uint32_t shared_tokens; /* before this, all came from given segments */
	/* keys of the first n_keys stretches of `unit` tokens */
	uint64_t *key;
	uint32_t n_keys, cap_keys, unit;
	uint32_t next_segment, next_offset; /* of the token behind them      */
};
/* 0, or -1: out of memory.  Segments beyond the prompt are cut off. */
int content_make(struct content *c, const struct request *r);
void content_free(struct content *c);
/* Makes the keys of the first n stretches of `unit` tokens: key[i] is that of
 * the first (i + 1) · unit tokens, never 0.  0, or -1: out of memory. */
int content_keys(struct content *c, uint32_t n, uint32_t unit);
#endif
