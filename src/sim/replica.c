/* replica.c -- Executes the turns of an engine's thread. */
#include "sim/replica.h"
#include <inttypes.h>
#include <stdlib.h>
#include "sim/front/rank_assignment.h"
#include "sim/step/decode_run.h"
#include "sim/step/launch.h"
#include "sim/lockstep.h"
#include "sim/policy/ideal.h"
#include "sim/policy/receiver.h"
#include "sim/policy/sglang/sglang.h"
#include "sim/policy/trtllm/trtllm.h"
#include "sim/policy/trtllm/trtllm_v2.h"
#include "sim/policy/vllm/vllm.h"

static const struct policy *policy_of(const struct engine *e, uint32_t pool)
{
	if (pool && e->scheduler != SCHEDULER_VLLM)
		return &policy_receiver;
	switch (e->scheduler) {
	case SCHEDULER_SGLANG:
		return &policy_sglang;
	case SCHEDULER_TENSORRT_LLM:
		return e->trtllm.has_manager_v2 ? &policy_trtllm_v2
						: &policy_trtllm;
	default:
		return e->preset ? &policy_vllm : &policy_ideal;
	}
}

int replica_make(struct replica *r, struct replica_shared *shared,
		 const struct engine *e, struct cost *cost, uint32_t index,
		 uint32_t pool, const struct step_columns *columns)
{
	int rc = 0;
	*r = (struct replica){
	    .shared = shared,
	    .e = e,
	    .cost = cost,
	    .drafter = {.e = e,
			.cost = cost->drafter,
			.ctx = columns->draft_ctx,
			.id = columns->draft_id},
	    .index = index,
	    .pool = pool,
	    .inbox.before =
		pool || e->request.prompt_token_ps ? by_time_seen : NULL,
	    .transfers.before = by_time_fetched,
	    .first_use = first_use_begin(e),
	    .look_interval = e->scheduler == SCHEDULER_SGLANG && pool == 0
				 ? e->sglang.recv_interval
				 : 1,
	    .response_ns =
		e->response_overhead_ns + engine_request_after_ns(e, 1, 0),
	};
	replica_next(r, REPLICA_SCHEDULE, REPLICA_NEVER);
	r->batch = calloc(engine_batches(e), sizeof *r->batch);
	for (uint32_t i = 0; r->batch && i < engine_batches(e); i++)
		rc |= batch_make(&r->batch[i], e->max_num_seqs);
	r->scheduler = scheduler_new(policy_of(e, pool), e, shared->sequences,
				     columns, shared->may_leave);
	return rc == 0 && r->batch && r->scheduler ? 0 : -1;
}

void replica_free(struct replica *r)
{
	scheduler_free(r->scheduler);
	queue_free(&r->inbox);
	queue_free(&r->transfers);
	for (uint32_t i = 0; r->batch && i < engine_batches(r->e); i++)
		batch_free(&r->batch[i]);
	free(r->batch);
}

/* Makes the replica take a turn at that time, unless it takes one earlier. */
static void wake(struct replica *r, int64_t at_ns)
{
	int64_t soonest = at_ns > r->ready_ns ? at_ns : r->ready_ns;
	int is_idle = r->n_batches == 0 && !r->is_held;
	if ((is_idle || r->is_parked) && soonest < r->next_ns)
		replica_next(r, REPLICA_SCHEDULE, soonest);
}

void replica_stir(struct replica *r, int64_t at_ns)
{
	if (r->is_parked)
		wake(r, at_ns);
}

int replica_deliver(struct replica *r, uint32_t sequence, int64_t seen_ns)
{
	r->shared->sequences->item[sequence].seen_ns = seen_ns;
	wake(r, seen_ns);
	return queue_push(&r->inbox, r->shared->sequences, sequence)
		   ? problem_no_memory(r->shared->p)
		   : 0;
}

/* ---- transfers ---- */

int replica_await(struct replica *r, uint32_t sequence)
{
	if (r->is_parked)
		wake(r, r->shared->sequences->item[sequence].fetched_ns);
	return queue_push(&r->transfers, r->shared->sequences, sequence)
		   ? problem_no_memory(r->shared->p)
		   : 0;
}

static int64_t next_transfer_ns(const struct replica *r)
{
	return r->transfers.n
		   ? r->shared->sequences->item[queue_first(&r->transfers)]
			 .fetched_ns
		   : REPLICA_NEVER;
}

