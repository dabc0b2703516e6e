/* vllm.c -- Forms the next step of a replica in the way of vLLM's scheduler. */
#include <config.h>
#include "sim/policy/vllm.h"
#include <stdlib.h>
#include <string.h>
#include "base/whole.h"
#include "sim/policy/steady.h"

/* A request that returns to the same state this often is given up; after that
 * many returns the prefix cache has settled. */
enum { VAIN_MOST = 16 };

static struct vllm *vllm_of(const struct scheduler *s)
{
	return (struct vllm *)(uintptr_t)s;
}

static int init(struct scheduler *is)
{
	struct vllm *s = vllm_of(is);
	s->running = malloc(is->e->max_num_seqs * sizeof *s->running);
	s->max_len = is->e->max_model_len ? is->e->max_model_len : UINT32_MAX;
	s->all_tokens = is->e->max_num_batched_tokens - is->e->drafter_tokens;
	return steady_init(&s->steady, is) == 0 && s->running ? 0 : -1;
}

static void release(struct scheduler *is)
{
	free(vllm_of(is)->running);
	steady_free(&vllm_of(is)->steady);
}

/* ---- members of the step ---- */

/* Adds sequence i to the step with n tokens. */
static struct member *schedule(struct vllm *s, uint32_t i, uint32_t n,
			       int is_prefill)
{
	const struct progress *q = &scheduler_sequence(&s->is, i)->progress;
	struct member *m = &s->batch->member[s->batch->n_members++];
	*m = (struct member){
	    .sequence = i,
	    .context = q->computed,
	    .new_tokens = n,
	    .is_prefill = is_prefill != 0,
	    .makes_token = q->computed + n >= q->known + q->placeholders,
	};
	s->budget -= n;
	return m;
}

/* Adds a running request: tokens beyond its own are drafts. */
static void schedule_running(struct vllm *s, uint32_t i, uint32_t n)
{
	struct progress *q = &scheduler_sequence(&s->is, i)->progress;
	struct member *m = schedule(s, i, n, q->is_chunk);
	uint32_t own = q->known + q->placeholders, upto = q->computed + n;
	if (upto > own)
		m->drafts = (uint16_t)whole_min(q->drafts, upto - own);
	q->drafts = 0;
}

/* Removes sequence i from the step if it is in it. */
static void unschedule(struct vllm *s, uint32_t i)
{
	struct batch *b = s->batch;
	uint32_t m = 0;
	while (m < b->n_members && b->member[m].sequence != i)
		m++;
	if (m == b->n_members)
		return;
	s->budget += b->member[m].new_tokens;
	memmove(&b->member[m], &b->member[m + 1],
		(--b->n_members - m) * sizeof *b->member);
	s->at--;
}

