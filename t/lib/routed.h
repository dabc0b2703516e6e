/* routed.h -- a router of a few replicas, and prompts for it. */
#ifndef T_ROUTED_H
#define T_ROUTED_H
#include <stdlib.h>
#include "sim/route/route.h"
#include "tap.h"

/* One replica each; four characters a token; the first of equals. */
static struct engine routed_engine;
static struct route *routed;

/* The defaults of [router], which a test changes before it starts. */
__attribute__((unused)) static void rules(enum routing routing)
{
	routed_engine =
	    (struct engine){.ranks = 1,
			    .block_size = 16,
			    .num_gpu_blocks = ENGINE_UNLIMITED,
			    .routing = routing,
			    .router = {.ties = TIES_FIRST,
				       .cache_threshold = 0.3,
				       .balance_abs_threshold = 64,
				       .balance_rel_threshold = 1.5,
				       .max_tree_size = 1 << 26,
				       .request_stats_window_ns = 60000000000,
				       .refresh_metrics_interval_ns = 50000000,
				       .block_tokens = 16,
				       .max_blocks = 256,
				       .lru_blocks = 31250,
				       .overlap_score_credit = 1,
				       .prefill_load_scale = 1,
				       .ttl_ns = 120000000000,
				       .chars_per_token = 4}};
}

__attribute__((unused)) static void start(uint32_t n)
{
	int has_none;
	route_free(routed);
	routed = route_new(&routed_engine, 0, n, 42, &has_none);
	if (!routed)
		bail_out("no router");
	routed->events.index.n_words = holders_words(n);
}

/* A prompt of segments of 32 tokens, with these ids, up to a 0. */
__attribute__((unused)) static struct content prompt(const uint64_t *id)
{
	struct segment s[20];
	struct content c;
	uint32_t n = 0;
	for (; id[n]; n++)
		s[n] = (struct segment){id[n], 32};
	const struct request r = {.row = 1,
				  .input_tokens = 32 * n,
				  .output_tokens = 1,
				  .n_segments = n,
				  .segment = s};
	if (content_make(&c, &r))
		bail_out("out of memory");
	return c;
}
#define IDS(...) ((const uint64_t[]){__VA_ARGS__, 0})

static struct route_ticket last_ticket;
/* Sends it, without its last `less` tokens.  Returns the replica. */
__attribute__((unused)) static uint32_t send_cut(const uint64_t *id,
						 uint32_t less, int64_t now_ns)
{
	struct content c = prompt(id);
	uint32_t tokens = 0;
	for (; id[tokens / 32]; tokens += 32)
		;
	const struct route_prompt q = {
	    .content = &c, .tokens = tokens - less, .now_ns = now_ns};
	last_ticket = (struct route_ticket){0};
	uint32_t i = routed->rule->pick(routed, &q, &last_ticket);
	last_ticket.replica = i;
	content_free(&c);
	return i;
}
__attribute__((unused)) static uint32_t send(const uint64_t *id, int64_t now_ns)
{
	return send_cut(id, 0, now_ns);
}
#endif
