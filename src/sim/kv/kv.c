/* kv.c -- Manages a table of blocks per request and group: blocks are taken,
 * keyed, found and given back. */
#include "sim/kv/kv.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/whole.h"
#include "sim/kv/kv_private.h"

/* ---- the groups ---- */

static struct kv_kind_use use_of(const struct kv_kind *kind,
				 uint32_t first_group,
				 const struct kv_options *o)
{
	uint32_t run = 0;
	struct kv_kind_use use = {
	    .is = *kind,
	    .first_group = first_group,
	    .most = (uint32_t)kv_kind_most(kind, o->most_in_flight, o->max_len),
	};
	if (kind->state == KV_STATE_ALL || kind->state == KV_STATE_ALIGNED)
		use.is.window = 2;
	if (use.is.window > 1)
		run = whole_divide_up(use.is.window - 1, kind->block_size);
	use.run = run ? run : 1;
	return use;
}

void kv_init(struct kv *k, const struct kv_options *o)
{
	const struct kv_groups alike = {
	    .n_kinds = 1,
	    .kind = {{.block_size = o->block_size, .n_groups = 1}},
	    .hit_unit = o->block_size,
	    .key_unit = o->block_size,
	};
	const struct kv_groups *g = o->groups;
	uint32_t rank = 0;
	if (!g || g->n_kinds == 0)
		g = &alike;
	*k = (struct kv){.caching = o->caching || o->tables,
			 .finds = o->caching,
			 .drop = o->drop,
			 .n_kinds = g->n_kinds,
			 .hit_unit = g->hit_unit,
			 .key_unit = g->key_unit};
	for (uint32_t i = 0; i < g->n_kinds; i++) {
		k->kind[i] = use_of(&g->kind[i], k->n_groups, o);
		k->n_groups += g->kind[i].n_groups;
		k->has_windows |= g->kind[i].window != 0;
		k->is_aligned |= kv_is_aligned(&k->kind[i]);
	}
	for (int windows = 0; windows < 2; windows++)
		for (uint32_t i = 0; i < g->n_kinds; i++)
			if ((k->kind[i].is.window != 0) == windows)
				k->by_rank[rank++] = i;
	blocks_init(&k->pool, o->n_blocks, o->order);
}

void kv_free(struct kv *k)
{
	blocks_free(&k->pool);
	free(k->hit);
	free(k->fresh);
	k->hit = NULL;
	k->fresh = NULL;
}

void kv_owner_free(struct kv_owner *o)
{
	if (o->content)
		content_free(o->content);
	free(o->content);
	free(o->block);
	*o = (struct kv_owner){0};
}

void kv_owner_clear(struct kv_owner *o)
{
	free(o->block);
	*o = (struct kv_owner){.content = o->content};
}

/* ---- keys ---- */

uint64_t kv_key_at(const struct kv *k, const struct kv_kind_use *kind,
		   uint32_t group, const struct content *c, uint32_t place)
{
	uint32_t units = kind->is.block_size / k->key_unit;
	uint64_t key = c->key[(size_t)(place + 1) * units - 1];
	if (group)
		key = hash_mix(key ^ (uint64_t)group << 32);
	return key ? key : 1;
}

int kv_has_key(const struct kv *k, const struct kv_kind_use *kind,
	       uint32_t place)
{
	uint32_t per_hit = k->hit_unit / kind->is.block_size;
	if (k->drop != KV_DROP_NONE && place && place % per_hit == 0)
		return 1;
	return kind->is.window == 0 || kind->run >= per_hit ||
	       place % per_hit >= per_hit - kind->run;
}

void kv_set_key(struct kv *k, const struct kv_kind_use *kind, uint32_t group,
		struct kv_owner *o, uint32_t place)
{
	uint32_t i = kv_row(o, group)[place];
	uint32_t units = kind->is.block_size / k->key_unit;
	if (k->pool.block[i].key)
		return;
	if (content_keys(o->content, (place + 1) * units, k->key_unit))
		k->pool.out_of_memory = 1;
	else
		blocks_set_key(&k->pool, i,
			       kv_key_at(k, kind, group, o->content, place));
	if (place == 0 && k->first_listener)
		block_tell(k->first_listener,
			   kv_key_at(k, kind, group, o->content, place), 1);
}

/* ---- when work is due ---- */

static void note_soonest(struct kv_owner *o)
{
	o->due = whole_min(o->cover_due, whole_min(o->key_due, o->drop_due));
}

static void note_keyed(const struct kv *k, struct kv_owner *o)
{
	o->key_due = UINT32_MAX;
	if (k->finds)
		o->key_due = (o->keyed / k->key_unit + 1) * k->key_unit;
	note_soonest(o);
}

