/* encoders.c -- Chooses the items that a step encodes, and caches them. */
#include "sim/encoders.h"
#include <inttypes.h>
#include <stdlib.h>
#include "base/grow.h"
#include "base/whole.h"

struct mm_uses *mm_uses_make(const struct request *r)
{
	struct map64 names = {0};
	struct mm_uses *u =
	    calloc(1, sizeof *u + r->n_items * sizeof u->item[0]);
	for (uint32_t i = 0; u && i < r->n_items; i++) {
		int is_new;
		uint64_t *first = map64_at(&names, r->item[i].name, &is_new);
		if (!first) {
			free(u);
			u = NULL;
			break;
		}
		if (is_new)
			*first = i;
		u->item[i].is = r->item[i];
		u->item[i].first = (uint32_t)*first;
		u->n = i + 1;
	}
	map64_free(&names);
	return u;
}

static int are_simulated(const struct engine *e)
{
	return e->preset == PRESET_VLLM_2026_07 && engine_stages(e) == 1 &&
	       e->lockstep_ranks == 1 && e->prefill_replicas == 0;
}

int encoders_make(struct encoders **to, const struct engine *e,
		  uint32_t longest)
{
	struct encoders *x = NULL;
	if (longest && are_simulated(e)) {
		x = calloc(1, sizeof *x);
		if (!x)
			return -1;
		x->rules = &e->encoders;
		x->step_tokens = e->max_num_batched_tokens;
		x->ahead = (uint32_t)e->speculation.drops_hit;
		if (e->encoders.item_tokens)
			longest = e->encoders.item_tokens;
		x->capacity = whole_max(x->step_tokens, longest);
		x->free = x->freeable = x->capacity;
		x->spare = x->oldest = x->newest = NO_CACHED;
	}
	*to = x;
	return 0;
}

int encoders_check(const struct encoders *x, const struct request *r,
		   struct problem *p)
{
	uint32_t longest = 0;
	for (uint32_t i = 0; i < r->n_items; i++)
		longest = whole_max(longest, r->item[i].length);
	if (!x)
		return problem_set(p, EXIT_USAGE,
				   "request %" PRIu64
				   " has items (mm_items), which only preset = "
				   "vllm-2026-07 simulates, without pipeline "
				   "stages, ranks in lockstep, and prefill and "
				   "decode apart",
				   r->row);
	if (longest > x->capacity)
		return problem_set(
		    p, EXIT_USAGE,
		    "request %" PRIu64 " has an item of %" PRIu32
		    " tokens, and the encoder cache has room for "
		    "%" PRIu64 "; raise max_tokens_per_mm_item",
		    r->row, longest, x->capacity);
	if (x->rules->whole_items && longest > x->step_tokens)
		return problem_set(
		    p, EXIT_USAGE,
		    "request %" PRIu64 " has an item of %" PRIu32
		    " tokens, more than max_num_batched_tokens = %" PRIu32
		    ", and disable_chunked_mm_input allows no part of it",
		    r->row, longest, x->step_tokens);
	return 0;
}

void encoders_free(struct encoders *x)
{
	if (!x)
		return;
	map64_free(&x->by_name);
	free(x->cached);
	free(x->encoded);
	free(x);
}

/* ---- the cache ---- */

/* Returns the cached item of that name, or NULL. */
static struct mm_cached *find(struct encoders *x, uint64_t name)
{
	const uint64_t *at = map64_at(&x->by_name, name, NULL);
	if (!at)
		x->out_of_memory = 1;
	return at && *at ? &x->cached[*at - 1] : NULL;
}

/* Removes it from the list of the unused ones. */
static void unlist(struct encoders *x, const struct mm_cached *c)
{
	if (c->before == NO_CACHED)
		x->oldest = c->after;
	else
		x->cached[c->before].after = c->after;
	if (c->after == NO_CACHED)
		x->newest = c->before;
	else
		x->cached[c->after].before = c->before;
}

