/* workload/request.h -- one request to be served. */
#pragma once
#include <stdint.h>

/* Beyond this time, after 146 years, the clock could overflow. */
#define REQUEST_LAST_NS (INT64_MAX / 2)

/* A part of a prompt.  Token t of a segment is the same in every prompt that
 * has a segment with that id at that place: two prompts share the longest
 * prefix in which (id, offset within the segment) agree.  Tokens without a
 * segment are shared with no other prompt. */
struct segment {
	uint64_t id;
	uint32_t tokens;
};

/* An input of another kind than text, a picture or sound, which an encoder
 * turns into `length` tokens of the prompt, from `offset` on.  Equal names:
 * equal content. */
struct mm_item {
	uint64_t name;
	uint32_t offset, length;
};

/* The prefix cache of a replica (UINT32_MAX: of each) is emptied then, unless
 * requests hold blocks of it. */
struct workload_reset {
	int64_t ns;
	uint32_t replica;
};

struct request {
	/* Identity of the request: 0, 1, … in order of arrival or of the file.
	 */
	uint64_t row;
	int64_t arrival_ns;                   /* at the client */
	uint32_t input_tokens, output_tokens; /* both >= 1 */
	/* The engine plans with this many output tokens, because the request
	 * may make them; it is surprised by an end after output_tokens.  0: it
	 * plans with output_tokens. */
	uint32_t max_tokens;
	/* The client has a text that ends the answer when it has this many
	 * tokens; 0: none ends it. */
	uint32_t stop_tokens;
	/* 1 + the replica that it goes to, past the router; 0: any. */
	uint32_t pinned;
	int64_t cancel_ns; /* its client gives up then; 0: never */
	/* the lowest is served first, as in vLLM; usually 0 */
	int32_t priority;
	uint32_t slo_class;
	uint64_t session; /* 0: none */
	uint32_t turn;
	uint32_t n_segments;
	const struct segment *segment; /* valid until the next pop */
	/* 1: segments behind the prompt are of the tokens that it generates;
	 * 0: they are cut off. */
	uint32_t has_answer;
	/* 1: it is simulated and not counted (observer.h); set as it
	 * arrives. */
	uint32_t is_warm_up;
	/* Segment id of the tokens that it generates; 0: no request continues
	 * them. */
	uint64_t output_id;
	/* Adapter (LoRA) and tenant of the request; 0: none.  Only prompts with
	 * both in common share a prefix. */
	uint64_t adapter, cache_salt;
	/* In order of their offsets, inside the prompt and not overlapping. */
	uint32_t n_items;
	const struct mm_item *item; /* valid until the next pop */
	/* request_id of the trace, or NULL; valid until the next pop. */
	const char *name;
	uint64_t line; /* its line in the trace; 0: generated */
};

/* Returns the output tokens that the engine plans with. */
static inline uint32_t request_planned(const struct request *r)
{
	return r->max_tokens > r->output_tokens ? r->max_tokens
						: r->output_tokens;
}
/* Returns 1 if it may leave the engine before the tokens that it plans. */
static inline int request_may_leave(const struct request *r)
{
	return request_planned(r) != r->output_tokens || r->stop_tokens ||
	       r->cancel_ns;
}
/* Returns a hash of adapter and tenant; 0: the request has neither.  Requests
 * of different realms share no prefix. */
uint64_t request_realm(const struct request *r);
/* Hashes all properties of a request: add every new field to it.  The arrival
 * counts only if it is the same in all arms. */
uint64_t request_hash(const struct request *r, int with_arrival);
