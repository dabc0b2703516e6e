/* simulation.c -- Moves the clock from event to event until all requests have
 * ended. */
#include <config.h>
#include "sim/simulation.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include "sim/router.h"
#include "sim/scheduler.h"

/* In this order at one instant: a request that ends makes room for one that
 * arrives, and one that arrives takes part in the next step. */
enum event { RESULTS, ARRIVAL, SCHEDULE };
#define NEVER INT64_MAX
#define LAST_INSTANT REQUEST_LAST_NS

struct replica {
	struct scheduler scheduler;
	uint32_t *ctx; /* of the scheduler, in step memory */
	uint64_t *id;
	struct queue inbox; /* routed, not yet seen; in order of seen_ns     */
	struct batch batch[2];
	uint32_t oldest, n_batches; /* in flight                             */
	int64_t next_ns; /* of what this replica does next                   */
	enum event next;
	int64_t ready_ns; /* synchronous: not before this                    */
	int64_t gpu_free_ns;
	uint64_t steps;
	uint32_t pool;
};

struct simulation {
	const struct engine *e;
	struct cost *const *cost;
	struct workload *w;
	struct problem *p;
	struct sequence_pool pool;
	struct replica *replica;
	struct router router;
	sc_step *step;
	struct step_columns columns;
	int64_t arrival_ns;
	int arrival_known, arrival_stale;
	int keeps_names; /* of requests, for the observer */
	struct outcome_counter counter;
};

static int no_memory(struct simulation *m)
{
	return problem_set(m->p, EXIT_USAGE, "out of memory");
}

/* ---- step memory ---- */

static size_t max_prefills(const struct engine *e)
{
	return e->max_num_seqs < e->max_num_batched_tokens
		   ? e->max_num_seqs
		   : e->max_num_batched_tokens;
}

/* Room for n items of that size, *used bytes into the memory; NULL without
 * memory. */
static void *carve(unsigned char *memory, size_t *used, size_t n, size_t size)
{
	void *here = memory ? memory + *used : NULL;
	*used += (n * size + 63) / 64 * 64;
	return here;
}

/* Places the step and all columns in memory; returns how much that takes, which
 * is all it does for memory NULL. */
static size_t lay_out(struct simulation *m, const struct engine *e,
		      unsigned char *memory)
{
	struct step_columns *c = &m->columns;
	size_t used = 0, np = max_prefills(e), nd = e->max_num_seqs;
	m->step = carve(memory, &used, 1, sizeof *m->step);
	c->prefill_new = carve(memory, &used, np, sizeof *c->prefill_new);
	c->prefill_ctx = carve(memory, &used, np, sizeof *c->prefill_ctx);
	c->prefill_last = carve(memory, &used, np, sizeof *c->prefill_last);
	c->prefill_id = carve(memory, &used, np, sizeof *c->prefill_id);
	c->decode_ctx = carve(memory, &used, nd, sizeof *c->decode_ctx);
	c->decode_id = carve(memory, &used, nd, sizeof *c->decode_id);
	for (uint32_t i = 0; i < e->replicas; i++) {
		void *ctx = carve(memory, &used, nd, sizeof(uint32_t));
		void *id = carve(memory, &used, nd, sizeof(uint64_t));
		if (m->replica) {
			m->replica[i].ctx = ctx;
			m->replica[i].id = id;
		}
	}
	return used;
}

size_t simulation_step_bytes(const struct engine *e)
{
	struct simulation m = {0};
	return lay_out(&m, e, NULL);
}

/* ---- the end of a request ---- */

static int end_request(struct simulation *m, uint32_t sequence, int64_t now)
{
	struct sequence *q = &m->pool.item[sequence];
	sequence_leave(q, now);
	int rc = outcome_ended(&m->counter, q, now);
	workload_finished(m->w, q->request.row,
			  now + m->e->response_overhead_ns);
	m->arrival_stale = 1;
	m->router.outstanding[q->replica]--;
	pool_give_back(&m->pool, sequence);
	return rc;
}

