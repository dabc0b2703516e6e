/* simulation.c -- Moves the clock from event to event to the last request. */
#include "sim/simulation.h"
#include <stdlib.h>
#include "sim/arrivals.h"
#include "sim/fleet/fleet.h"
#include "sim/hand_out.h"
#include "sim/offload/worth.h"
#include "sim/routing.h"
#include "sim/setup.h"
#include "sim/simulation_state.h"
#include "sim/step_memory.h"
#include "sim/withdrawal.h"

size_t simulation_step_bytes(const struct engine *e)
{
	return step_memory_lay_out(e, NULL, NULL);
}

void simulation_count(struct simulation *m, uint32_t group, int more,
		      int64_t now)
{
	uint64_t *n = &m->router.outstanding[group];
	*n += (uint64_t)(int64_t)more;
	if (m->fleet)
		fleet_count(m->fleet, group, *n, now);
}

/* ---- the end of a request ---- */

/* Ends a request that has all its tokens, or is given up, in a batch that is
 * processed now; the client knows response_ns after its last token, or when it
 * has the first token if that is later. */
static int end_request(struct simulation *m, uint32_t sequence,
		       const struct batch *b, int64_t now)
{
	struct sequence *q = &m->pool.item[sequence];
	/* response_ns has that of one token */
	int64_t after_ns =
	    engine_request_after_ns(m->e, q->request.output_tokens, 1) -
	    engine_request_after_ns(m->e, 1, 0);
	int64_t response_ns =
	    hand_out_in_order(q, b->results_ns, b->response_ns + after_ns);
	sequence_leave(q, !q->stop_client_ns ? b->results_ns : q->stop_ns);
	int rc =
	    q->is_unschedulable
		? outcome_rejected(&m->counter, &q->request,
				   rejection_of_given_up(m->e))
		: outcome_ended(&m->counter, q, b->results_ns, response_ns);
	int64_t client_ns =
	    !q->stop_client_ns ? now + response_ns : q->stop_client_ns;
	if (!q->is_withdrawn)
		m->arrival_stale |=
		    workload_finished(m->w, q->request.row, client_ns);
	simulation_count(m, engine_group_of(m->e, q->replica), -1, now);
	if (router_await(&m->router, q->ticket, now + response_ns, 1))
		return problem_no_memory(m->p);
	if (q->held.covered)
		q->is_over = 1;
	else
		pool_give_back(&m->pool, sequence);
	return rc;
}

/* The prompt was computed here, and the other pool generates. */
static int hand_over(struct simulation *m, uint32_t sequence, int64_t now)
{
	struct sequence *q = &m->pool.item[sequence];
	int64_t seen_ns;
	simulation_count(m, engine_group_of(m->e, q->replica), -1, now);
	sequence_leave(q, now);
	if (router_await(&m->router, q->ticket, now, 1))
		return problem_no_memory(m->p);
	if (handover_leave(&m->handover, sequence, now, &seen_ns))
		return -1;
	struct replica *to = routing_send(m, q, 1, seen_ns);
	return to ? replica_deliver(to, sequence, seen_ns) : -1;
}

/* ---- the loop ---- */

/* The routers learn of first tokens when the clients have them. */
static int note_first_tokens(struct simulation *m, const struct batch *b)
{
	for (uint32_t i = 0; i < b->n_first; i++) {
		const struct sequence *q = &m->pool.item[b->first[i]];
		if (router_await(&m->router, q->ticket,
				 q->first_token_ns + q->first_response_ns, 0))
			return -1;
	}
	return 0;
}

/* Tells which requests gave up the tokens of the batch. */
static int tell_lost(struct simulation *m, const struct replica *r,
		     const struct batch *b)
{
	if (!m->shared.is_lost || b->is_empty ||
	    !r->scheduler->policy->may_lose)
		return 0;
	for (uint32_t k = 0; k < b->n_members; k++)
		m->shared.is_lost[k] = b->member[k].sequence == NO_SEQUENCE;
	const struct results_event e = {.replica = r->index,
					.n_members = b->n_members,
					.is_lost = m->shared.is_lost};
	return m->o->on_results(m->o->ctx, &e, m->p) ? -1 : 0;
}

/* Handles the results of a step: tokens go out, requests end or move to a
 * decode pool. */
