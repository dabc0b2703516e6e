/* withdrawal.c -- Lets requests go before their last token, and empties prefix
 * caches. */
#include "sim/withdrawal.h"
#include "sim/fleet/fleet.h"

/* ---- resets ---- */

/* Returns 1 if the cache is empty now. */
static int empty_cache(const struct replica *r)
{
	struct scheduler *s = r->scheduler;
	if (s->kv.pool.used)
		return 0;
	if (s->policy->clear_cache)
		s->policy->clear_cache(s);
	else
		for (uint32_t i = 0; i < s->kv.pool.n; i++)
			blocks_drop_key(&s->kv.pool, i);
	replica_tell_blocks(r, BLOCKS_CLEARED);
	return 1;
}

static void reset(struct simulation *m, uint32_t only)
{
	int all = 1;
	for (uint32_t i = 0; i < m->e->replicas; i++)
		if (only == UINT32_MAX || only == i)
			all &= empty_cache(&m->replica[i]);
	if (m->o && m->o->on_reset)
		m->o->on_reset(m->o->ctx, all);
}

/* ---- requests ---- */

/* Blocks that another replica holds for the sequence are given back as if they
 * had been fetched. */
static void let_go_of_held(struct simulation *m, struct sequence *q, uint32_t i)
{
	struct scheduler *s = m->replica[q->replica].scheduler;
	if (q->fetch == FETCH_WANTED)
		scheduler_push(s, &s->begun, i);
	q->fetch = FETCH_NONE;
	q->is_over = 1;
}

int simulation_withdrawn(struct simulation *m, uint32_t sequence, int64_t now,
			 int counts)
{
	struct sequence *q = &m->pool.item[sequence];
	int by_text = q->is_withdrawn == WITHDRAWN_BY_TEXT;
	if (q->n_visits)
		sequence_leave(q, by_text ? q->stop_ns : now);
	int rc = by_text ? outcome_ended(&m->counter, q, now, 0)
			 : outcome_cancelled(&m->counter, q);
	if (counts)
		simulation_count(m, engine_group_of(m->e, q->replica), -1, now);
	if (router_await(&m->router, q->ticket, now, 1))
		return problem_no_memory(m->p);
	q->ticket = NO_TICKET;
	if (q->held.covered)
		let_go_of_held(m, q, sequence);
	else
		pool_give_back(&m->pool, sequence);
	return rc;
}

static int is_there(const struct simulation *m, uint32_t sequence, uint64_t row)
{
	const struct sequence *q = &m->pool.item[sequence];
	return sequence < m->pool.n && q->in_use && !q->is_over &&
	       q->request.row == row;
}

/* Returns the sequence of a row, or NO_SEQUENCE. */
static uint32_t find(const struct simulation *m, const struct notice *x)
{
	if (x->sequence != NO_SEQUENCE)
		return is_there(m, x->sequence, x->row) ? x->sequence
							: NO_SEQUENCE;
	for (uint32_t i = 0; i < m->pool.n; i++)
		if (is_there(m, i, x->row))
			return i;
	return NO_SEQUENCE;
}

/* A request that is on no replica is over at once. */
static int leave_fleet(struct simulation *m, uint32_t i, int64_t now)
{
	if (!scheduler_leave_queue(m->replica[0].scheduler, &m->fleet->away, i))
		scheduler_leave_queue(m->replica[0].scheduler, &m->fleet->held,
				      i);
	return simulation_withdrawn(m, i, now, 0);
}

int withdrawal_notice(struct simulation *m)
{
	const struct notice x = notices_take(&m->notices);
	m->arrival_stale = 1;
	if (x.kind == NOTICE_RESET) {
		reset(m, x.replica);
		return 0;
	}
	uint32_t i = find(m, &x);
	if (i == NO_SEQUENCE || m->pool.item[i].is_withdrawn)
		return 0;
	struct sequence *q = &m->pool.item[i];
	q->is_withdrawn =
	    x.kind == NOTICE_STOP ? WITHDRAWN_BY_TEXT : WITHDRAWN_BY_CLIENT;
	workload_finished(m->w, q->request.row, x.ns);
	if (q->is_away)
		return leave_fleet(m, i, x.ns);
	if (q->is_seen)
		replica_stir(&m->replica[q->replica], x.ns);
	return notices_add_leaver(&m->notices, i, x.row)
		   ? problem_no_memory(m->p)
		   : 0;
}

int withdrawal_look(struct simulation *m, struct replica *r, int64_t now)
{
	struct notices *w = &m->notices;
	uint32_t kept = 0;
	int rc = 0;
	for (uint32_t k = 0; k < w->n_leavers; k++) {
		const struct leaver x = w->leaver[k];
		if (!is_there(m, x.sequence, x.row))
			continue;
		const struct sequence *q = &m->pool.item[x.sequence];
		if (q->replica != r->index || !q->is_seen ||
		    replica_withdraw(r, x.sequence))
			w->leaver[kept++] = x;
		else
			rc |= simulation_withdrawn(m, x.sequence, now, 1);
	}
	w->n_leavers = kept;
	return rc;
}

int withdrawal_drop(struct simulation *m, int64_t now)
{
	struct queue *dropped = &m->shared.dropped;
	int rc = 0;
	while (dropped->n) {
		uint32_t i = queue_first(dropped);
		queue_pop(dropped, &m->pool);
		rc |= simulation_withdrawn(m, i, now, 1);
	}
	return rc;
}
