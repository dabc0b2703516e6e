/* vllm.c -- Forms the next step of a replica in the way of vLLM's scheduler. */
#include "sim/policy/vllm/vllm.h"
#include <stdlib.h>
#include <string.h>
#include "base/whole.h"
#include "sim/kv/kv_need.h"
#include "sim/offload/offloaded.h"
#include "sim/policy/fast_decodes.h"
#include "sim/policy/vllm/vllm_admission.h"
#include "sim/policy/vllm/vllm_offload.h"
#include "sim/policy/vllm/vllm_step.h"

/* A request that returns to the same state this often is given up; after that
 * many returns the prefix cache has settled. */
enum { FUTILE_MOST = 16 };

static struct vllm *vllm_of(const struct scheduler *s)
{
	return (struct vllm *)(uintptr_t)s;
}

static void init(struct scheduler *is)
{
	struct vllm *s = vllm_of(is);
	s->running =
	    arrays_add(&is->arrays, is->e->max_num_seqs, sizeof *s->running);
	s->max_len = is->e->max_model_len ? is->e->max_model_len : UINT32_MAX;
	s->all_tokens = is->e->max_num_batched_tokens - is->e->drafter_tokens;
	fast_decodes_init(&s->fast_decodes, is);
	if (adapters_init(&s->adapters, &is->e->lora) || vllm_offload_init(s))
		is->out_of_memory = 1;
}

static void release(struct scheduler *is)
{
	adapters_free(&vllm_of(is)->adapters);
	vllm_offload_free(vllm_of(is));
	queue_free(&vllm_of(is)->over);
}

/* ---- preemption ---- */

/* Returns the index of the request that is preempted. */
static uint32_t victim(const struct vllm *s)
{
	uint32_t v = s->n - 1;
	if (s->is.e->policy == POLICY_PRIORITY)
		for (uint32_t i = s->n - 1; i-- > 0;)
			if (by_priority(
				scheduler_sequence(&s->is, s->running[v]),
				scheduler_sequence(&s->is, s->running[i])))
				v = i;
	return v;
}

/* Preempts a request.  Returns which one. */
static uint32_t preempt(struct vllm *s)
{
	uint32_t place = victim(s), i = s->running[place];
	struct sequence *q = scheduler_sequence(&s->is, i);
	if (place < s->fast_decodes.n_front)
		fast_decodes_settle(s);
	list_remove(s->running, &s->n, place);
	vllm_unschedule(s, i);
	if (s->is.offload)
		vllm_offload_give_back(s, q, 0);
	else
		kv_give_back(&s->is.kv, &q->kv, 0);
	if (q->items) {
		encoders_leave_all(s->is.encoders, q->items);
		encoders_unpick(s->is.encoders, q->request.row);
	}
	q->generated = q->progress.known - q->request.input_tokens;
	q->progress.computed = q->progress.drafts = 0;
	q->progress.is_preempted = 1;
	q->progress.was_preempted = 1;
	q->loaded = 0;
	scheduler_preempted(&s->is, q);
	if (queue_push_back(&s->is.waiting, s->is.pool, i))
		s->is.out_of_memory = 1;
	return i;
}

/* Returns 1 if no other request can go on: there is none, or none of them was
 * scheduled and the encoder cache has no room for one of them. */
static int is_left_alone(const struct vllm *s)
{
	const struct encoders *x = s->is.encoders;
	if (s->n == 0)
		return kv_room(&s->is.kv) == s->is.e->num_gpu_blocks;
	return x && x->is_blocked && s->batch->n_decode_only == 0 &&
	       s->batch->n_members == 0;
}

/* Counts a preemption in vain.  If no other request can go on and this one has
 * no more tokens than last time, the same will happen again: when a synchronous
 * vllm-0.15 recomputes its tokens, the last chunk has drafts, which need blocks
 * as well.  vLLM never ends; here the request is given up. */
static void count_futile(const struct vllm *s, struct sequence *q)
{
	if (!is_left_alone(s))
		return;
	if (q->futile_known != q->progress.known)
		q->n_futile = 0;
	q->futile_known = q->progress.known;
	q->is_unschedulable = ++q->n_futile == FUTILE_MOST;
}

