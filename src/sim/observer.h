/* sim/observer.h -- what a simulation reports while it runs: each step when it
 * has been priced, each request when it is over.
 *
 * Events and everything they point to are valid during the call.  [one
 * thread] */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "cost/cost.h"
#include "sim/kv/blocks.h"
#include "sim/rejections.h"
#include "stepcost/plugin.h"
#include "workload/request.h"

/* A copy of KV between a GPU and its host: it was decided on in the call at
 * decided_ns, and noticed when a batch was processed at seen_ns. */
struct transfer_event {
	int is_store; /* to the host */
	uint32_t replica;
	uint64_t row;
	int64_t decided_ns, start_ns, end_ns, seen_ns;
	uint32_t blocks, chunks;
};

/* An item that a step encodes. */
struct encoded {
	uint64_t row;
	uint32_t item;   /* of the request, from 0 */
	uint32_t tokens; /* of the item */
};

/* The part of one request in a step. */
struct scheduled {
	uint64_t row;
	uint32_t sequence; /* its place in the simulation */
	uint32_t context;  /* tokens before the step, as the scheduler counts */
	uint32_t new_tokens; /* drafts included */
	uint32_t drafts;
	uint32_t emitted; /* tokens that appear when the step is processed */
};

/* Each decode, and each prefill with prefill_last, emits one token when the
 * step is processed, at end_ns or later. */
struct step_event {
	const sc_step *step; /* replica, index, contexts, request ids (rows) */
	const sc_result *result;
	int64_t schedule_ns;      /* when it was scheduled */
	int64_t start_ns, end_ns; /* on the GPU */
	int64_t lasts_ns; /* time in the stages, without waiting between them */
	double draft_us;  /* the part of lasts_ns that drafting took */
	/* How much later the step started: because stores to the host had to
	 * be over, and because adapters were loaded after them. */
	int64_t copy_wait_ns, adapter_wait_ns;
	int64_t encoder_ns;        /* the first part of lasts_ns: encoders */
	uint32_t tokens;           /* computed tokens of prompts and decodes */
	uint32_t running, waiting; /* after scheduling */
	/* Requests preempted to make room by the call that formed the step. */
	uint32_t preempted;
	uint64_t blocks_used; /* after scheduling */
	uint64_t cpu_chunks;  /* on the host, after scheduling */
	uint32_t pool;
	uint32_t rank; /* of data parallelism */
	/* In the order of the step, if the observer wants_scheduled: */
	uint32_t n_scheduled;
	const struct scheduled *scheduled;
	/* Items that it encodes, and the tokens of all items in the cache
	 * after scheduling. */
	uint32_t n_encoded;
	const struct encoded *encoded;
	uint64_t encoder_cache;
	/* 1: requests may give up a token of it; on_results tells them. */
	int may_lose;
};

/* A step with may_lose was processed.  The steps of a replica are so in their
 * order. */
struct results_event {
	uint32_t replica;
	uint32_t n_members;     /* in the order of the step */
	const uint8_t *is_lost; /* [n_members] 1: its token was given up */
};

/* A step, and the steps behind it that decode one token of each of the same
 * requests, with nothing between them; all on one stage. */
enum { DECODE_RUN = COST_BATCH }; /* at most */
struct decode_run {
	uint32_t n; /* > 0; the arrays below have n elements */
	const sc_result *result[DECODE_RUN];
	int64_t start_ns[DECODE_RUN], end_ns[DECODE_RUN];
	uint64_t blocks_used[DECODE_RUN]; /* after scheduling */
	uint32_t sequences, waiting, pool, replica;
	uint32_t tokens; /* of the first step; each later one has `sequences` */
	int64_t busy_ns; /* of all steps, on the GPU */
	/* [n - 1] all steps except the first, if n > 1; without ids, which may
	 * have changed. */
	const sc_step *behind;
};

/* The time of a request on one replica, waiting included.  The first visit
 * begins with the request's arrival at the client, the last one ends with its
 * last token; between two visits its KV cache is transferred. */
struct visit {
	uint32_t replica;
	int64_t from_ns, to_ns;
};
enum { REQUEST_VISITS = 4 }; /* at most */

enum ending {
	REQUEST_ENDED,
	REQUEST_REJECTED,
	REQUEST_UNFINISHED,
	REQUEST_FAILED,
	REQUEST_CANCELLED,
};

