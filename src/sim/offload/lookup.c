/* lookup.c -- Finds the chunks of a request on the host. */
#include "sim/offload/lookup.h"
#include "base/whole.h"

/* ---- one group ---- */

struct search {
	struct offload *o;
	const struct offload_question *q;
	/* Tokens from the start that every group searched so far has. */
	uint32_t most;
	uint32_t hit; /* those of them that are behind q->found */
	int waits;    /* 1: a chunk that was found is pending */
};

enum { MISSING, PENDING, READY };
/* Looks a chunk up, and counts that.  Returns MISSING, PENDING or READY. */
static int look_at(struct search *x, uint32_t group, uint32_t chunk)
{
	struct offload *o = x->o;
	uint64_t key = offload_key(&o->groups, x->q->text, group, chunk);
	offload_count(o, key);
	uint32_t i = chunks_find(&o->chunks, key);
	if (i == NO_CHUNK)
		return MISSING;
	return o->chunks.chunk[i].is_pending ? PENDING : READY;
}

/* Returns how many chunks in a row, from `first` on, the host has. */
static uint32_t find_full(struct search *x, uint32_t group, uint32_t first,
			  uint32_t end, int *waits)
{
	uint32_t n = first;
	for (; n < end; n++) {
		int is = look_at(x, group, n);
		if (is == MISSING)
			break;
		*waits |= is == PENDING;
	}
	return n - first;
}

/* Looks for the last `run` chunks in a row that the host has, because a window
 * needs no more.  Returns where they end, counted from `first`; without such a
 * run, how many chunks in a row the host has from `first` on. */
static uint32_t find_window(struct search *x, uint32_t group, uint32_t first,
			    uint32_t end, uint32_t run, int *waits)
{
	uint32_t n = 0;
	for (uint32_t at = end; at-- > first;) {
		int is = look_at(x, group, at);
		n = is == MISSING ? 0 : n + 1;
		*waits |= is == PENDING;
		if (n == run)
			return at + run - first;
	}
	return n;
}

/* Searches one group, and lowers x->most to the tokens that it has.  Returns 0
 * if less than a chunk is left behind those that the GPU has. */
static int search_group(struct search *x, uint32_t group)
{
	const struct offload_groups *g = &x->o->groups;
	uint32_t size = g->chunk_tokens, window = g->of[group].window_chunks;
	uint32_t n_keys = offload_text_chunks(g, x->q->text);
	uint32_t first = x->q->found / size, n;
	uint32_t drops = x->q->drops && !x->o->has_dropped[group];
	int waits = 0;
	x->most = whole_min(x->most, n_keys * size);
	if (x->most < x->q->found + size)
		return 0;
	uint32_t asked = x->most + (drops && window ? size : 0);
	uint32_t end = whole_min(whole_divide_up(asked, size), n_keys);
	if (window)
		n = find_window(x, group, first, end, window + drops, &waits);
	else
		n = find_full(x, group, first, end, &waits);
	x->waits |= waits;
	if (n == 0 && !waits)
		return 0;
	if (!waits) {
		n -= drops;
		x->o->has_dropped[group] |= drops != 0;
		x->most = whole_min(x->most, size * (first + n));
	}
	return x->most >= x->q->found + size;
}

/* ---- all groups ---- */

/* Returns how many tokens the host has in every group.  Sets x->waits if some
 * of them are in a chunk that is pending. */
static uint32_t search_all(struct search *x)
{
	const struct offload_groups *g = &x->o->groups;
	/* Rank of the first group to search in this pass; g->n: no pass is
	 * needed any more. */
	uint32_t from = 0, next;
	for (; from < g->n; from = next) {
		int has_window = 0;
		next = g->n;
		for (uint32_t r = from; r < g->n; r++) {
			uint32_t group = g->by_rank[r];
			if (!search_group(x, group)) {
				x->waits = 0;
				return 0;
			}
			uint32_t hit = x->most - x->q->found;
			if (hit < x->hit && x->waits) {
				x->waits = 0;
				next = 0;
			} else if (hit < x->hit && has_window && next == g->n) {
				next = g->n_full;
			}
			has_window |= g->of[group].window != 0;
			x->hit = hit;
		}
	}
	return x->hit;
}

/* Returns 1 if one of the found chunks that the group needs is on its way to
 * the GPU. */
static int is_loaded_now(const struct search *x, uint32_t group)
{
	const struct offload *o = x->o;
	const struct offload_groups *g = &o->groups;
	uint32_t first = x->q->found / g->chunk_tokens;
	uint32_t end = whole_divide_up(x->q->found + x->hit, g->chunk_tokens);
	uint32_t window = g->of[group].window_chunks;
	if (window && end - first > window)
		first = end - window;
	for (uint32_t n = first; n < end; n++) {
		uint32_t i = chunks_find(&o->chunks,
					 offload_key(g, x->q->text, group, n));
		if (i != NO_CHUNK && o->chunks.chunk[i].loads)
			return 1;
	}
	return 0;
}

/* Returns 0: later. */
static int search(struct search *x, uint32_t *more)
{
	const struct offload_groups *g = &x->o->groups;
	for (uint32_t i = 0; i < g->n; i++)
		x->o->has_dropped[i] = 0;
	uint32_t n = search_all(x);
	if (x->waits)
		return 0;
	for (uint32_t i = 0; x->q->shares && n && i < g->n; i++)
		if (is_loaded_now(x, i))
			return 0;
	*more = n;
	return 1;
}

int offload_find(struct offload *o, struct offloaded *of,
		 const struct offload_question *q, uint32_t *more)
{
	*more = 0;
	offloaded_forget_blocks(of);
	if (of->stores)
		return 0;
	/* With windows, a token is left to compute. */
	struct search x = {.o = o,
			   .q = q,
			   .most =
			       q->text->known - (o->groups.has_windows != 0)};
	int rc = search(&x, more);
	for (uint32_t i = 0; i < of->n_groups; i++)
		of->group[i].found =
		    (q->found + *more) / o->groups.chunk_tokens;
	offload_touch(o, of, q->text);
	return rc;
}