/* ---- running requests ---- */

/* Returns 1 if its last token is certainly in flight; drafts may be rejected
 * and do not count. */
static int is_certain_to_end(const struct progress *q)
{
	return q->placeholders &&
	       (int64_t)q->computed + 2 - q->placeholders >= (int64_t)q->most;
}

/* Pipeline stages take requests in turns: with the older model runner a request
 * waits for its token, with the newer one for its turn. */
static int is_others_turn(const struct vllm *s, const struct progress *q)
{
	const struct engine *e = s->is.e;
	if (engine_stages(e) == 1 || !e->async_scheduling)
		return 0;
	return e->model_runner == MODEL_RUNNER_V2 ? s->calls < q->next_call
						  : q->placeholders > 0;
}

/* Returns the tokens that it computes next; 0: none for now. */
static uint32_t next_tokens(const struct vllm *s, const struct progress *q)
{
	uint32_t end = q->known + q->drafts + q->placeholders;
	if (is_certain_to_end(q) || q->computed >= end ||
	    q->computed + 1 >= s->max_len)
		return 0;
	return whole_min(vllm_cut(s, end - q->computed),
			 s->max_len - q->computed - 1);
}

/* Takes blocks for n more tokens of running sequence i, and preempts others if
 * necessary.  Returns 0 if i itself was preempted. */
static int secure_blocks(struct vllm *s, uint32_t i, uint32_t n)
{
	struct kv *kv = &s->is.kv;
	struct sequence *q = scheduler_sequence(&s->is, i);
	uint32_t tokens = q->progress.computed + n;
	uint32_t ahead = s->is.e->speculation.lookahead;
	uint32_t covered = whole_min(tokens + ahead, s->max_len);
	uint32_t own = whole_min(tokens, s->max_len);
	for (;;) {
		scheduler_drop_old(&s->is, &q->kv, q->progress.computed,
				   q->progress.in_flight);
		if (kv_need_own(kv, &q->kv, covered, own) <= kv_room(kv))
			break;
		if (preempt(s) == i) {
			count_futile(s, q);
			return 0;
		}
	}
	if (kv_cover_own(kv, &q->kv, covered, own))
		s->is.out_of_memory = 1;
	else
		kv_key(kv, &q->kv, whole_min(tokens, q->progress.known));
	return 1;
}

static void run(struct vllm *s)
{
	uint32_t ahead = s->is.e->speculation.lookahead;
	for (s->at = fast_decodes_run(s); s->at < s->n && s->budget; s->at++) {
		uint32_t i = s->running[s->at];
		const struct sequence *q = scheduler_sequence(&s->is, i);
		if (is_others_turn(s, &q->progress)) {
			s->is.n_deferred++;
			continue;
		}
		uint32_t n = next_tokens(s, &q->progress);
		if (n == 0 || (s->is_deferring && q->progress.is_chunk))
			continue;
		if (q->items)
			n = vllm_pick_items(s, q, q->progress.computed, n);
		n = vllm_align(s, q, q->progress.computed, n);
		if (n == 0)
			continue;
		if (!kv_is_quiet(&q->kv, q->progress.computed + n + ahead) &&
		    !secure_blocks(s, i, n))
			return;
		if (q->items)
			encoders_enter(s->is.encoders, q->items);
		vllm_schedule_running(s, i, n);
	}
}

/* ---- results ---- */

/* Computes the result of a step in advance.  This is possible because batches
 * in flight end first. */
static void foresee(const struct vllm *s, struct member *m)
{
	const struct sequence *q = scheduler_sequence(&s->is, m->sequence);
	const struct progress *g = &q->progress;
	uint32_t has = g->known + g->coming;
	if (!m->makes_token || has >= progress_end(g))
		return;
	if (m->drafts && !m->is_padded)
		m->accepted =
		    acceptance_count(&s->is.e->speculation, q->request.row,
				     has - q->request.input_tokens, m->drafts);
	m->emits = whole_min(1 + m->accepted, progress_end(g) - has);
}

/* ---- for the cost model ---- */