/* Returns how many of n tokens one step takes. */
static uint32_t cut(const struct vllm *s, uint32_t n)
{
	uint32_t most = s->is.e->long_prefill_token_threshold;
	return whole_min(most ? whole_min(n, most) : n, s->budget);
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
	if (place < s->steady.n_front)
		steady_settle(s);
	list_remove(s->running, &s->n, place);
	unschedule(s, i);
	kv_give_back(&s->is.kv, &q->kv, 0);
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

/* Counts a preemption in vain.  If the request has the KV cache to itself and
 * no more tokens than last time, the same will happen again: when a synchronous
 * vllm-0.15 recomputes its tokens, the last chunk has drafts, which need blocks
 * as well.  vLLM never ends; here the request is given up. */
static void count_vain(const struct vllm *s, struct sequence *q)
{
	if (s->n || kv_room(&s->is.kv) < s->is.e->num_gpu_blocks)
		return;
	if (q->vain_known != q->progress.known)
		q->n_vain = 0;
	q->vain_known = q->progress.known;
	q->is_hopeless = ++q->n_vain == VAIN_MOST;
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
	return whole_min(cut(s, end - q->computed),
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
	for (;;) {
		scheduler_drop_old(&s->is, &q->kv, q->progress.computed,
				   q->progress.in_flight);
		if (kv_need(kv, &q->kv, covered) <= kv_room(kv))
			break;
		if (preempt(s) == i) {
			count_vain(s, q);
			return 0;
		}
	}
	if (kv_cover(kv, &q->kv, covered))
		s->is.out_of_memory = 1;
	kv_key(kv, &q->kv, whole_min(tokens, q->progress.known));
	return 1;
}

static void run(struct vllm *s)
{
	uint32_t ahead = s->is.e->speculation.lookahead;
	for (s->at = steady_run(s); s->at < s->n && s->budget; s->at++) {
		uint32_t i = s->running[s->at];
		const struct sequence *q = scheduler_sequence(&s->is, i);
		if (is_others_turn(s, &q->progress)) {
			s->is.n_deferred++;
			continue;
		}
		uint32_t n = next_tokens(s, &q->progress);
		if (n == 0 || (s->is_deferring && q->progress.is_chunk))
			continue;
		if (!kv_is_quiet(&q->kv, q->progress.computed + n + ahead) &&
		    !secure_blocks(s, i, n))
			return;
		schedule_running(s, i, n);
	}
}

/* ---- waiting requests ---- */

/* The start of a waiting request. */
struct beginning {
	uint32_t found; /* tokens that the cache has */
	/* `found`, plus tokens that another replica has computed */
	uint32_t computed;
	int has_blocks; /* 1: it has blocks for all of them */
};

/* Counts every look-up, also one that finds no room afterwards. */
static void count_lookup(struct vllm *s, const struct sequence *q,
			 uint32_t found)
{
	if (!s->is.kv.caching || q->progress.was_preempted)
		return;
	s->is.queried_tokens += q->progress.known;
	s->is.hit_tokens += found;
}

static struct beginning look_up(struct vllm *s, const struct sequence *q)
{
	struct kv *kv = &s->is.kv;
	uint32_t known = q->progress.known;
	if (q->fetch == FETCH_DONE) {
		uint32_t there = whole_min(q->request.input_tokens, known - 1);
		return (struct beginning){.computed = there, .has_blocks = 1};
	}
	uint32_t found = kv_find(kv, &q->kv, q->loaded ? 0 : known - 1);
	if (!q->loaded)
		count_lookup(s, q, found);
	struct beginning b = {.found = found, .computed = found};
	if (q->loaded)
		b.computed = q->loaded;
	if (q->fetch == FETCH_WANTED && found < q->request.input_tokens)
		b.computed = q->request.input_tokens;
	if (b.computed > found)
		kv_await(kv, found, b.computed);
	return b;
}

/* Returns 1 if there are blocks for the first `tokens` tokens of a waiting
 * request.  Some presets require room for the whole prompt.  reserved: blocks
 * that belong to others. */
static int has_room(const struct vllm *s, const struct sequence *q,
		    const struct beginning *b, uint32_t tokens,
		    uint64_t reserved)
{
	const struct kv *kv = &s->is.kv;
	uint32_t all = whole_min(q->progress.known, s->max_len);
	uint64_t need = b->has_blocks ? kv_need(kv, &q->kv, tokens)
				      : kv_need_first(kv, b->found, tokens);
	need += reserved;
	if (s->is.e->reserves_whole_prompt) {
		uint64_t whole = b->has_blocks
				     ? kv_need_rest(kv, &q->kv, all)
				     : kv_need_whole(kv, b->found, all);
		need = whole > need ? whole : need;
	}
	if (s->n)
		need += s->is.e->watermark_blocks;
	return need <= kv_room(kv);
}

/* Takes blocks for the first `tokens` tokens. */
static void take_blocks(struct vllm *s, struct sequence *q,
			const struct beginning *b, uint32_t tokens)
{
	struct kv *kv = &s->is.kv;
	if ((!b->has_blocks && kv_begin(kv, &q->kv, b->found)) ||
	    kv_cover(kv, &q->kv, tokens))
		s->is.out_of_memory = 1;
}

/* Returns the drafts that make a request of n tokens as long as a decode: 1 + k
 * tokens. */
static uint32_t padding(const struct vllm *s, uint32_t n)
{
	return n == 1 && s->only_decodes ? s->is.e->speculation.drafts : 0;
}

/* Returns the tokens that it has blocks for when it is admitted. */
static uint32_t covered_at_first(const struct vllm *s, uint32_t tokens)
{
	const struct engine *e = s->is.e;
	uint32_t ahead =
	    e->admits_with_lookahead ? e->speculation.lookahead : 0;
	return whole_min(tokens + ahead, s->max_len);
}

/* ---- KV caches that are pulled from another replica ---- */

/* Returns the blocks that prompts and transfers in progress still need. */
static uint64_t reserved_blocks(const struct vllm *s)
{
	const struct queue *f = &s->is.fetching;
	uint64_t n = 0;
	for (uint32_t k = 0; k < s->n + f->n; k++) {
		uint32_t i = k < s->n ? s->running[k] : queue_at(f, k - s->n);
		const struct sequence *q = scheduler_sequence(&s->is, i);
		if (k >= s->n || q->progress.is_chunk)
			n += kv_need_rest(
			    &s->is.kv, &q->kv,
			    whole_min(q->progress.known, s->max_len));
	}
	return n;
}

/* Takes blocks for the whole prompt at once.  Returns 0 if there is no room. */
static int start_fetch(struct vllm *s, uint32_t i, const struct beginning *b)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	uint32_t tokens = whole_min(b->computed, s->max_len);
	if (!has_room(s, q, b, tokens, reserved_blocks(s)))
		return 0;
	take_blocks(s, q, b, tokens);
	q->fetch = FETCH_UNDER_WAY;
	q->fetched_from = b->found;
	scheduler_push(&s->is, &s->is.fetching, i);
	scheduler_push(&s->is, &s->is.begun, i);
	return 1;
}

/* ---- admission ---- */

/* Returns 1 if its KV cache is there up to its last token, which another
 * replica made. */
static int begins_decoding(const struct sequence *q, const struct beginning *b)
{
	return q->has_moved && !q->progress.was_preempted &&
	       b->computed >= q->request.input_tokens;
}

/* Returns how many tokens to allocate blocks for, next-step drafts included;
 * without them if transfers hold all blocks and nothing runs.  Returns 0 if
 * there is no room. */
static uint32_t first_cover(const struct vllm *s, const struct sequence *q,
			    const struct beginning *b, uint32_t tokens)
{
	uint32_t covered = covered_at_first(s, tokens);
	if (has_room(s, q, b, covered, 0))
		return covered;
	covered = whole_min(tokens, s->max_len);
	return b->has_blocks && s->n == 0 && has_room(s, q, b, covered, 0)
		   ? covered
		   : 0;
}

/* Admits request i, or begins to fetch its KV cache.  Returns 0 if there is no
 * room. */
static int admit_one(struct vllm *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	uint32_t known = q->progress.known;
	struct beginning b = look_up(s, q);
	if (q->fetch == FETCH_WANTED && b.computed > b.found)
		return start_fetch(s, i, &b);
	if (b.has_blocks)
		kv_key(&s->is.kv, &q->kv, b.computed);
	uint32_t padded = padding(s, known - b.computed);
	if ((s->is_deferring && known - b.computed > 1) ||
	    (padded &&
	     (1 + padded > s->budget || b.computed + 1 + padded > s->max_len)))
		return 0;
	uint32_t n = cut(s, known - b.computed + padded);
	uint32_t covered = first_cover(s, q, &b, b.computed + n);
	if (covered == 0)
		return 0;
	take_blocks(s, q, &b, covered);
	kv_key(&s->is.kv, &q->kv, whole_min(b.computed + n, known));
	s->running[s->n++] = i;
	scheduler_admitted(&s->is, i);
	q->progress.computed = b.computed;
	q->progress.is_preempted = 0;
	if (!q->progress.was_preempted && !q->has_moved)
		q->cached_tokens = b.found;
	struct member *m = schedule(s, i, n, !begins_decoding(q, &b));
	if (padded) {
		m->drafts = (uint16_t)(n - 1);
		m->is_padded = 1;
	}
	if (q->fetch == FETCH_WANTED) /* all of it was found */
		scheduler_push(&s->is, &s->is.begun, i);
	q->fetch = FETCH_NONE;
	return 1;
}

static int may_admit(const struct vllm *s)
{
	return s->budget && s->n < s->is.e->max_num_seqs;
}

/* Admits requests with a KV cache that has arrived, in the order of their
 * fetches, and skips the others.  Returns 0 if there is no room for one of
 * them. */
static int admit_fetched(struct vllm *s)
{
	struct queue *f = &s->is.fetching;
	int goes_on = 1;
	for (uint32_t left = f->n; left > 0; left--) {
		uint32_t i = queue_first(f);
		int is_there =
		    scheduler_sequence(&s->is, i)->fetch == FETCH_DONE;
		queue_pop(f, s->is.pool);
		if (is_there && goes_on && may_admit(s)) {
			goes_on = admit_one(s, i);
			if (goes_on)
				continue;
		}
		scheduler_push(&s->is, f, i);
	}
	return goes_on;
}

/* ---- results ---- */

/* Computes the result of a step in advance.  This is possible because batches
 * in flight end first. */
static void foresee(const struct vllm *s, struct member *m)
{
	const struct sequence *q = scheduler_sequence(&s->is, m->sequence);
	const struct progress *g = &q->progress;
	uint32_t has = g->known + g->coming;
	if (!m->makes_token || has >= g->most)
		return;
	if (m->drafts && !m->is_padded)
		m->accepted =
		    acceptance_count(&s->is.e->speculation, q->request.row,
				     has - q->request.input_tokens, m->drafts);
	m->emits = whole_min(1 + m->accepted, g->most - has);
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
	c->decode_ctx[i] = whole_min(q->known + q->coming, q->most) - 1;
	c->decode_new[i] = m->new_tokens;
	step->decode_new = c->decode_new;
}

static void show(const struct vllm *s, sc_step *step)
{
	const struct step_columns *c = &s->is.columns;
	const struct batch *b = s->batch;
	scheduler_begin_columns(&s->is, step);
	step->n_decode = step->n_sampled = b->n_quick;
	memcpy(c->decode_ctx, s->steady.ctx,
	       b->n_quick * sizeof *c->decode_ctx);
	memcpy(c->decode_id, s->steady.id, b->n_quick * sizeof *c->decode_id);
	for (uint32_t k = 0; k < b->n_members; k++) {
		const struct member *m = &b->member[k];
		uint64_t row =
		    scheduler_sequence(&s->is, m->sequence)->request.row;
		step->n_sampled += m->makes_token;
		if (!m->is_prefill) {
			show_decode(s, m, step);
			c->decode_id[step->n_decode++] = row;
			continue;
		}
		c->prefill_new[step->n_prefill] = m->new_tokens;
		c->prefill_ctx[step->n_prefill] = m->context;
		c->prefill_last[step->n_prefill] = m->makes_token;
		c->prefill_id[step->n_prefill++] = row;
	}
}

/* Returns 1 if admissions may be padded: the step has members, and none of them
 * is in its prompt. */
static uint32_t has_only_decodes(const struct vllm *s)
{
	const struct batch *b = s->batch;
	if (!s->is.e->pads_admissions || !s->is.e->speculation.drafts)
		return 0;
	for (uint32_t k = 0; k < b->n_members; k++)
		if (b->member[k].is_prefill)
			return 0;
	return b->n_members > 0;
}

static int has_decodes(const struct vllm *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (!scheduler_sequence(&s->is, s->running[i])
			 ->progress.is_chunk)
			return 1;
	return 0;
}

static void admit(struct vllm *s)
{
	struct queue *w = &s->is.waiting;
	s->only_decodes = has_only_decodes(s);
	int goes_on = s->is.fetching.n == 0 || admit_fetched(s);
	while (goes_on && w->n && may_admit(s)) {
		goes_on = admit_one(s, queue_first(w));
		if (goes_on)
			queue_pop(w, s->is.pool);
	}
	if (!s->is_deferring)
		s->has_emptied = w->n == 0;
}

static int choose(struct scheduler *is, struct batch *b, sc_step *step)
{
	struct vllm *s = vllm_of(is);
	scheduler_begin_step(is);
	s->budget = s->all_tokens;
	s->batch = b;
	s->calls++;
	s->is_deferring = is->is_deferring && s->has_emptied && has_decodes(s);
	b->n_members = 0;
	run(s);
	if (is->n_preempted == 0)
		admit(s);
	is->tokens = s->all_tokens - s->budget;
	if (b->n_quick + b->n_members == 0)
		return 0;
	for (uint32_t k = 0; k < b->n_members; k++)
		foresee(s, &b->member[k]);
	show(s, step);
	return 1;
}

/* ---- committing ---- */

/* The request makes a token.  It is scheduled on before that token exists, as
 * if all its drafts were accepted. */
static void schedule_ahead(const struct vllm *s, const struct member *m,
			   struct progress *q)
{
	const struct engine *e = s->is.e;
	q->token_batch = s->steady.formed + 1;
	if (!e->async_scheduling)
		return;
	q->placeholders += 1 + m->drafts;
	q->drafts = e->speculation.drafts;
	q->next_call = s->calls + engine_stages(e);
}

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
			schedule_ahead(s, m, q);
	}
	steady_commit(s, b);
}

