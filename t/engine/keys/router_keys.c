/* The keys of [router], which router reads them, and what they come to. */
#include "engine/keys/router_keys.h"
#include "base/json/json_writer.h"
#include "engine_of.h"
#include "tap.h"

static struct router_keys k;

/* 0, or -1 and `problem`; as for an arm. */
static int filled(const char *text, const char *pool, enum routing routing)
{
	static struct engine_source from;
	from = (struct engine_source){
	    .ini = &ini, .pool = pool, .arm = "cost_model:a"};
	ini_free(&ini);
	problem = (struct problem){0};
	if (ini_read(&ini, text, strlen(text), &problem) < 0)
		bail_out(problem.text);
	return router_keys_fill(&k, routing, &from, &problem);
}

static int resolved(const char *text, enum routing routing,
		    struct router_rules *r)
{
	const struct router_facts f = {
	    .blocks = 777, .block_size = 32, .chars_per_token = 4};
	return filled(text, NULL, routing) < 0
		   ? -1
		   : router_resolve(r, routing, &k, &f, &problem);
}

static void places(void)
{
	ok(filled("", NULL, ROUTE_KV) == 0 && k.router_ttl_secs == 120,
	   "defaults");
	ok(filled("[router]\nrouter_ttl_secs = 7\n", NULL, ROUTE_KV) == 0 &&
	       k.router_ttl_secs == 7,
	   "the section");
	ok(filled("[router]\nrouter_ttl_secs = 7\n[cost_model:a]\n"
		  "router.router_ttl_secs = 8\n",
		  NULL, ROUTE_KV) == 0 &&
	       k.router_ttl_secs == 8,
	   "an arm's own");
	ok(filled("[router]\nrouter_ttl_secs = 7\n[router:decode]\n"
		  "router_ttl_secs = 9\n",
		  "engine:decode", ROUTE_KV) == 0 &&
	       k.router_ttl_secs == 9,
	   "a pool's own");
	ok(filled("[router:decode]\nrouter_ttl_secs = 9\n", "engine:prefill",
		  ROUTE_KV) == 0 &&
	       k.router_ttl_secs == 120,
	   "and not another's");
	ok(router_refuse_pools(&ini, &problem) < 0 &&
	       strstr(problem.text, "needs a section [engine:decode]"),
	   "which needs pools");
}

static void refusals(void)
{
	ok(filled("[router]\nrouter_ttl_secs = 7\n", NULL, ROUTE_CACHE_AWARE) <
		   0 &&
	       strstr(problem.text, "router_ttl_secs is a key of routing = kv, "
				    "not of cache_aware"),
	   "a key of another router: %s", problem.text);
	ok(filled("[router]\nrequest_stats_window = 7\n", NULL, ROUTE_KV) < 0 &&
	       strstr(problem.text,
		      "routing = session, prefixaware, not of kv"),
	   "or of two: %s", problem.text);
	ok(filled("[router]\nties = first\n", NULL, ROUTE_ROUND_ROBIN) == 0,
	   "ties are everyone's");
	ok(filled("[router]\nrouter_ttl_secs = 7\n[cost_model:a]\n"
		  "engine.routing = cache_aware\n",
		  NULL, ROUTE_CACHE_AWARE) == 0,
	   "a common key is for others if the arm has a router of its own");
	ok(filled("[cost_model:a]\nengine.routing = cache_aware\n"
		  "router.router_ttl_secs = 7\n",
		  NULL, ROUTE_CACHE_AWARE) < 0,
	   "its own key is not");
	ok(filled("[router]\ncache_threshold = 2\n", NULL, ROUTE_CACHE_AWARE) <
	       0,
	   "out of range");
}

static void numbers(void)
{
	struct router_rules r;
	ok(resolved("", ROUTE_ENDPOINT_PICKER, &r) == 0 &&
	       r.weight[SCORE_QUEUE] == 2 && r.weight[SCORE_KV_USE] == 2 &&
	       r.weight[SCORE_PREFIX] == 3 && r.weight[SCORE_ACTIVE] == 0,
	   "default weights");
	ok(r.refresh_metrics_interval_ns == 50000000 && r.lru_blocks == 31250 &&
	       r.block_tokens == 16,
	   "and sizes");
	ok(resolved("[router]\nblock_size_tokens = auto\n"
		    "lru_capacity_per_server = auto\n",
		    ROUTE_ENDPOINT_PICKER, &r) == 0 &&
	       r.block_tokens == 32 && r.lru_blocks == 777,
	   "the engine's");
	ok(resolved("[router]\nscorers = no-hit-lru-scorer:0.5, "
		    "active-request-scorer:1\n",
		    ROUTE_ENDPOINT_PICKER, &r) == 0 &&
	       r.weight[SCORE_NO_HIT] == 0.5 && r.weight[SCORE_QUEUE] == 0,
	   "other scorers");
	static const char *const bad[] = {
	    "scorers = best:1",
	    "scorers = queue-scorer",
	    "scorers = queue-scorer:x",
	    "scorers = ",
	    "scorers = queue-scorer:1,queue-scorer:2",
	    "block_size_tokens = 0",
	    "lru_capacity_per_server = -1"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char text[100];
		snprintf(text, sizeof text, "[router]\n%s\n", bad[i]);
		ok(resolved(text, ROUTE_ENDPOINT_PICKER, &r) < 0 &&
		       problem.code == EXIT_USAGE,
		   "%s: %s", bad[i], problem.text);
	}
	ok(resolved("", ROUTE_KV, &r) < 0 &&
	       strstr(problem.text, "blocks of 32 tokens"),
	   "events of other blocks");
	ok(resolved("[router]\nuse_kv_events = false\n", ROUTE_KV, &r) == 0 &&
	       resolved("[router]\nblock_size_tokens = auto\n", ROUTE_KV, &r) ==
		   0,
	   "no events, or the engine's blocks");
}

static void words(void)
{
	char text[200];
	ok(router_has_keys(ROUTE_KV) && !router_has_keys(ROUTE_RANDOM),
	   "who has keys");
	is(router_row_scope(text, sizeof text, router_row(1)),
	   "Only with routing = cache_aware.", "a key's router");
	is(router_row_scope(text, sizeof text, router_row(0)), "",
	   "a key of all");
}

int main(void)
{
	places();
	refusals();
	numbers();
	words();
	ini_free(&ini);
	return done();
}
