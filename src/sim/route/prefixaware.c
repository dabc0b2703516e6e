/* prefixaware.c -- The router of production-stack that follows prompts, chunk
 * by chunk, and never forgets where they went.
 *
 * A prompt is cut into chunks of 128 characters, the last may be short.  The
 * walk begins with all replicas, and goes on while some of them got an earlier
 * prompt with the chunk and all before it.  If fewer than
 * prefix_min_match_length characters match, the replica with the fewest recent
 * requests gets the prompt, else any replica that is left.  Load does not
 * matter.  Sources:
 * production-stack, routers/routing_logic.py, prefix/hashtrie.py,
 * stats/request_stats.py. */
#include <math.h>
#include <string.h>
#include "sim/route/arrivals.h"
#include "sim/route/route.h"

enum { CHUNK = 128 }; /* characters */

struct prefixaware {
	struct route is;
	struct holders trie; /* a key tells the whole path */
	struct arrivals arrivals;
	uint64_t *among, *next; /* [n_words] sets of replicas */
	uint8_t *chosen;        /* [n] */
};

static int init(struct route *r)
{
	struct prefixaware *s = (struct prefixaware *)r;
	s->trie.n_words = holders_words(r->n);
	s->among = arrays_add(&r->arrays, s->trie.n_words, sizeof *s->among);
	s->next = arrays_add(&r->arrays, s->trie.n_words, sizeof *s->next);
	s->chosen = arrays_add(&r->arrays, r->n, 1);
	return arrivals_init(&s->arrivals, r->n,
			     r->e->router.request_stats_window_ns);
}

static void free_it(struct route *r)
{
	struct prefixaware *s = (struct prefixaware *)r;
	holders_free(&s->trie);
	arrivals_free(&s->arrivals);
}

/* A prompt chunk by chunk.  A chunk that ends inside a token has all of it. */
struct chunks {
	const struct route_prompt *q;
	double per_token; /* characters */
	struct content_place at;
	uint32_t n, tokens; /* chunks and tokens so far */
};

/* Returns the key of the next chunk and all before it; 0: there are no more. */
static uint64_t next_chunk(struct chunks *c)
{
	if (c->tokens == c->q->tokens)
		return 0;
	double end = ceil(++c->n * (double)CHUNK / c->per_token);
	uint32_t to = end < c->q->tokens ? (uint32_t)end : c->q->tokens;
	uint32_t tokens = to - c->tokens;
	c->tokens = to;
	return content_go_on(c->q->content->segment, &c->at, tokens);
}

/* Leaves in s->among those that have the longest match; returns its
 * characters. */
static uint64_t walk(struct prefixaware *s, struct chunks c)
{
	uint64_t length = 0, key;
	uint32_t n_words = s->trie.n_words;
	memset(s->among, 0xff, n_words * sizeof *s->among);
	while ((key = next_chunk(&c))) {
		const uint64_t *has = holders_find(&s->trie, key);
		uint64_t any = 0;
		for (uint32_t w = 0; has && w < n_words; w++)
			any |= s->next[w] = s->among[w] & has[w];
		if (!any)
			break;
		memcpy(s->among, s->next, n_words * sizeof *s->among);
		length += CHUNK;
	}
	return length;
}

static uint32_t any_of(struct prefixaware *s)
{
	for (uint32_t i = 0; i < s->is.n; i++)
		s->chosen[i] = s->among[i / 64] >> i % 64 & 1;
	return route_any(&s->is, s->chosen);
}

/* Picks a replica with the longest common prefix, or the one with the fewest
 * recent requests if that prefix is short. */
static uint32_t pick(struct route *r, const struct route_prompt *q,
		     struct route_ticket *t)
{
	struct prefixaware *s = (struct prefixaware *)r;
	struct chunks c = {.q = q, .per_token = r->e->router.chars_per_token};
	uint64_t key, least = r->e->router.prefix_min_match_length;
	(void)t;
	uint32_t i = walk(s, c) < least
			 ? arrivals_fewest(&s->arrivals, r->choice,
					   r->n_choices, q->now_ns)
			 : any_of(s);
	arrivals_add(&s->arrivals, i, q->now_ns);
	while ((key = next_chunk(&c)))
		holders_add(&s->trie, key, i);
	r->out_of_memory |= s->trie.out_of_memory | s->arrivals.out_of_memory;
	return i;
}

static void forget(struct route *r, uint32_t replica)
{
	struct prefixaware *s = (struct prefixaware *)r;
	arrivals_forget(&s->arrivals, replica);
	holders_forget(&s->trie, replica);
}

const struct route_rule route_prefixaware = {
    .size = sizeof(struct prefixaware),
    .init = init,
    .free = free_it,
    .pick = pick,
    .forget = forget,
    .reads_prompts = 1,
};