static void list_last(struct encoders *x, struct mm_cached *c)
{
	uint32_t i = (uint32_t)(c - x->cached);
	c->before = x->newest;
	c->after = NO_CACHED;
	if (x->newest == NO_CACHED)
		x->oldest = i;
	else
		x->cached[x->newest].after = i;
	x->newest = i;
}

static void drop_oldest(struct encoders *x)
{
	uint32_t i = x->oldest;
	struct mm_cached *c = &x->cached[i];
	unlist(x, c);
	*map64_at(&x->by_name, c->name, NULL) = 0;
	x->free += c->tokens;
	c->after = x->spare;
	x->spare = i;
}

/* Returns room for one more item, or NULL if memory is out. */
static struct mm_cached *more_cached(struct encoders *x)
{
	if (x->spare != NO_CACHED) {
		struct mm_cached *c = &x->cached[x->spare];
		x->spare = c->after;
		return c;
	}
	if (!MAKE_ROOM(x->cached, x->n_cached, x->cap_cached))
		return NULL;
	return &x->cached[x->n_cached++];
}

/* ---- the requests that use an item ---- */

static void use(struct encoders *x, struct mm_uses *u, uint32_t item,
		struct mm_cached *c)
{
	struct mm_use *first = &u->item[u->item[item].first];
	if (first->is_used)
		return;
	if (c->users++ == 0) {
		unlist(x, c);
		x->freeable -= c->tokens;
	}
	first->is_used = 1;
	u->n_used++;
}

static void leave(struct encoders *x, struct mm_uses *u, uint32_t item)
{
	struct mm_use *first = &u->item[u->item[item].first];
	struct mm_cached *c = find(x, first->is.name);
	first->is_used = 0;
	u->n_used--;
	if (!c || --c->users)
		return;
	list_last(x, c);
	x->freeable += c->tokens;
}

void encoders_leave(struct encoders *x, struct mm_uses *u, uint32_t computed)
{
	for (uint32_t i = 0; u->n_used && i < u->n; i++) {
		struct mm_use *item = &u->item[i];
		uint64_t end = (uint64_t)item->is.offset + item->is.length;
		if (end + x->ahead > computed)
			break;
		if (item->has_left || !u->item[item->first].is_used)
			continue;
		item->has_left = 1;
		leave(x, u, i);
	}
}

void encoders_leave_all(struct encoders *x, struct mm_uses *u)
{
	for (uint32_t i = 0; i < u->n; i++) {
		struct mm_use *item = &u->item[i];
		if (u->item[item->first].is_used)
			leave(x, u, i);
		item->has_left = item->is_met = 0;
	}
}

/* ---- a step ---- */

void encoders_begin(struct encoders *x)
{
	x->budget = x->capacity;
	x->n_encoded = x->n_open = 0;
	x->is_blocked = 0;
}

static int add_open(struct encoders *x, uint64_t row, uint32_t item,
		    uint32_t tokens)
{
	if (x->n_encoded + x->n_open == x->cap_encoded) {
		uint32_t cap = x->cap_encoded ? 2 * x->cap_encoded : 16;
		void *more = realloc(x->encoded, cap * sizeof *x->encoded);
		if (!more)
			return -1;
		x->encoded = more;
		x->cap_encoded = cap;
	}
	x->encoded[x->n_encoded + x->n_open++] =
	    (struct encoded){.row = row, .item = item, .tokens = tokens};
	x->open_budget -= tokens;
	return 0;
}

/* Returns 1 if the request's name was picked in this call. */
static int is_open(const struct encoders *x, const struct mm_uses *u,
		   uint32_t first)
{
	for (uint32_t k = 0; k < x->n_open; k++)
		if (u->item[x->encoded[x->n_encoded + k].item].first == first)
			return 1;
	return 0;
}

/* Returns 1 if an item fits into the budget and, after dropping unused items,
 * into the cache, beside the `open` tokens that were picked before it. */