uint32_t replica_notice(struct replica *r, int64_t now)
{
	if (next_transfer_ns(r) > now)
		return NO_SEQUENCE;
	uint32_t i = queue_first(&r->transfers);
	queue_pop(&r->transfers, r->shared->sequences);
	r->n_noticed++;
	return i;
}

/* Returns when the next request is seen. */
static int64_t next_seen_ns(const struct replica *r)
{
	return r->inbox.n
		   ? r->shared->sequences->item[queue_first(&r->inbox)].seen_ns
		   : REPLICA_NEVER;
}

static void look_into_inbox(struct replica *r, int64_t now)
{
	while (r->inbox.n) {
		uint32_t sequence = queue_first(&r->inbox);
		if (r->shared->sequences->item[sequence].seen_ns > now)
			break;
		queue_pop(&r->inbox, r->shared->sequences);
		replica_admit(r, sequence);
	}
}

/* SGLang with a receive interval looks when that many decode steps were formed
 * since the last look; a step with prompts counts 1000.  Without a step a pass
 * takes microseconds, so the next look is at once.  Source: SGLang,
 * managers/scheduler_recv_skipper.py. */
/* Returns 1 if this turn looks at the inbox: when a look is due, or the last
 * turn scheduled nothing. */
static int looks_now(struct replica *r)
{
	if (r->passes < r->look_interval && r->found)
		return 0;
	r->passes = 0;
	return 1;
}

static void count_pass(struct replica *r)
{
	enum { WITH_PROMPTS = 1000 };
	r->passes += r->shared->step->n_prefill ? WITH_PROMPTS : 1;
}

int replica_withdraw(struct replica *r, uint32_t sequence)
{
	if (r->scheduler->policy->withdraw(r->scheduler, sequence))
		return 1;
	for (uint32_t k = 0; k < r->n_batches; k++) {
		struct batch *b =
		    &r->batch[(r->oldest + k) % engine_batches(r->e)];
		for (uint32_t m = 0; !b->is_empty && m < b->n_members; m++)
			if (b->member[m].sequence == sequence)
				b->member[m].sequence = NO_SEQUENCE;
		uint32_t at = list_find(b->first, b->n_first, sequence);
		if (at < b->n_first)
			list_remove(b->first, &b->n_first, at);
		at = list_find(b->last, b->n_last, sequence);
		if (at < b->n_last)
			list_remove(b->last, &b->n_last, at);
	}
	r->scheduler->has_finished = 1;
	ahead_drop(&r->ahead);
	return 0;
}

/* ---- a step ---- */

/* Computes when the step runs that was scheduled at r->ready_ns. */
static int set_clock(struct replica *r, struct step_event *event)
{
	const struct engine *e = r->e;
	int64_t start = r->ready_ns;
	if (e->async_scheduling && !e->preset)
		start += e->schedule_ns;
	event->start_ns = start;
	if (r->scheduler->offload)
		event->start_ns =
		    offload_pass(r->scheduler->offload, start,
				 r->stage_free_ns[0], &r->scheduler->kv.pool);
	event->copy_wait_ns = event->start_ns - start;
	return launch_pass(r, event);
}

/* Estimates how many steps begin before a request comes, if each takes as long
 * as the last one.  0 with several replicas: they take turns, and an answer of
 * the cost model is only valid until its next call. */
static uint32_t steps_before_arrival(const struct replica *r)
{
	int64_t each_ns = r->decode_ns + r->e->schedule_ns;
	int64_t room_ns = r->shared->arrival_ns - r->ready_ns +
			  r->e->api_overhead_ns + r->e->api_request_ns;
	if (r->inbox.n || r->shared->n_replicas > 1)
		return 0;
	if (each_ns <= 0 || room_ns / each_ns >= COST_BATCH)
		return COST_BATCH;
	if (room_ns <= 0)
		return 0;
	return (uint32_t)(room_ns / each_ns);
}

static const sc_result *price(struct replica *r)
{
	if (ahead_knows(&r->ahead, r->cost))
		return ahead_take(&r->ahead);
	return ahead_price(&r->ahead, r->scheduler, r->cost, r->shared->step,
			   steps_before_arrival(r), r->shared->p);
}

/* A step of a pipeline begins when its first stage is free; asynchronous
 * scheduling does not make it wait until the tokens that it continues exist. */