/* ---- requests coming in ---- */

/* Sends it to one of the pool's replicas, with which it is from from_ns on and
 * whose scheduler sees it at seen_ns. */
static int send(struct simulation *m, uint32_t sequence, uint32_t pool,
		int64_t from_ns, int64_t seen_ns)
{
	struct sequence *q = &m->pool.item[sequence];
	uint32_t split = m->e->prefill_replicas;
	uint32_t first = pool ? split : 0;
	uint32_t n = split && pool == 0 ? split : m->e->replicas - first;
	uint32_t most = (q->request.input_tokens - 1) / m->e->block_size, idle;
	if (m->e->routing == ROUTE_PREFIX_AFFINITY && m->e->prefix_caching)
		for (uint32_t i = first; i < first + n; i++)
			m->router.found[i] =
			    kv_find(&m->replica[i].scheduler.kv,
				    &q->kv->content, most, &idle);
	q->replica = router_pick(&m->router, pool, first, n);
	q->seen_ns = seen_ns;
	sequence_enter(q, q->replica, from_ns);
	m->router.outstanding[q->replica]++;
	struct replica *r = &m->replica[q->replica];
	int64_t soonest_ns = seen_ns > r->ready_ns ? seen_ns : r->ready_ns;
	if (r->n_batches == 0 && soonest_ns < r->next_ns) {
		r->next = SCHEDULE;
		r->next_ns = soonest_ns;
	}
	return queue_push(&r->inbox, &m->pool, sequence) ? no_memory(m) : 0;
}

/* The prompt was computed here and the other pool generates: the KV cache is
 * sent there. */
static int hand_over(struct simulation *m, uint32_t sequence, int64_t now)
{
	struct sequence *q = &m->pool.item[sequence];
	double transfer_ns = 1e9 * q->request.input_tokens *
			     m->e->kv_bytes_per_token /
			     m->e->kv_transfer_bytes_per_s;
	if (transfer_ns + (double)now > (double)LAST_INSTANT)
		return problem_set(m->p, EXIT_USAGE,
				   "kv_transfer_bandwidth_gbs: a transfer "
				   "lasts beyond the end of the clock");
	m->router.outstanding[q->replica]--;
	sequence_leave(q, now);
	q->generated = q->quota;
	q->quota = q->request.output_tokens;
	q->loaded = q->request.input_tokens;
	q->is_late = 1;
	q->last_token_ns = now;
	int64_t there_ns =
	    now + llround(transfer_ns) + m->e->kv_transfer_latency_ns;
	return send(m, sequence, 1, there_ns, there_ns);
}

/* N_REJECTIONS: it is served.  The KV of the last token is never needed. */
static enum rejection why_rejected(const struct engine *e,
				   const struct request *r)
{
	uint64_t tokens = (uint64_t)r->input_tokens + r->output_tokens;
	if (e->max_model_len && tokens > e->max_model_len)
		return REJECTED_BY_MODEL_LENGTH;
	if (tokens > UINT32_MAX / 2)
		return REJECTED_BY_COUNTER;
	if (e->num_gpu_blocks != ENGINE_UNLIMITED &&
	    tokens - 1 > e->num_gpu_blocks * e->block_size)
		return REJECTED_BY_CACHE;
	return N_REJECTIONS;
}

static int reject(struct simulation *m, const struct request *r,
		  enum rejection why)
{
	int rc = outcome_rejected(&m->counter, r, why);
	workload_finished(m->w, r->row, r->arrival_ns);
	return rc;
}

