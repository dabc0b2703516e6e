/* vllm_admission.c -- Admits waiting requests in the way of vLLM's scheduler.
 */
#include "sim/policy/vllm/vllm_admission.h"
#include "base/whole.h"
#include "sim/kv/kv_need.h"
#include "sim/policy/vllm/vllm_offload.h"
#include "sim/policy/vllm/vllm_step.h"

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
	if (!s->is.kv.finds || q->progress.was_preempted)
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
	if (!b->has_blocks && b->found && kv->found_is_fresh)
		return 0;
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

/* Takes blocks for the first `tokens` tokens; those behind `own` are for later
 * drafts. */
static void take_blocks(struct vllm *s, struct sequence *q,
			const struct beginning *b, uint32_t tokens,
			uint32_t own)
{
	struct kv *kv = &s->is.kv;
	if ((!b->has_blocks && kv_begin(kv, &q->kv, b->found)) ||
	    kv_cover_own(kv, &q->kv, tokens, own))
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
	uint32_t fetched = f->n + s->n;
	for (uint32_t k = 0; k < fetched + s->n_loading; k++) {
		uint32_t i = k < s->n      ? s->running[k]
			     : k < fetched ? queue_at(f, k - s->n)
					   : s->loading[k - fetched];
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
	take_blocks(s, q, b, tokens, tokens);
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
	return b->has_blocks && !s->is.offload && s->n == 0 &&
		       has_room(s, q, b, covered, 0)
		   ? covered
		   : 0;
}

/* Admits request i, or begins to fetch its KV cache.  Returns 0 if there is no
 * room. */
static int admit_behind(struct vllm *s, uint32_t i, struct beginning b)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	uint32_t known = q->progress.known;
	if (q->fetch == FETCH_WANTED && b.computed > b.found)
		return start_fetch(s, i, &b);
	if (b.has_blocks)
		kv_key(&s->is.kv, &q->kv, b.computed);
	uint32_t padded = padding(s, known - b.computed);
	if ((s->is_deferring && known - b.computed > 1) ||
	    (padded &&
	     (1 + padded > s->budget || b.computed + 1 + padded > s->max_len)))
		return 0;
	uint32_t n = vllm_cut(s, known - b.computed + padded);
	if (q->items)
		n = vllm_pick_items(s, q, b.computed, n);
	q->progress.full_found = b.has_blocks ? 0 : s->is.kv.full_found;
	n = vllm_align(s, q, b.computed, n);
	uint32_t covered = n ? first_cover(s, q, &b, b.computed + n) : 0;
	if (n && !covered && q->items)
		encoders_leave_all(s->is.encoders, q->items);
	if (covered == 0)
		return 0;
	if (q->items)
		encoders_enter(s->is.encoders, q->items);
	take_blocks(s, q, &b, covered, whole_min(b.computed + n, s->max_len));
	if (!s->is.out_of_memory)
		kv_key(&s->is.kv, &q->kv, whole_min(b.computed + n, known));
	s->running[s->n++] = i;
	scheduler_admitted(&s->is, i);
	q->progress.computed = b.computed;
	q->progress.is_preempted = 0;
	if (!q->progress.was_preempted && !q->has_moved)
		q->cached_tokens = b.found;
	struct member *m = vllm_schedule(s, i, n, !begins_decoding(q, &b));
	if (padded) {
		m->drafts = (uint16_t)(n - 1);
		m->is_padded = 1;
	}
	if (q->fetch == FETCH_WANTED) /* all of it was found */
		scheduler_push(&s->is, &s->is.begun, i);
	q->fetch = FETCH_NONE;
	q->progress.is_chunk = !m->makes_token;
	return 1;
}

static int admit_one(struct vllm *s, uint32_t i)
{
	return admit_behind(s, i, look_up(s, scheduler_sequence(&s->is, i)));
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

/* Returns 1 if admissions may be padded: the step has members, and none of them
 * is in its prompt. */
static uint32_t has_only_decodes(const struct vllm *s)
{
	const struct batch *b = s->batch;
	if (!s->is.e->pads_admissions || !s->is.e->speculation.drafts ||
	    s->is.e->speculation.n_ranges)
		return 0;
	for (uint32_t k = 0; k < b->n_members; k++)
		if (b->member[k].is_prefill)
			return 0;
	return b->n_members > 0;
}

/* ---- requests that are passed over ---- */

void vllm_list_adapters(struct vllm *s)
{
	const struct batch *b = s->batch;
	const struct sequence *q = s->is.pool->item;
	adapters_begin(&s->adapters);
	for (uint32_t k = 0; k < b->n_decode_only; k++)
		adapters_join(&s->adapters,
			      q[s->fast_decodes.sequence[k]].request.adapter);
	for (uint32_t k = 0; k < b->n_members; k++)
		adapters_join(&s->adapters,
			      q[b->member[k].sequence].request.adapter);
}

enum trial { ADMITTED, PASSED_OVER, NO_ROOM };

/* Begins to load what the host has behind b->found tokens. */
static enum trial start_load(struct vllm *s, uint32_t i,
			     const struct beginning *b, uint32_t more)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	uint32_t tokens = b->found + more;
	kv_await(&s->is.kv, b->found, tokens);
	if (!has_room(s, q, b, tokens, reserved_blocks(s)))
		return NO_ROOM;
	take_blocks(s, q, b, tokens, tokens);
	s->is.offload->figures.queries += q->progress.known - b->found;
	s->is.offload->figures.hits += more;
	vllm_offload_load(s, i, b->found, more);
	return PASSED_OVER;
}

