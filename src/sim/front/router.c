/* router.c -- Picks the replica for a request. */
#include "sim/front/router.h"
#include <stdlib.h>
#include <string.h>
#include "sim/replica.h"

/* ---- construction and destruction ---- */

static void on_block(void *user, uint64_t key, int has)
{
	struct router_subscription *subscription = user;
	struct router *r = subscription->router;
	kv_events_publish(&r->route[subscription->pool]->events,
			  subscription->replica, key, has, r->now_ns);
}

/* Notes that a replica has lost the first block of a prompt. */
static void subscribe_to_firsts(void *user, uint64_t key, int has)
{
	struct router_subscription *subscription = user;
	if (!has)
		holders_remove(
		    &subscription->router->firsts[subscription->pool].index,
		    key, subscription->replica);
}

static void on_first_block(void *user, uint64_t key, int has)
{
	struct router_subscription *subscription = user;
	(void)has;
	holders_add(&subscription->router->firsts[subscription->pool].index,
		    key, subscription->replica);
}

/* A pool of one has no choice, and needs no rule. */
static int make_route(struct router *r, const struct engine *e, uint32_t pool,
		      uint32_t n)
{
	const struct engine *its = engine_of_pool(e, pool);
	int has_none = 1;
	if (n > 1)
		r->route[pool] = route_new(its, pool, n, e->seed, &has_none);
	struct route *made = r->route[pool];
	if (!made)
		return has_none ? 0 : -1;
	made->events.index.n_words = holders_words(n * its->ranks);
	made->events.delay_ns = its->router.kv_event_delay_ns;
	if (made->has_metrics)
		r->refresh_ns = 0;
	return 0;
}

static int has_one_key(const struct kv_groups *g)
{
	const struct kv_kind *k = &g->kind[0];
	return g->n_kinds == 0 ||
	       (g->n_kinds == 1 && k->n_groups == 1 && !k->window &&
		!k->state && k->block_size == g->key_unit &&
		k->block_size == g->hit_unit);
}

/* A prompt has nothing cached without its first block if one key a block tells
 * what a replica has: attention without windows and states. */
static void make_firsts(struct router *r, const struct engine *e, uint32_t pool,
			uint32_t n)
{
	const struct engine *its = engine_of_pool(e, pool);
	const struct kv_groups *g = &its->kv_groups;
	struct router_firsts *x = &r->firsts[pool];
	if (its->routing != ROUTE_PREFIX_AFFINITY || !its->prefix_caching ||
	    n == 1 || its->ranks > 1 || !has_one_key(g) ||
	    its->scheduler == SCHEDULER_SGLANG || its->speculation.drops_hit)
		return;
	x->block_tokens = g->n_kinds ? g->key_unit : its->block_size;
	x->index.n_words = holders_words(n);
}

static int make_subscriptions(struct router *r, const struct engine *e)
{
	r->subscription = calloc(e->replicas, sizeof *r->subscription);
	for (uint32_t i = 0; r->subscription && i < e->replicas; i++) {
		uint32_t pool = engine_pool_of(e, i);
		struct router_subscription *subscription = &r->subscription[i];
		if (!r->firsts[pool].block_tokens &&
		    (!r->route[pool] || !r->route[pool]->has_events))
			continue;
		*subscription = (struct router_subscription){
		    .listener = {r->firsts[pool].block_tokens
				     ? subscribe_to_firsts
				     : on_block,
				 subscription},
		    .first = {on_first_block, subscription},
		    .router = r,
		    .pool = pool,
		    .replica = i - (pool ? e->prefill_replicas : 0)};
	}
	return r->subscription ? 0 : -1;
}

int router_init(struct router *r, const struct engine *e)
{
	uint32_t n = engine_groups(e);
	uint32_t split = engine_per_rank(e->prefill_replicas, e->ranks);
	*r = (struct router){
	    .routing = {e->routing, engine_of_pool(e, 1)->routing},
	    .rng = rng_stream(e->seed, RNG_ROUTING, 0),
	    .outstanding = calloc(n, sizeof *r->outstanding),
	    .found = calloc(n, sizeof *r->found),
	    .now_ns = -1,
	    .refresh_ns = INT64_MAX,
	};
	tickets_init(&r->tickets);
	if (make_route(r, e, 0, split ? split : n) < 0 ||
	    (split && make_route(r, e, 1, n - split) < 0))
		return -1;
	make_firsts(r, e, 0, split ? split : n);
	if (split)
		make_firsts(r, e, 1, n - split);
	for (int pool = 0; pool < 2; pool++)
		if (((r->route[pool] && r->route[pool]->has_events) ||
		     r->firsts[pool].block_tokens) &&
		    !r->subscription && make_subscriptions(r, e) < 0)
			return -1;
	if (fleet_changes(&e->fleet))
		r->choice = calloc(n, sizeof *r->choice);
	return r->outstanding && r->found &&
		       (r->choice || !fleet_changes(&e->fleet))
		   ? 0
		   : -1;
}

