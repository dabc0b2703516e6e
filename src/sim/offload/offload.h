/* sim/offload/offload.h -- KV that is copied to the memory of the host as soon
 * as it is computed, and back when a prompt is found there: the jobs, and the
 * clock of the worker that copies.
 *
 * A call of the scheduler makes jobs.  offload_pass() gives its batch to the
 * worker, which submits stores one call later, waits for those that must not
 * be overwritten, and submits loads; it says when the step may start.  Jobs
 * that are over by then are noticed when that batch is processed.
 *
 * Source: vLLM, distributed/kv_transfer/kv_connector/v1/offloading.  Times in
 * ns.  [one thread] */
#pragma once
#include <stdint.h>
#include "base/map64.h"
#include "engine/engine.h"
#include "sim/kv/blocks.h"
#include "sim/observer.h"
#include "sim/offload/chunks.h"
#include "sim/offload/groups.h"
#include "sim/offload/offloaded.h"

struct offload_job {
	struct transfer_event is;
	struct offloaded *of;
	uint32_t *chunk; /* [chunks] */
	uint32_t *block; /* [blocks] of the GPU; NULL: a load */
	/* How many of these blocks are of windows; they are the first. */
	uint32_t window_blocks;
	double bytes;           /* on one GPU */
	uint32_t found, tokens; /* a load: tokens before it, and of it */
	uint32_t made_in;       /* the call */
	uint32_t noted_in;      /* the call: it is noticed with its batch */
	int is_noted, is_noticed;
};

/* Jobs in order; a ring buffer. */
struct job_list {
	struct offload_job **job;
	uint32_t head, n, cap;
};

/* How much of a request can be stored. */
struct offload_reach {
	struct offload_text text;
	uint32_t tokens;      /* of them */
	uint32_t chunks_less; /* of each group: the last ones */
};

/* A request that ended since the last call. */
struct offload_ended {
	struct offloaded *of;
	struct offload_reach reach; /* its keys are owned */
};

/* A chunk that may be stored. */
struct offload_choice {
	uint32_t group, chunk;
	int is_new; /* 1: the host does not have it */
};

/* A load: `tokens` tokens behind `found` ones, and how long the copy took. */
struct offload_loaded {
	uint32_t found, tokens;
	int64_t lasts_ns;
};
enum { OFFLOAD_PRICED = 4096 };

struct offload_figures {
	uint64_t loads, stores, refused, waited_steps, queries, hits;
	double load_bytes, store_bytes;
	int64_t load_ns, store_ns, waited_ns;
	int64_t
	    loading_ns; /* of requests without a token, decided to noticed */
};

struct offload {
	const struct offload_rules *rules;
	struct offload_groups groups;
	struct chunks chunks;
	struct map64 counts;   /* look-ups of each key, with a threshold */
	struct job_list fresh; /* stores of this call */
	struct job_list late;  /* stores of the call before */
	struct job_list log;   /* submitted, and not all told */
	uint32_t n_ended, cap_ended;
	struct offload_ended *ended;
	uint32_t under_way; /* jobs that are not noticed */
	int64_t clock_ns, load_end_ns, store_end_ns;
	struct job_list loads; /* of this call */
	struct offload_figures figures;
	/* The first loads, at most OFFLOAD_PRICED (worth.h). */
	struct offload_loaded *loaded;
	uint32_t n_loaded;
	/* Room for a function's work: keys; chunks; of each group, whether a
	 * look-up has dropped its last chunk. */
	uint64_t *key;
	uint32_t cap_keys;
	struct offload_choice *choice;
	uint32_t n_choices, cap_choices;
	int *has_dropped;
	int out_of_memory; /* sticky */
	uint32_t replica;
	/* Is told each job, in the order of submission; may be NULL. */
	void (*tell)(void *ctx, const struct transfer_event *e);
	void *ctx;
};

/* kv: the groups of the engine, with blocks of that many tokens.  Returns NULL
 * if memory is out. */
struct offload *offload_new(const struct offload_rules *rules,
			    const struct kv_groups *kv, uint32_t block_tokens);
void offload_free(struct offload *o);
/* Copies of that replica are reported to the observer; both may be NULL. */
void offload_report(struct offload *o, uint32_t replica,
		    const struct observer *to);
static inline int offload_is_busy(const struct offload *o)
{
	return o && o->under_way > 0;
}

/* Counts a look-up of the key, if stores need some. */
void offload_count(struct offload *o, uint64_t key);
/* Touches the chunks of the request; of a window those that it reached when the
 * request was last looked up, and those behind them. */
void offload_touch(struct offload *o, const struct offloaded *of,
		   const struct offload_text *text);
/* The call pool->call has given its requests their blocks: stores what the
 * request has computed and not stored. */
void offload_store(struct offload *o, struct offloaded *of,
		   const struct offload_reach *reach, const struct blocks *pool,
		   int64_t now);
/* Loads the `more` tokens behind the first `found` ones. */
void offload_load(struct offload *o, struct offloaded *of,
		  const struct offload_text *text, uint32_t found,
		  uint32_t more, int64_t now);
/* The call pool->call is over, and its batch goes to the worker at `now`; the
 * GPU is busy until gpu_ns.  Returns when the step may start, at the earliest.
 */
int64_t offload_pass(struct offload *o, int64_t now, int64_t gpu_ns,
		     const struct blocks *pool);
/* The batch of that call is processed. */
void offload_notice(struct offload *o, uint32_t call, int64_t now);
/* The request leaves the engine; if reach is not NULL, `ended` keeps it, with a
 * copy of its keys, for its last stores. */
void offload_end(struct offload *o, struct offloaded *of,
		 const struct offload_reach *reach);
/* Stores what the requests that ended before this call have left, and forgets
 * them. */
void offload_store_ended(struct offload *o, const struct blocks *pool,
			 int64_t now);
