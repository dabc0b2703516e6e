/* routing.c -- Picks the replica for a request. */
#include "sim/routing.h"
#include "sim/front/rank_assignment.h"

/* Returns how many leading tokens of the prompt a group's cache has, the best
 * of its ranks. */
static uint32_t found_in(const struct simulation *m, struct sequence *q,
			 uint32_t group)
{
	uint32_t most = 0, first = engine_first_of(m->e, group);
	uint32_t ranks = engine_of_replica(m->e, first)->ranks;
	for (uint32_t k = first; k < first + ranks; k++) {
		struct scheduler *is = m->replica[k].scheduler;
		uint32_t n = is->policy->found ? is->policy->found(is, q) : 0;
		most = n > most ? n : most;
	}
	return most;
}

/* Finds what each of the pool's groups has of the prompt.  Returns 0, or -1 if
 * memory is out. */
static int look_up_cached(struct simulation *m, struct sequence *q,
			  uint32_t pool, uint32_t first, uint32_t n)
{
	const struct router_firsts *x = &m->router.firsts[pool];
	const uint64_t *has = NULL;
	int is_known =
	    x->block_tokens && q->request.input_tokens > x->block_tokens;
	if (x->index.out_of_memory ||
	    (is_known && content_keys(q->kv.content, 1, x->block_tokens)))
		return -1;
	if (is_known)
		has =
		    router_with_first(&m->router, pool, q->kv.content->key[0]);
	for (uint32_t i = 0; i < n; i++)
		m->router.found[first + i] =
		    !is_known || (has && has[i / 64] >> i % 64 & 1)
			? found_in(m, q, first + i)
			: 0;
	return 0;
}

/* Returns the group that the client chose, or UINT32_MAX. */
static uint32_t pinned_group(const struct simulation *m,
			     const struct sequence *q, uint32_t pool)
{
	return q->request.pinned && !pool
		   ? engine_group_of(m->e, q->request.pinned - 1)
		   : UINT32_MAX;
}

/* Picks one of the pool's groups, and one of its ranks; UINT32_MAX: memory is
 * out. */
static uint32_t pick(struct simulation *m, struct sequence *q, uint32_t pool,
		     int64_t now)
{
	const struct engine *e = engine_of_pool(m->e, pool);
	uint32_t split = engine_per_rank(m->e->prefill_replicas, m->e->ranks);
	uint32_t first = pool ? split : 0;
	uint32_t n = engine_groups(m->e) - first;
	if (split && pool == 0)
		n = split;
	if (e->routing == ROUTE_PREFIX_AFFINITY && e->prefix_caching &&
	    look_up_cached(m, q, pool, first, n))
		return UINT32_MAX;
	const struct route_prompt prompt = {
	    .content = q->kv.content,
	    .tokens = q->request.input_tokens,
	    .session = q->request.session,
	    .now_ns = m->router.now_ns,
	    .has_first_token = q->first_token_ns >= 0,
	};
	uint32_t i = pinned_group(m, q, pool);
	q->ticket = NO_TICKET;
	if (i == UINT32_MAX)
		i = router_send(&m->router, pool, first, n, &prompt,
				&q->ticket);
	if (i == UINT32_MAX)
		return i;
	uint32_t replica = engine_first_of(m->e, i);
	simulation_count(m, i, 1, now);
	if (q->request.pinned && !pool)
		return q->request.pinned - 1;
	if (e->ranks > 1 && !rank_assignment_is_used(e))
		replica += rank_router_choose(&m->rank_router[i], now);
	return replica;
}

struct replica *routing_send(struct simulation *m, struct sequence *q,
			     uint32_t pool, int64_t from_ns)
{
	uint32_t replica = pick(m, q, pool, from_ns);
	if (replica == UINT32_MAX) {
		problem_no_memory(m->p);
		return NULL;
	}
	q->replica = replica;
	sequence_enter(q, q->replica, from_ns);
	if (m->o && m->o->on_routed && pool == 0)
		m->o->on_routed(m->o->ctx, q->request.row, replica, 0);
	return &m->replica[q->replica];
}