static int take_arrival(struct simulation *m)
{
	struct request r;
	m->arrival_stale = 1;
	if (workload_pop(m->w, &r, m->p))
		return -1;
	if (r.arrival_ns < 0 || r.arrival_ns > LAST_INSTANT)
		return problem_set(m->p, EXIT_INPUT,
				   "request %" PRIu64
				   " arrives outside the clock, at %" PRId64
				   " ns",
				   r.row, r.arrival_ns);
	outcome_arrived(&m->counter, r.arrival_ns);
	enum rejection why = why_rejected(m->e, &r);
	if (why != N_REJECTIONS)
		return reject(m, &r, why);
	uint32_t sequence = pool_take(&m->pool);
	if (sequence == NO_SEQUENCE)
		return no_memory(m);
	struct sequence *q = &m->pool.item[sequence];
	q->order = m->counter.out->requests - 1;
	q->quota = m->e->prefill_replicas ? 1 : r.output_tokens;
	if (sequence_begin(q, &r, m->keeps_names, (int)m->e->prefix_caching))
		return no_memory(m);
	return send(m, sequence, 0, r.arrival_ns,
		    r.arrival_ns + m->e->api_overhead_ns);
}

/* ---- steps ---- */

static void look_into_inbox(struct simulation *m, struct replica *r,
			    int64_t now)
{
	while (r->inbox.n) {
		uint32_t sequence = queue_first(&r->inbox);
		if (m->pool.item[sequence].seen_ns > now)
			break;
		queue_pop(&r->inbox, &m->pool);
		scheduler_enqueue(&r->scheduler, sequence);
	}
}

/* When a step that takes total_us runs, if it is scheduled now. */
static int set_clock(struct simulation *m, struct replica *r, double total_us,
		     int64_t now, int64_t *start_ns, int64_t *end_ns)
{
	int64_t start = now;
	if (m->e->async_scheduling) {
		start = now + m->e->schedule_ns;
		if (start < r->gpu_free_ns)
			start = r->gpu_free_ns;
	}
	if (total_us * 1e3 + (double)start > (double)LAST_INSTANT)
		return problem_set(m->p, EXIT_PLUGIN,
				   "%s: step %" PRIu64 " of replica %" PRIu32
				   " lasts %g us: beyond the end of the clock",
				   m->cost[r->pool]->p->name,
				   m->step->step_index, m->step->replica,
				   total_us);
	*start_ns = start;
	*end_ns = start + llround(1e3 * total_us);
	return 0;
}

/* Requests that the step admits leave the queue at start_ns. */
static void count_admitted(struct simulation *m, const struct scheduler *s,
			   int64_t start_ns)
{
	for (uint32_t i = s->n - s->n_admitted; i < s->n; i++) {
		struct sequence *q = &m->pool.item[s->sequence[i]];
		if (q->scheduled_ns >= 0)
			continue;
		q->scheduled_ns = start_ns;
		outcome_scheduled(&m->counter, q, start_ns);
	}
}

static int count_step(struct simulation *m, const struct replica *r,
		      const sc_result *result, int64_t now, int64_t start_ns,
		      int64_t end_ns)
{
	const struct scheduler *s = &r->scheduler;
	const struct step_event event = {
	    .step = m->step,
	    .result = result,
	    .schedule_ns = now,
	    .start_ns = start_ns,
	    .end_ns = end_ns,
	    .tokens = s->tokens,
	    .running = scheduler_running(s),
	    .waiting = s->waiting.n,
	    .preempted = s->n_preempted,
	    .blocks_used = s->kv.used,
	    .pool = r->pool,
	};
	count_admitted(m, s, start_ns);
	return outcome_step(&m->counter, &event);
}

static void count_gaps(struct simulation *m, struct replica *r,
		       const struct batch *b)
{
	struct outcome_counter *c = &m->counter;
	outcome_gap(c, b->end_ns - r->scheduler.last_end_ns, b->n_on_time);
	for (uint32_t i = 0; i < b->n_late; i++)
		outcome_gap(
		    c, b->end_ns - m->pool.item[b->late[i]].last_token_ns, 1);
}

