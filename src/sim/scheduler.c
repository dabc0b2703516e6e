/* scheduler.c -- Functions that all policies share. */
#include "sim/scheduler.h"
#include <inttypes.h>
#include <stdlib.h>
#include "sim/kv/kv_need.h"

/* Returns the tokens in flight that the gate for window groups assumes. */
static uint32_t gate_tokens(const struct engine *e)
{
	uint64_t n = engine_tokens_in_flight(e);
	return e->window_gate == WINDOW_GATE_NONE || n > UINT32_MAX / 2
		   ? UINT32_MAX / 2
		   : (uint32_t)n;
}

/* Returns the blocks of a cache hit that the engine computes again for drafts.
 */
static enum kv_drop drop_of(const struct engine *e)
{
	if (!e->speculation.drops_hit)
		return KV_DROP_NONE;
	return e->hit_drop == HIT_DROP_EACH ? KV_DROP_EACH : KV_DROP_ONCE;
}

/* Returns what a replica's cache is like.  Where no request finds blocks of
 * another one they are only counted, except if states have places. */
static struct kv_options cache_of(const struct policy *policy,
				  const struct engine *e)
{
	int finds = policy->found != NULL;
	return (struct kv_options){
	    .n_blocks = e->num_gpu_blocks,
	    .block_size = e->block_size,
	    .groups = &e->kv_groups,
	    .caching = e->prefix_caching &&
		       (finds || kv_groups_are_aligned(&e->kv_groups)),
	    .tables =
		finds && (e->offload.chunks > 0 || e->trtllm.has_manager_v2),
	    .order = e->free_list == FREE_LIST_LRU ? BLOCKS_LRU
						   : BLOCKS_UNKEYED_FIRST,
	    .drop = drop_of(e),
	    .most_in_flight = gate_tokens(e),
	    .max_len = e->max_model_len,
	};
}

struct scheduler *scheduler_new(const struct policy *policy,
				const struct engine *e,
				struct sequence_pool *pool,
				const struct step_columns *columns,
				int may_leave)
{
	struct scheduler *s = calloc(1, policy->size);
	if (!s)
		return NULL;
	s->policy = policy;
	s->e = e;
	s->pool = pool;
	s->columns = *columns;
	s->given_up = NO_SEQUENCE;
	s->may_leave = may_leave;
	s->waiting.before = e->policy == POLICY_PRIORITY ? by_priority : NULL;
	s->admitted =
	    arrays_add(&s->arrays, e->max_num_seqs, sizeof *s->admitted);
	const struct kv_options cache = cache_of(policy, e);
	kv_init(&s->kv, &cache);
	policy->init(s);
	if (!s->out_of_memory && !s->arrays.out_of_memory)
		return s;
	scheduler_free(s);
	return NULL;
}

void scheduler_free(struct scheduler *s)
{
	if (!s)
		return;
	if (s->policy->free)
		s->policy->free(s);
	queue_free(&s->waiting);
	queue_free(&s->fetching);
	queue_free(&s->begun);
	queue_free(&s->passed);
	offload_free(s->offload);
	encoders_free(s->encoders);
	kv_free(&s->kv);
	arrays_free(&s->arrays);
	free(s);
}

void scheduler_enqueue(struct scheduler *s, uint32_t sequence)
{
	struct sequence *q = &s->pool->item[sequence];
	q->progress = (struct progress){
	    .known = q->request.input_tokens + q->generated,
	    .most = q->request.input_tokens + q->quota + q->early,
	    .early = q->early,
	};
	q->is_seen = 1;
	scheduler_push(s, &s->waiting, sequence);
}

int scheduler_leave_queue(struct scheduler *s, struct queue *q, uint32_t i)
{
	for (uint32_t k = 0; k < q->n; k++)
		if (queue_at(q, k) == i) {
			queue_remove(q, s->pool, i);
			return 1;
		}
	return 0;
}

