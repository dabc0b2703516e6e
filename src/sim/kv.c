/* kv.c -- Manages a table of blocks per request and group: blocks are taken,
 * keyed, found and given back. */
#include <config.h>
#include "sim/kv.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/whole.h"
#include "sim/kv_private.h"

/* ---- the groups ---- */

static struct kv_kind_use use_of(const struct kv_kind *kind,
				 uint32_t first_group,
				 const struct kv_options *o)
{
	uint32_t run = 0;
	if (kind->window > 1)
		run = whole_divide_up(kind->window - 1, kind->block_size);
	return (struct kv_kind_use){
	    .is = *kind,
	    .first_group = first_group,
	    .run = run ? run : 1,
	    .most = (uint32_t)kv_kind_most(kind, o->most_in_flight, o->max_len),
	};
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
	}
	for (int windows = 0; windows < 2; windows++)
		for (uint32_t i = 0; i < g->n_kinds; i++)
			if ((g->kind[i].window != 0) == windows)
				k->by_rank[rank++] = i;
	blocks_init(&k->pool, o->n_blocks, o->order);
}

void kv_free(struct kv *k)
{
	blocks_free(&k->pool);
	free(k->hit);
	k->hit = NULL;
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

static uint32_t *table_of(const struct kv_owner *o, uint32_t group)
{
	return o->block + (size_t)group * o->cap;
}

/* ---- keys ---- */

/* Returns the key of the block at that index of a group; the content's keys
 * exist. */
static uint64_t key_at(const struct kv *k, const struct kv_kind_use *kind,
		       uint32_t group, const struct content *c, uint32_t place)
{
	uint32_t units = kind->is.block_size / k->key_unit;
	uint64_t key = c->key[(size_t)(place + 1) * units - 1];
	if (group)
		key = hash_mix(key ^ (uint64_t)group << 32);
	return key ? key : 1;
}

/* If block sizes differ, a window group keys only the blocks that a hit can
 * use: the last `run` before a multiple of hit_unit, and the block behind it if
 * that is looked up and dropped. */
static int has_key(const struct kv *k, const struct kv_kind_use *kind,
		   uint32_t place)
{
	uint32_t per_hit = k->hit_unit / kind->is.block_size;
	if (k->drop != KV_DROP_NONE && place && place % per_hit == 0)
		return 1;
	return kind->is.window == 0 || kind->run >= per_hit ||
	       place % per_hit >= per_hit - kind->run;
}

static void set_key(struct kv *k, const struct kv_kind_use *kind,
		    uint32_t group, struct kv_owner *o, uint32_t place)
{
	uint32_t i = table_of(o, group)[place];
	uint32_t units = kind->is.block_size / k->key_unit;
	if (k->pool.block[i].key)
		return;
	if (content_keys(o->content, (place + 1) * units, k->key_unit))
		k->pool.out_of_memory = 1;
	else
		blocks_set_key(&k->pool, i,
			       key_at(k, kind, group, o->content, place));
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

static void note_dropped(const struct kv *k, struct kv_owner *o)
{
	o->drop_due = UINT32_MAX;
	for (uint32_t i = 0; k->has_windows && i < k->n_kinds; i++) {
		const struct kv_kind_use *kind = &k->kind[i];
		uint32_t next = kv_first_needed(kind, o->dropped) + 1;
		if (kind->is.window)
			o->drop_due =
			    whole_min(o->drop_due, next * kind->is.block_size +
						       kind->is.window - 1);
	}
	note_soonest(o);
}

/* Keys the blocks that other requests may ask for. */
static void key_kind(struct kv *k, const struct kv_kind_use *kind,
		     struct kv_owner *o, uint32_t tokens)
{
	uint32_t size = kind->is.block_size, from = o->keyed / size;
	uint32_t first = kv_first_needed(kind, o->dropped);
	uint32_t shared = whole_min(tokens, o->content->shared_tokens) / size;
	for (uint32_t g = 0; g < kind->is.n_groups; g++)
		for (uint32_t place = from > first ? from : first;
		     place < shared; place++)
			if (has_key(k, kind, place))
				set_key(k, kind, kind->first_group + g, o,
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

/* ---- finding ---- */

/* Returns NULL if no prefix was ever looked up. */
static uint32_t *hits_of(const struct kv *k, uint32_t group)
{
	return k->hit ? k->hit + (size_t)group * k->cap_hits : NULL;
}

static int reserve_hits(struct kv *k, uint32_t n)
{
	uint32_t cap = k->cap_hits ? k->cap_hits : 16;
	if (n <= k->cap_hits)
		return 0;
	while (cap < n)
		cap *= 2;
	void *more =
	    realloc(k->hit, (size_t)cap * k->n_groups * sizeof *k->hit);
	if (!more)
		return -1;
	k->hit = more;
	k->cap_hits = cap;
	return 0;
}

/* Is the block at that index found in every group of the kind? */
static int find_at(struct kv *k, const struct kv_kind_use *kind,
		   const struct content *c, uint32_t place)
{
	for (uint32_t g = 0; g < kind->is.n_groups; g++) {
		uint32_t group = kind->first_group + g;
		uint32_t i =
		    blocks_find(&k->pool, key_at(k, kind, group, c, place));
		if (i == NO_BLOCK)
			return 0;
		hits_of(k, group)[place] = i;
	}
	return 1;
}

/* Returns the tokens of the longest run of found blocks from the start, without
 * its last block if that is dropped. */
static uint32_t find_full(struct kv *k, const struct kv_kind_use *kind,
			  const struct content *c, uint32_t most, int drops)
{
	uint32_t size = kind->is.block_size, n = 0;
	while (n < most / size && find_at(k, kind, c, n))
		n++;
	if (drops && n)
		n--;
	return n * size / k->hit_unit * k->hit_unit;
}

/* Searches from right to left for the first run that fills the window, or else
 * the run that begins at block 0.  Returns the tokens up to the end of the run.
 * A block that is dropped makes the run longer by one. */
static uint32_t find_window(struct kv *k, const struct kv_kind_use *kind,
			    const struct content *c, uint32_t most, int drops)
{
	uint32_t size = kind->is.block_size, n = 0, last = drops ? 1 : 0;
	for (uint32_t place = most / size; place-- > 0;) {
		if (!find_at(k, kind, c, place))
			n = 0;
		else if (n ||
			 (uint64_t)(place + 1 - last) * size % k->hit_unit == 0)
			n++;
		if (n == kind->run + last)
			return (place + n - last) * size;
	}
	if (n)
		n -= last;
	return n * size / k->hit_unit * k->hit_unit;
}

static int is_simple(const struct kv *k)
{
	return k->n_kinds == 2 && !k->kind[k->by_rank[0]].is.window &&
	       k->kind[k->by_rank[1]].is.window;
}

struct search {
	uint32_t most, tokens; /* of the request; that every kind has so far */
	uint32_t full[KV_KINDS]; /* by rank, for full attention */
	/* Bits by rank: the kind was looked up with one block dropped, for its
	 * present length. */
	uint32_t dropped;
};

/* Searches the kind with that rank, and shortens the result of all kinds. */
static void find_kind(struct kv *k, const struct content *c, uint32_t r,
		      struct search *f)
{
	const struct kv_kind_use *kind = &k->kind[k->by_rank[r]];
	int drops = k->drop == KV_DROP_EACH ||
		    (k->drop == KV_DROP_ONCE && !(f->dropped >> r & 1));
	uint32_t limit = f->tokens, found;
	if (drops && k->drop == KV_DROP_ONCE)
		limit = whole_min(limit + kind->is.block_size, f->most);
	if (kind->is.window)
		found = find_window(k, kind, c, limit, drops);
	else
		found = f->full[r] = find_full(k, kind, c, limit, drops);
	if (drops)
		f->dropped |= 1u << r;
	else if (found < f->tokens)
		f->dropped = 0;
	f->tokens = found;
}

/* Returns the tokens that every kind has.  A kind that has fewer shortens the
 * search of the others, until all agree; full attention has every shorter
 * prefix. */
static uint32_t find_in_all(struct kv *k, const struct content *c,
			    uint32_t most)
{
	struct search f = {.most = most, .tokens = most};
	for (int round = 0;; round++) {
		uint32_t before = f.tokens;
		for (uint32_t r = 0; r < k->n_kinds; r++)
			if (round == 0 || k->kind[k->by_rank[r]].is.window)
				find_kind(k, c, r, &f);
			else
				f.tokens = whole_min(f.tokens, f.full[r]);
		if (f.tokens == before || k->n_kinds == 1 ||
		    (k->drop != KV_DROP_EACH && is_simple(k)))
			return f.tokens;
	}
}

/* Counts the found blocks without users, behind those that windows drop after
 * `computed` tokens. */
static uint64_t count_idle(const struct kv *k, uint32_t found,
			   uint32_t computed)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < k->n_kinds; i++) {
		const struct kv_kind_use *kind = &k->kind[i];
		for (uint32_t g = 0; g < kind->is.n_groups; g++) {
			const uint32_t *hit = hits_of(k, kind->first_group + g);
			for (uint32_t place = kv_first_needed(kind, computed);
			     place < found / kind->is.block_size; place++)
				n += k->pool.block[hit[place]].users == 0;
		}
	}
	return n;
}

uint32_t kv_find(struct kv *k, const struct kv_owner *o, uint32_t most)
{
	k->idle_hits = k->computed = 0;
	if (!k->finds || most < k->hit_unit || k->pool.n_found == 0)
		return 0;
	uint32_t units = most / k->key_unit;
	if (reserve_hits(k, units + 1) ||
	    content_keys(o->content, units, k->key_unit)) {
		k->pool.out_of_memory = 1;
		return 0;
	}
	uint32_t found = find_in_all(k, o->content, most);
	kv_await(k, found, found);
	return found;
}

void kv_await(struct kv *k, uint32_t found, uint32_t computed)
{
	k->computed = computed;
	k->idle_hits = found ? count_idle(k, found, computed) : 0;
}

/* ---- taking and giving back ---- */

/* Makes room for n blocks in the table of each group. */
static int reserve(const struct kv *k, struct kv_owner *o, uint32_t n)
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

static int begin(struct kv *k, struct kv_owner *o, uint32_t found,
		 uint32_t computed)
{
	if (reserve(k, o, longest(k, found)))
		return -1;
	for (uint32_t i = 0; i < k->n_kinds; i++) {
		const struct kv_kind_use *kind = &k->kind[i];
		for (uint32_t g = 0; g < kind->is.n_groups; g++) {
			uint32_t group = kind->first_group + g;
			const uint32_t *hit = hits_of(k, group);
			for (uint32_t place = kv_first_needed(kind, computed);
			     place < found / kind->is.block_size; place++) {
				blocks_share(&k->pool, hit[place]);
				table_of(o, group)[place] = hit[place];
			}
		}
	}
	o->covered = o->keyed = found;
	o->dropped = computed;
	o->cover_due = 0;
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
	if (to > o->cap && reserve(k, o, to))
		return -1;
	for (uint32_t g = 0; g < kind->is.n_groups; g++) {
		uint32_t *table = table_of(o, kind->first_group + g);
		if (blocks_take(&k->pool, table + from, to - from))
			return -1;
	}
	return 0;
}

int kv_cover(struct kv *k, struct kv_owner *o, uint32_t tokens)
{
	uint32_t due = UINT32_MAX;
	if (tokens < o->cover_due)
		return 0;
	for (uint32_t i = 0; i < k->n_kinds; i++) {
		const struct kv_kind_use *kind = &k->kind[i];
		uint32_t size = kind->is.block_size;
		uint32_t from = kv_length(kind, o),
			 to = whole_divide_up(tokens, size);
		uint32_t holes = kv_first_needed(kind, o->dropped);
		due = whole_min(due, to * size + 1);
		from = from > holes ? from : holes;
		if (!k->caching)
			blocks_count(&k->pool,
				     (uint64_t)kind->is.n_groups * (to - from));
		else if (take(k, kind, o, from, to))
			return -1;
	}
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
			       has_key(k, kind, to) ? what : BLOCK_UNKEYED);
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
	uint32_t *table = table_of(o, group);
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
		if (has_key(k, kind, place))
			set_key(k, kind, group, o, place);
	blocks_release(&k->pool, table_of(o, group) + p->open, p->to - p->open,
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
		if (to > from)
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
		if (to > from)
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
				if (has_key(k, kind, place))
					set_key(k, kind, kind->first_group + g,
						o, place);
	}
	*o = (struct kv_owner){.content = all.content};
	if (begin(k, o, 0, 0))
		k->pool.out_of_memory = 1;
	return all;
}
