/* trtllm_blocks.c -- Takes, stores and gives back the KV blocks of requests
 * under TensorRT-LLM's scheduler. */
#include "sim/policy/trtllm/trtllm_blocks.h"
#include "sim/kv/kv_need.h"

/* ---- looking ---- */

/* A window takes blocks only for what it reaches after the whole prompt. */
static struct trtllm_look look_with_windows(struct trtllm *s,
					    struct sequence *q)
{
	struct kv *kv = &s->is.kv;
	uint32_t known = q->progress.known;
	uint32_t found = kv_find(kv, &q->kv, known - 1);
	kv_await(kv, found, known);
	return (struct trtllm_look){.expected = found};
}

struct trtllm_look trtllm_look(struct trtllm *s, struct sequence *q)
{
	uint32_t unit = s->is.e->block_size, last = q->progress.known - 1;
	if (s->is.kv.has_windows)
		return look_with_windows(s, q);
	if (!s->has_tree)
		return (struct trtllm_look){0};
	struct kv_tree_look look =
	    kv_tree_look(&s->tree, &q->kv, q->progress.known);
	return (struct trtllm_look){
	    .expected = whole_min(look.found * unit, last),
	    .shared = whole_min(look.in_use, last / unit),
	    .next = look.next};
}

/* ---- beginning ---- */

/* Adds a request to those that have blocks, in order of arrival. */
static void note_started(struct trtllm *s, uint32_t i)
{
	uint32_t place = s->n++;
	if (s->is_steady) {
		s->reserved +=
		    trtllm_blocks_at_end(s, scheduler_sequence(&s->is, i));
		return;
	}
	for (; place > 0 && trtllm_is_before(s, i, s->started[place - 1]);
	     place--)
		s->started[place] = s->started[place - 1];
	s->started[place] = i;
}

static int take_without_tree(struct trtllm *s, struct sequence *q,
			     uint32_t found)
{
	struct kv *kv = &s->is.kv;
	if (kv_need_first(kv, found, q->progress.known) > kv_room(kv))
		return -1;
	if (kv_begin(kv, &q->kv, found) ||
	    kv_cover(kv, &q->kv, q->progress.known))
		s->is.out_of_memory = 1;
	return 0;
}

/* A request begins behind the tokens that it has found: a chunk that does not
 * complete its prompt ends with a block. */
static void begin(struct trtllm *s, struct trtllm_prompt *x, uint32_t found)
{
	struct sequence *q = scheduler_sequence(&s->is, x->is.sequence);
	uint32_t unit = s->is.e->block_size, rest = q->progress.known - found;
	if (found && x->chunk < rest)
		x->chunk = (found + x->chunk) / unit * unit - found;
	x->chunk = whole_min(x->chunk, rest);
	note_started(s, x->is.sequence);
	q->progress.computed = found;
	q->progress.is_preempted = 0;
	scheduler_admitted(&s->is, x->is.sequence);
	scheduler_found_cached(&s->is, q, found);
}

static int is_new(const struct trtllm *s, const struct trtllm_prompt *x)
{
	return !trtllm_is_started(scheduler_sequence(&s->is, x->is.sequence));
}

static void claim_all(struct trtllm *s)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < s->n_prompts; k++) {
		struct sequence *q =
		    scheduler_sequence(&s->is, s->prompt[k].is.sequence);
		if (is_new(s, &s->prompt[k]))
			s->claim[n++] = (struct kv_claim){
			    .owner = &q->kv, .tokens = q->progress.known};
	}
	kv_tree_claim(&s->tree, s->claim, n);
}

void trtllm_begin_prompts(struct trtllm *s)
{
	uint32_t n = 0;
	if (s->has_tree)
		claim_all(s);
	if (s->is.kv.pool.out_of_memory)
		return;
	for (uint32_t k = 0; k < s->n_prompts; k++) {
		struct trtllm_prompt *x = &s->prompt[k];
		struct sequence *q = scheduler_sequence(&s->is, x->is.sequence);
		uint32_t found = 0;
		int rc;
		if (!is_new(s, x))
			continue;
		if (s->has_tree) {
			found = kv_claim_found(&s->tree, &s->claim[n]);
			rc = kv_tree_take(&s->tree, &s->claim[n++]);
		} else {
			found = trtllm_look(s, q).expected;
			rc = take_without_tree(s, q, found);
		}
		if (rc) {
			scheduler_dies(&s->is, q, SCHEDULER_NO_BLOCK);
			return;
		}
		begin(s, x, found);
	}
}

void trtllm_cover_decode(struct trtllm *s, struct sequence *q)
{
	scheduler_drop_old(&s->is, &q->kv, q->progress.computed, 0);
	scheduler_cover(&s->is, q, q->progress.computed + 1);
}

/* ---- storing and giving back ---- */

/* Returns how many of its tokens can be found: all that are computed and known
 * but the last one. */
static uint32_t storable(const struct sequence *q)
{
	return (trtllm_generates(q) ? q->progress.known
				    : q->progress.computed) -
	       1;
}

void trtllm_store(struct trtllm *s, struct sequence *q)
{
	if (s->has_tree)
		kv_tree_store(&s->tree, &q->kv, storable(q), 0);
	else
		kv_key(&s->is.kv, &q->kv, storable(q));
}

void trtllm_give_back(struct trtllm *s, struct sequence *q)
{
	if (s->has_tree)
		kv_tree_store(&s->tree, &q->kv, storable(q), 1);
	else
		kv_key(&s->is.kv, &q->kv, storable(q));
	kv_give_back(&s->is.kv, &q->kv, !q->progress.is_preempted);
}

uint64_t trtllm_leave(struct trtllm *s, struct sequence *q)
{
	uint64_t room = kv_room(&s->is.kv);
	if (s->has_tree)
		return kv_tree_leave(&s->tree, &q->kv);
	q->progress.is_preempted = 1;
	trtllm_give_back(s, q);
	return kv_room(&s->is.kv) - room;
}

void trtllm_give_back_paused(struct trtllm *s)
{
	for (uint32_t k = 0; k < s->n_paused; k++) {
		struct sequence *q = scheduler_sequence(&s->is, s->paused[k]);
		if (s->has_tree) {
			kv_tree_left(&s->tree, &q->kv);
			trtllm_give_back(s, q);
		}
		members_put_back(&s->is, s->paused[k]);
	}
}