/* 1: a step is on its way; 0: there is nothing to do; -1. */
static int start_step(struct simulation *m, struct replica *r, int64_t now)
{
	struct scheduler *s = &r->scheduler;
	struct batch *b = &r->batch[(r->oldest + r->n_batches) & 1];
	int64_t start_ns = now, end_ns = now;
	if (!scheduler_choose(s, &m->columns, m->step))
		return s->out_of_memory ? no_memory(m) : 0;
	m->step->step_index = r->steps++;
	m->step->replica = (uint32_t)(r - m->replica);
	const sc_result *result = cost_eval(m->cost[r->pool], m->step, m->p);
	if (!result)
		return -1;
	if (set_clock(m, r, result->total_us, now, &start_ns, &end_ns))
		return -1;
	if (count_step(m, r, result, now, start_ns, end_ns))
		return -1;
	scheduler_commit(s, b);
	b->end_ns = end_ns;
	count_gaps(m, r, b);
	s->last_end_ns = r->gpu_free_ns = end_ns;
	r->n_batches++;
	return s->out_of_memory || s->kv.out_of_memory ? no_memory(m) : 1;
}

static int schedule(struct simulation *m, struct replica *r)
{
	struct scheduler *s = &r->scheduler;
	uint32_t most = m->e->async_scheduling ? 2 : 1;
	int64_t now = r->next_ns;
	int rc;
	look_into_inbox(m, r, now);
	do {
		rc = start_step(m, r, now);
		if (rc < 0)
			return -1;
		/* A step of nothing but preemptions: try with the rest. */
	} while (rc ? r->n_batches < most
		    : r->n_batches == 0 && s->n_preempted);
	if (r->n_batches) {
		r->next = RESULTS;
		r->next_ns = r->batch[r->oldest].end_ns;
		return 0;
	}
	if (s->n || s->waiting.n)
		return problem_set(m->p, EXIT_USAGE,
				   "replica %" PRIu32 ": %" PRIu32
				   " requests wait, and none can be scheduled",
				   (uint32_t)(r - m->replica),
				   s->n + s->waiting.n);
	r->next_ns = NEVER;
	if (r->inbox.n)
		r->next_ns = m->pool.item[queue_first(&r->inbox)].seen_ns;
	return 0;
}

static int results(struct simulation *m, struct replica *r)
{
	const struct batch *b = &r->batch[r->oldest];
	int64_t now = b->end_ns;
	for (uint32_t i = 0; i < b->n_first; i++)
		m->pool.item[b->first[i]].first_token_ns = now;
	for (uint32_t i = 0; i < b->n_last; i++) {
		const struct sequence *q = &m->pool.item[b->last[i]];
		scheduler_remove(&r->scheduler, b->last[i]);
		if (q->quota < q->request.output_tokens
			? hand_over(m, b->last[i], now)
			: end_request(m, b->last[i], now))
			return -1;
	}
	r->oldest ^= 1;
	r->n_batches--;
	r->next = SCHEDULE;
	r->next_ns = r->ready_ns =
	    m->e->async_scheduling ? now : now + m->e->schedule_ns;
	return 0;
}

/* ---- the loop ---- */

/* The replica with the earliest event; NULL: none has one. */
static struct replica *soonest(const struct simulation *m)
{
	struct replica *best = &m->replica[0];
	for (uint32_t i = 1; i < m->e->replicas; i++) {
		struct replica *r = &m->replica[i];
		if (r->next_ns < best->next_ns ||
		    (r->next_ns == best->next_ns && r->next < best->next))
			best = r;
	}
	return best->next_ns == NEVER ? NULL : best;
}

static int look_for_arrival(struct simulation *m)
{
	if (!m->arrival_stale)
		return 0;
	m->arrival_stale = 0;
	m->arrival_known = workload_peek(m->w, &m->arrival_ns, m->p);
	return m->arrival_known < 0 ? -1 : 0;
}

