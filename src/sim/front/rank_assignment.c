/* rank_assignment.c -- Deals the requests of a group out to its ranks. */
#include "sim/front/rank_assignment.h"

static struct replica *first_of(const struct replica *r)
{
	return (struct replica *)(uintptr_t)(r - r->rank);
}

/* Tokens that the request computes first. */
static uint32_t tokens_of(const struct sequence *q)
{
	return q->loaded ? 1 : q->request.input_tokens + q->generated;
}

static uint64_t load_of(const struct replica *r)
{
	const struct scheduler *s = r->scheduler;
	uint64_t tokens = s->policy->running(s);
	for (uint32_t k = 0; k < s->waiting.n; k++)
		tokens +=
		    tokens_of(scheduler_sequence(s, queue_at(&s->waiting, k)));
	return tokens;
}

static int has_chunks(const struct engine *e)
{
	return e->scheduler == SCHEDULER_SGLANG ? e->sglang.chunk > 0
						: e->trtllm.has_chunks != 0;
}

/* Returns 1 if the rank, with that load in the step, may have n tokens more. */
static int takes(const struct replica *r, uint64_t load, uint32_t n)
{
	const struct engine *e = r->e;
	const struct scheduler *s = r->scheduler;
	uint32_t running = s->policy->running(s);
	if (running + s->waiting.n >= e->max_num_seqs)
		return 0;
	return r->pool || s->waiting.n == 0 ||
	       load + (has_chunks(e) ? 1 : n) <= e->max_num_batched_tokens;
}

/* Returns the rank with the fewest tokens, *load; NULL: none may be assigned
 * any. */
static struct replica *lightest(struct replica *first, uint64_t *load)
{
	struct replica *best = NULL;
	for (uint32_t k = 0; k < first->e->ranks; k++) {
		if (first[k].has_left)
			continue;
		uint64_t tokens = load_of(&first[k]);
		if (!best || tokens < *load) {
			best = &first[k];
			*load = tokens;
		}
	}
	return best;
}

static void give(struct replica *to, uint32_t i)
{
	struct sequence *q = scheduler_sequence(to->scheduler, i);
	q->replica = to->index;
	q->visit[q->n_visits - 1].replica = to->index;
	replica_admit(to, i);
}

void rank_assignment_assign(struct replica *r, int64_t now)
{
	struct replica *first = first_of(r);
	struct sequence_pool *pool = r->shared->sequences;
	uint64_t load = 0;
	if (r->group->dealt_ns == now && rank_assignment_is_unfinished(r))
		return;
	r->group->dealt_ns = now;
	for (uint32_t k = 0; k < r->e->ranks; k++)
		first[k].has_left = first[k].scheduler->waiting.n > 0;
	while (first->inbox.n) {
		uint32_t i = queue_first(&first->inbox);
		if (pool->item[i].seen_ns > now)
			return;
		struct replica *to = lightest(first, &load);
		if (!to || !takes(to, load, tokens_of(&pool->item[i])))
			return;
		queue_pop(&first->inbox, pool);
		give(to, i);
	}
}

int rank_assignment_is_unfinished(const struct replica *r)
{
	const struct replica *first = first_of(r);
	for (uint32_t k = 0; k < r->e->ranks; k++)
		if (scheduler_is_unfinished(first[k].scheduler))
			return 1;
	return 0;
}
