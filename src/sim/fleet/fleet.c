/* fleet.c -- Lets replicas come, go and die, and sends their requests again. */
#include "sim/fleet/fleet.h"
#include <stdlib.h>
#include "sim/setup.h"

/* Far beyond any fleet: a run ends with a message, and not never. */
enum { MOST_DEATHS = 500000, MOST_DECISIONS = 1000000000 };

/* ---- construction and destruction ---- */

static int64_t first_sample_ns(const struct fleet_rules *is)
{
	int64_t behind = is->delay_ns % is->sync_ns;
	return behind ? is->sync_ns - behind : 0;
}

/* Tells the router which replicas it may choose. */
static void set_choices(struct simulation *m)
{
	struct fleet *f = m->fleet;
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->members.n; i++)
		if (member_is_choice(&f->members.of[i]))
			f->choice[n++] = i;
	router_set_choices(&m->router, f->choice, n);
}

int fleet_make(struct simulation *m)
{
	const struct fleet_rules *is = &m->e->fleet;
	struct fleet *f = m->fleet = calloc(1, sizeof *f);
	if (!f)
		return problem_no_memory(m->p);
	int scales = is->metric != FLEET_METRIC_NONE;
	f->hpa.is = is;
	f->away.before = by_time_seen;
	f->tick_ns = scales ? is->first_ns : MEMBER_NEVER;
	f->sample_ns = scales ? first_sample_ns(is) : MEMBER_NEVER;
	f->cap = scales ? (uint64_t)(is->delay_ns / is->sync_ns) + 2 : 1;
	f->sample = calloc(f->cap, sizeof *f->sample);
	f->choice = calloc(m->e->replicas, sizeof *f->choice);
	if (members_init(&f->members, m->e) < 0 || !f->sample || !f->choice)
		return problem_no_memory(m->p);
	set_choices(m);
	return 0;
}

void fleet_free(struct fleet *f)
{
	if (!f)
		return;
	members_free(&f->members);
	hpa_free(&f->hpa);
	queue_free(&f->away);
	queue_free(&f->held);
	free(f->sample);
	free(f->choice);
	free(f);
}

/* ---- what happens next ---- */

int fleet_awaits(const struct fleet *f)
{
	return f && (f->away.n || f->held.n);
}