/* With drafts, its context is the real one when the step starts. */
static void show_decode(const struct vllm *s, const struct member *m,
			sc_step *step)
{
	const struct step_columns *c = &s->is.columns;
	const struct progress *q =
	    &scheduler_sequence(&s->is, m->sequence)->progress;
	uint32_t i = step->n_decode;
	c->decode_ctx[i] = m->context;
	if (!s->is.e->speculation.drafts)
		return;
	c->decode_ctx[i] = whole_min(q->known + q->coming, progress_end(q)) - 1;
	c->decode_new[i] = m->new_tokens;
	step->decode_new = c->decode_new;
}

static void show(const struct vllm *s, sc_step *step)
{
	const struct step_columns *c = &s->is.columns;
	const struct batch *b = s->batch;
	scheduler_begin_columns(&s->is, step);
	step->n_decode = step->n_sampled = b->n_decode_only;
	memcpy(c->decode_ctx, s->fast_decodes.ctx,
	       b->n_decode_only * sizeof *c->decode_ctx);
	memcpy(c->decode_id, s->fast_decodes.id,
	       b->n_decode_only * sizeof *c->decode_id);
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *m = &b->member[k];
		const struct sequence *q =
		    scheduler_sequence(&s->is, m->sequence);
		uint64_t row = q->request.row;
		step->n_sampled += m->makes_token;
		if (!m->is_prefill) {
			show_decode(s, m, step);
			c->decode_id[step->n_decode++] = row;
			continue;
		}
		c->prefill_new[step->n_prefill] = m->new_tokens;
		c->prefill_ctx[step->n_prefill] = m->context;
		c->prefill_last[step->n_prefill] = m->makes_token;
		c->prefill_prompt[step->n_prefill] = sequence_prompt_tokens(q);
		c->prefill_id[step->n_prefill++] = row;
	}
}

static int has_decodes(const struct vllm *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (!scheduler_sequence(&s->is, s->running[i])
			 ->progress.is_chunk)
			return 1;
	return 0;
}

/* A request that the whole KV cache has too few blocks for, now that it has
 * made tokens and was preempted, would wait forever: it is given up. */
static void give_up_first(struct vllm *s)
{
	struct queue *w = s->is.passed.n ? &s->is.passed : &s->is.waiting;
	if (!w->n || s->n || s->is.fetching.n || s->is.n_preempted ||
	    s->is_deferring || offload_is_busy(s->is.offload) ||
	    kv_room(&s->is.kv) < s->is.e->num_gpu_blocks)
		return;
	struct sequence *q = scheduler_sequence(&s->is, queue_first(w));
	if (q->progress.in_flight || !q->progress.was_preempted)
		return;
	s->is.given_up = queue_first(w);
	queue_pop(w, s->is.pool);
	if (s->is.offload)
		vllm_offload_give_back(s, q, 1);
	q->generated = q->progress.known - q->request.input_tokens;
	q->is_unschedulable = 1;
}

/* Forms the next step as vLLM's schedule(): running requests, then waiting ones
 * while no request was preempted. */
static int choose(struct scheduler *is, struct batch *b, sc_step *step)
{
	struct vllm *s = vllm_of(is);
	scheduler_begin_step(is);
	kv_begin_step(&is->kv);
	s->budget = s->all_tokens;
	s->batch = b;
	s->calls++;
	is->kv.pool.call = is->offload ? s->calls : 0;
	s->is_deferring = is->is_deferring && s->has_emptied && has_decodes(s);
	b->n_members = 0;
	if (is->encoders)
		encoders_begin(is->encoders);
	run(s);
	if (adapters_are_on(&s->adapters))
		vllm_list_adapters(s);
	if (is->n_preempted == 0)
		vllm_admit(s);
	if (is->offload)
		vllm_offload_store(s);
	is->tokens = s->all_tokens - s->budget;
	if (b->n_decode_only + b->n_members == 0) {
		give_up_first(s);
		return 0;
	}
	if (adapters_are_on(&s->adapters))
		is->wait_ns = adapters_load(&s->adapters);
	for (uint32_t k = 0; k < b->n_members; k++)
		foresee(s, &b->member[k]);
	show(s, step);
	return 1;
}

