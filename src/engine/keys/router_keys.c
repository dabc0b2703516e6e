/* router_keys.c -- The table of the keys of [router], and what they come to. */
#include "engine/keys/router_keys.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/number.h"
#include "engine/count.h"
#include "keys/keys.h"

#define CACHE_AWARE ROUTED_BY(ROUTE_CACHE_AWARE)
#define PREFIXAWARE ROUTED_BY(ROUTE_PREFIXAWARE)
#define SESSION ROUTED_BY(ROUTE_SESSION)
#define PICKER ROUTED_BY(ROUTE_ENDPOINT_PICKER)
#define KV ROUTED_BY(ROUTE_KV)
#define ROUTER_ANY (ROUTED_BY(N_ROUTINGS) - 1)

#define ROW(kind_, field_, def_, min_, max_, unit_, choices_, help_, by_, ...) \
	&((const struct router_row){                                           \
	      .knob = {.size = sizeof(sc_knob),                                \
		       .type = (kind_),                                        \
		       .offset = offsetof(struct router_keys, field_),         \
		       .name = #field_,                                        \
		       .def = (def_),                                          \
		       .min = (min_),                                          \
		       .max = (max_),                                          \
		       .unit = (unit_),                                        \
		       .help = (help_),                                        \
		       .choices = (choices_)},                                 \
	      .read_by = (by_),                                                \
	      __VA_ARGS__})                                                    \
	     .knob
#define INT(field, def, min, max, unit, help, by, ...)                         \
	ROW(SC_KNOB_INT, field, def, min, max, unit, NULL, help, by,           \
	    __VA_ARGS__)
#define DOUBLE(field, def, min, max, unit, help, by, ...)                      \
	ROW(SC_KNOB_DOUBLE, field, def, min, max, unit, NULL, help, by,        \
	    __VA_ARGS__)
#define BOOL(field, def, help, by, ...)                                        \
	ROW(SC_KNOB_BOOL, field, def, 0, 1, "1", NULL, help, by, __VA_ARGS__)
#define CHOICE(field, def, words, help, by, ...)                               \
	ROW(SC_KNOB_CHOICE, field, def, 0, 0, "1", words, help, by, __VA_ARGS__)
#define TEXT(field, def, help, by, ...)                                        \
	ROW(SC_KNOB_TEXT, field, def, 0, 0, "", NULL, help, by, __VA_ARGS__)

#define WHEN(when_) .knob.when = (when_)

const sc_knob *const router_key[] = {
    CHOICE(ties, "random", ties_words,
	   "Which of several equally good replicas gets a request, where the "
	   "router's rule leaves it open: one drawn at random, or the first.",
	   ROUTER_ANY),
    DOUBLE(cache_threshold, "0.3", 0, 1, "1",
	   "The part of a prompt that must match for its owner to get it.",
	   CACHE_AWARE),
    INT(balance_abs_threshold, "64", 0, 1e9, "1",
	"The least loaded gets a request if the most loaded has more than this "
	"many more, and more than balance_rel_threshold times as many.",
	CACHE_AWARE),
    DOUBLE(balance_rel_threshold, "1.5", 0, 1e9, "1",
	   "See balance_abs_threshold.", CACHE_AWARE),
    DOUBLE(eviction_interval_secs, "120", 0, 1e9, "s",
	   "How often replicas with more than max_tree_size lose prompts of "
	   "the tree. 0: never.",
	   CACHE_AWARE),
    INT(max_tree_size, "67108864", 0, 1e15, "1",
	"Characters of prompts that the tree keeps for a replica.", CACHE_AWARE,
	WHEN("eviction_interval_secs>0")),
    INT(prefix_min_match_length, "0", 0, 1e9, "1",
	"With fewer matching characters the replica with the fewest recent "
	"requests gets the prompt.",
	PREFIXAWARE),
    DOUBLE(request_stats_window, "60", 0, 1e9, "s",
	   "How long a request counts as recent.", PREFIXAWARE | SESSION),
    TEXT(scorers,
	 "queue-scorer:2,kv-cache-utilization-scorer:2,prefix-cache-scorer:3",
	 "The scorers that are added up, each with its weight.", PICKER),
    CHOICE(picker, "max-score-picker", picker_words,
	   "How scores choose a replica.", PICKER),
    DOUBLE(refresh_metrics_interval_ms, "50", 0.001, 1e9, "ms",
	   "How often the router reads the engines' metrics.", PICKER),
    TEXT(block_size_tokens, "16",
	 "Tokens of a block, as the router cuts prompts; auto: the engine's.",
	 PICKER | KV),
    INT(max_prefix_blocks_to_match, "256", 1, 1e9, "1",
	"Blocks at the start of a prompt that the approximate index looks at.",
	PICKER),
    TEXT(lru_capacity_per_server, "31250",
	 "Blocks of a replica that the approximate index remembers; auto: the "
	 "engine's.",
	 PICKER),
    DOUBLE(overlap_score_credit, "1", 0, 1e6, "1",
	   "How much a cached block of the prompt takes off its cost.", KV),
    DOUBLE(prefill_load_scale, "1", 0, 1e6, "1",
	   "Weight of the prompt blocks to compute.", KV),
    DOUBLE(router_temperature, "0", 0, 1e6, "1",
	   "Draws a replica by its cost instead of the cheapest: the higher, "
	   "the more evenly.",
	   KV),
    BOOL(use_kv_events, "true",
	 "The engines tell which blocks they have. false: the router assumes "
	 "that a replica has the prompts that it was sent.",
	 KV),
    DOUBLE(router_ttl_secs, "120", 0, 1e9, "s",
	   "Without events: how long a prompt is remembered.", KV,
	   WHEN("use_kv_events=false")),
    DOUBLE(kv_event_delay_us, "0", 0, 1e12, "us",
	   "How late events reach the router.", KV, WHEN("use_kv_events=true")),
};
const uint32_t router_n_keys = sizeof router_key / sizeof *router_key;
const char *const router_pool_section[2] = {"router:prefill", "router:decode"};