static int64_t next_away_ns(const struct simulation *m)
{
	const struct fleet *f = m->fleet;
	return f->away.n ? m->pool.item[queue_first(&f->away)].seen_ns
			 : MEMBER_NEVER;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t fleet_next_ns(const struct simulation *m)
{
	const struct fleet *f = m->fleet;
	return least(least(members_next_ns(&f->members), next_away_ns(m)),
		     least(f->tick_ns, f->sample_ns));
}

int fleet_is_next(const struct simulation *m, const struct replica *r)
{
	int64_t next_ns = fleet_next_ns(m);
	if (next_ns == MEMBER_NEVER)
		return 0;
	return (!r || next_ns <= r->next_ns) &&
	       (!m->arrival_known || next_ns <= m->arrival_ns) &&
	       (!m->joining.n ||
		next_ns <= m->pool.item[queue_first(&m->joining)].seen_ns);
}

void fleet_count(struct fleet *f, uint32_t replica, uint64_t n, int64_t now)
{
	members_load(&f->members, replica, n, now);
}

/* ---- requests without a replica ---- */

/* The client learns of it at known_ns. */
static int fail(struct simulation *m, uint32_t sequence, enum failure why,
		int64_t known_ns)
{
	const struct sequence *q = &m->pool.item[sequence];
	int rc = outcome_failed(&m->counter, q, why);
	m->arrival_stale |= workload_finished(m->w, q->request.row, known_ns);
	pool_give_back(&m->pool, sequence);
	return rc;
}

/* Returns 50 ms * 1.5^k, at most 30 s. */
static int64_t wait_ns(uint32_t k)
{
	const int64_t first_ns = 50000000, most_ns = 30000000000;
	int64_t ns = first_ns;
	for (; k && ns < most_ns; k--)
		ns += ns / 2;
	return least(ns, most_ns);
}

/* The request has lost its replica, and no token reached the client. */
static int send_again(struct simulation *m, uint32_t sequence, int64_t known_ns)
{
	struct sequence *q = &m->pool.item[sequence];
	if (q->retries == m->e->fleet.max_retries)
		return fail(m, sequence, FAILED_RETRIES, known_ns);
	sequence_lose(q);
	q->seen_ns = known_ns + wait_ns(q->retries++);
	m->counter.out->fleet.retried++;
	if (m->o && m->o->on_routed)
		m->o->on_routed(m->o->ctx, q->request.row, UINT32_MAX, 1);
	return queue_push(&m->fleet->away, &m->pool, sequence)
		   ? problem_no_memory(m->p)
		   : 0;
}

static int lose(struct simulation *m, uint32_t sequence, int64_t now,
		int64_t known_ns)
{
	struct sequence *q = &m->pool.item[sequence];
	if (q->is_withdrawn)
		return simulation_withdrawn(m, sequence, now, 0);
	int has_token = q->first_token_ns >= 0 &&
			q->first_token_ns + q->first_response_ns <= now;
	sequence_leave(q, now);
	if (router_await(&m->router, q->ticket, known_ns, 1))
		return problem_no_memory(m->p);
	return has_token ? fail(m, sequence, FAILED_STREAM, known_ns)
			 : send_again(m, sequence, known_ns);
}

/* The replica loses all that it has. */
static int lose_all(struct simulation *m, uint32_t replica, int64_t now,
		    int64_t known_ns)
{
	for (uint32_t i = 0; i < m->pool.n; i++) {
		const struct sequence *q = &m->pool.item[i];
		if (!q->in_use || q->is_away || q->replica != replica)
			continue;
		if (m->joining.n)
			queue_remove(&m->joining, &m->pool, i);
		if (lose(m, i, now, known_ns) < 0)
			return -1;
	}
	return 0;
}

/* Tokens of batches under way never come. */
static int tell_lost(struct simulation *m, const struct replica *r)
{
	if (!m->shared.is_lost || !r->scheduler->policy->may_lose)
		return 0;
	for (uint32_t i = 0; i < r->n_batches; i++) {
		const struct batch *b =
		    &r->batch[(r->oldest + i) % engine_batches(r->e)];
		if (b->is_empty)
			continue;
		for (uint32_t k = 0; k < b->n_members; k++)
			m->shared.is_lost[k] = 1;
		const struct results_event e = {.replica = r->index,
						.n_members = b->n_members,
						.is_lost = m->shared.is_lost};
		if (m->o->on_results(m->o->ctx, &e, m->p))
			return -1;
	}
	return 0;
}

/* Makes a dead replica anew; its requests are lost. */
static int clear(struct simulation *m, uint32_t i, int64_t now,
		 int64_t known_ns)
{
	return tell_lost(m, &m->replica[i]) < 0 ||
		       lose_all(m, i, now, known_ns) < 0 ||
		       setup_renew(m, i) < 0
		   ? -1
		   : 0;
}

static int hold(struct simulation *m, uint32_t sequence, int64_t now)
{
	m->pool.item[sequence].is_away = 1;
	if (!members_hope(&m->fleet->members))
		return fail(m, sequence, FAILED_NOWHERE, now);
	return queue_push(&m->fleet->held, &m->pool, sequence)
		   ? problem_no_memory(m->p)
		   : 0;
}

int fleet_send(struct simulation *m, uint32_t sequence, int64_t now)
{
	if (m->router.n_choices == 0)
		return hold(m, sequence, now);
	m->pool.item[sequence].is_away = 0;
	if (simulation_send(m, sequence, now, now + m->e->api_overhead_ns) < 0)
		return -1;
	uint32_t to = m->pool.item[sequence].replica;
	if (m->fleet->members.of[to].state != MEMBER_DEAD)
		return 0;
	simulation_count(m, to, -1, now);
	return clear(m, to, now, now);
}

/* Sends the requests that waited, or gives them up if nothing will come. */
static int send_held(struct simulation *m, int64_t now)
{
	struct queue *held = &m->fleet->held;
	int unschedulable = !members_hope(&m->fleet->members);
	while (held->n && (m->router.n_choices || unschedulable)) {
		uint32_t sequence = queue_first(held);
		queue_pop(held, &m->pool);
		if (fleet_send(m, sequence, now) < 0)
			return -1;
	}
	return 0;
}

static int send_away(struct simulation *m, int64_t now)
{
	while (next_away_ns(m) <= now) {
		uint32_t sequence = queue_first(&m->fleet->away);
		queue_pop(&m->fleet->away, &m->pool);
		if (fleet_send(m, sequence, now) < 0)
			return -1;
	}
	return 0;
}

/* ---- replicas ---- */

static void tell_life(const struct simulation *m, uint32_t i, int64_t gone_ns,
		      int has_died)
{
	const struct fleet_member *x = &m->fleet->members.of[i];
	if (!m->o || !m->o->on_life)
		return;
	m->o->on_life(m->o->ctx,
		      &(struct replica_life){i, x->requested_ns, x->ready_ns,
					     x->drain_ns, gone_ns, has_died});
}

/* The router chooses it no more. */
static void retire(struct simulation *m, uint32_t i, int64_t now)
{
	router_forget(&m->router, i, now);
	set_choices(m);
}

static int gone(struct simulation *m, uint32_t i, int64_t now)
{
	simulation_count(m, i, -(int)m->router.outstanding[i], now);
	if (clear(m, i, now, now) < 0)
		return -1;
	tell_life(m, i, now, 0);
	members_gone(&m->fleet->members, i, now);
	return 0;
}

/* Lets a replica die with all its requests, which the router finds out later.
 */
static int die(struct simulation *m, uint32_t i, int64_t now)
{
	struct members *all = &m->fleet->members;
	int was_draining = all->of[i].state == MEMBER_DRAINING;
	if (all->deaths >= MOST_DEATHS)
		return problem_set(m->p, EXIT_USAGE,
				   "[failures] mtbf_hours: replicas died %d "
				   "times in %g s; give a longer time",
				   MOST_DEATHS, 1e-9 * (double)now);
	tell_life(m, i, now, 1);
	members_die(all, i, now);
	if (clear(m, i, now, now + m->e->fleet.detect_ns) < 0)
		return -1;
	if (was_draining)
		m->router.outstanding[i] = 0;
	return 0;
}

/* The death is known. */
static int note_death(struct simulation *m, uint32_t i, int64_t now)
{
	struct members *all = &m->fleet->members;
	m->router.outstanding[i] = 0;
	members_gone(all, i, now);
	if (m->e->fleet.restart)
		members_start(all, i, now);
	retire(m, i, now);
	return send_held(m, now);
}

static int begin_ready(struct simulation *m, uint32_t i, int64_t now)
{
	members_ready(&m->fleet->members, i, now);
	set_choices(m);
	return send_held(m, now);
}

static int stop_one(struct simulation *m, int64_t now)
{
	struct members *all = &m->fleet->members;
	uint32_t i = members_to_stop(all);
	if (i == all->n)
		return 0;
	if (all->of[i].state == MEMBER_STARTING)
		return gone(m, i, now);
	members_drain(all, i, now);
	retire(m, i, now);
	return 0;
}

/* ---- the autoscaler ---- */

static uint64_t metric_of(const struct simulation *m, uint32_t i)
{
	const struct scheduler *s = m->replica[i].scheduler;
	uint64_t blocks = s->e->num_gpu_blocks;
	switch (m->e->fleet.metric) {
	case FLEET_METRIC_WAITING:
		return 1000 * (uint64_t)scheduler_waiting(s);
	case FLEET_METRIC_RUNNING:
		return 1000 * (uint64_t)s->policy->running(s);
	default:
		return blocks == ENGINE_UNLIMITED || blocks == 0
			   ? 0
			   : (1000 * s->kv.pool.used + blocks - 1) / blocks;
	}
}

/* Reads the metric of the ready replicas. */
static void sample(struct simulation *m, int64_t now)
{
	struct fleet *f = m->fleet;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < f->members.n; i++)
		if (f->members.of[i].state == MEMBER_READY)
			sum += metric_of(m, i);
	f->sample[(f->first + f->n++) % f->cap] =
	    (struct fleet_sample){now, sum};
	f->sample_ns += m->e->fleet.sync_ns;
}

