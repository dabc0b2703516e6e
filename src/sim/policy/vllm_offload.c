/* vllm_offload.c -- Moves KV between the blocks of policy vllm and the host. */
#include <config.h>
#include "sim/policy/vllm_offload.h"
#include <stdlib.h>
#include <string.h>
#include "base/whole.h"

int vllm_offload_init(struct vllm *s)
{
	if (s->is.e->offload.chunks == 0)
		return 0;
	s->is.offload = offload_new(&s->is.e->offload);
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
	free(s->chunk_key);
	free(s->loading);
}

void vllm_offload_meet(struct vllm *s, struct sequence *q)
{
	if (q->offload)
		return;
	q->offload = calloc(1, sizeof *q->offload);
	if (q->offload)
		q->offload->row = q->request.row;
	else
		s->is.out_of_memory = 1;
}

/* ---- keys ---- */

static uint32_t chunk_tokens(const struct vllm *s)
{
	return s->is.e->offload.blocks_per_chunk * s->is.kv.key_unit;
}

/* Returns the keys of the request's first n chunks, valid until the next
 * call; NULL if memory is out. */
static const uint64_t *keys_of(struct vllm *s, struct sequence *q, uint32_t n)
{
	uint32_t c = s->is.e->offload.blocks_per_chunk;
	if (n > s->cap_chunk_keys) {
		void *more = realloc(s->chunk_key, 2 * n * sizeof(uint64_t));
		if (!more) {
			s->is.out_of_memory = 1;
			return NULL;
		}
		s->chunk_key = more;
		s->cap_chunk_keys = 2 * n;
	}
	if (content_keys(q->kv.content, n * c, s->is.kv.key_unit)) {
		s->is.out_of_memory = 1;
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		s->chunk_key[i] = q->kv.content->key[(i + 1) * c - 1];
	return s->chunk_key;
}

/* ---- looking up ---- */

struct search {
	const uint64_t *key;
	uint32_t n, most, found; /* keys; tokens */
};

/* Counts the chunks that are there from `first` on.  *waits: one of them is
 * pending. */
static uint32_t count_chunks(struct offload *o, const struct search *x,
			     uint32_t first, uint32_t end, int *waits)
{
	uint32_t n = first;
	for (; n < end; n++) {
		offload_count(o, x->key[n]);
		uint32_t i = chunks_find(&o->chunks, x->key[n]);
		if (i == NO_CHUNK)
			break;
		*waits |= o->chunks.chunk[i].is_pending;
	}
	return n - first;
}

static int is_loaded_now(const struct offload *o, const struct search *x,
			 uint32_t first, uint32_t end)
{
	for (uint32_t n = first; n < end; n++) {
		uint32_t i = chunks_find(&o->chunks, x->key[n]);
		if (i != NO_CHUNK && o->chunks.chunk[i].loads)
			return 1;
	}
	return 0;
}

/* Returns 0: later. */
static int search(struct vllm *s, const struct search *x, uint32_t *more)
{
	struct offload *o = s->is.offload;
	uint32_t size = chunk_tokens(s), first = x->found / size;
	int waits = 0;
	if (x->most < x->found + size)
		return 1;
	uint32_t n =
	    count_chunks(o, x, first, whole_divide_up(x->most, size), &waits);
	if (n && waits)
		return 0;
	if (n && s->is.e->speculation.drops_hit)
		n--;
	uint32_t to = whole_min(x->most, size * (first + n));
	if (n == 0 || to < x->found + size)
		return 1;
	if (s->is.kv.finds &&
	    is_loaded_now(o, x, first, whole_divide_up(to, size)))
		return 0;
	*more = to - x->found;
	return 1;
}

int vllm_offload_find(struct vllm *s, struct sequence *q, uint32_t found,
		      uint32_t *more)
{
	uint32_t size = chunk_tokens(s), n = q->progress.known / size;
	*more = 0;
	if (q->offload->stores)
		return 0;
	const uint64_t *key = keys_of(s, q, n);
	if (!key)
		return n == 0;
	const struct search x = {key, n, whole_min(q->progress.known, n * size),
				 found};
	int rc = search(s, &x, more);
	chunks_touch(&s->is.offload->chunks, key, n);
	return rc;
}

/* ---- loading ---- */

void vllm_offload_load(struct vllm *s, uint32_t i, uint32_t found,
		       uint32_t more)
{
	struct sequence *q = scheduler_sequence(&s->is, i);
	uint32_t size = chunk_tokens(s), unit = s->is.kv.key_unit;
	uint32_t first = found / size,
		 last = whole_divide_up(found + more, size);
	const uint64_t *key = keys_of(s, q, last);
	if (!key)
		return;
	q->offload->stored = last;
	q->offload->loaded_to = found + more;
	q->offload->is_first = q->first_token_ns < 0;
	q->loaded_tokens += more;
	offload_load(s->is.offload, q->offload, key + first, last - first,
		     whole_divide_up(found + more, unit) - found / unit,
		     s->is.now_ns);
	if (s->n_loading == s->cap_loading) {
		uint32_t cap = s->cap_loading ? 2 * s->cap_loading : 16;
		void *list = realloc(s->loading, cap * sizeof *s->loading);
		if (!list) {
			s->is.out_of_memory = 1;
			return;
		}
		s->loading = list;
		s->cap_loading = cap;
	}
	s->loading[s->n_loading++] = i;
}

/* ---- storing ---- */

/* Returns how many chunks of the request the host must have, when it has
 * `tokens` tokens computed, and these blocks. */
static uint32_t last_chunk(const struct vllm *s, const struct sequence *q,
			   uint32_t tokens, uint32_t blocks)
{
	const struct offload_rules *r = &s->is.e->offload;
	uint32_t prompt = q->request.input_tokens;
	if (r->prompt_only)
		tokens = whole_min(tokens, prompt);
	uint32_t n = tokens / chunk_tokens(s);
	if (s->is.e->speculation.drops_hit && tokens > prompt && n)
		n--;
	return whole_min(n, blocks / r->blocks_per_chunk);
}

static uint32_t blocks_of(const struct vllm *s, const struct sequence *q)
{
	return whole_divide_up(q->kv.covered, s->is.kv.key_unit);
}

static void store_member(struct vllm *s, const struct member *m)
{
	struct sequence *q = scheduler_sequence(&s->is, m->sequence);
	const struct progress *g = &q->progress;
	uint32_t tokens = whole_min(g->computed + m->new_tokens, g->known);
	uint32_t last = last_chunk(s, q, tokens, blocks_of(s, q));
	uint32_t n = g->known / chunk_tokens(s);
	if (last <= q->offload->stored)
		return;
	const uint64_t *key = keys_of(s, q, n);
	if (key)
		offload_store(s->is.offload, q->offload, key, n, q->kv.block,
			      last, s->is.now_ns);
}

void vllm_offload_store(struct vllm *s)
{
	struct offload *o = s->is.offload;
	for (uint32_t k = 0; k < s->batch->n_members; k++)
		store_member(s, &s->batch->member[k]);
	for (uint32_t i = 0; i < o->n_ended; i++) {
		const struct offload_ended *x = &o->ended[i];
		offload_store(o, x->of, x->key, x->n, x->block,
			      x->blocks / s->is.e->offload.blocks_per_chunk,
			      s->is.now_ns);
	}
	offload_forget_ended(o);
	s->is.out_of_memory |= o->out_of_memory | o->chunks.out_of_memory;
}

/* ---- giving back ---- */

/* Keeps what the last stores of a request need that ends. */
static void keep_ended(struct vllm *s, struct sequence *q)
{
	uint32_t n = q->progress.known / chunk_tokens(s);
	uint32_t last = last_chunk(s, q, q->progress.known, blocks_of(s, q));
	uint32_t blocks = last * s->is.e->offload.blocks_per_chunk;
	uint64_t *key = NULL;
	uint32_t *block = NULL;
	if (last > q->offload->stored && keys_of(s, q, n)) {
		key = malloc(n * sizeof *key);
		block = malloc(blocks * sizeof *block);
	}
	if (key && block) {
		memcpy(key, s->chunk_key, n * sizeof *key);
		memcpy(block, q->kv.block, blocks * sizeof *block);
	}
	offload_end(s->is.offload, q->offload, key, n, block, blocks);
	q->offload = NULL;
}

static void give_back_later(struct vllm *s, struct sequence *q, int over)
{
	if (s->n_late == s->cap_late) {
		uint32_t cap = s->cap_late ? 2 * s->cap_late : 16;
		void *more = realloc(s->late, cap * sizeof *s->late);
		if (!more) {
			s->is.out_of_memory = 1;
			return;
		}
		s->late = more;
		s->cap_late = cap;
	}
	s->late[s->n_late++] = (struct late_blocks){
	    kv_detach(&s->is.kv, &q->kv, over), s->steady.formed, over};
	if (over)
		q->kv.content = NULL;
}

void vllm_offload_give_back(struct vllm *s, struct sequence *q, int over)
{
	uint32_t in_flight = q->progress.in_flight;
	if (over)
		keep_ended(s, q);
	else
		q->offload->preempted_in = s->calls;
	if (in_flight && s->steady.formed > s->steady.processed)
		give_back_later(s, q, over);
	else
		kv_give_back(&s->is.kv, &q->kv, over);
}

void vllm_offload_processed(struct vllm *s)
{
	uint32_t n = 0;
	for (; n < s->n_late && s->late[n].number <= s->steady.processed; n++) {
		struct late_blocks *x = &s->late[n];
		kv_give_back(&s->is.kv, &x->kv, x->over);
		if (!x->over)
			x->kv.content = NULL;
		kv_owner_free(&x->kv);
	}
	s->n_late -= n;
	if (n)
		memmove(s->late, s->late + n, s->n_late * sizeof *s->late);
}
