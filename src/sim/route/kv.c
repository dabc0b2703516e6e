/* kv.c -- Dynamo's KV router: the cheapest replica, by the prompt blocks that
 * it would have to compute and the blocks that it would hold.
 *
 *   cost = prefill_load_scale * max(0, (P + isl) / b
 *				   - overlap_score_credit * o) + |D u B|
 * P: prompt tokens of its requests without a first token, each without those
 * that were cached at its decision.  o: leading blocks of this prompt that it
 * has, as KV events say, or else as this router remembers.  D: the distinct
 * blocks of the prompts of its requests; B: those of this prompt.  Blocks are
 * full ones, of b tokens.  All counts are the router's own.
 *
 * D is a tree of prompts, where a holder's value counts its requests.  As
 * blocks begin at the start of a prompt, D and B share a run from the start.
 * Source: Dynamo, lib/llm/src/kv_router/scheduler.rs, sequence.rs. */
#include <math.h>
#include <string.h>
#include "sim/route/prompt_tree.h"
#include "sim/route/recent.h"
#include "sim/route/route.h"

struct kv_router {
	struct route is;
	struct prompt_tree active;
	uint64_t *blocks;  /* [n] |D| */
	uint64_t *prefill; /* [n] P */
	struct recent sent;
	uint32_t *cached; /* [n] o; before that [ranks of all] */
	uint32_t *shared; /* [n] tokens that a request of it shares */
	uint64_t *alive;  /* for holders_runs() */
};

static int init(struct route *r)
{
	struct kv_router *s = (struct kv_router *)r;
	uint32_t replicas = r->n * r->e->ranks;
	r->has_events = r->e->router.use_kv_events != 0;
	s->blocks = arrays_add(&r->arrays, r->n, sizeof *s->blocks);
	s->prefill = arrays_add(&r->arrays, r->n, sizeof *s->prefill);
	s->cached = arrays_add(&r->arrays, replicas, sizeof *s->cached);
	s->shared = arrays_add(&r->arrays, r->n, sizeof *s->shared);
	s->alive =
	    arrays_add(&r->arrays, holders_words(replicas), sizeof *s->alive);
	prompt_tree_init(&s->active);
	return recent_init(&s->sent, r->n);
}

static void free_it(struct route *r)
{
	struct kv_router *s = (struct kv_router *)r;
	prompt_tree_free(&s->active);
	recent_free(&s->sent);
}

/* ---- what replicas have ---- */

/* A replica has as many leading blocks as the best of its ranks. */
static void merge_ranks(struct kv_router *s)
{
	uint32_t ranks = s->is.e->ranks;
	for (uint32_t i = 0; ranks > 1 && i < s->is.n; i++) {
		uint32_t most = 0;
		for (uint32_t k = i * ranks; k < (i + 1) * ranks; k++)
			most = s->cached[k] > most ? s->cached[k] : most;
		s->cached[i] = most;
	}
}

static void look_up_cached(struct kv_router *s, const struct route_prompt *q)
{
	struct route *r = &s->is;
	const struct router_rules *is = &r->e->router;
	if (r->has_events) {
		uint32_t n =
		    route_keys(r, q, route_cut_engine(r->e), 0, UINT64_MAX);
		holders_runs(&r->events.index, r->key, n, s->cached,
			     r->n * r->e->ranks, s->alive);
		merge_ranks(s);
		return;
	}
	struct route_cut cut = route_cut_tokens((uint32_t)is->block_tokens);
	uint32_t n = route_keys(r, q, cut, 0, UINT64_MAX);
	for (uint32_t i = 0; i < r->n; i++)
		recent_forget(&s->sent, i, q->now_ns - is->ttl_ns);
	holders_runs(&s->sent.index, r->key, n, s->cached, r->n, s->alive);
}

/* Without KV events, remembers that the replica will have the prompt's blocks.
 */
static void remember(struct kv_router *s, const struct route_prompt *q,
		     uint32_t replica)
{
	uint32_t n = q->tokens / (uint32_t)s->is.e->router.block_tokens;
	for (uint32_t k = 0; !s->is.has_events && k < n; k++)
		recent_send(&s->sent, replica, s->is.key[k], q->now_ns);
}

/* Fills in s->shared: how many tokens of this prompt the requests of each
 * replica have, too. */
static void look_up_active(struct kv_router *s, const struct route_prompt *q,
			   uint32_t tokens)
{
	uint32_t same,
	    node = radix_find(&s->active.tree, q->content, tokens, &same);
	memset(s->shared, 0, s->is.n * sizeof *s->shared);
	while (node) {
		const struct prompt_node *a = prompt_tree_at(&s->active, node);
		for (uint32_t k = 0; k < a->n_holders; k++)
			if (!s->shared[a->holder[k].replica])
				s->shared[a->holder[k].replica] = same;
		same = a->is.start;
		node = a->is.parent;
	}
}

