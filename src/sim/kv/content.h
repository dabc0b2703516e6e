/* sim/kv/content.h -- the tokens of a request as far as the KV cache must know
 * them: the parts that they share with others, and keys of prefixes.
 *
 * A key is a hash of all tokens up to its position: equal keys mean equal
 * prefixes.  A content owns its memory.  Integers only.  [one thread] */
#pragma once
#include <stdint.h>
#include "base/hash.h"
#include "workload/request.h"

/* A place in a content, and the key of all tokens before it; zeroed is the
 * start of a text that has no realm. */
struct content_place {
	uint64_t key;
	uint32_t segment, offset;
};
/* Prompt and output of one request as segments.  Ids of given segments never
 * equal the ids of tokens that are unique to the request. */
struct content {
	struct segment *segment;
	uint32_t n;
	/* all tokens before this are from given segments */
	uint32_t shared_tokens;
	uint64_t row;
	uint64_t realm; /* of the request; it is part of all keys */
	/* Keys of the first n_keys units of `unit` tokens. */
	uint64_t *key;
	uint32_t n_keys, cap_keys, unit;
	struct content_place end; /* of them */
};
/* Returns 0, or -1 if memory is out.  Segments beyond the prompt
 * are cut off, or of its answer if it has_answer. */
int content_make(struct content *c, const struct request *r);
void content_free(struct content *c);
/* Returns the start, where the key is that of the realm. */
static inline struct content_place content_start(const struct content *c)
{
	return (struct content_place){.key = c->realm};
}
/* Returns the place behind its first `tokens` tokens, where the key is 0. */
struct content_place content_at(const struct content *c, uint32_t tokens);
/* Returns the key of n tokens of segment `id` from that offset on, behind
 * tokens with that key; it may be 0. */
static inline uint64_t content_run_key(uint64_t key, uint64_t id,
				       uint32_t offset, uint32_t n)
{
	key = hash_mix(key ^ id);
	return hash_mix(key ^ ((uint64_t)offset << 32 | n));
}
/* Returns the place where that block of `unit` tokens begins, with the key of
 * all tokens before it; content_keys() has made that. */
struct content_place content_block(const struct content *c, uint32_t block,
				   uint32_t unit);
/* Moves a place in these segments on by `tokens` tokens, and returns its key,
 * never 0. */
uint64_t content_go_on(const struct segment *segment, struct content_place *at,
		       uint32_t tokens);
/* Computes the keys of the first n units of `unit` tokens: key[i] is the key of
 * the first (i + 1) · unit tokens, never 0.  Returns 0, or -1 if memory is
 * out. */
int content_keys(struct content *c, uint32_t n, uint32_t unit);
/* Returns a key of its first `tokens` tokens, which it has: for contents of one
 * replica equal if these tokens are.  It is no key of content_keys(). */
uint64_t content_prefix_key(const struct content *c, uint32_t tokens);