static int drops_any(const struct kv *k)
{
	return k->has_windows || k->is_aligned;
}

static void note_dropped(const struct kv *k, struct kv_owner *o)
{
	o->drop_due = UINT32_MAX;
	for (uint32_t i = 0; drops_any(k) && i < k->n_kinds; i++) {
		const struct kv_kind_use *kind = &k->kind[i];
		uint32_t next = kv_first_needed(kind, o->dropped) + 1;
		if (kind->is.window && kind->is.state != KV_STATE_ALL)
			o->drop_due =
			    whole_min(o->drop_due, next * kind->is.block_size +
						       kind->is.window - 1);
	}
	note_soonest(o);
}

/* Returns 1 if a group of the kind has a full block to find at that place. */
static int is_stored(const struct kv *k, const struct kv_kind_use *kind,
		     const uint32_t *table, uint32_t place)
{
	return table[place] != NO_BLOCK &&
	       (kv_is_aligned(kind) || kv_has_key(k, kind, place));
}

/* Tells the watcher about the blocks from place `from` to `to`, each run
 * without null blocks. */
static void tell_stored(const struct kv *k, const struct kv_kind_use *kind,
			uint32_t group, const struct kv_owner *o, uint32_t from,
			uint32_t to)
{
	const struct block_watcher *w = k->pool.watcher;
	const uint32_t *table = kv_row(o, group);
	while (w && from < to) {
		uint32_t n = 0;
		while (from + n < to && is_stored(k, kind, table, from + n))
			n++;
		if (n)
			w->tell(w->user, w->replica,
				&(struct block_change){.kind = BLOCKS_STORED,
						       .row = o->content->row,
						       .group = group,
						       .place = from,
						       .n = n,
						       .block = table + from});
		from += n + 1;
	}
}

/* Keys the blocks that other requests may ask for. */
static void key_kind(struct kv *k, const struct kv_kind_use *kind,
		     struct kv_owner *o, uint32_t tokens)
{
	uint32_t size = kind->is.block_size, from = o->keyed / size;
	uint32_t first = kv_first_needed(kind, o->dropped);
	uint32_t shared = whole_min(tokens, o->content->shared_tokens) / size;
	for (uint32_t g = 0; g < kind->is.n_groups; g++)
		tell_stored(k, kind, kind->first_group + g, o,
			    from > first ? from : first, shared);
	if (kv_is_aligned(kind)) {
		kv_state_key(k, kind, o, from, shared);
		return;
	}
	for (uint32_t g = 0; g < kind->is.n_groups; g++)
		for (uint32_t place = from > first ? from : first;
		     place < shared; place++)
			if (kv_has_key(k, kind, place))
				kv_set_key(k, kind, kind->first_group + g, o,
					   place);
}

void kv_key(struct kv *k, struct kv_owner *o, uint32_t tokens)
{
	if (!k->finds || tokens < o->key_due)
		return;
	for (uint32_t i = 0;
	     o->keyed < o->content->shared_tokens && i < k->n_kinds; i++)
		key_kind(k, &k->kind[i], o, tokens);
	o->keyed = tokens;
	note_keyed(k, o);
}

/* ---- taking and giving back ---- */

int kv_reserve(const struct kv *k, struct kv_owner *o, uint32_t n)
{
	uint32_t cap = o->cap ? o->cap : 16;
	if (n <= o->cap)
		return 0;
	while (cap < n)
		cap *= 2;
	uint32_t *more =
	    realloc(o->block, (size_t)cap * k->n_groups * sizeof *more);
	if (!more)
		return -1;
	for (uint32_t g = k->n_groups; g-- > 1;)
		memmove(more + (size_t)g * cap, more + (size_t)g * o->cap,
			o->cap * sizeof *more);
	o->block = more;
	o->cap = cap;
	return 0;
}

static uint32_t longest(const struct kv *k, uint32_t tokens)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < k->n_kinds; i++) {
		uint32_t n = whole_divide_up(tokens, k->kind[i].is.block_size);
		most = n > most ? n : most;
	}
	return most;
}

/* Gives the request the found blocks; `computed`: tokens that it need not
 * compute, also those without blocks here. */