/* ---- requests come and go ---- */

/* Returns how many blocks end in the node. */
static uint64_t blocks_in(const struct kv_router *s, uint32_t node)
{
	const struct radix_node *a = radix_at(&s->active.tree, node);
	uint64_t b = s->is.e->router.block_tokens;
	return a->end / b - a->start / b;
}

/* Notes in the tree of D that the replica has got one more request with this
 * prompt, and adds blocks that are new there to |D|.  Returns the node where
 * the prompt ends, for over(). */
static uint32_t add(struct kv_router *s, const struct route_prompt *q,
		    uint32_t tokens, uint32_t replica)
{
	uint32_t end = prompt_tree_enter(&s->active, q->content, tokens);
	int was_new = 0, is_new;
	for (uint32_t i = end; i; i = radix_at(&s->active.tree, i)->parent) {
		struct prompt_holder *h =
		    prompt_tree_hold(&s->active, i, replica, &is_new);
		if (!h)
			break;
		h->value++;
		h->below += (uint32_t)was_new;
		was_new = is_new;
		if (is_new)
			s->blocks[replica] += blocks_in(s, i);
	}
	s->is.out_of_memory |= s->active.out_of_memory | s->sent.out_of_memory;
	return end;
}

/* The request has its first token: its prompt no longer counts in P. */
static void first_token(struct route *r, struct route_ticket *t)
{
	struct kv_router *s = (struct kv_router *)r;
	s->prefill[t->replica] -= t->prefill_tokens;
	t->prefill_tokens = 0;
}

/* The request is over: undoes pick(). */
static void over(struct route *r, struct route_ticket *t)
{
	struct kv_router *s = (struct kv_router *)r;
	uint32_t next;
	first_token(r, t);
	for (uint32_t i = t->node; i; i = next) {
		next = radix_at(&s->active.tree, i)->parent;
		if (--prompt_tree_holder(&s->active, i, t->replica)->value)
			continue;
		s->blocks[t->replica] -= blocks_in(s, i);
		prompt_tree_leave(&s->active, i, t->replica);
	}
}

/* ---- the choice ---- */

static double cost_on(const struct kv_router *s, uint32_t i,
		      const struct route_prompt *q)
{
	const struct router_rules *is = &s->is.e->router;
	uint64_t b = is->block_tokens;
	uint64_t blocks = s->blocks[i] + q->tokens / b - s->shared[i] / b;
	double prefill = (double)(s->prefill[i] + q->tokens) / (double)b -
			 is->overlap_score_credit * s->cached[i];
	return is->prefill_load_scale * (prefill > 0 ? prefill : 0) +
	       (double)blocks;
}

/* Draws a replica with the weight exp(-cost / (range * temperature)); score:
 * minus the costs. */
static uint32_t draw(struct route *r, double *score)
{
	const uint32_t *choice = r->choice;
	double least = score[choice[0]], most = least, sum = 0;
	for (uint32_t k = 1; k < r->n_choices; k++) {
		uint32_t i = choice[k];
		least = score[i] < least ? score[i] : least;
		most = score[i] > most ? score[i] : most;
	}
	double width = (most - least) * r->e->router.temperature;
	for (uint32_t k = 0; k < r->n_choices; k++) {
		uint32_t i = choice[k];
		score[i] = width > 0 ? exp((score[i] - most) / width) : 1;
		sum += score[i];
	}
	double left = rng_uniform(&r->rng) * sum;
	uint32_t k = 0;
	for (; k + 1 < r->n_choices && left >= score[choice[k]]; k++)
		left -= score[choice[k]];
	return choice[k];
}

/* Picks the cheapest replica, and counts the request there. */
static uint32_t pick(struct route *r, const struct route_prompt *q,
		     struct route_ticket *t)
{
	struct kv_router *s = (struct kv_router *)r;
	uint32_t b = (uint32_t)r->e->router.block_tokens;
	uint32_t whole = q->tokens / b * b;
	look_up_cached(s, q);
	look_up_active(s, q, whole);
	for (uint32_t i = 0; i < r->n; i++)
		r->score[i] = -cost_on(s, i, q);
	uint32_t i = r->e->router.temperature > 0 ? draw(r, r->score)
						  : route_best(r, r->score);
	uint32_t had = s->cached[i] * b;
	t->prefill_tokens =
	    q->has_first_token || had > q->tokens ? 0 : q->tokens - had;
	s->prefill[i] += t->prefill_tokens;
	remember(s, q, i);
	t->node = add(s, q, whole, i);
	return i;
}

static void forget(struct route *r, uint32_t replica)
{
	recent_keep(&((struct kv_router *)r)->sent, replica, 0);
}

const struct route_rule route_kv = {
    .size = sizeof(struct kv_router),
    .init = init,
    .free = free_it,
    .pick = pick,
    .forget = forget,
    .first_token = first_token,
    .over = over,
    .reads_prompts = 1,
};