/* The metric as it was delay_ns ago; 0 before that. */
static uint64_t delayed_metric(struct fleet *f, int64_t as_of_ns)
{
	while (f->n && f->sample[f->first].at_ns <= as_of_ns) {
		f->metric = f->sample[f->first].metric;
		f->first = (f->first + 1) % f->cap;
		f->n--;
	}
	return f->metric;
}

/* Lets the autoscaler decide, and starts or stops replicas. */
static int decide(struct simulation *m, int64_t now)
{
	struct fleet *f = m->fleet;
	uint64_t metric = delayed_metric(f, now - m->e->fleet.delay_ns);
	uint64_t n = members_asked(&f->members);
	uint64_t desired = hpa_desired(&f->hpa, now, metric, n);
	const struct scaling_event e = {now, metric, n, desired};
	if (now / m->e->fleet.sync_ns >= MOST_DECISIONS)
		return problem_set(m->p, EXIT_USAGE,
				   "[autoscaler] sync_period_s: %d decisions "
				   "in %g s; give a longer period",
				   MOST_DECISIONS, 1e-9 * (double)now);
	if (f->hpa.out_of_memory)
		return problem_no_memory(m->p);
	if (m->o && m->o->on_scaling)
		m->o->on_scaling(m->o->ctx, &e);
	f->tick_ns += m->e->fleet.sync_ns;
	for (; n < desired; n++) {
		uint32_t i = members_absent(&f->members);
		if (i < f->members.n)
			members_start(&f->members, i, now);
	}
	for (; n > desired; n--)
		if (stop_one(m, now) < 0)
			return -1;
	return 0;
}

