/* route.c -- Makes a router, chooses among equals, and cuts prompts into
 * blocks. */
#include "sim/route/route.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"

static const struct route_rule *rule_of(enum routing routing)
{
	switch (routing) {
	case ROUTE_RANDOM:
		return &route_random;
	case ROUTE_SESSION:
		return &route_session;
	case ROUTE_CACHE_AWARE:
		return &route_cache_aware;
	case ROUTE_PREFIXAWARE:
		return &route_prefixaware;
	case ROUTE_ENDPOINT_PICKER:
		return &route_endpoint_picker;
	case ROUTE_KV:
		return &route_kv;
	case ROUTE_ROUND_ROBIN:
	case ROUTE_LEAST_OUTSTANDING:
	case ROUTE_POWER_OF_TWO:
	case ROUTE_PREFIX_AFFINITY:
		break;
	}
	return NULL;
}

struct route *route_new(const struct engine *e, uint32_t pool, uint32_t n,
			uint64_t seed, int *has_none)
{
	const struct route_rule *rule = rule_of(e->routing);
	*has_none = !rule;
	struct route *r = rule ? calloc(1, rule->size) : NULL;
	if (!r)
		return NULL;
	r->rule = rule;
	r->e = e;
	r->n = n;
	r->rng = rng_stream(seed, RNG_ROUTING, pool);
	r->load = arrays_add(&r->arrays, n, sizeof *r->load);
	r->seen = arrays_add(&r->arrays, n, sizeof *r->seen);
	r->equal = arrays_add(&r->arrays, n, sizeof *r->equal);
	r->score = arrays_add(&r->arrays, 2 * (size_t)n, sizeof *r->score);
	r->choice = arrays_add(&r->arrays, n, sizeof *r->choice);
	r->is_choice = arrays_add(&r->arrays, n, 1);
	for (uint32_t i = 0; r->choice && r->is_choice && i < n; i++) {
		r->choice[r->n_choices++] = i;
		r->is_choice[i] = 1;
	}
	if ((!rule->init || rule->init(r) == 0) && !r->arrays.out_of_memory)
		return r;
	route_free(r);
	return NULL;
}

void route_free(struct route *r)
{
	if (!r)
		return;
	if (r->rule->free)
		r->rule->free(r);
	kv_events_free(&r->events);
	free(r->key);
	arrays_free(&r->arrays);
	free(r);
}

/* ---- choosing ---- */

void route_set_choices(struct route *r, const uint32_t *choice, uint32_t n)
{
	memset(r->is_choice, 0, r->n);
	for (uint32_t i = 0; i < n; i++) {
		r->choice[i] = choice[i];
		r->is_choice[choice[i]] = 1;
	}
	r->n_choices = n;
}

uint32_t route_least_loaded(const struct route *r)
{
	uint32_t best = r->choice[0];
	for (uint32_t k = 1; k < r->n_choices; k++)
		if (r->load[r->choice[k]] < r->load[best])
			best = r->choice[k];
	return best;
}

static uint32_t choose(struct route *r, uint32_t n_equal)
{
	return r->e->router.ties == TIES_FIRST || n_equal == 1
		   ? r->equal[0]
		   : r->equal[rng_below(&r->rng, n_equal)];
}

uint32_t route_best(struct route *r, const double *score)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < r->n_choices; k++) {
		uint32_t i = r->choice[k];
		if (n && score[i] < score[r->equal[0]])
			continue;
		if (n && score[i] > score[r->equal[0]])
			n = 0;
		r->equal[n++] = i;
	}
	return choose(r, n);
}

uint32_t route_any(struct route *r, const uint8_t *chosen)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < r->n_choices; k++)
		if (chosen[r->choice[k]])
			r->equal[n++] = r->choice[k];
	return choose(r, n);
}

/* ---- blocks of a prompt ---- */

struct route_cut route_cut_tokens(uint32_t tokens)
{
	return (struct route_cut){.unit = tokens, .every = 1};
}

struct route_cut route_cut_engine(const struct engine *e)
{
	const struct kv_groups *g = &e->kv_groups;
	uint32_t group = 0;
	for (uint32_t i = 0; i < g->n_kinds; i++) {
		const struct kv_kind *kind = &g->kind[i];
		if (!kind->window)
			return (struct route_cut){
			    g->key_unit, kind->block_size / g->key_unit, group};
		group += kind->n_groups;
	}
	return route_cut_tokens(g->n_kinds ? g->kind[0].block_size
					   : e->block_size);
}

/* Makes room for n keys. */
static int reserve(struct route *r, uint64_t n)
{
	uint64_t cap = r->cap_keys ? r->cap_keys : 64;
	if (n <= r->cap_keys)
		return 0;
	while (cap < n)
		cap *= 2;
	void *more = realloc(r->key, cap * sizeof *r->key);
	if (!more) {
		r->out_of_memory = 1;
		return -1;
	}
	r->key = more;
	r->cap_keys = (uint32_t)cap;
	return 0;
}

uint32_t route_keys(struct route *r, const struct route_prompt *q,
		    struct route_cut cut, int with_tail, uint64_t most)
{
	struct content_place at = content_start(q->content);
	uint32_t size = cut.unit * cut.every, tail = q->tokens % size;
	uint64_t n = q->tokens / size + (with_tail && tail);
	n = n < most ? n : most;
	if (reserve(r, n) < 0)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t key = 0;
		uint32_t left = q->tokens - i * size;
		for (uint32_t k = 0; k < cut.every && left; k++) {
			uint32_t tokens = left < cut.unit ? left : cut.unit;
			key = content_go_on(q->content->segment, &at, tokens);
			left -= tokens;
		}
		if (cut.group)
			key = hash_mix(key ^ (uint64_t)cut.group << 32);
		r->key[i] = key ? key : 1;
	}
	return (uint32_t)n;
}
