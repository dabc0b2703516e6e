/* vllm_offload.c -- Moves KV between the blocks of policy vllm and the host. */
#include "sim/policy/vllm/vllm_offload.h"
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/whole.h"
#include "sim/offload/lookup.h"

int vllm_offload_init(struct vllm *s)
{
	if (s->is.e->offload.chunks == 0)
		return 0;
	s->is.offload = offload_new(&s->is.e->offload, &s->is.e->kv_groups,
				    s->is.kv.key_unit);
	return s->is.offload ? 0 : -1;
}

void vllm_offload_free(struct vllm *s)
{
	for (uint32_t i = 0; i < s->n_late; i++) {
		if (!s->late[i].over)
			s->late[i].kv.content = NULL;
		kv_owner_free(&s->late[i].kv);
	}
	free(s->late);
	free(s->loading);
}

void vllm_offload_meet(struct vllm *s, struct sequence *q)
{
	if (q->offload)
		return;
	q->offload = offloaded_new(q->request.row, s->is.offload->groups.n);
	if (!q->offload)
		s->is.out_of_memory = 1;
}

/* Fills in the first `known` tokens of a request; the keys are valid until more
 * are made.  Returns 0 if they have no full block, or memory is out. */
static int text_of(struct vllm *s, const struct sequence *q, uint32_t known,
		   struct offload_text *x)
{
	uint32_t unit = s->is.kv.key_unit, n = known / unit;
	*x = (struct offload_text){0};
	if (content_keys(q->kv.content, n, unit)) {
		s->is.out_of_memory = 1;
		return 0;
	}
	x->known = known;
	x->key = q->kv.content->key;
	return n > 0;
}

/* ---- loading ---- */

int vllm_offload_find(struct vllm *s, struct sequence *q, uint32_t found,
		      uint32_t *more)
{
	struct offload_text text;
	const struct offload_question question = {
	    .text = &text,
	    .found = found,
	    .drops = (int)s->is.e->speculation.drops_hit,
	    .shares = s->is.kv.finds,
	};
	text_of(s, q, q->progress.known, &text);
	return offload_find(s->is.offload, q->offload, &question, more);
}

void vllm_offload_load(struct vllm *s, uint32_t i, uint32_t found,
		       uint32_t more)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	struct offload_text text;
	if (!text_of(s, q, q->progress.known, &text))
		return;
	q->offload->is_first = q->first_token_ns < 0;
	q->loaded_tokens += more;
	if (q->load_from_ns < 0)
		q->load_from_ns = s->is.now_ns;
	offloaded_take_all(&s->is.kv, &q->kv);
	offload_load(s->is.offload, q->offload, &text, found, more,
		     s->is.now_ns);
	if (!MAKE_ROOM(s->loading, s->n_loading, s->cap_loading)) {
		s->is.out_of_memory = 1;
		return;
	}
	s->loading[s->n_loading++] = i;
}

/* ---- storing ---- */

/* Fills in what can be stored of a request that has `tokens` of `known` tokens
 * computed.  Returns 0 if it has no full block, or memory is out. */
static int reach_of(struct vllm *s, const struct sequence *q, uint32_t tokens,
		    uint32_t known, struct offload_reach *x)
{
	uint32_t prompt = q->request.input_tokens;
	if (s->is.e->offload.prompt_only)
		tokens = whole_min(tokens, prompt);
	x->tokens = tokens;
	x->chunks_less = s->is.e->speculation.drops_hit && tokens > prompt;
	return text_of(s, q, known, &x->text);
}

uint32_t vllm_offload_due(const struct vllm *s, const struct sequence *q)
{
	const struct offload *o = s->is.offload;
	uint32_t due = UINT32_MAX;
	for (uint32_t i = 0; i < o->groups.n; i++)
		due = whole_min(due, (q->offload->group[i].stored + 1) *
					 o->groups.chunk_tokens);
	if (s->is.e->offload.prompt_only && due > q->request.input_tokens)
		return UINT32_MAX;
	return due;
}

/* Notes the blocks that the step has given to a request. */
static void note_blocks(struct vllm *s, uint32_t sequence)
{
	struct sequence *q = scheduler_sequence(&s->is, sequence);
	if (offloaded_note_blocks(q->offload, &s->is.kv, &q->kv))
		s->is.out_of_memory = 1;
}

static void store(struct vllm *s, const struct storing *x)
{
	const struct sequence *q = scheduler_sequence(&s->is, x->sequence);
	struct offload_reach reach;
	if (reach_of(s, q, whole_min(x->tokens, x->known), x->known, &reach))
		offload_store(s->is.offload, q->offload, &reach, &s->is.kv.pool,
			      s->is.now_ns);
}

static void store_member(struct vllm *s, const struct member *m)
{
	const struct progress *g =
	    &scheduler_sequence(&s->is, m->sequence)->progress;
	const struct storing x = {m->sequence, g->computed + m->new_tokens,
				  g->known};
	store(s, &x);
}

void vllm_offload_store(struct vllm *s)
{
	struct offload *o = s->is.offload;
	const struct batch *b = s->batch;
	const struct fast_decodes *c = &s->fast_decodes;
	for (uint32_t k = 0; k < c->n_storing; k++)
		note_blocks(s, c->storing[k].sequence);
	for (uint32_t k = 0; k < b->n_members; k++)
		note_blocks(s, b->member[k].sequence);
	for (uint32_t k = 0; k < c->n_storing; k++)
		store(s, &c->storing[k]);
	for (uint32_t k = 0; k < b->n_members; k++)
		store_member(s, &b->member[k]);
	offload_store_ended(o, &s->is.kv.pool, s->is.now_ns);
	s->is.out_of_memory |= o->out_of_memory | o->chunks.out_of_memory;
}

/* ---- giving back ---- */

static void end(struct vllm *s, struct sequence *q)
{
	struct offload_reach reach;
	uint32_t known = q->progress.known;
	int any = reach_of(s, q, known, known, &reach);
	offload_end(s->is.offload, q->offload, any ? &reach : NULL);
	q->offload = NULL;
}

static void give_back_later(struct vllm *s, struct sequence *q, int over)
{
	if (!MAKE_ROOM(s->late, s->n_late, s->cap_late)) {
		s->is.out_of_memory = 1;
		return;
	}
	s->late[s->n_late++] = (struct late_blocks){
	    kv_detach(&s->is.kv, &q->kv, over), s->fast_decodes.formed, over};
	if (over)
		q->kv.content = NULL;
}

void vllm_offload_give_back(struct vllm *s, struct sequence *q, int over)
{
	uint32_t in_flight = q->progress.in_flight;
	if (over) {
		end(s, q);
		scheduler_drop_old(&s->is, &q->kv, q->progress.computed,
				   in_flight);
	} else {
		q->offload->preempted_in = s->calls;
	}
	if (in_flight && s->fast_decodes.formed > s->fast_decodes.processed)
		give_back_later(s, q, over);
	else
		kv_give_back(&s->is.kv, &q->kv, over);
}

void vllm_offload_processed(struct vllm *s)
{
	uint32_t n = 0;
	for (; n < s->n_late && s->late[n].number <= s->fast_decodes.processed;
	     n++) {
		struct late_blocks *x = &s->late[n];
		kv_give_back_as_one(&s->is.kv, &x->kv, x->over);
		if (!x->over)
			x->kv.content = NULL;
		kv_owner_free(&x->kv);
	}
	s->n_late -= n;
	if (n)
		memmove(s->late, s->late + n, s->n_late * sizeof *s->late);
}
