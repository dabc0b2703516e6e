/* kv_find.c -- Finds the longest prefix of a request that all groups have. */
#include <stdlib.h>
#include "base/whole.h"
#include "sim/kv/kv_private.h"

/* A look-up fetches the memory for a later one, that many blocks ahead. */
enum { AHEAD = 6 };

/* Makes room for n found blocks of each group. */
static int reserve(struct kv *k, uint32_t n)
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
		    blocks_find(&k->pool, kv_key_at(k, kind, group, c, place));
		if (i == NO_BLOCK)
			return 0;
		kv_hits(k, group)[place] = i;
	}
	return 1;
}

/* Returns the tokens of the longest run of found blocks from the start, without
 * its last block if that is dropped. */
static uint32_t find_full(struct kv *k, const struct kv_kind_use *kind,
			  const struct content *c, uint32_t most, int drops)
{
	uint32_t size = kind->is.block_size, n = 0;
	while (n < most / size && find_at(k, kind, c, n)) {
		if (++n + AHEAD < most / size)
			blocks_prefetch(&k->pool,
					kv_key_at(k, kind, kind->first_group, c,
						  n + AHEAD));
	}
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
	int drops = !kind->is.state &&
		    (k->drop == KV_DROP_EACH ||
		     (k->drop == KV_DROP_ONCE && !(f->dropped >> r & 1)));
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
		    (k->drop != KV_DROP_EACH && is_simple(k))) {
			k->full_found = f.full[0];
			return f.tokens;
		}
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
			const uint32_t *hit = kv_hits(k, kind->first_group + g);
			for (uint32_t place = kv_first_needed(kind, computed);
			     place < found / kind->is.block_size; place++)
				n += k->pool.block[hit[place]].users == 0;
		}
	}
	return n;
}

uint32_t kv_find(struct kv *k, const struct kv_owner *o, uint32_t most)
{
	k->idle_hits = k->computed = k->full_found = 0;
	k->found_is_fresh = 0;
	if (!k->finds || most < k->hit_unit || k->pool.n_found == 0)
		return 0;
	uint32_t units = most / k->key_unit;
	if (reserve(k, units + 1) ||
	    content_keys(o->content, units, k->key_unit)) {
		k->pool.out_of_memory = 1;
		return 0;
	}
	uint32_t found = find_in_all(k, o->content, most);
	kv_await(k, found, found);
	k->found_is_fresh = found && kv_state_is_fresh(k, o->content, found);
	return found;
}

void kv_await(struct kv *k, uint32_t found, uint32_t computed)
{
	k->computed = computed;
	k->idle_hits = found ? count_idle(k, found, computed) : 0;
}