void router_free(struct router *r)
{
	free(r->choice);
	free(r->outstanding);
	free(r->found);
	free(r->subscription);
	route_free(r->route[0]);
	route_free(r->route[1]);
	for (int pool = 0; pool < 2; pool++)
		holders_free(&r->firsts[pool].index);
	tickets_free(&r->tickets);
}

/* ---- rules without keys ---- */

/* Returns the k-th replica that may get the request. */
static uint32_t nth(const struct router *r, uint32_t first, uint32_t k)
{
	return r->choice ? r->choice[k] : first + k;
}

static uint32_t fewest(const struct router *r, uint32_t first, uint32_t n)
{
	uint32_t best = nth(r, first, 0);
	for (uint32_t k = 1; k < n; k++) {
		uint32_t i = nth(r, first, k);
		if (r->outstanding[i] < r->outstanding[best])
			best = i;
	}
	return best;
}

static uint32_t better_of_two(struct router *r, uint32_t first, uint32_t n)
{
	uint32_t a = (uint32_t)rng_below(&r->rng, n);
	uint32_t b = (uint32_t)rng_below(&r->rng, n - 1);
	b += b >= a;
	a = nth(r, first, a);
	b = nth(r, first, b);
	return r->outstanding[b] < r->outstanding[a] ? b : a;
}

/* Returns the replica that has most of the prompt, unless it has many more
 * requests than the least loaded one. */
static uint32_t closest(const struct router *r, uint32_t first, uint32_t n)
{
	uint32_t best = fewest(r, first, n);
	uint64_t most = 2 * r->outstanding[best] + 8;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = nth(r, first, k);
		if (r->outstanding[i] > most)
			continue;
		if (r->found[i] > r->found[best] ||
		    (r->found[i] == r->found[best] &&
		     r->outstanding[i] < r->outstanding[best]))
			best = i;
	}
	return best;
}

uint32_t router_choose(struct router *r, uint32_t pool, uint32_t first,
		       uint32_t n)
{
	if (r->choice)
		n = r->n_choices;
	if (n == 1)
		return nth(r, first, 0);
	if (r->routing[pool] == ROUTE_LEAST_OUTSTANDING)
		return fewest(r, first, n);
	if (r->routing[pool] == ROUTE_POWER_OF_TWO)
		return better_of_two(r, first, n);
	if (r->routing[pool] == ROUTE_PREFIX_AFFINITY)
		return closest(r, first, n);
	return nth(r, first, (uint32_t)(r->turn[pool]++ % n));
}

/* ---- all rules ---- */

int router_reads_prompts(const struct router *r)
{
	for (int pool = 0; pool < 2; pool++)
		if (r->route[pool] && r->route[pool]->rule->reads_prompts)
			return 1;
	return 0;
}

/* Tells the routers what clients have got by now. */
static void catch_up(struct router *r, int64_t now_ns)
{
	struct ticket_event event;
	while (tickets_next_event(&r->tickets, now_ns, &event)) {
		struct route_ticket *t = &r->tickets.item[event.ticket];
		struct route *of = r->route[t->pool];
		if (!event.is_over) {
			of->rule->first_token(of, t);
			continue;
		}
		of->load[t->replica]--;
		if (of->rule->over)
			of->rule->over(of, t);
		tickets_give_back(&r->tickets, event.ticket);
	}
}

void router_set_choices(struct router *r, const uint32_t *choice, uint32_t n)
{
	r->n_choices = n;
	if (n == 0)
		return;
	memcpy(r->choice, choice, n * sizeof *choice);
	if (r->route[0])
		route_set_choices(r->route[0], choice, n);
}

