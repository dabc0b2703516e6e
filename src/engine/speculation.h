/* engine/speculation.h -- speculative decoding in plain numbers: how many
 * tokens are drafted, and how likely each is right.
 *
 * Acceptance is synthetic: rate[i] is the probability that the first i + 1
 * drafts of a sequence are all accepted, which is also what vLLM logs per
 * position; accept[i] that draft i is, given those before it were.  A verified
 * sequence makes 1 + (accepted drafts) tokens: 1 + sum of rate[] on average,
 * with the variance sum of (2 i + 1) rate[i] - (sum of rate[])^2.
 * Source: vLLM, config/speculative.py.  [any thread]; no allocation. */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "engine/choices.h"

enum { SPECULATION_RANGES = 16 };
struct speculation {
	uint32_t drafts;    /* of a sequence in a step; 0: none              */
	uint32_t lookahead; /* further tokens with blocks that are held       */
	uint32_t drops_hit; /* the drafter needs a found prefix's last block
			       computed; 0 or 1                              */
	uint64_t seed;
	/* By the requests of a step, ascending, the first from 1; none: always
	 * `drafts`. */
	uint32_t n_ranges;
	struct {
		uint32_t from, drafts;
	} range[SPECULATION_RANGES];
	double rate[ENGINE_DRAFTS], accept[ENGINE_DRAFTS];
};
struct engine_keys;   /* engine/keys/engine_keys.h */
struct engine_source; /* engine/keys/source.h */
/* 0, or -1 with EXIT_USAGE and the key's place in *p: rates that are no such
 * probabilities, or none although there are drafts. */
int speculation_resolve(struct speculation *s, const struct engine_keys *k,
			const struct engine_source *from, struct problem *p);
/* Returns the drafts that a request of a step with n requests gets for its next
 * step.  Source: vLLM, v1/spec_decode/dynamic/utils.py at 833483f3578a. */
uint32_t speculation_drafts(const struct speculation *s, size_t n);
int speculation_same(const struct speculation *a, const struct speculation *b);
