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
#ifndef SC_SIM_OFFLOAD_OFFLOAD_H
#define SC_SIM_OFFLOAD_OFFLOAD_H
#include <stdint.h>
#include "base/map64.h"
#include "engine/engine.h"
#include "sim/blocks.h"
#include "sim/observer.h"
#include "sim/offload/chunks.h"

enum load { LOAD_NONE, LOAD_UNDER_WAY, LOAD_DONE };

/* A request as the copies know it; it lives while the request does, and while
 * jobs of it are under way. */
struct offloaded {
	uint64_t row;
	uint32_t stored;    /* chunks from the start that need no store */
	uint32_t stores;    /* jobs under way */
	uint32_t jobs;      /* loads, too */
	uint32_t loaded_to; /* tokens computed when the load is done */
	enum load load;
	int is_first;          /* 1: it loads before its first token */
	int is_over;           /* 1: the request ended */
	uint32_t preempted_in; /* the call; 0: none */
	int is_kept;           /* 1: `ended` has it */
};

struct offload_job {
	struct transfer_event is;
	struct offloaded *of;
	uint32_t *chunk;   /* [chunks], behind the struct in its memory */
	uint32_t *block;   /* [blocks] of the GPU; NULL: a load */
	uint32_t noted_in; /* the call: it is noticed with its batch */
	int is_noted, is_noticed;
};

/* Jobs in order; a ring buffer. */
struct job_list {
	struct offload_job **job;
	uint32_t head, n, cap;
};

/* A request that ended since the last call. */
struct offload_ended {
	struct offloaded *of;
	uint32_t n, blocks; /* chunks with keys; blocks that it had */
	uint64_t *key;
	uint32_t *block;
};

struct offload_figures {
	uint64_t loads, stores, refused, waited_steps, queries, hits;
	double load_bytes, store_bytes;
	int64_t load_ns, store_ns, waited_ns;
	int64_t
	    loading_ns; /* of requests without a token, decided to noticed */
};

struct offload {
	const struct offload_rules *rules;
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
	int out_of_memory; /* sticky */
	uint32_t replica;
	/* Is told each job, in the order of submission; may be NULL. */
	void (*tell)(void *ctx, const struct transfer_event *e);
	void *ctx;
};

/* Returns NULL if memory is out. */
struct offload *offload_new(const struct offload_rules *rules);
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
/* Stores chunks [of->stored, last) of the request, which has n_keys keys and
 * these blocks. */
void offload_store(struct offload *o, struct offloaded *of, const uint64_t *key,
		   uint32_t n_keys, const uint32_t *block, uint32_t last,
		   int64_t now);
/* Loads these chunks. */
void offload_load(struct offload *o, struct offloaded *of, const uint64_t *key,
		  uint32_t n, uint32_t blocks, int64_t now);
/* The call pool->call is over, and its batch goes to the worker at `now`; the
 * GPU is busy until gpu_ns.  Returns when the step may start, at the earliest.
 */
int64_t offload_pass(struct offload *o, int64_t now, int64_t gpu_ns,
		     const struct blocks *pool);
/* The batch of that call is processed. */
void offload_notice(struct offload *o, uint32_t call, int64_t now);
/* The request leaves the engine; `ended` keeps what its last stores need. Takes
 * key and block, which were allocated, from the caller. */
void offload_end(struct offload *o, struct offloaded *of, uint64_t *key,
		 uint32_t n, uint32_t *block, uint32_t blocks);
/* Forgets the requests that ended before this call. */
void offload_forget_ended(struct offload *o);
#endif