/* Why a request failed. */
enum failure {
	FAILED_NOT,
	FAILED_STREAM,  /* its replica died when the client had tokens */
	FAILED_RETRIES, /* its replicas died, once too often */
	FAILED_NOWHERE, /* no replica is left, and none will come */
	N_FAILURES
};

struct request_event {
	struct request request; /* without its segments */
	enum ending ending;
	enum rejection rejection; /* if ending is REQUEST_REJECTED */
	uint32_t replica;         /* the replica that made its last token */
	/* Equals output_tokens if REQUEST_ENDED; else the tokens it had when it
	 * last waited. */
	uint32_t generated_tokens;
	uint32_t cached_tokens; /* tokens of its prompt found in the cache */
	uint32_t loaded_tokens; /* from the host, each time it was admitted */
	uint32_t preemptions;
	uint32_t retries;     /* how often it was sent again */
	enum failure failure; /* if ending is REQUEST_FAILED */
	int64_t seen_ns;      /* when the first scheduler saw it; -1: never */
	/* the transfer of its KV cache to the other pool; -1: none */
	int64_t transfer_from_ns, transfer_to_ns;
	/* its first load of KV from the host, decided to noticed; -1: none */
	int64_t load_from_ns, load_to_ns;
	int64_t scheduled_ns; /* start of its first step; -1: none */
	/* End of the step, without response overhead; -1: none. */
	int64_t first_token_ns;
	int64_t last_token_ns; /* in the same way */
	/* As reported, overheads included; -1: does not apply. */
	int64_t ttft_ns, tpot_ns, e2el_ns;
	uint32_t n_visits; /* in order; 0: it never reached a replica */
	/* The last visit of a request that is not over has to_ns < 0. */
	struct visit visit[REQUEST_VISITS];
};

/* A decision on the number of replicas. */
struct scaling_event {
	int64_t at_ns;
	uint64_t metric;            /* in thousandths */
	uint64_t replicas, desired; /* asked for before it, and after it */
};

/* A replica from the decision to start it until it is gone; -1: that did not
 * happen. */
struct replica_life {
	uint32_t replica;
	int64_t requested_ns, ready_ns, drain_ns, gone_ns;
	int has_died;
};

enum { OBSERVER_LIMITS = 16 };

/* Each callback may be NULL; a request's name is kept only for on_request.  If
 * on_run is not NULL, the steps of a run may be reported together, by on_run
 * alone.  A callback that does not return 0 stops the simulation: simulate()
 * returns -1 and leaves *p as the callback set it. */
/* The beginning of a run that is simulated and not counted: requests that are
 * among the first in the order of arrival, or arrive earlier than ns after the
 * first; steps and gaps between tokens until the first other request arrives.
 */
struct warm_up {
	uint64_t requests;
	int64_t ns;
};

struct observer {
	int (*on_step)(void *ctx, const struct step_event *e,
		       struct problem *p);
	int (*on_run)(void *ctx, const struct decode_run *run,
		      struct problem *p);
	int (*on_request)(void *ctx, const struct request_event *e,
			  struct problem *p);
	/* In the order of submission. */
	void (*on_transfer)(void *ctx, const struct transfer_event *e);
	/* Only if wants_scheduled. */
	int (*on_results)(void *ctx, const struct results_event *e,
			  struct problem *p);
	void (*on_scaling)(void *ctx, const struct scaling_event *e);
	void (*on_life)(void *ctx, const struct replica_life *e);
	/* A request was sent to a replica, again if `again` is 1: then the
	 * tokens that its client does not have yet are lost. */
	void (*on_routed)(void *ctx, uint64_t row, uint32_t replica, int again);
	/* A batch was processed: the client has n more tokens at client_ns. */
	void (*on_tokens)(void *ctx, uint64_t row, uint32_t n,
			  int64_t client_ns);
	/* Blocks of a replica's cache got or lost their contents; a batch was
	 * processed.  Only of engines that find full blocks. */
	void (*on_blocks)(void *ctx, uint32_t replica,
			  const struct block_change *x);
	/* Prefix caches were reset; all: each of them is empty now. */
	void (*on_reset)(void *ctx, int all);
	void *ctx;
	int wants_scheduled;
	struct warm_up warm_up;
	/* Above 0: outcome.itl_above[i] tells the share of gaps between tokens
	 * that are longer. */
	int64_t itl_limit_ns[OBSERVER_LIMITS];
};
