/* sim/sequence.h -- requests in the engine, in a pool that grows with the
 * number present at once, not with the total; and the queues they wait in.
 *
 * A sequence is identified by its index, because the pool moves when it grows.
 * [one thread] */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "engine/engine.h"
#include "sim/encoders.h"
#include "sim/kv/kv.h"
#include "sim/observer.h"
#include "workload/request.h"

#define NO_SEQUENCE UINT32_MAX

/* Why a request leaves before its last token. */
enum withdrawal {
	WITHDRAWN_NOT,
	WITHDRAWN_BY_CLIENT,
	WITHDRAWN_BY_TEXT, /* it has all that the client wants */
};

/* State of a prompt's KV cache that a decode replica pulls. */
enum fetch {
	FETCH_NONE, /* nothing to fetch, or it was used */
	FETCH_WANTED,
	FETCH_UNDER_WAY, /* blocks are taken for it */
	FETCH_DONE
};

/* How far a request is, for policies that use these numbers. */
struct progress {
	uint32_t known; /* tokens of prompt and output that were processed */
	/* Value of known when it leaves this replica, as the engine plans; how
	 * many of these tokens will not come. */
	uint32_t most, early;
	uint32_t computed; /* tokens that were given to the GPU */
	/* output tokens in flight, as the scheduler assumes */
	uint32_t placeholders;
	uint32_t in_flight; /* tokens scheduled and not processed */
	uint32_t coming;    /* output tokens that batches in flight will make */
	uint32_t drafts;    /* drafts for its next step */
	/* end of what full attention found when it was admitted */
	uint32_t full_found;
	/* call of the scheduler in which it may be scheduled again */
	uint32_t next_call;
	/* 1: its prompt was not complete when it was last scheduled */
	uint16_t is_chunk;
	uint16_t is_preempted;   /* 1: and not admitted again */
	uint16_t is_passed_over; /* 1: it waits in scheduler.passed */
	uint16_t has_begun; /* 1: a step has a part of its prompt (trtllm_v2) */
	uint32_t was_preempted; /* on this replica */
	/* Numbers of batches, see sim/policy/fast_decodes.h: */
	uint32_t token_batch; /* the last one in which it made a token */
	/* it is in every batch from this one on; 0: it is not */
	uint32_t steady_from;
	uint32_t steady_to; /* the batch with its last token; 0: none yet */
};

/* Returns the value of known when it leaves this replica. */
static inline uint32_t progress_end(const struct progress *q)
{
	return q->most - q->early;
}

/* Memory of a request under policy sglang, in pages. */
struct radix_owner {
	uint32_t node;           /* end of its part of the tree */
	uint32_t in_tree, pages; /* pages of that part; all pages */
	uint32_t end;            /* tokens up to the end of its last prompt */
	uint32_t entry; /* number of its entry into the queue; 0: none yet */
	/* Tokens that were known, and found, when it was last looked up. */
	uint32_t looked, looked_prefix;
};