/* Admits a request after its KV was loaded from the host; it has its blocks. */
static enum trial admit_loaded(struct vllm *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	uint32_t there =
	    whole_min(q->offload->loaded_to, q->progress.known - 1);
	const struct beginning b = {
	    .found = there, .computed = there, .has_blocks = 1};
	kv_key(&s->is.kv, &q->kv, q->offload->loaded_to);
	if (!admit_behind(s, i, b))
		return NO_ROOM;
	q->offload->load = LOAD_NONE;
	if (q->load_to_ns < 0)
		q->load_to_ns = q->offload->load_seen_ns;
	list_remove(s->loading, &s->n_loading,
		    list_find(s->loading, s->n_loading, i));
	return ADMITTED;
}

static enum trial try_offloaded(struct vllm *s, uint32_t i)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	uint32_t more = 0;
	vllm_offload_meet(s, q);
	if (s->is.out_of_memory)
		return NO_ROOM;
	if (q->offload->load == LOAD_UNDER_WAY)
		return PASSED_OVER;
	if (q->offload->load == LOAD_DONE)
		return admit_loaded(s, i);
	struct beginning b = look_up(s, q);
	if (!vllm_offload_find(s, q, b.found, &more))
		return PASSED_OVER;
	if (more)
		return start_load(s, i, &b, more);
	if (!admit_behind(s, i, b))
		return NO_ROOM;
	s->is.offload->figures.queries += q->progress.known - b.found;
	return ADMITTED;
}

static enum trial try_one(struct vllm *s, uint32_t i)
{
	uint64_t adapter = scheduler_sequence(&s->is, i)->request.adapter;
	enum trial is;
	if (adapter && !adapters_may_join(&s->adapters, adapter))
		return PASSED_OVER;
	if (s->is.offload)
		is = try_offloaded(s, i);
	else
		is = admit_one(s, i) ? ADMITTED : NO_ROOM;
	if (is == ADMITTED && adapter)
		adapters_join(&s->adapters, adapter);
	return is;
}

/* Those that were passed over are first in the next call, in their order. */
static void put_back(struct vllm *s)
{
	struct queue *to =
	    s->is.waiting.before ? &s->is.waiting : &s->is.passed;
	for (uint32_t k = s->over.n; k-- > 0;) {
		uint32_t i = queue_at(&s->over, k);
		scheduler_sequence(&s->is, i)->progress.is_passed_over =
		    to == &s->is.passed;
		if (queue_push_back(to, s->is.pool, i))
			s->is.out_of_memory = 1;
	}
	s->over.n = s->over.head = 0;
}

/* Admits requests, and passes some of them over. */
static void admit_some(struct vllm *s)
{
	while (may_admit(s) && s->is.passed.n + s->is.waiting.n) {
		struct queue *from =
		    s->is.passed.n ? &s->is.passed : &s->is.waiting;
		uint32_t i = queue_first(from);
		enum trial is = try_one(s, i);
		if (is == NO_ROOM)
			break;
		if (is == PASSED_OVER)
			scheduler_push(&s->is, &s->over, i);
		scheduler_sequence(&s->is, i)->progress.is_passed_over = 0;
		queue_pop(from, s->is.pool);
	}
	put_back(s);
}

void vllm_admit(struct vllm *s)
{
	struct queue *w = &s->is.waiting;
	s->only_decodes = has_only_decodes(s);
	if (adapters_are_on(&s->adapters) || s->is.offload) {
		admit_some(s);
		return;
	}
	int goes_on = s->is.fetching.n == 0 || admit_fetched(s);
	while (goes_on && w->n && may_admit(s)) {
		goes_on = admit_one(s, queue_first(w));
		if (goes_on)
			queue_pop(w, s->is.pool);
	}
	if (!s->is_deferring)
		s->has_emptied = w->n == 0;
}