/* ---- which router reads a key ---- */

static const char *routers(char *buf, size_t size, uint32_t read_by)
{
	size_t n = 0;
	buf[0] = '\0';
	for (uint32_t i = 0; i < N_ROUTINGS; i++)
		if (read_by & ROUTED_BY(i) && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s",
					      n ? ", " : "", routing_words[i]);
	return buf;
}

const char *router_row_scope(char *buf, size_t size, const struct router_row *r)
{
	char names[200];
	buf[0] = '\0';
	if (r->read_by != ROUTER_ANY)
		snprintf(buf, size, "Only with routing = %s.",
			 routers(names, sizeof names, r->read_by));
	return buf;
}

int router_has_keys(enum routing routing)
{
	for (uint32_t i = 0; i < router_n_keys; i++)
		if (router_row(i)->read_by != ROUTER_ANY &&
		    router_row(i)->read_by & ROUTED_BY(routing))
			return 1;
	return 0;
}

static const struct ini_item *given(const struct engine_source *s,
				    const char *key)
{
	const struct ini_item *t = NULL;
	if (s->arm)
		t = ini_find_behind(s->ini, s->arm, "router.", key);
	for (int pool = 0; !t && s->pool && pool < 2; pool++)
		if (!strcmp(s->pool, engine_pool_section[pool]))
			t = ini_find(s->ini, router_pool_section[pool], key);
	return t ? t : ini_find(s->ini, "router", key);
}

static int refuse(const struct router_row *r, enum routing routing,
		  const struct engine_source *s, struct problem *p)
{
	char names[200];
	const struct ini_item *t = given(s, r->knob.name);
	const struct ini_item *by = engine_key_item(s, "routing");
	int is_common = t && !strcmp(t->section, "router");
	int is_own = by && strcmp(by->section, "engine") != 0;
	if (!t || r->read_by & ROUTED_BY(routing) || (is_common && is_own))
		return 0;
	return problem_set(
	    p, EXIT_USAGE, "%s: %s is a key of routing = %s, not of %s", t->at,
	    r->knob.name, routers(names, sizeof names, r->read_by),
	    routing_words[routing]);
}

int router_refuse_pools(const struct ini *c, struct problem *p)
{
	for (size_t i = 0; i < c->n; i++)
		for (int pool = 0; pool < 2; pool++)
			if (!strcmp(c->item[i].section,
				    router_pool_section[pool]))
				return problem_set(
				    p, EXIT_USAGE,
				    "%s: [%s] needs a section [%s]",
				    c->item[i].at, router_pool_section[pool],
				    engine_pool_section[pool]);
	return 0;
}

int router_keys_fill(struct router_keys *k, enum routing routing,
		     const struct engine_source *s, struct problem *p)
{
	if (knobs_fill(k, router_key, router_n_keys, NULL, s->ini, "router", "",
		       p) < 0)
		return -1;
	for (int pool = 0; pool < 2; pool++)
		if (s->pool && !strcmp(s->pool, engine_pool_section[pool]) &&
		    knobs_overlay(k, router_key, router_n_keys, s->ini,
				  router_pool_section[pool], "", p) < 0)
			return -1;
	if (s->arm && knobs_overlay(k, router_key, router_n_keys, s->ini,
				    s->arm, "router.", p) < 0)
		return -1;
	for (uint32_t i = 0; s->arm && i < router_n_keys; i++)
		if (refuse(router_row(i), routing, s, p) < 0)
			return -1;
	return 0;
}

void router_keys_write(struct jw *j, const char *name, enum routing routing,
		       const struct router_keys *k)
{
	if (!router_has_keys(routing))
		return;
	jw_object(j, name);
	for (uint32_t i = 0; i < router_n_keys; i++)
		if (router_row(i)->read_by & ROUTED_BY(routing))
			knobs_write(j, k, &router_key[i], 1);
	jw_end(j);
}