static void count_early(struct replica *r, const struct batch *b,
			const struct step_event *event)
{
	int64_t made_ns = event->start_ns;
	for (uint32_t i = 0; i < b->n_members; i++) {
		const struct member *m = &b->member[i];
		struct sequence *q = &r->shared->sequences->item[m->sequence];
		if (q->made_ns > made_ns)
			made_ns = q->made_ns;
		if (m->makes_token)
			q->made_ns = event->end_ns;
	}
	outcome_early(r->shared->counter, made_ns - event->start_ns);
}

/* Sends the step, chosen in a call at called_ns and with that price, to the
 * GPU. */
static int send_one(struct replica *r, struct batch *b, const sc_result *result,
		    int64_t called_ns)
{
	struct scheduler *s = r->scheduler;
	struct step_event event = launch_event(r, called_ns);
	event.result = result;
	if (set_clock(r, &event) ||
	    launch_report(r, &event, s->admitted, s->n_admitted))
		return -1;
	if (r->shared->step->n_prefill == 0)
		r->decode_ns = event.end_ns - event.start_ns;
	r->steps++;
	b->end_ns = event.end_ns;
	s->policy->commit(s, b);
	if (engine_stages(r->e) > 1)
		count_early(r, b, &event);
	s->last_end_ns = event.end_ns;
	return 0;
}

/* Sends the step that was chosen in a call at called_ns, and the steps that go
 * on from it. */
static int send_step(struct replica *r, struct batch *b, int64_t called_ns)
{
	const sc_result *result = price(r);
	if (!result)
		return -1;
	int rc = r->takes_runs ? decode_run_send(r, b, result)
			       : send_one(r, b, result, called_ns);
	if (rc)
		cost_attribute_failure(r->cost, r->shared->step);
	return rc;
}

static int start_step(struct replica *r, struct batch *b)
{
	int64_t called_ns = r->ready_ns;
	r->shared->step->step_index = r->steps;
	r->shared->step->replica = r->index;
	b->response_ns = r->response_ns + r->shared->step->n_sampled *
					      r->e->response_sequence_ns;
	if (r->e->preset)
		r->ready_ns += r->e->schedule_ns;
	return r->lockstep ? lockstep_join(r->lockstep, r, b, called_ns)
			   : send_step(r, b, called_ns);
}

/* ---- a turn ---- */

static int something_to_do(const struct scheduler *s)
{
	return s->has_finished || scheduler_is_unfinished(s) ||
	       offload_is_busy(s->offload);
}

static struct batch *oldest(struct replica *r)
{
	return &r->batch[r->oldest];
}

/* Lists the tokens of the chosen step.  Returns 0, or -1 if memory is out. */
static int list_tokens(struct replica *r, struct batch *b)
{
	struct scheduled *list = r->shared->listed;
	uint32_t n = r->scheduler->policy->list(r->scheduler, list);
	if (!b->handed)
		b->handed = malloc(r->e->max_num_seqs * sizeof *b->handed);
	if (!b->handed)
		return -1;
	for (uint32_t k = 0; k < n; k++)
		b->handed[b->n_handed++] = (struct handed){
		    list[k].row, list[k].sequence, list[k].emitted};
	return 0;
}

/* Returns 1 if prompts wait for those of other ranks in lockstep; all ranks of
 * a group do as the first of them that asks in a turn. */
static int waits_for_ranks(struct replica *r)
{
	struct rank_balance *b = &r->group->balance;
	const struct replica *first = r - r->rank;
	struct rank_loads l = {.ranks = r->e->ranks};
	if (!r->e->trtllm.balances_ranks)
		return 0;
	if (b->turn == r->turns && b->rank != r->rank)
		return b->holds;
	for (uint32_t k = 0; k < l.ranks; k++) {
		const struct scheduler *s = first[k].scheduler;
		uint32_t running = s->policy->running(s);
		l.with_prompts += s->waiting.n > 0;
		l.with_decodes += running > 0;
		l.full += running >= r->e->max_num_seqs;
	}
	b->turn = r->turns;
	b->rank = r->rank;
	b->holds = rank_balance_holds(b, &r->e->trtllm, &l);
	return b->holds;
}