static int results(struct simulation *m, struct replica *r)
{
	int64_t now = r->next_ns;
	if (m->notices.n_leavers && withdrawal_look(m, r, now) < 0)
		return -1;
	const struct batch *b = replica_results(r);
	replica_tell_blocks(r, BLOCKS_PROCESSED);
	if (b->n_handed && hand_out_tokens(m, r, b) < 0)
		return -1;
	if (tell_lost(m, r, b))
		return -1;
	if (m->wants_first_tokens && note_first_tokens(m, b))
		return problem_no_memory(m->p);
	for (uint32_t i = 0; i < b->n_last; i++) {
		const struct sequence *q = &m->pool.item[b->last[i]];
		if (q->moves_on && !q->is_unschedulable
			? hand_over(m, b->last[i], now)
			: end_request(m, b->last[i], b, now))
			return -1;
	}
	if (m->e->prefill_replicas)
		handover_notice(&m->handover, r, now);
	return replica_end_turn(r);
}

static int schedule(struct simulation *m, struct replica *r)
{
	int64_t now = r->next_ns;
	if (m->notices.n_leavers && withdrawal_look(m, r, now) < 0)
		return -1;
	if (replica_schedule(r) ||
	    (m->shared.dropped.n && withdrawal_drop(m, now) < 0))
		return -1;
	return m->e->prefill_replicas ? handover_begin(&m->handover, r, now)
				      : 0;
}

/* Returns the replica with the earliest event, or NULL if none has one. */
static struct replica *soonest(const struct simulation *m)
{
	uint32_t i = agenda_soonest(&m->shared.agenda);
	return i == UINT32_MAX ? NULL : &m->replica[i];
}

/* The event of the replica has happened; at the end of a turn the router of its
 * ranks gets its new load. */
static void tell_router(struct simulation *m, const struct replica *r,
			int64_t now)
{
	const struct scheduler *s = r->scheduler;
	if (r->e->ranks > 1 && r->next == REPLICA_SCHEDULE)
		rank_router_tell(
		    &m->rank_router[engine_group_of(m->e, r->index)], r->rank,
		    (struct rank_load){scheduler_waiting(s),
				       s->policy->running(s)},
		    now);
}

static int replica_event(struct simulation *m, struct replica *r)
{
	int64_t now = r->next_ns;
	int rc = r->next == REPLICA_RESULTS ? results(m, r) : schedule(m, r);
	tell_router(m, r, now);
	return rc;
}

/* shared.arrival_ns becomes the earliest time when something may come that is
 * not known now. */
static int look_for_arrival(struct simulation *m)
{
	if (!m->arrival_stale)
		return 0;
	m->arrival_stale = 0;
	m->arrival_known = workload_peek(m->w, &m->arrival_ns, m->p);
	int64_t soonest_ns = m->arrival_known > 0 ? m->arrival_ns
			     : m->is_open         ? m->until_ns + 1
						  : REPLICA_LAST_INSTANT;
	int64_t notice_ns = notices_next_ns(&m->notices);
	m->shared.arrival_ns = soonest_ns < notice_ns ? soonest_ns : notice_ns;
	return m->arrival_known < 0 ? -1 : 0;
}

/* r: the replica with the earliest event, or NULL.  A request that joins the
 * queue at the end of a step is there before the tokens of that step. */
static int joins_next(const struct simulation *m, const struct replica *r)
{
	if (!m->joining.n)
		return 0;
	int64_t at_ns = arrivals_joins_ns(m);
	return (!r || at_ns <= r->next_ns) &&
	       (!m->arrival_known || at_ns <= m->arrival_ns);
}

static int arrives_next(const struct simulation *m, const struct replica *r)
{
	return m->arrival_known &&
	       (!r || m->arrival_ns < r->next_ns ||
		(m->arrival_ns == r->next_ns && r->next == REPLICA_SCHEDULE));
}

/* Every event happens after this. */
static void begin_event(struct simulation *m, int64_t now_ns)
{
	if (now_ns >= m->router.refresh_ns)
		router_refresh(&m->router, m->e, m->replica, now_ns);
	m->router.now_ns = now_ns;
}

enum event { NOTHING, OF_FLEET, NOTICE, JOINS, ARRIVES, OF_REPLICA };