struct sequence {
	/* without its segments; its name is the one below */
	struct request request;
	char *name; /* owned; NULL: none */
	struct progress progress;
	struct kv_owner kv; /* its blocks in the replica's cache; owned */
	struct radix_owner radix;
	struct offloaded *offload; /* owned; NULL: none */
	struct mm_uses *items;     /* owned; NULL: none */
	uint32_t loaded_tokens;    /* of its KV, from the host */
	uint64_t order;            /* number in order of arrival: 0, 1, … */
	uint64_t admitted;         /* number in order of its last admission */
	int64_t seen_ns;           /* when the scheduler saw it */
	int64_t first_seen_ns;     /* on the replica of its prompt */
	int64_t scheduled_ns, first_token_ns; /* -1: not yet */
	int64_t first_response_ns; /* time from there to the client */
	int64_t last_token_ns;     /* valid if is_late */
	uint32_t generated;        /* while it does not run: tokens it has */
	/* Tokens it has when it leaves this replica; how many more the engine
	 * plans. */
	uint32_t quota, early;
	uint32_t made; /* tokens handed out, if the replicas list them */
	/* When the token that completes a stop text was made, and when the
	 * client has it; 0: not yet. */
	int64_t stop_ns, stop_client_ns;
	uint32_t is_withdrawn; /* enum withdrawal */
	uint32_t is_seen;      /* 1: by the scheduler of its replica */
	uint32_t loaded;       /* KV tokens that another replica has sent */
	/* For disaggregated prefill and decode: */
	uint16_t moves_on;     /* 1: leaves the replica of its prompt */
	uint16_t has_moved;    /* 1: is on a replica that generates */
	uint16_t is_over;      /* 1: waits until `held` is given back */
	uint16_t fetch;        /* FETCH_* */
	uint32_t fetched_from; /* tokens of the prompt that were in the cache */
	int64_t fetched_ns;    /* FETCH_UNDER_WAY: when all of it has arrived */
	int64_t fetch_begun_ns; /* when it was sent; -1: it was not */
	int64_t moved_ns;       /* when the prefill replica had its token */
	/* The first load of its KV from the host: when the engine decided on
	 * the load, and when it noticed the end; -1: none. */
	int64_t load_from_ns, load_to_ns;
	int64_t made_ns; /* in a pipeline: when its last token is made */
	/* Blocks that replica held_by keeps for it; owned, except its content,
	 * which belongs to kv. */
	struct kv_owner held;
	uint32_t held_by;
	uint32_t cached_tokens, preemptions;
	uint32_t retries; /* how often it was sent again */
	uint32_t is_away; /* 1: is on no replica, and will be sent to one */
	/* Preempted with the KV cache to itself, it returns to the same state:
	 * how often, with how many known tokens, and whether that is too
	 * often. */
	uint32_t n_futile, futile_known, is_unschedulable;
	uint32_t replica;
	uint32_t ticket;  /* of its router, for router_await() */
	uint32_t is_late; /* 1: its last token is not from the last step */
	uint32_t next_free, in_use;
	uint32_t n_visits;
	struct visit visit[REQUEST_VISITS];
};
/* Copies a request into a new sequence of the pool: its name if keeps_name is
 * 1, and, if keeps_content is 1, its segments as the content that blocks are
 * found by.  Returns 0, or
 * -1 if memory is out. */
int sequence_begin(struct sequence *s, const struct request *r, int keeps_name,
		   int keeps_content);

/* Notes that the sequence is on that replica from then on, and until then. */
void sequence_enter(struct sequence *s, uint32_t replica, int64_t from_ns);
void sequence_leave(struct sequence *s, int64_t to_ns);

/* Puts a sequence that lost its replica back to the state in which it arrived,
 * except for what the client noticed; it waits for another replica. */
void sequence_lose(struct sequence *s);

struct sequence_pool {
	struct sequence *item;
	uint32_t n, cap, free;
	uint32_t in_use;
};
void pool_init(struct sequence_pool *p);
/* Returns NO_SEQUENCE if memory is out.  The sequence is zeroed, except
 * scheduled_ns, first_token_ns and fetch_begun_ns. */
uint32_t pool_take(struct sequence_pool *p);
void pool_give_back(struct sequence_pool *p, uint32_t i);
void pool_free(struct sequence_pool *p);

/* First in, first out; with `before`, the sequence that comes before all others
 * is first. */
struct queue {
	int (*before)(const struct sequence *a, const struct sequence *b);
	uint32_t *item;
	uint32_t n, cap, head; /* a ring buffer, or a heap with head = 0 */
};
/* Tokens that a prefill computes: the prompt, and after a preemption the tokens
 * that the request has. */
static inline uint32_t sequence_prompt_tokens(const struct sequence *q)
{
	return q->request.input_tokens + q->generated;
}
int by_priority(const struct sequence *a, const struct sequence *b);
int by_time_seen(const struct sequence *a, const struct sequence *b);
int by_time_fetched(const struct sequence *a, const struct sequence *b);
/* These functions return 0, or -1 if memory is out. */
int queue_push(struct queue *q, const struct sequence_pool *p, uint32_t i);
/* Puts it at the front; with `before`, where its rank says. */
int queue_push_back(struct queue *q, const struct sequence_pool *p, uint32_t i);
uint32_t queue_first(const struct queue *q);
/* Returns the k-th entry from the front, k < n; with `before`, in no particular
 * order. */
static inline uint32_t queue_at(const struct queue *q, uint32_t k)
{
	return q->item[(q->head + k) & (q->cap - 1)];
}
void queue_pop(struct queue *q, const struct sequence_pool *p);
/* Removes i from any place in the queue. */
void queue_remove(struct queue *q, const struct sequence_pool *p, uint32_t i);
void queue_free(struct queue *q);

/* For a list of n sequences: list_find() returns the index of i, or n if it is
 * not there; list_remove() removes the entry at an index. */
uint32_t list_find(const uint32_t *list, uint32_t n, uint32_t i);
void list_remove(uint32_t *list, uint32_t *n, uint32_t place);