/* ---- the step is over ---- */

/* Removes the request from the batches in flight. */
static void leave_batches(struct vllm *s, uint32_t i)
{
	const struct steady *c = &s->steady;
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
	if (q->progress.is_preempted) {
		queue_remove(&s->is.waiting, s->is.pool, i);
		return;
	}
	uint32_t place = list_find(s->running, s->n, i);
	if (place < s->steady.n_front)
		s->steady.n_front--;
	list_remove(s->running, &s->n, place);
	if (q->moves_on && !q->is_hopeless && s->is.e->kv_connector == KV_PULL)
		kv_drop(&s->is.kv, &q->kv, q->progress.known);
	else
		kv_give_back(&s->is.kv, &q->kv, 1);
}

/* Members that are not listed get one more token. */
static void begin_processing(struct vllm *s, struct batch *b, int64_t now)
{
	uint32_t n_last = b->n_last;
	batch_begin_results(b, b->n_quick, now, &s->steady.processed_ns);
	s->steady.processed++;
	for (uint32_t k = 0; k < n_last; k++) {
		steady_end(s, b->last[k]);
		end(s, b, b->last[k]);
	}
}

/* A request that is not scheduled ahead gets its next drafts now. */
static void draft(const struct engine *e, const struct member *m,
		  struct progress *q)
{
	if (!e->async_scheduling && !q->is_preempted &&
	    (m->makes_token || e->drafts_for_chunks))
		q->drafts = e->speculation.drafts;
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
		draft(is->e, m, g);
		if (!m->makes_token) {
			if (q->is_hopeless)
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
		if (g->known == g->most)
			end(s, b, m->sequence);
	}
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
	for (uint32_t k = 0; k < b->n_quick; k++)
		*out++ = (struct scheduled){.row = s->steady.id[k],
					    .context = s->steady.ctx[k],
					    .new_tokens = 1,
					    .emitted = 1};
	return b->n_quick + scheduler_list_members(is, b, out);
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
    .found = scheduler_found,
};
