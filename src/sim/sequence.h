/* sim/sequence.h -- requests on their way through the engine, in a pool that
 * grows with how many are in it at once, never with how many there were; and
 * the queues they wait in.
 *
 * A sequence is known by its index: growing moves the pool.  [one thread] */
#ifndef SC_SIM_SEQUENCE_H
#define SC_SIM_SEQUENCE_H
#include <stddef.h>
#include <stdint.h>
#include "engine/engine.h"
#include "sim/kv.h"
#include "sim/observer.h"
#include "workload/request.h"

#define NO_SEQUENCE UINT32_MAX

/* Where a prompt's KV cache is that a decode replica pulls. */
enum fetch {
	FETCH_NONE, /* there is nothing to be fetched, or it was used        */
	FETCH_WANTED,
	FETCH_UNDER_WAY, /* blocks are taken for it                          */
	FETCH_DONE
};

/* How far a request is, for policies that say so in numbers of their own. */
struct progress {
	uint32_t known;    /* tokens of prompt and output, as processed       */
	uint32_t most;     /* of them when it leaves this replica             */
	uint32_t computed; /* tokens that were given to the GPU               */
	uint32_t placeholders; /* output tokens in flight                     */
	uint32_t in_flight;    /* tokens scheduled and not processed          */
	uint32_t coming; /* output tokens that batches in flight will make    */
	uint32_t drafts; /* to be verified in its next step                   */
	uint32_t next_call; /* of the scheduler, in which it may be again     */
	uint16_t
	    is_chunk; /* its prompt was not at its end when last scheduled */
	uint16_t is_preempted; /* and not admitted again                      */
	uint32_t was_preempted; /* on this replica                            */
	/* sim/policy/steady.h: numbers of batches */
	uint32_t token_batch; /* in which it last made a token                */
	uint32_t steady_from; /* in which it is from then on; 0: it is not    */
	uint32_t steady_to;   /* that makes its last token; 0: not yet        */
};

/* What policy sglang keeps of a request's memory, in pages. */
struct radix_owner {
	uint32_t node; /* where the part ends that the tree keeps for it      */
	uint32_t in_tree, pages; /* of that part; of all                     */
};

struct sequence {
	struct request request; /* without its segments; its name is the one
				   below */
	char *name;             /* or NULL; owned                           */
	struct progress progress;
	struct kv_owner kv; /* what it has of its replica's cache; owned */
	struct radix_owner radix;
	uint64_t order;    /* of arrival: 0, 1, …                      */
	uint64_t admitted; /* order of admission, the last one         */
	int64_t seen_ns;   /* by the scheduler                         */
	int64_t scheduled_ns, first_token_ns; /* -1: not yet                */
	int64_t first_response_ns; /* from there to the client            */
	int64_t last_token_ns; /* of one that missed a step (is_late)       */
	uint32_t generated;    /* kept while it does not run: tokens it has */
	uint32_t quota;        /* tokens it has when it leaves this replica */
	uint32_t loaded;       /* KV tokens that another replica sent along */
	/* prefill and decode apart */
	uint16_t moves_on;  /* from the replica of its prompt               */
	uint16_t has_moved; /* it is with one that generates                */
	uint16_t is_over;   /* and waits for `held` to be given back        */
	uint16_t fetch;     /* FETCH_*                                      */
	uint32_t fetched_from; /* tokens of the prompt that were there      */
	int64_t fetched_ns;    /* FETCH_UNDER_WAY: when all of it is there  */
	int64_t moved_ns;      /* when the prefill replica had its token    */
	int64_t made_ns;       /* in a pipeline: when its last token is     */
	struct kv_owner held;  /* what replica held_by keeps of it; owned,
				  but for its content, which is that of kv  */
	uint32_t held_by;
	uint32_t cached_tokens, preemptions;
	/* Preempted with the KV cache to itself, it comes to the same place
	 * again: so often, with so many tokens known; and too often. */
	uint32_t n_vain, vain_known, is_hopeless;
	uint32_t replica;
	uint32_t is_late; /* its last token is not from the last step       */
	uint32_t next_free, in_use;
	uint32_t n_stays;
	struct stay stay[REQUEST_STAYS];
};
/* Copies a request into a sequence fresh from the pool: its name if it is to be
 * kept, its segments as the content by which blocks are found.  0, or -1: out
 * of memory. */
int sequence_begin(struct sequence *s, const struct request *r, int keeps_name,
		   int prefix_caching);

/* It is with that replica from then on; and no longer. */
void sequence_enter(struct sequence *s, uint32_t replica, int64_t from_ns);
void sequence_leave(struct sequence *s, int64_t to_ns);

struct sequence_pool {
	struct sequence *item;
	uint32_t n, cap, free;
	uint32_t in_use;
};
void pool_init(struct sequence_pool *p);
/* NO_SEQUENCE: out of memory.  The sequence is zeroed but for scheduled_ns and
 * first_token_ns. */
uint32_t pool_take(struct sequence_pool *p);
void pool_give_back(struct sequence_pool *p, uint32_t i);
void pool_free(struct sequence_pool *p);

/* First in, first out; with `before`, the sequence that comes before all others
 * is the first. */
struct queue {
	int (*before)(const struct sequence *a, const struct sequence *b);
	uint32_t *item;
	uint32_t n, cap, head; /* a ring; or a heap with head = 0 */
};
int by_priority(const struct sequence *a, const struct sequence *b);
int by_time_seen(const struct sequence *a, const struct sequence *b);
int by_time_fetched(const struct sequence *a, const struct sequence *b);
/* All return 0, or -1: out of memory. */
int queue_push(struct queue *q, const struct sequence_pool *p, uint32_t i);
/* Puts it at the front; with `before`, where its rank says. */
int queue_push_back(struct queue *q, const struct sequence_pool *p, uint32_t i);
uint32_t queue_first(const struct queue *q);
/* The k-th from the front, k < n; with `before`, of any order. */
static inline uint32_t queue_at(const struct queue *q, uint32_t k)
{
	return q->item[(q->head + k) & (q->cap - 1)];
}
void queue_pop(struct queue *q, const struct sequence_pool *p);
/* Takes out i, wherever it is. */
void queue_remove(struct queue *q, const struct sequence_pool *p, uint32_t i);
void queue_free(struct queue *q);

/* A list of n sequences: the place of i, n: it is not there; and what is at a
 * place is taken out. */
uint32_t list_find(const uint32_t *list, uint32_t n, uint32_t i);
void list_remove(uint32_t *list, uint32_t *n, uint32_t place);
#endif
