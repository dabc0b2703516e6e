/* sim/route/route.h -- the part that all routers with keys in [router] share.
 *
 * A rule is in a file of its own, with its own struct, which begins with a
 * struct route.  It counts for itself what the real router counts: a request is
 * on a replica from its decision until the client has its last token.  Replicas
 * are 0 ... n-1 of one pool; all ranks of data parallelism are one replica.
 * Loads, keys and times are integers; scores and costs are doubles, as in the
 * projects, from + - * / alone (exp() where a temperature is set).
 * [one thread] */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/arrays.h"
#include "engine/engine.h"
#include "math/rng.h"
#include "sim/kv/content.h"
#include "sim/route/kv_events.h"

/* What an engine tells when it is asked; of all ranks together. */
struct route_metrics {
	uint64_t waiting, running;
	double kv_use; /* 0 ... 1 */
};

/* A request at its decision. */
struct route_prompt {
	const struct content *content;
	uint32_t tokens;
	uint64_t session; /* 0: none */
	int64_t now_ns;
	int has_first_token; /* 1: the client has it from another pool */
};

/* A request that is not over, as its router knows it. */
struct route_ticket {
	uint32_t pool, replica;
	/* For kv: the end of its prompt in the tree, and the tokens that its
	 * replica computes before the first of its own. */
	uint32_t node, prefill_tokens;
	uint32_t next_free;
};

struct route;
struct route_rule {
	size_t size; /* of its struct */
	/* The struct is zeroed, except what route_new() fills in.  Returns 0,
	 * or -1 if memory is out; free() is called in either case; NULL: there
	 * is nothing to do. */
	int (*init)(struct route *r);
	void (*free)(struct route *r);
	/* Picks a replica, and notes that it gets the request. */
	uint32_t (*pick)(struct route *r, const struct route_prompt *q,
			 struct route_ticket *t);
	/* The client has the first token, has the last one; NULL: no matter. */
	void (*first_token)(struct route *r, struct route_ticket *t);
	void (*over)(struct route *r, struct route_ticket *t);
	/* A replica is gone, and its requests are over: forgets what it had;
	 * NULL: nothing. */
	void (*forget)(struct route *r, uint32_t replica);
	int reads_prompts; /* 1: it needs the content of a prompt */
};

struct route {
	const struct route_rule *rule;
	const struct engine *e; /* of its pool */
	uint32_t n;
	/* [n_choices] those that may get requests, ascending; [n] 1: it is one
	 * of them. */
	uint32_t *choice, n_choices;
	uint8_t *is_choice;
	struct rng rng;
	uint64_t *load;             /* [n] requests that are not over */
	struct route_metrics *seen; /* [n] at the last refresh */
	uint32_t *equal;            /* [n] for route_best() */
	double *score;              /* [2 n] for rules */
	struct arrays arrays;       /* those above, and the rule's */
	uint64_t *key;              /* of a prompt, from route_keys() */
	uint32_t cap_keys;
	struct kv_events events; /* of the engines' caches, if it has_events */
	int has_events, has_metrics;
	int out_of_memory; /* sticky */
};
/* Returns the router of a pool of n replicas; NULL: memory is out, or, with
 * *has_none = 1, its routing is none of these. */
struct route *route_new(const struct engine *e, uint32_t pool, uint32_t n,
			uint64_t seed, int *has_none);
void route_free(struct route *r);
/* From now on these get requests, ascending, at least one. */
void route_set_choices(struct route *r, const uint32_t *choice, uint32_t n);
/* Returns the first of the least loaded. */
uint32_t route_least_loaded(const struct route *r);
/* Returns the one with the highest score; of equals as `ties` says. */
uint32_t route_best(struct route *r, const double *score);
/* The same for those with chosen[i] = 1. */
uint32_t route_any(struct route *r, const uint8_t *chosen);

/* How a prompt is cut into blocks of `every` units of `unit` tokens each; keys
 * of engines are made unit by unit, and those of a group other than 0
 * differ. */
struct route_cut {
	uint32_t unit, every, group;
};
struct route_cut route_cut_tokens(uint32_t tokens);
struct route_cut route_cut_engine(const struct engine *e);
/* Computes the keys of the leading blocks of a prompt, at most `most`;
 * with_tail adds one for its last tokens, fewer than a block.  Returns how many
 * there are, in r->key. */
uint32_t route_keys(struct route *r, const struct route_prompt *q,
		    struct route_cut cut, int with_tail, uint64_t most);

extern const struct route_rule route_random, route_session, route_cache_aware,
    route_prefixaware, route_endpoint_picker, route_kv;
