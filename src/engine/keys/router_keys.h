/* engine/keys/router_keys.h -- the keys of [router]: what the routing of
 * [engine] needs, by the names of the project that has the router.
 *
 * Each field of struct router_keys has a row in engine/keys/router_keys.c,
 * which says the routers that read it.  [router:prefill] and [router:decode]
 * override keys of [router] for a pool, and `router.KEY` in an arm's section
 * for that arm. [any thread]; no printing. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/json/json_writer.h"
#include "base/problem.h"
#include "engine/choices.h"
#include "engine/keys/source.h"
#include "engine/router.h"
#include "stepcost/plugin.h"

struct router_keys {
	int64_t ties; /* TIES_*                                              */
	double cache_threshold;
	int64_t balance_abs_threshold;
	double balance_rel_threshold;
	double eviction_interval_secs;
	int64_t max_tree_size;
	int64_t prefix_min_match_length;
	double request_stats_window;
	const char *scorers; /* NAME:WEIGHT,... */
	int64_t picker;      /* PICKER_*                                     */
	double refresh_metrics_interval_ms;
	const char *block_size_tokens; /* auto | N                           */
	int64_t max_prefix_blocks_to_match;
	const char *lru_capacity_per_server; /* auto | N                     */
	double overlap_score_credit, prefill_load_scale, router_temperature;
	int64_t use_kv_events;
	double router_ttl_secs, kv_event_delay_us;
};

/* Sets of routers: a bit for each. */
#define ROUTED_BY(routing) (1u << (routing))

struct router_row {
	sc_knob knob;
	uint32_t read_by; /* ROUTED_BY(...) | ..., or ROUTER_ANY */
};
extern const sc_knob *const router_key[];
extern const uint32_t router_n_keys;
extern const char *const router_pool_section[2];

static inline const struct router_row *router_row(uint32_t i)
{
	return (const struct router_row *)(const void *)router_key[i];
}
/* Writes "Only with routing = kv." to buf, or "" if every router accepts the
 * key.  Returns buf. */
const char *router_row_scope(char *buf, size_t size,
			     const struct router_row *r);
/* Returns 1 if some key of the table is of this router alone or of a few. */
int router_has_keys(enum routing routing);
/* Fills in the keys of the router.  Returns 0, or -1 with *p filled in
 * (EXIT_USAGE): a value out of range, or a key that this router does not read.
 * A key of [router] is meant for others if the routing was given for a pool or
 * an arm; without an arm nothing is refused. */
int router_keys_fill(struct router_keys *k, enum routing routing,
		     const struct engine_source *s, struct problem *p);
/* Refuses a key of [router:prefill] or [router:decode] where pools have no
 * sections of their own.  Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int router_refuse_pools(const struct ini *c, struct problem *p);
/* Writes the keys that the router reads as an object of that name; nothing for
 * a router without keys of its own. */
void router_keys_write(struct jw *j, const char *name, enum routing routing,
		       const struct router_keys *k);
/* What a router needs to know beside its keys. */
struct router_facts {
	uint64_t blocks; /* of KV cache, or ENGINE_UNLIMITED                  */
	uint32_t block_size;
	double chars_per_token;
	const struct engine_source *from;
};
/* Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int router_resolve(struct router_rules *r, enum routing routing,
		   const struct router_keys *k, const struct router_facts *f,
		   struct problem *p);