static int fits(struct encoders *x, uint32_t tokens, uint64_t open)
{
	if (tokens > x->open_budget || tokens + open > x->freeable)
		return 0;
	while (tokens + open > x->free)
		drop_oldest(x);
	return 1;
}

uint32_t encoders_pick(struct encoders *x, struct mm_uses *u, uint64_t row,
		       uint32_t computed, uint32_t n)
{
	uint64_t from = computed, seen_to = from + n + x->ahead, open = 0;
	x->n_open = 0;
	x->open_budget = x->budget;
	for (uint32_t i = 0; i < u->n; i++) {
		const struct mm_item *item = &u->item[i].is;
		uint64_t end = (uint64_t)item->offset + item->length;
		struct mm_cached *c;
		if (end <= from)
			continue;
		if (item->offset >= seen_to)
			break;
		if (is_open(x, u, u->item[i].first))
			continue;
		c = find(x, item->name);
		if (c) {
			use(x, u, i, c);
			continue;
		}
		if (x->rules->whole_items && from < item->offset &&
		    from + n < end) {
			n = item->offset - computed > x->ahead
				? item->offset - computed - x->ahead
				: 0;
			break;
		}
		if (!fits(x, item->length, open)) {
			n = item->offset > from + x->ahead
				? item->offset - computed - x->ahead
				: 0;
			break;
		}
		if (item->offset >= from + n)
			continue;
		if (add_open(x, row, i, item->length))
			x->out_of_memory = 1;
		open += item->length;
	}
	if (n == 0 && !x->is_blocked) {
		x->is_blocked = 1;
		x->blocked_row = row;
	}
	return n;
}

/* Notes that the request has met its items before a place of its prompt.  Those
 * that it met for the first time and that it does not encode were found. */
static void meet(struct encoders *x, struct mm_uses *u)
{
	for (uint32_t i = 0; i < u->n; i++)
		if (u->item[u->item[i].first].is_used && !u->item[i].is_met) {
			u->item[i].is_met = 1;
			x->sum_found++;
		}
}

void encoders_enter(struct encoders *x, struct mm_uses *u)
{
	for (uint32_t k = 0; k < x->n_open; k++) {
		const struct encoded *e = &x->encoded[x->n_encoded + k];
		struct mm_use *item = &u->item[e->item];
		struct mm_cached *c = more_cached(x);
		uint64_t *at = map64_at(&x->by_name, item->is.name, NULL);
		if (!c || !at) {
			x->out_of_memory = 1;
			return;
		}
		*c = (struct mm_cached){
		    .name = item->is.name, .tokens = e->tokens, .users = 1};
		*at = (uint64_t)(c - x->cached) + 1;
		x->free -= e->tokens;
		x->freeable -= e->tokens;
		u->item[item->first].is_used = 1;
		u->n_used++;
		item->is_met = 1;
	}
	if (x->n_open)
		x->budget = x->open_budget;
	x->n_encoded += x->n_open;
	x->n_open = 0;
	meet(x, u);
}

void encoders_unpick(struct encoders *x, uint64_t row)
{
	uint32_t kept = 0;
	for (uint32_t k = 0; k < x->n_encoded + x->n_open; k++) {
		if (k < x->n_encoded && x->encoded[k].row == row)
			x->budget += x->encoded[k].tokens;
		else
			x->encoded[kept++] = x->encoded[k];
	}
	x->n_encoded = kept - x->n_open;
}

double encoders_step_us(struct encoders *x)
{
	uint64_t tokens = 0;
	if (x->n_encoded == 0)
		return 0;
	for (uint32_t k = 0; k < x->n_encoded; k++)
		tokens += x->encoded[k].tokens;
	double us = x->rules->step_us + x->rules->token_us * (double)tokens;
	x->sum_encoded += x->n_encoded;
	x->sum_us += us;
	return us;
}
