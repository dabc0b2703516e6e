/* handover.c -- Moves requests and their KV caches from pool to pool. */
#include "sim/handover.h"
#include <math.h>

int handover_is_due(const struct engine *e, const struct request *r)
{
	return e->prefill_replicas &&
	       (r->output_tokens > 1 || engine_first_token_pool(e) == 1);
}

/* Returns when the KV cache of the prompt, without its first `from` tokens, has
 * arrived; -1 with *p filled in. */
static int64_t there_at(struct handover *h, const struct sequence *q,
			uint32_t from, int64_t now)
{
	const struct engine *d = engine_of_pool(h->e, 1);
	double ns = 1e9 *
		    engine_transfer_bytes(d, q->request.input_tokens, from) /
		    d->kv_transfer_bytes_per_s;
	if (ns + (double)now > (double)REPLICA_LAST_INSTANT)
		return problem_set(
		    h->p, EXIT_USAGE,
		    "kv_transfer_bandwidth_gbs: too low: a transfer would last "
		    "longer than the clock can count");
	return now + llround(ns) + d->kv_transfer_latency_ns +
	       engine_fixed_transfer_ns(d);
}

static void count(const struct handover *h, struct sequence *q,
		  int64_t begins_ns)
{
	q->fetch_begun_ns = begins_ns;
	const struct engine *d = engine_of_pool(h->e, 1);
	uint32_t tokens = q->request.input_tokens;
	outcome_transfer(h->counter,
			 engine_transfer_bytes(d, tokens, q->fetched_from),
			 q->fetched_ns - begins_ns);
}

static int push(struct handover *h, struct sequence *q, int64_t now,
		int64_t *seen_ns)
{
	q->loaded = q->request.input_tokens;
	q->is_late = 1;
	kv_owner_clear(&q->kv); /* the next cache may have other groups */
	q->fetched_ns = *seen_ns = there_at(h, q, 0, now);
	if (*seen_ns < 0)
		return -1;
	count(h, q, now);
	return 0;
}

/* The replica of the prompt keeps its KV cache until it is fetched.  A prompt
 * that was preempted while its token was in flight has no KV cache any more: it
 * is computed again. */
static void leave_behind(struct handover *h, struct sequence *q)
{
	if (q->kv.covered == 0)
		return;
	q->held = q->kv;
	q->kv = (struct kv_owner){.content = q->held.content};
	q->held_by = q->replica;
	h->replica[q->replica].n_held++;
	q->fetch = FETCH_WANTED;
}

int handover_leave(struct handover *h, uint32_t sequence, int64_t now,
		   int64_t *seen_ns)
{
	struct sequence *q = &h->sequences->item[sequence];
	q->moves_on = 0;
	q->has_moved = 1;
	q->quota = q->request.output_tokens;
	q->early = request_planned(&q->request) - q->quota;
	q->last_token_ns = q->moved_ns = now;
	q->generated = 1;
	if (engine_first_token_pool(h->e) == 1) {
		q->generated = 0;
		q->first_token_ns = -1;
	}
	if (h->e->kv_connector == KV_PUSH)
		return push(h, q, now, seen_ns);
	leave_behind(h, q);
	*seen_ns = now + h->e->proxy_ns;
	return 0;
}

int handover_begin(struct handover *h, struct replica *r, int64_t now)
{
	struct queue *begun = &r->scheduler->begun;
	while (begun->n) {
		uint32_t i = queue_first(begun);
		struct sequence *q = &h->sequences->item[i];
		int comes = q->fetch == FETCH_UNDER_WAY;
		queue_pop(begun, h->sequences);
		q->fetched_ns =
		    comes ? there_at(h, q, q->fetched_from, now) : now;
		if (q->fetched_ns < 0 || (comes && replica_await(r, i)) ||
		    replica_await(&h->replica[q->held_by], i))
			return -1;
		if (comes)
			count(h, q, now);
	}
	return 0;
}

/* Frees the KV cache of a prompt that was fetched. */
static void release(struct handover *h, struct replica *r, uint32_t sequence,
		    int64_t now)
{
	struct sequence *q = &h->sequences->item[sequence];
	kv_give_back(&r->scheduler->kv, &q->held, 1);
	q->held.content = NULL;
	kv_owner_free(&q->held);
	r->n_held--;
	outcome_held(h->counter, now - q->moved_ns);
	if (q->is_over)
		pool_give_back(h->sequences, sequence);
}

void handover_notice(struct handover *h, struct replica *r, int64_t now)
{
	uint32_t i;
	while ((i = replica_notice(r, now)) != NO_SEQUENCE)
		if (r->pool == 0)
			release(h, r, i, now);
		else
			h->sequences->item[i].fetch = FETCH_DONE;
}