/* ---- all of it ---- */

static int carry_out(struct simulation *m, enum member_event event, uint32_t i,
		     int64_t now)
{
	switch (event) {
	case MEMBER_IS_READY:
		return begin_ready(m, i, now);
	case MEMBER_IS_GONE:
		return gone(m, i, now);
	case MEMBER_DIES:
		return die(m, i, now);
	case MEMBER_IS_KNOWN:
		return note_death(m, i, now);
	case MEMBER_NOTHING:
		break;
	}
	return 0;
}

int fleet_event(struct simulation *m)
{
	struct fleet *f = m->fleet;
	int64_t now = fleet_next_ns(m);
	uint32_t i;
	if (members_next_ns(&f->members) <= now) {
		enum member_event event =
		    members_next_event(&f->members, now, &i);
		return carry_out(m, event, i, now);
	}
	if (f->sample_ns <= now) {
		sample(m, now);
		return 0;
	}
	return f->tick_ns <= now ? decide(m, now) : send_away(m, now);
}

static double hours(int64_t ns, uint64_t gpus)
{
	return (double)ns / 3600e9 * (double)gpus;
}

void fleet_end(struct simulation *m)
{
	const struct fleet_rules *is = &m->e->fleet;
	struct outcome *out = m->counter.out;
	struct fleet_sum *to = &out->fleet;
	int64_t end_ns = m->router.now_ns > out->last_token_ns
			     ? m->router.now_ns
			     : out->last_token_ns;
	to->is_on = m->fleet != NULL;
	if (!m->fleet)
		return;
	struct members *all = &m->fleet->members;
	for (uint32_t i = 0; i < all->n; i++) {
		if (all->of[i].state == MEMBER_ABSENT)
			continue;
		if (all->of[i].state != MEMBER_DEAD)
			tell_life(m, i, -1, 0);
		members_gone(all, i, end_ns);
	}
	to->deaths = (double)all->deaths;
	to->starts = (double)all->starts;
	if (all->out_of_memory)
		m->counter.out_of_memory = 1;
	to->replica_s =
	    1e-9 * (double)members_gpu_ns(all, out->first_arrival_ns,
					  out->last_token_ns);
	to->gpu_hours = hours(all->gpu_ns, is->gpus);
	to->gpu_hours_idle = hours(all->idle_ns, is->gpus);
	to->cost = to->gpu_hours * is->gpu_hour_price;
}