/* Calls the scheduler and queues the batch. */
static int queue_batch(struct replica *r)
{
	struct scheduler *s = r->scheduler;
	struct batch *b =
	    &r->batch[(r->oldest + r->n_batches) % engine_batches(r->e)];
	b->end_ns = r->ready_ns;
	s->is_deferring = r->lockstep && (lockstep_defers(r->lockstep, r) ||
					  waits_for_ranks(r));
	s->now_ns = r->ready_ns;
	r->found = s->policy->choose(s, b, r->shared->step);
	if (s->death)
		return scheduler_say_dead(r->scheduler, r->index, r->shared->p);
	b->call = s->kv.pool.call;
	if (s->offload && !r->found)
		b->end_ns = offload_pass(s->offload, r->ready_ns,
					 r->stage_free_ns[0], &s->kv.pool);
	b->is_empty = !r->found;
	if (!s->goes_on)
		ahead_drop(&r->ahead);
	b->n_handed = 0;
	if (r->found) {
		if (r->shared->lists_tokens && list_tokens(r, b))
			return problem_no_memory(r->shared->p);
		count_pass(r);
		if (start_step(r, b))
			return -1;
	}
	r->n_batches++;
	return s->out_of_memory || s->kv.pool.out_of_memory
		   ? problem_no_memory(r->shared->p)
		   : 0;
}

/* The queue has room for one more batch: returns 1 if the turn is over without
 * waiting for one.  Under a preset, a batch that takes no time is waited
 * for. */
static int ends_turn(struct replica *r)
{
	if (r->n_batches == engine_batches(r->e))
		return 0;
	if (r->e->queues_empty_batches)
		return r->found || scheduler_is_unfinished(r->scheduler) ||
		       offload_is_busy(r->scheduler->offload);
	return r->found && (!r->e->preset || oldest(r)->end_ns > r->ready_ns);
}

/* Returns 1 if the replica, or another one that it has assigned requests to,
 * has some. */
static int has_requests(const struct replica *r)
{
	return rank_assignment_is_used(r->e)
		   ? rank_assignment_is_unfinished(r)
		   : scheduler_is_unfinished(r->scheduler);
}

int replica_schedule(struct replica *r)
{
	struct scheduler *s = r->scheduler;
	if (r->lockstep && !lockstep_may_turn(r->lockstep, r))
		return 0;
	int looks = looks_now(r);
	r->ready_ns = r->next_ns;
	r->found = r->is_parked = r->has_results = 0;
	r->n_noticed = 0;
	if (rank_assignment_is_used(r->e))
		rank_assignment_assign(r, r->ready_ns);
	else if (looks)
		look_into_inbox(r, r->ready_ns);
	if (r->lockstep && has_requests(r))
		lockstep_wake(r->lockstep, r);
	if (something_to_do(s)) {
		if (queue_batch(r))
			return -1;
		if (ends_turn(r))
			return replica_end_turn(r);
	}
	if (r->n_batches) {
		int64_t end_ns = oldest(r)->end_ns;
		replica_next(r, REPLICA_RESULTS,
			     end_ns > r->ready_ns ? end_ns : r->ready_ns);
		return 0;
	}
	if (r->lockstep && lockstep_is_running(r->lockstep))
		return replica_end_turn(r);
	/* Idle until a request comes. */
	replica_next(r, r->next, next_seen_ns(r));
	return 0;
}

/* The process behind the engine passes the tokens of the batch on. */
static void hand_out(struct replica *r, struct batch *b)
{
	uint32_t n = b->n_on_time + b->n_late + b->n_first;
	int64_t now = b->results_ns;
	b->response_ns += api_server_hand_out(&r->group->api_server, r->e, n,
					      b->n_first, now) -
			  now;
	for (uint32_t i = 0; i < b->n_first; i++)
		scheduler_sequence(r->scheduler, b->first[i])
		    ->first_response_ns = b->response_ns;
}

/* Copies between GPU and host that were over when the batch began. */
static void notice_copies(struct replica *r, const struct batch *b)
{
	struct offload *o = r->scheduler->offload;
	if (!o)
		return;
	uint32_t under_way = o->under_way;
	offload_notice(o, b->call, r->ready_ns);
	r->n_noticed += under_way - o->under_way;
}

/* An empty batch ends the request that its call gave up. */
static void take_given_up(struct scheduler *s, struct batch *b)
{
	b->n_first = b->n_last = 0;
	if (s->given_up == NO_SEQUENCE)
		return;
	b->last[b->n_last++] = s->given_up;
	s->given_up = NO_SEQUENCE;
	s->has_finished = 1;
}