void router_forget(struct router *r, uint32_t replica, int64_t now_ns)
{
	struct route *of = r->route[0];
	holders_forget(&r->firsts[0].index, replica);
	if (!of)
		return;
	catch_up(r, now_ns);
	kv_events_forget(&of->events, replica);
	of->seen[replica] = (struct route_metrics){0};
	if (of->rule->forget)
		of->rule->forget(of, replica);
}

uint32_t router_send(struct router *r, uint32_t pool, uint32_t first,
		     uint32_t n, const struct route_prompt *q, uint32_t *ticket)
{
	struct route *by = r->route[pool];
	*ticket = NO_TICKET;
	if (!by)
		return router_choose(r, pool, first, n);
	catch_up(r, q->now_ns);
	kv_events_deliver(&by->events, q->now_ns);
	*ticket = tickets_take(&r->tickets);
	if (*ticket == NO_TICKET)
		return UINT32_MAX;
	struct route_ticket *t = &r->tickets.item[*ticket];
	t->pool = pool;
	t->replica = by->rule->pick(by, q, t);
	by->load[t->replica]++;
	return by->out_of_memory || by->events.out_of_memory
		   ? UINT32_MAX
		   : first + t->replica;
}

int router_await(struct router *r, uint32_t ticket, int64_t at_ns, int is_over)
{
	if (ticket == NO_TICKET)
		return 0;
	if (!is_over &&
	    !r->route[r->tickets.item[ticket].pool]->rule->first_token)
		return 0;
	return tickets_await(
	    &r->tickets,
	    (struct ticket_event){at_ns, ticket, (uint32_t)is_over});
}

int router_wants_first_tokens(const struct router *r)
{
	for (int pool = 0; pool < 2; pool++)
		if (r->route[pool] && r->route[pool]->rule->first_token)
			return 1;
	return 0;
}

const struct block_listener *router_listener(const struct router *r,
					     uint32_t replica)
{
	return r->subscription && r->subscription[replica].router
		   ? &r->subscription[replica].listener
		   : NULL;
}

const struct block_listener *router_first_listener(const struct router *r,
						   uint32_t replica)
{
	return r->subscription && r->subscription[replica].router &&
		       r->firsts[r->subscription[replica].pool].block_tokens
		   ? &r->subscription[replica].first
		   : NULL;
}

/* What a group of ranks has at this instant. */
static struct route_metrics metrics_of(const struct replica *r)
{
	struct route_metrics all = {0};
	uint64_t used = 0, blocks = 0;
	for (uint32_t k = 0; k < r->e->ranks; k++) {
		const struct scheduler *s = r[k].scheduler;
		all.waiting += scheduler_waiting(s);
		all.running += s->policy->running(s);
		used += s->kv.pool.used;
		if (r->e->num_gpu_blocks != ENGINE_UNLIMITED)
			blocks += r->e->num_gpu_blocks;
	}
	all.kv_use = blocks ? (double)used / (double)blocks : 0;
	return all;
}

/* Returns 1 if a time of refresh is behind the last event, and not behind the
 * next one; the first is at time 0. */
static int is_due(const struct route *by, int64_t last_ns, int64_t next_ns)
{
	int64_t every_ns = by->e->router.refresh_metrics_interval_ns;
	return by->has_metrics &&
	       (last_ns < 0 || last_ns / every_ns != next_ns / every_ns);
}

/* Sets when metrics are read next. */
static void set_refresh(struct router *r, int64_t now_ns)
{
	r->refresh_ns = INT64_MAX;
	for (int pool = 0; pool < 2; pool++) {
		if (!r->route[pool] || !r->route[pool]->has_metrics)
			continue;
		int64_t every_ns =
		    r->route[pool]->e->router.refresh_metrics_interval_ns;
		int64_t next_ns = (now_ns / every_ns + 1) * every_ns;
		if (next_ns < r->refresh_ns)
			r->refresh_ns = next_ns;
	}
}

void router_refresh(struct router *r, const struct engine *e,
		    const struct replica *replica, int64_t now_ns)
{
	uint32_t split = engine_per_rank(e->prefill_replicas, e->ranks);
	for (uint32_t i = 0; i < engine_groups(e); i++) {
		const struct replica *first = &replica[engine_first_of(e, i)];
		struct route *by = r->route[first->pool];
		if (by && is_due(by, r->now_ns, now_ns))
			by->seen[first->pool ? i - split : i] =
			    metrics_of(first);
	}
	set_refresh(r, now_ns);
}