uint32_t scheduler_found(struct scheduler *s, struct sequence *q)
{
	return kv_find(&s->kv, &q->kv, q->request.input_tokens - 1);
}

void scheduler_drop_old(struct scheduler *s, struct kv_owner *o,
			uint32_t computed, uint32_t in_flight)
{
	if (s->e->window_free == WINDOW_FREE_PROCESSED)
		computed = computed > in_flight ? computed - in_flight : 0;
	kv_drop(&s->kv, o, computed);
}

void scheduler_dies(struct scheduler *s, const struct sequence *q,
		    enum scheduler_death why)
{
	if (s->death)
		return;
	s->death = why;
	s->death_row = q->request.row;
}

void scheduler_cover(struct scheduler *s, struct sequence *q, uint32_t tokens)
{
	if (tokens < q->kv.cover_due)
		return;
	if (kv_need(&s->kv, &q->kv, tokens) > kv_room(&s->kv))
		scheduler_dies(s, q, SCHEDULER_NO_BLOCK);
	else if (kv_cover(&s->kv, &q->kv, tokens))
		s->out_of_memory = 1;
}

void scheduler_begin_step(struct scheduler *s)
{
	s->n_preempted = s->n_admitted = s->tokens = s->n_deferred = 0;
	s->has_finished = 0;
}

void scheduler_admitted(struct scheduler *s, uint32_t sequence)
{
	s->pool->item[sequence].admitted = s->admissions++;
	s->admitted[s->n_admitted++] = sequence;
}

void scheduler_push(struct scheduler *s, struct queue *q, uint32_t sequence)
{
	if (queue_push(q, s->pool, sequence))
		s->out_of_memory = 1;
}

void scheduler_preempted(struct scheduler *s, struct sequence *q)
{
	q->preemptions++;
	s->preemptions++;
	s->n_preempted++;
}

void scheduler_found_cached(struct scheduler *s, struct sequence *q,
			    uint32_t tokens)
{
	if (!s->kv.finds || q->preemptions || q->loaded)
		return;
	q->cached_tokens = tokens;
	s->hit_tokens += tokens;
	s->queried_tokens += q->request.input_tokens;
}

void scheduler_count_token(struct batch *b, struct sequence *q, uint32_t i,
			   int64_t now)
{
	int64_t gap = now - q->last_token_ns;
	if (q->first_token_ns < 0) {
		q->first_token_ns = now;
		q->first_response_ns = b->response_ns;
		b->first[b->n_first++] = i;
	} else if (gap == b->gap_ns) {
		b->n_on_time++;
	} else {
		b->late_gap_ns[b->n_late++] = gap;
	}
	q->last_token_ns = now;
}

uint32_t scheduler_list_members(const struct scheduler *s,
				const struct batch *b, struct scheduled *out)
{
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *m = &b->member[k];
		out[k] = (struct scheduled){
		    .row = s->pool->item[m->sequence].request.row,
		    .sequence = m->sequence,
		    .context = m->context,
		    .new_tokens = m->new_tokens,
		    .drafts = m->drafts,
		    .emitted = m->emits,
		};
	}
	return b->n_members;
}

int scheduler_say_dead(const struct scheduler *s, uint32_t replica,
		       struct problem *p)
{
	static const struct {
		const char *what, *key;
	} of[] = {
	    [SCHEDULER_NO_BLOCK] =
		{"needs a block of KV cache, and none is free",
		 "num_gpu_blocks"},
	    [SCHEDULER_LONG_PROMPT] =
		{"was paused, and its tokens are now more "
		 "than a step has",
		 "max_num_tokens"},
	    [SCHEDULER_LONG_STEP] =
		{"found less of its prompt in the cache than "
		 "was expected, and the step has too many "
		 "tokens",
		 "max_num_tokens"},
	};
	return problem_set(p, EXIT_USAGE,
			   "replica %" PRIu32 ": request %" PRIu64
			   " %s; TensorRT-LLM fails there, too: raise %s",
			   replica, s->death_row, of[s->death].what,
			   of[s->death].key);
}