/* ---- the numbers ---- */

static int refuse_value(const struct router_facts *f, struct problem *p,
			const char *key, const char *value, const char *why)
{
	const struct ini_item *t = f->from ? given(f->from, key) : NULL;
	return problem_set(p, EXIT_USAGE, "%s: %s = %s: %s",
			   t ? t->at : "[router]", key, value, why);
}

/* Reads a number of blocks or tokens, above 0. */
static int read_size(uint64_t *n, const char *key, const char *text,
		     uint64_t engines, const struct router_facts *f,
		     struct problem *p)
{
	*n = engines;
	if (!strcmp(text, "auto") ||
	    (count_read(n, text) == 0 && *n > 0 && *n <= INT32_MAX))
		return 0;
	return refuse_value(f, p, key, text,
			    "not auto or a whole number in [1, 2147483647]");
}

/* Reads "NAME:WEIGHT"; n: its length. */
static int read_scorer(double *weight, const char *text, size_t n)
{
	for (uint32_t i = 0; i < N_SCORERS; i++) {
		size_t len = strlen(scorer_words[i]);
		double v = -1;
		if (n <= len || strncmp(text, scorer_words[i], len) ||
		    text[len] != ':')
			continue;
		const char *end = number_parse(text + len + 1, &v);
		if (end != text + n || !(v >= 0) || !(v <= 1e9) ||
		    weight[i] > 0)
			return -1;
		weight[i] = v;
		return 0;
	}
	return -1;
}

static int read_scorers(double *weight, const char *text,
			const struct router_facts *f, struct problem *p)
{
	char why[400];
	const char *at = text + strspn(text, " ");
	size_t len = 0;
	memset(weight, 0, N_SCORERS * sizeof *weight);
	while (*at) {
		size_t n = strcspn(at, ", ");
		if (read_scorer(weight, at, n))
			break;
		at += n;
		at += strspn(at, ", ");
	}
	if (!*at && *text)
		return 0;
	for (uint32_t i = 0; i < N_SCORERS && len < sizeof why; i++)
		len += (size_t)snprintf(why + len, sizeof why - len, "%s%s",
					i ? ", "
					  : "NAME:WEIGHT,... with each "
					    "name at most once, of ",
					scorer_words[i]);
	return refuse_value(f, p, "scorers", text, why);
}

/* Events tell of the engine's blocks, so they must be the router's, too. */
static int check_events(const struct router_rules *r, enum routing routing,
			const struct router_facts *f, struct problem *p)
{
	char tokens[24], why[160];
	if (routing != ROUTE_KV || !r->use_kv_events ||
	    r->block_tokens == f->block_size)
		return 0;
	snprintf(tokens, sizeof tokens, "%" PRIu64, r->block_tokens);
	snprintf(why, sizeof why,
		 "the engine's events tell of blocks of %" PRIu32
		 " tokens; set auto, or use_kv_events = false",
		 f->block_size);
	return refuse_value(f, p, "block_size_tokens", tokens, why);
}

int router_resolve(struct router_rules *r, enum routing routing,
		   const struct router_keys *k, const struct router_facts *f,
		   struct problem *p)
{
	*r = (struct router_rules){
	    .ties = (uint64_t)k->ties,
	    .picker = (uint64_t)k->picker,
	    .cache_threshold = k->cache_threshold,
	    .balance_rel_threshold = k->balance_rel_threshold,
	    .balance_abs_threshold = (uint64_t)k->balance_abs_threshold,
	    .eviction_interval_ns = llround(1e9 * k->eviction_interval_secs),
	    .max_tree_size = (uint64_t)k->max_tree_size,
	    .prefix_min_match_length = (uint64_t)k->prefix_min_match_length,
	    .request_stats_window_ns = llround(1e9 * k->request_stats_window),
	    .refresh_metrics_interval_ns =
		llround(1e6 * k->refresh_metrics_interval_ms),
	    .max_blocks = (uint64_t)k->max_prefix_blocks_to_match,
	    .overlap_score_credit = k->overlap_score_credit,
	    .prefill_load_scale = k->prefill_load_scale,
	    .temperature = k->router_temperature,
	    .use_kv_events = (uint64_t)k->use_kv_events,
	    .ttl_ns = llround(1e9 * k->router_ttl_secs),
	    .kv_event_delay_ns = llround(1e3 * k->kv_event_delay_us),
	    .chars_per_token = f->chars_per_token,
	};
	if (read_size(&r->block_tokens, "block_size_tokens",
		      k->block_size_tokens, f->block_size, f, p) < 0 ||
	    read_size(&r->lru_blocks, "lru_capacity_per_server",
		      k->lru_capacity_per_server, f->blocks, f, p) < 0 ||
	    read_scorers(r->weight, k->scorers, f, p) < 0)
		return -1;
	return check_events(r, routing, f, p);
}