/* ---- committing ---- */

/* The request makes a token.  It is scheduled on before that token exists, as
 * if all its drafts were accepted. */
static void schedule_ahead(const struct vllm *s, const struct batch *b,
			   const struct member *m, struct progress *q)
{
	const struct engine *e = s->is.e;
	q->token_batch = s->fast_decodes.formed + 1;
	if (!e->async_scheduling)
		return;
	q->placeholders += 1 + m->drafts;
	q->drafts = speculation_drafts(&e->speculation, b->n_members);
	q->next_call = s->calls + engine_stages(e);
}

/* Counts the tokens of a step that is on its way. */
static void commit(struct scheduler *is, struct batch *b)
{
	struct vllm *s = vllm_of(is);
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *m = &b->member[k];
		struct progress *q =
		    &scheduler_sequence(&s->is, m->sequence)->progress;
		q->computed += m->new_tokens;
		q->in_flight += m->new_tokens;
		q->coming += m->emits;
		q->is_chunk = !m->makes_token;
		if (m->makes_token)
			schedule_ahead(s, b, m, q);
	}
	fast_decodes_commit(s, b);
}

/* ---- the step is over ---- */

/* Removes the request from the batches in flight. */
static void leave_batches(struct vllm *s, uint32_t i)
{
	const struct fast_decodes *c = &s->fast_decodes;
	for (uint32_t number = c->processed + 1; number <= c->formed;
	     number++) {
		struct batch *b = c->queued[number % c->n_queued];
		for (uint32_t k = 0; k < b->n_members; k++)
			if (b->member[k].sequence == i)
				b->member[k].sequence = NO_SEQUENCE;
	}
}

/* Ends a request that has all its tokens, or is given up. */
static void end(struct vllm *s, struct batch *b, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	q->generated = q->progress.known - q->request.input_tokens;
	b->last[b->n_last++] = i;
	if (q->progress.in_flight)
		leave_batches(s, i);
	if (q->items)
		encoders_leave_all(s->is.encoders, q->items);
	if (q->progress.is_preempted) {
		queue_remove(q->progress.is_passed_over ? &s->is.passed
							: &s->is.waiting,
			     s->is.pool, i);
		if (s->is.offload)
			vllm_offload_give_back(s, q, 1);
		return;
	}
	uint32_t place = list_find(s->running, s->n, i);
	if (place < s->fast_decodes.n_front)
		s->fast_decodes.n_front--;
	list_remove(s->running, &s->n, place);
	if (q->moves_on && !q->is_unschedulable &&
	    s->is.e->kv_connector == KV_PULL)
		kv_drop(&s->is.kv, &q->kv, q->progress.known);
	else if (s->is.offload)
		vllm_offload_give_back(s, q, 1);
	else
		kv_give_back(&s->is.kv, &q->kv, 1);
}

/* Members that are not listed get one more token. */
static void begin_processing(struct vllm *s, struct batch *b, int64_t now)
{
	uint32_t n_last = b->n_last;
	batch_begin_results(b, b->n_decode_only, now,
			    &s->fast_decodes.processed_ns);
	s->fast_decodes.processed++;
	if (s->n_late)
		vllm_offload_processed(s);
	for (uint32_t k = 0; k < n_last; k++) {
		fast_decodes_end(s, b->last[k]);
		end(s, b, b->last[k]);
	}
}

/* A request that is not scheduled ahead gets its next drafts now. */
static void draft(const struct engine *e, const struct batch *b,
		  const struct member *m, struct progress *q)
{
	if (!e->async_scheduling && !q->is_preempted &&
	    (m->makes_token || e->drafts_for_chunks))
		q->drafts = speculation_drafts(&e->speculation, b->n_members);
}

static void reject_drafts(struct scheduler *is, const struct member *m,
			  struct progress *q)
{
	uint32_t rejected = m->drafts - m->accepted;
	if (m->drafts)
		acceptance_add(&is->accepted, m->drafts, m->accepted);
	q->computed -= whole_min(rejected, q->computed);
	q->placeholders -= whole_min(rejected, q->placeholders);
}

