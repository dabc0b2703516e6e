/* live/message.h -- what the server and the child process of an arm tell each
 * other.  Both are the same program, so messages are plain structs. */
#pragma once
#include <stdint.h>
#include "engine/choices.h"
#include "sim/observer.h"
#include "sim/simulation.h"

/* A request as a line of the record says it. */
struct live_request {
	uint64_t row;
	int64_t arrival_ns;
	uint32_t input_tokens, output_tokens, max_tokens, stop_tokens;
	int32_t priority;
	uint32_t pinned; /* 1 + its replica, past the router; 0: any */
	/* Numbers of texts (trace_text_id()); 0: none. */
	uint64_t session, adapter, cache_salt;
	uint32_t block_tokens, n_blocks, n_items;
	const uint64_t *block; /* [n_blocks] hash ids of prompt and answer */
	const struct mm_item *item; /* [n_items] */
	const char *name;
};

enum down_kind {
	DOWN_REQUEST, /* r, then its blocks, items, n bytes of its name */
	DOWN_CANCEL,  /* row, ns */
	DOWN_RESET,   /* n: the replica, or UINT32_MAX; ns */
	DOWN_ADVANCE, /* ns */
	DOWN_END,     /* no more comes: open requests end */
};
struct down {
	enum down_kind kind;
	uint32_t n;
	uint64_t row;
	int64_t ns;
	struct live_request r;
};

/* The engine of an arm. */
struct live_facts {
	uint64_t max_model_len; /* tokens of a request at most */
	uint64_t num_gpu_blocks;
	uint32_t block_size, replicas, prefill_replicas, drafts, ranks;
	int caches, has_adapters, max_loras, scales;
	int64_t startup_ns; /* what an autoscaler gives a new replica */
	struct kv_groups groups;
	/* is_mla: attention keeps latents; tells_blocks: it finds full blocks
	 * by their contents. */
	int is_mla, tells_blocks;
};
/* A step. */
struct live_step {
	uint32_t tokens, drafts, members;    /* drafts of `members` requests */
	uint32_t accepted_at[ENGINE_DRAFTS]; /* how often draft i was right */
	int64_t lasts_ns;
	double lookup_us[SC_N_PROVENANCE];
};

enum up_kind {
	UP_FACTS,   /* then a struct live_facts */
	UP_ROUTED,  /* row, n: the replica */
	UP_LOST,    /* row: it is sent again, unsent tokens are lost */
	UP_TOKENS,  /* row, n tokens, ns: when the client has them */
	UP_ENDED,   /* then a struct request_event without pointers */
	UP_RESET,   /* n: 1 if all were emptied */
	UP_STEP,    /* row: replica; then a struct live_step */
	UP_BLOCKS,  /* row: replica; a struct block_change, n block numbers */
	UP_REACHED, /* ns; row: the next event; then n struct simulation_load */
};
struct up {
	enum up_kind kind;
	uint32_t n;
	uint64_t row;
	int64_t ns;
};