static int begin(struct kv *k, struct kv_owner *o, uint32_t found,
		 uint32_t computed)
{
	if (kv_reserve(k, o, longest(k, found)))
		return -1;
	for (uint32_t i = 0; i < k->n_kinds; i++) {
		const struct kv_kind_use *kind = &k->kind[i];
		for (uint32_t g = 0; g < kind->is.n_groups; g++) {
			uint32_t group = kind->first_group + g;
			const uint32_t *hit = kv_hits(k, group);
			if (kv_is_aligned(kind) && found)
				memset(kv_row(o, group), 0xff,
				       found / kind->is.block_size *
					   sizeof *o->block);
			for (uint32_t place = kv_first_needed(kind, computed);
			     place < found / kind->is.block_size; place++) {
				blocks_share(&k->pool, hit[place]);
				kv_row(o, group)[place] = hit[place];
			}
		}
	}
	o->covered = o->keyed = found;
	o->dropped = computed;
	o->cover_due = 0;
	o->state_places = k->is_aligned ? found / k->hit_unit : 0;
	o->state_before = NO_BLOCK;
	o->has_state = 0;
	note_keyed(k, o);
	note_dropped(k, o);
	return 0;
}

int kv_begin(struct kv *k, struct kv_owner *o, uint32_t found)
{
	return begin(k, o, found, k->computed);
}

/* Takes blocks [from, to) of each group of a kind. */
static int take(struct kv *k, const struct kv_kind_use *kind,
		struct kv_owner *o, uint32_t from, uint32_t to)
{
	if (to > o->cap && kv_reserve(k, o, to))
		return -1;
	for (uint32_t g = 0; g < kind->is.n_groups; g++) {
		uint32_t *table = kv_row(o, kind->first_group + g);
		if (blocks_take(&k->pool, table + from, to - from))
			return -1;
	}
	return 0;
}

/* Takes the blocks of a kind up to `tokens` tokens.  Returns -1 if memory is
 * out. */
static int cover_kind(struct kv *k, const struct kv_kind_use *kind,
		      struct kv_owner *o, uint32_t tokens)
{
	uint32_t from = kv_length(kind, o), to = kv_places(kind, tokens);
	uint32_t skipped = kv_first_needed(kind, o->dropped);
	from = from > skipped ? from : skipped;
	if (to <= from)
		return 0;
	if (k->caching)
		return take(k, kind, o, from, to);
	blocks_count(&k->pool, (uint64_t)kind->is.n_groups * (to - from));
	return 0;
}

/* The number of tokens at which a kind needs its next block. */
static uint32_t next_cover(const struct kv_kind_use *kind, uint32_t tokens)
{
	uint32_t size = kind->is.block_size;
	return kind->is.state == KV_STATE_LAST
		   ? UINT32_MAX
		   : whole_divide_up(tokens, size) * size + 1;
}

/* The same for states at ends of blocks, which follow the step's own tokens. */
static int cover_aligned(struct kv *k, const struct kv_kind_use *kind,
			 struct kv_owner *o, uint32_t own)
{
	uint32_t to = whole_divide_up(own, kind->is.block_size);
	return kv_reserve(k, o, to + kind->is.drafts) ||
	       kv_state_take(k, kind, o, own);
}

int kv_cover_own(struct kv *k, struct kv_owner *o, uint32_t tokens,
		 uint32_t own)
{
	uint32_t due = UINT32_MAX;
	const struct kv_kind_use *aligned = NULL;
	if (tokens < o->cover_due)
		return 0;
	for (uint32_t i = 0; i < k->n_kinds; i++) {
		const struct kv_kind_use *kind = &k->kind[i];
		int is_state = kv_is_aligned(kind);
		if (is_state)
			aligned = kind;
		if (is_state ? cover_aligned(k, kind, o, own)
			     : cover_kind(k, kind, o, tokens))
			return -1;
		due = whole_min(due, next_cover(kind, is_state ? own : tokens));
	}
	if (aligned)
		kv_state_taken(aligned, o, own);
	if (o->covered < tokens)
		o->covered = tokens;
	o->cover_due = due;
	note_soonest(o);
	return 0;
}

static uint32_t clamp(uint32_t x, uint32_t from, uint32_t to)
{
	return x < from ? from : x < to ? x : to;
}

/* Gives back blocks [from, to) that have keys, if the group has keys at all. */
static void release_keyed(struct kv *k, const struct kv_kind_use *kind,
			  uint32_t *table, uint32_t from, uint32_t to,
			  enum block_left what)
{
	if (k->hit_unit == k->key_unit) {
		blocks_release(&k->pool, table + from, to - from, what);
		return;
	}
	while (to-- > from)
		blocks_release(&k->pool, table + to, 1,
			       kv_has_key(k, kind, to) ? what : BLOCK_UNKEYED);
}

/* Blocks [from, to) of a table: those with a key that only this request can ask
 * for begin at `own`, those without a key at `open`. */
struct parts {
	uint32_t from, own, open, to;
};
static struct parts parts_of(const struct kv_kind_use *kind,
			     const struct kv_owner *o, uint32_t from,
			     uint32_t to)
{
	uint32_t size = kind->is.block_size;
	uint32_t open = clamp(o->keyed / size, from, to);
	uint32_t own = clamp(o->content->shared_tokens / size, from, open);
	return (struct parts){from, own, open, to};
}