static enum event next_of_several(const struct simulation *m,
				  const struct replica *r, int64_t *at_ns)
{
	int64_t notice_ns = notices_next_ns(&m->notices);
	enum event is = OF_REPLICA;
	*at_ns = r ? r->next_ns : REPLICA_NEVER;
	if (m->fleet && fleet_is_next(m, r)) {
		is = OF_FLEET;
		*at_ns = fleet_next_ns(m);
	} else if (joins_next(m, r)) {
		is = JOINS;
		*at_ns = arrivals_joins_ns(m);
	} else if (arrives_next(m, r)) {
		is = ARRIVES;
		*at_ns = m->arrival_ns;
	} else if (!r) {
		is = NOTHING;
	}
	if (notice_ns < *at_ns || (notice_ns == *at_ns && is == OF_REPLICA)) {
		is = NOTICE;
		*at_ns = notice_ns;
	}
	return is;
}

/* Returns what happens next, and when; of a replica: r.  Usually nothing else
 * is under way. */
static inline enum event next_event(const struct simulation *m,
				    const struct replica *r, int64_t *at_ns)
{
	if (!r || m->fleet || m->joining.n || m->notices.n)
		return next_of_several(m, r, at_ns);
	int arrives = arrives_next(m, r);
	*at_ns = arrives ? m->arrival_ns : r->next_ns;
	return arrives ? ARRIVES : OF_REPLICA;
}

static int happen(struct simulation *m, enum event is, struct replica *r)
{
	if (is == OF_REPLICA) /* nearly all are */
		return replica_event(m, r);
	if (is == ARRIVES)
		return arrivals_take(m);
	if (is == JOINS)
		return arrivals_join(m);
	return is == NOTICE ? withdrawal_notice(m) : fleet_event(m);
}

/* Returns 1 if no request is left, and none will come. */
static int is_over(const struct simulation *m, const struct replica *r)
{
	return !r && !m->is_open && !m->arrival_known && m->joining.n == 0 &&
	       !fleet_awaits(m->fleet);
}

static int run(struct simulation *m)
{
	for (;;) {
		int64_t at_ns;
		if (look_for_arrival(m))
			return -1;
		struct replica *r = soonest(m);
		if (is_over(m, r))
			return 0;
		enum event is = next_event(m, r, &at_ns);
		if (is == NOTHING || at_ns > m->until_ns)
			return 0;
		begin_event(m, at_ns);
		int rc = happen(m, is, r);
		if (rc)
			return rc;
	}
}

static int check_memory(const struct simulation *m, const struct outcome *out)
{
	for (uint32_t i = 0; i < out->n_pools; i++)
		if (engine_check_held(engine_of_pool(m->e, i),
				      out->pool[i].kv_blocks_peak, m->p) < 0)
			return -1;
	return 0;
}

/* Reports the requests that are left when the run broke off. */
static int report_unfinished(struct simulation *m)
{
	for (uint32_t i = 0; i < m->pool.n; i++)
		if (m->pool.item[i].in_use && !m->pool.item[i].is_over &&
		    outcome_unfinished(&m->counter, &m->pool.item[i]))
			return -1;
	return 0;
}

static void weigh_loads(const struct simulation *m, struct outcome *out)
{
	for (uint32_t i = 0; i < m->e->replicas; i++)
		if (m->replica[i].scheduler->offload)
			offload_worth(&out->loads,
				      m->replica[i].scheduler->offload,
				      m->replica[i].cost, m->e);
}

/* ---- a simulation from its beginning to its end ---- */

int simulation_list_tokens(struct simulation *m)
{
	if (!m->shared.listed)
		m->shared.listed =
		    arrays_add(&m->arrays, step_memory_max_seqs(m->e),
			       sizeof *m->shared.listed);
	m->shared.lists_tokens = 1;
	return m->shared.listed ? 0 : -1;
}

static int add_resets(struct simulation *m)
{
	const struct workload_reset *reset;
	size_t n = workload_resets(m->w, &reset);
	for (size_t i = 0; i < n; i++)
		if (simulation_reset(m, reset[i].ns, reset[i].replica) < 0)
			return -1;
	return 0;
}