static int run(struct simulation *m)
{
	for (;;) {
		if (look_for_arrival(m))
			return -1;
		struct replica *r = soonest(m);
		if (!r && !m->arrival_known)
			return 0;
		int rc;
		if (m->arrival_known &&
		    (!r || m->arrival_ns < r->next_ns ||
		     (m->arrival_ns == r->next_ns && r->next == SCHEDULE)))
			rc = take_arrival(m);
		else if (r->next == RESULTS)
			rc = results(m, r);
		else
			rc = schedule(m, r);
		if (rc)
			return rc;
	}
}

/* ---- before and after ---- */

static int make_replica(struct simulation *m, struct replica *r)
{
	const struct engine *e = m->e;
	size_t n = e->max_num_seqs;
	r->next_ns = NEVER;
	r->pool = e->prefill_replicas &&
		  (uint32_t)(r - m->replica) >= e->prefill_replicas;
	r->inbox.before = r->pool ? by_time_seen : NULL;
	for (int i = 0; i < 2; i++) {
		struct batch *b = &r->batch[i];
		b->first = malloc(n * sizeof *b->first);
		b->last = malloc(n * sizeof *b->last);
		b->late = malloc(n * sizeof *b->late);
		if (!b->first || !b->last || !b->late)
			return no_memory(m);
	}
	return scheduler_init(&r->scheduler, e, &m->pool, r->ctx, r->id)
		   ? no_memory(m)
		   : 0;
}

static int make(struct simulation *m, void *step_memory)
{
	pool_init(&m->pool);
	m->replica = calloc(m->e->replicas, sizeof *m->replica);
	if (!m->replica || router_init(&m->router, m->e))
		return no_memory(m);
	lay_out(m, m->e, step_memory);
	*m->step = (sc_step){.size = sizeof *m->step};
	for (uint32_t i = 0; i < m->e->replicas; i++)
		if (make_replica(m, &m->replica[i]))
			return -1;
	return 0;
}

/* Tells of the requests that are left when the run broke off. */
static int report_unfinished(struct simulation *m)
{
	for (uint32_t i = 0; i < m->pool.n; i++)
		if (m->pool.item[i].in_use &&
		    outcome_unfinished(&m->counter, &m->pool.item[i]))
			return -1;
	return 0;
}

static void add_up_replicas(const struct simulation *m, struct outcome *out)
{
	for (uint32_t i = 0; i < m->e->replicas; i++) {
		const struct scheduler *s = &m->replica[i].scheduler;
		out->preemptions += s->preemptions;
		out->prefix_hit_tokens += s->hit_tokens;
		out->prefix_queried_tokens += s->queried_tokens;
		if (out->kv_blocks_peak < s->kv.peak)
			out->kv_blocks_peak = s->kv.peak;
	}
}

static void unmake(struct simulation *m)
{
	for (uint32_t i = 0; m->replica && i < m->e->replicas; i++) {
		struct replica *r = &m->replica[i];
		scheduler_free(&r->scheduler);
		queue_free(&r->inbox);
		for (int k = 0; k < 2; k++) {
			free(r->batch[k].first);
			free(r->batch[k].last);
			free(r->batch[k].late);
		}
	}
	free(m->replica);
	router_free(&m->router);
	pool_free(&m->pool);
	outcome_free(&m->counter);
}

int simulate(const struct engine *e, struct cost *const cost[],
	     struct workload *w, const struct observer *o, void *step_memory,
	     struct outcome *out, struct problem *p)
{
	struct simulation m = {
	    .e = e,
	    .cost = cost,
	    .w = w,
	    .p = p,
	    .arrival_stale = 1,
	    .keeps_names = o && o->on_request,
	};
	outcome_begin(&m.counter, e, o, out, p);
	int rc = make(&m, step_memory);
	if (rc == 0) {
		rc = run(&m);
		if (report_unfinished(&m))
			rc = -1;
		add_up_replicas(&m, out);
		if (outcome_finish(&m.counter) && rc == 0)
			rc = no_memory(&m);
	}
	unmake(&m);
	return rc;
}