/* Takes the results of a step as vLLM's update_from_output(). */
static void process(struct scheduler *is, struct batch *b, int64_t now)
{
	struct vllm *s = vllm_of(is);
	begin_processing(s, b, now);
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *m = &b->member[k];
		if (m->sequence == NO_SEQUENCE)
			continue;
		struct sequence *q = scheduler_sequence(&s->is, m->sequence);
		struct progress *g = &q->progress;
		g->in_flight -= m->new_tokens;
		draft(is->e, b, m, g);
		if (q->items && g->computed > g->placeholders)
			encoders_leave(is->encoders, q->items,
				       g->computed - g->placeholders);
		if (!m->makes_token) {
			if (q->is_unschedulable)
				end(s, b, m->sequence);
			continue;
		}
		reject_drafts(is, m, g);
		g->known += m->emits;
		g->coming -= m->emits;
		scheduler_count_token(b, q, m->sequence, now);
		if (is->e->async_scheduling) {
			g->placeholders -= whole_min(m->emits, g->placeholders);
			if (!g->is_preempted)
				kv_key(&is->kv, &q->kv,
				       g->computed - g->placeholders);
		}
		if (g->known == progress_end(g))
			end(s, b, m->sequence);
	}
}

/* ---- a request that leaves early ---- */

/* Returns its index in running[]; s->n: it does not run.  It is not steady any
 * more. */
static uint32_t place_of(struct vllm *s, uint32_t i)
{
	uint32_t place = list_find(s->running, s->n, i);
	if (place < s->fast_decodes.n_front) {
		if (s->fast_decodes.formed == s->fast_decodes.processed)
			s->batch->n_decode_only = 0; /* it is processed */
		fast_decodes_settle(s);
	}
	return place;
}

static void leave_queues(struct vllm *s, uint32_t i)
{
	if (!scheduler_leave_queue(&s->is, &s->is.waiting, i) &&
	    !scheduler_leave_queue(&s->is, &s->is.passed, i))
		scheduler_leave_queue(&s->is, &s->is.fetching, i);
	uint32_t k = list_find(s->loading, s->n_loading, i);
	if (k < s->n_loading)
		list_remove(s->loading, &s->n_loading, k);
}

/* Removes a request that its client gave up.  Returns 1 if that must wait,
 * because KV is on its way to it. */
static int withdraw(struct scheduler *is, uint32_t i)
{
	struct vllm *s = vllm_of(is);
	struct sequence *q = scheduler_sequence(is, i);
	if (q->fetch == FETCH_UNDER_WAY ||
	    (q->offload && q->offload->load == LOAD_UNDER_WAY))
		return 1;
	uint32_t place = place_of(s, i);
	if (place < s->n)
		list_remove(s->running, &s->n, place);
	else
		leave_queues(s, i);
	q->generated = q->progress.known - q->request.input_tokens;
	if (q->items) {
		encoders_leave_all(is->encoders, q->items);
		encoders_unpick(is->encoders, q->request.row);
	}
	if (is->offload && q->offload)
		vllm_offload_give_back(s, q, 1);
	else
		kv_give_back(&is->kv, &q->kv, 1);
	return 0;
}

/* ---- the policy ---- */

static uint32_t running(const struct scheduler *is)
{
	return vllm_of(is)->n;
}

static uint32_t list(const struct scheduler *is, struct scheduled *out)
{
	const struct vllm *s = vllm_of(is);
	const struct batch *b = s->batch;
	for (uint32_t k = 0; k < b->n_decode_only; k++)
		*out++ =
		    (struct scheduled){.row = s->fast_decodes.id[k],
				       .sequence = s->fast_decodes.sequence[k],
				       .context = s->fast_decodes.ctx[k],
				       .new_tokens = 1,
				       .emitted = 1};
	return b->n_decode_only + scheduler_list_members(is, b, out);
}

const struct policy policy_vllm = {
    .size = sizeof(struct vllm),
    .init = init,
    .free = release,
    .choose = choose,
    .commit = commit,
    .process = process,
    .running = running,
    .list = list,
    .withdraw = withdraw,
    .found = scheduler_found,
};