/* Gives back the blocks with keys. */
static inline void release_full(struct kv *k, const struct kv_kind_use *kind,
				uint32_t group, struct kv_owner *o,
				const struct parts *p, int over)
{
	uint32_t *table = kv_row(o, group);
	release_keyed(k, kind, table, p->own, p->open,
		      over ? BLOCK_NEVER_ASKED : BLOCK_KEYED);
	release_keyed(k, kind, table, p->from, p->own, BLOCK_KEYED);
}

/* Gives back the blocks without keys.  over: no request continues this one;
 * else the blocks with its own tokens get keys. */
static inline void release_open(struct kv *k, const struct kv_kind_use *kind,
				uint32_t group, struct kv_owner *o,
				const struct parts *p, int over)
{
	for (uint32_t place = p->own; !over && place < p->open; place++)
		if (kv_has_key(k, kind, place))
			kv_set_key(k, kind, group, o, place);
	blocks_release(&k->pool, kv_row(o, group) + p->open, p->to - p->open,
		       BLOCK_UNKEYED);
}

static void release_all(struct kv *k, const struct kv_kind_use *kind,
			struct kv_owner *o, uint32_t from, uint32_t to,
			int over)
{
	if (!k->caching) {
		blocks_count_back(&k->pool,
				  (uint64_t)kind->is.n_groups * (to - from));
		return;
	}
	const struct parts p = parts_of(kind, o, from, to);
	for (uint32_t g = 0; g < kind->is.n_groups; g++) {
		release_open(k, kind, kind->first_group + g, o, &p, over);
		release_full(k, kind, kind->first_group + g, o, &p, over);
	}
}

void kv_drop(struct kv *k, struct kv_owner *o, uint32_t computed)
{
	if (computed < o->drop_due)
		return;
	for (uint32_t i = 0; i < k->n_kinds; i++) {
		const struct kv_kind_use *kind = &k->kind[i];
		uint32_t from = kv_first_needed(kind, o->dropped);
		uint32_t to = whole_min(kv_first_needed(kind, computed),
					kv_length(kind, o));
		if (kv_is_aligned(kind))
			kv_state_drop(k, kind, o, computed);
		else if (kind->is.state == KV_TOKENS && to > from)
			release_all(k, kind, o, from, to, 0);
	}
	o->dropped = computed;
	note_dropped(k, o);
}

void kv_give_back(struct kv *k, struct kv_owner *o, int over)
{
	for (uint32_t i = 0; i < k->n_kinds; i++) {
		const struct kv_kind_use *kind = &k->kind[i];
		uint32_t from = kv_first_needed(kind, o->dropped);
		uint32_t to = kv_length(kind, o);
		if (kv_is_aligned(kind))
			kv_state_give_back(k, kind, o, over);
		else if (to > from)
			release_all(k, kind, o, from, to, over);
	}
	begin(k, o, 0, 0);
}

/* Blocks without keys go to the front of the free list, so that the last ones
 * given back are the first there. */
void kv_give_back_as_one(struct kv *k, struct kv_owner *o, int over)
{
	for (uint32_t pass = 0; pass < 2 * k->n_kinds; pass++) {
		int opens = pass < k->n_kinds;
		uint32_t i = opens ? pass : 2 * k->n_kinds - 1 - pass;
		const struct kv_kind_use *kind = &k->kind[i];
		uint32_t from = kv_first_needed(kind, o->dropped);
		uint32_t to = kv_length(kind, o);
		const struct parts p =
		    parts_of(kind, o, from, to > from ? to : from);
		for (uint32_t g = 0; g < kind->is.n_groups; g++)
			if (opens)
				release_open(k, kind, kind->first_group + g, o,
					     &p, over);
			else
				release_full(k, kind,
					     kind->first_group +
						 kind->is.n_groups - 1 - g,
					     o, &p, over);
	}
	begin(k, o, 0, 0);
}

struct kv_owner kv_detach(struct kv *k, struct kv_owner *o, int over)
{
	struct kv_owner all = *o;
	for (uint32_t i = 0; !over && i < k->n_kinds; i++) {
		const struct kv_kind_use *kind = &k->kind[i];
		uint32_t size = kind->is.block_size;
		for (uint32_t g = 0; g < kind->is.n_groups; g++)
			for (uint32_t place = kv_first_needed(kind, o->dropped);
			     place < o->keyed / size; place++)
				if (kv_has_key(k, kind, place))
					kv_set_key(k, kind,
						   kind->first_group + g, o,
						   place);
	}
	*o = (struct kv_owner){.content = all.content};
	if (begin(k, o, 0, 0))
		k->pool.out_of_memory = 1;
	return all;
}