const struct batch *replica_results(struct replica *r)
{
	struct scheduler *s = r->scheduler;
	struct batch *b = oldest(r);
	r->ready_ns = r->next_ns;
	r->oldest = (r->oldest + 1) % engine_batches(r->e);
	r->n_batches--;
	b->results_ns = r->ready_ns;
	if (b->is_empty) {
		take_given_up(s, b);
		notice_copies(r, b);
		return b;
	}
	r->has_results = 1;
	if (s->policy->shows_at_end)
		b->results_ns = b->end_ns;
	s->policy->process(s, b, b->results_ns);
	notice_copies(r, b);
	if (api_server_hands_out(r->e))
		hand_out(r, b);
	outcome_results(r->shared->counter, b);
	s->has_finished |= b->n_last > 0;
	if (!r->e->async_scheduling && !r->e->preset)
		r->ready_ns += r->e->schedule_ns;
	return b;
}

/* Returns 1 if the thread sleeps when it has nothing to schedule. */
static int is_busy(const struct replica *r)
{
	return r->e->empty_sleep_while == SLEEP_WHILE_ANY
		   ? something_to_do(r->scheduler)
		   : scheduler_is_unfinished(r->scheduler);
}

static int something_in_flight(const struct replica *r)
{
	for (uint32_t i = 0; i < r->n_batches; i++)
		if (!r->batch[(r->oldest + i) % engine_batches(r->e)].is_empty)
			return 1;
	return 0;
}

/* Nothing runs, and nothing can be scheduled before a transfer ends or a
 * request comes. */
static void park(struct replica *r)
{
	int64_t transfer = next_transfer_ns(r), seen = next_seen_ns(r);
	int64_t soonest = seen < transfer ? seen : transfer;
	r->is_parked = 1;
	replica_next(r, r->next, soonest > r->ready_ns ? soonest : r->ready_ns);
}

/* Returns 1 if no batch of this turn or in flight will change what can be
 * scheduled. */
static int is_stuck(const struct replica *r)
{
	const struct scheduler *s = r->scheduler;
	return !r->found && !r->has_results && !something_in_flight(r) &&
	       s->n_preempted == 0 && s->n_deferred == 0 && r->n_noticed == 0 &&
	       s->begun.n == 0 && scheduler_is_unfinished(s) &&
	       !s->has_finished;
}

/* Says that the run ends here: with offloading or with encoders vLLM hangs
 * there, because loaded requests hold blocks that the first one needs, or items
 * do not fit into the encoder cache.  Returns -1. */
static int say_stuck(const struct replica *r)
{
	const struct scheduler *s = r->scheduler;
	const struct queue *first = s->passed.n ? &s->passed : &s->waiting;
	const struct encoders *x = s->encoders;
	uint32_t n = scheduler_waiting(s) + s->policy->running(s);
	if (x && x->is_blocked)
		return problem_set(
		    r->shared->p, EXIT_USAGE,
		    "replica %" PRIu32 ": %" PRIu32
		    " requests wait, and none can be scheduled: "
		    "the encoder cache of %" PRIu64
		    " tokens has no room for what request %" PRIu64
		    " needs next; vLLM hangs, too",
		    r->index, n, x->capacity, x->blocked_row);
	if (s->offload && first->n)
		return problem_set(
		    r->shared->p, EXIT_USAGE,
		    "replica %" PRIu32 ": %" PRIu32
		    " requests wait, request %" PRIu64
		    " before the others, and none can be scheduled; vLLM hangs "
		    "there, too: give it more num_gpu_blocks",
		    r->index, n,
		    scheduler_sequence(s, queue_first(first))->request.row);
	if (r->e->scheduler == SCHEDULER_TENSORRT_LLM)
		return problem_set(
		    r->shared->p, EXIT_USAGE,
		    "replica %" PRIu32 ": %" PRIu32
		    " requests wait, request %" PRIu64
		    " before the others, and none can be scheduled; "
		    "TensorRT-LLM hangs there, too: raise num_gpu_blocks",
		    r->index, n, s->first_row);
	return problem_set(r->shared->p, EXIT_USAGE,
			   "replica %" PRIu32 ": %" PRIu32
			   " requests wait, and none can be scheduled",
			   r->index, n);
}

int replica_end_turn(struct replica *r)
{
	const struct scheduler *s = r->scheduler;
	int stuck = is_stuck(r),
	    awaits = r->transfers.n || r->n_held || offload_is_busy(s->offload);
	if (stuck && !awaits)
		return say_stuck(r);
	if (!r->found && is_busy(r))
		r->ready_ns += r->e->empty_sleep_ns;
	replica_next(r, REPLICA_SCHEDULE, r->ready_ns);
	if (r->lockstep)
		return lockstep_end_turn(r->lockstep, r);
	if (stuck && r->e->empty_sleep_ns == 0)
		park(r);
	return 0;
}