struct simulation *simulation_open(const struct simulation_setup *s,
				   struct outcome *out, struct problem *p)
{
	struct simulation *m = calloc(1, sizeof *m);
	if (!m) {
		problem_no_memory(p);
		return NULL;
	}
	*m = (struct simulation){
	    .e = s->e,
	    .cost = s->cost,
	    .w = s->w,
	    .p = p,
	    .arrival_stale = 1,
	    .o = s->o,
	    .is_open = s->is_open,
	    .until_ns = -1,
	};
	outcome_begin(&m->counter, s->e, s->o, out, p);
	out->clients = workload_clients(s->w);
	for (uint32_t pool = 0; pool < 2; pool++)
		outcome_set_hardware(&m->counter, pool, &s->cost[pool]->floor,
				     &s->cost[pool]->power);
	int rc = setup_make(m, s->step_memory);
	if (rc == 0 && fleet_changes(&s->e->fleet))
		rc = fleet_make(m);
	if (rc == 0)
		rc = add_resets(m);
	if (rc == 0)
		return m;
	simulation_free(m);
	return NULL;
}

void simulation_free(struct simulation *m)
{
	if (!m)
		return;
	fleet_free(m->fleet);
	setup_free(m);
	free(m);
}

int simulation_arrive(struct simulation *m, const struct request *r)
{
	m->arrival_stale = 1;
	return workload_give(m->w, r) < 0 ? problem_no_memory(m->p) : 0;
}

static int add_notice(struct simulation *m, const struct notice *x)
{
	m->arrival_stale = 1;
	return notices_add(&m->notices, x) ? problem_no_memory(m->p) : 0;
}

int simulation_cancel(struct simulation *m, uint64_t row, int64_t ns)
{
	return add_notice(m, &(struct notice){.ns = ns,
					      .kind = NOTICE_CANCEL,
					      .sequence = NO_SEQUENCE,
					      .row = row});
}

int simulation_reset(struct simulation *m, int64_t ns, uint32_t replica)
{
	return add_notice(m, &(struct notice){.ns = ns,
					      .kind = NOTICE_RESET,
					      .replica = replica,
					      .sequence = NO_SEQUENCE});
}

int simulation_advance(struct simulation *m, int64_t until_ns)
{
	m->until_ns = until_ns;
	m->arrival_stale = 1;
	return run(m);
}

int simulation_finish(struct simulation *m)
{
	m->is_open = 0;
	return simulation_advance(m, INT64_MAX);
}

int64_t simulation_next_ns(struct simulation *m)
{
	int64_t at_ns;
	if (look_for_arrival(m))
		return m->until_ns;
	next_event(m, soonest(m), &at_ns);
	return at_ns;
}

struct simulation_load simulation_load(const struct simulation *m,
				       uint32_t replica)
{
	const struct scheduler *s = m->replica[replica].scheduler;
	const struct blocks *b = &s->kv.pool;
	return (struct simulation_load){
	    .running = s->policy->running(s),
	    .waiting = scheduler_waiting(s),
	    .deferred = s->fetching.n + s->passed.n,
	    .blocks_used = b->used,
	    .blocks = s->e->num_gpu_blocks,
	    .steps = m->replica[replica].steps,
	    .preemptions = s->preemptions,
	    .hit_tokens = s->hit_tokens,
	    .queried_tokens = s->queried_tokens,
	    .is_away =
		m->fleet && !member_is_choice(&m->fleet->members.of[replica]),
	};
}

int simulation_close(struct simulation *m, int rc)
{
	struct outcome *out = m->counter.out;
	if (report_unfinished(m))
		rc = -1;
	fleet_end(m);
	setup_add_up(m);
	if (outcome_finish(&m->counter) && rc == 0)
		rc = problem_no_memory(m->p);
	if (rc == 0)
		rc = check_memory(m, out);
	if (rc == 0)
		weigh_loads(m, out);
	simulation_free(m);
	return rc;
}

int simulate(const struct engine *e, struct cost *const cost[],
	     struct workload *w, const struct observer *o, void *step_memory,
	     struct outcome *out, struct problem *p)
{
	const struct simulation_setup s = {
	    .e = e, .cost = cost, .w = w, .o = o, .step_memory = step_memory};
	struct simulation *m = simulation_open(&s, out, p);
	return m ? simulation_close(m, simulation_finish(m)) : -1;
}
