/* domain.c -- Which keys are tried, and with which values. */
#include "recommend/domain.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/assignment.h"
#include "base/nearest.h"
#include "engine/presets.h"
#include "sweep/values.h"

/* ---- the table ---- */

enum when {
	ALWAYS,
	AGGREGATED, /* replicas that do both                                  */
	EXPERTS,  /* the same, of a model with experts                       */
	ROLES,    /* prefill and decode apart                                */
	IF_GIVEN, /* only by the user                                        */
};
#define FIXED_RUNS "workload.num_requests"

/* The engines are in the order of enum engine_scheduler; one name stands for
 * all. */
struct row {
	const char *key[3];
	const char *values;
	enum when when;
};
static const struct row row[DOMAIN_KEYS] = {
    [DOMAIN_MODEL] = {{"model.config"}, "", IF_GIVEN},
    [DOMAIN_HARDWARE] = {{"hardware.config"}, "", IF_GIVEN},
    [DOMAIN_TP] = {{"engine.tensor_parallel_size"}, "1,2,4,8", AGGREGATED},
    [DOMAIN_PP] = {{"engine.pipeline_parallel_size"}, "1", AGGREGATED},
    [DOMAIN_DP] = {{"engine.data_parallel_size"}, "1,rest", EXPERTS},
    [DOMAIN_EP] = {{"engine.enable_expert_parallel"}, "false,true", EXPERTS},
    [DOMAIN_REPLICAS] = {{"engine.replicas"}, "all", AGGREGATED},
    [DOMAIN_PREFILL_TP] = {{"engine:prefill.tensor_parallel_size"},
			   "1,2,4,8",
			   ROLES},
    [DOMAIN_PREFILL_REPLICAS] = {{"engine:prefill.replicas"}, "each", ROLES},
    [DOMAIN_DECODE_TP] = {{"engine:decode.tensor_parallel_size"},
			  "1,2,4,8",
			  ROLES},
    [DOMAIN_DECODE_REPLICAS] = {{"engine:decode.replicas"}, "each", ROLES},
    [DOMAIN_TOKENS] = {{"engine.max_num_batched_tokens",
			"engine.chunked_prefill_size", "engine.max_num_tokens"},
		       "2048,8192,16384",
		       ALWAYS},
    [DOMAIN_SEQS] = {{"engine.max_num_seqs", "engine.max_running_requests",
		      "engine.max_batch_size"},
		     "64,256,1024",
		     ALWAYS},
};

enum engine_scheduler domain_engine(const struct config *base)
{
	enum engine_preset preset =
	    (enum engine_preset)base->engine_keys.preset;
	return preset == PRESET_NONE
		   ? (enum engine_scheduler)base->engine_keys.scheduler
		   : engine_preset_scheduler(preset);
}

static const char *key_of(const struct config *base, int which)
{
	const char *own = row[which].key[domain_engine(base)];
	return own ? own : row[which].key[0];
}

int domain_is_limit(const char *key, int which)
{
	for (int i = 0; i < 3; i++)
		if (!strcmp(key, row[which].key[i]))
			return 1;
	return 0;
}

/* ---- the defaults ---- */

static int is_tried(const struct config *base, const struct domain_request *r,
		    enum when when)
{
	int has_experts = model_has_experts(&base->model.view);
	return when == ALWAYS || (when == ROLES && r->has_roles) ||
	       (when == AGGREGATED && r->has_aggregated) ||
	       (when == EXPERTS && r->has_aggregated && has_experts);
}

/* A model that a node has no room for is also cut into stages.  A tenth of the
 * memory is for everything else. */
static int exceeds_node(const struct config *base)
{
	struct hardware h;
	struct problem ignored; /* the points will tell */
	double room = 0;
	if (hardware_load(&h, &base->cfg, NULL, base->arm[0].section,
			  base->model.view.compute_format, &ignored) == 0)
		room = 0.9 * DOMAIN_NODE * h.view.mem_bytes;
	hardware_free(&h);
	return room > 0 && base->model.weight_bytes > room;
}

static const char *values_of(const struct config *base,
			     const struct domain_request *r, int which)
{
	if (!is_tried(base, r, row[which].when))
		return "";
	if (which == DOMAIN_PP && exceeds_node(base))
		return "1,2,4";
	if (which == DOMAIN_REPLICAS && r->rate > 0)
		return "each";
	return row[which].values;
}

static int fill(struct domain *x, const char *option, const char *values,
		struct problem *p)
{
	return *values ? values_parse_as(&x->value, option, x->key, values, p)
		       : 0;
}

static int begin(struct domains *d, const struct domain_request *r,
		 const struct config *base, struct problem *p)
{
	d->item = calloc(DOMAIN_KEYS + r->search->n + 1, sizeof *d->item);
	if (!d->item)
		return problem_no_memory(p);
	for (d->n = 0; d->n < DOMAIN_KEYS; d->n++) {
		int which = (int)d->n;
		d->item[which].key = key_of(base, which);
		if (fill(&d->item[which], "--search", values_of(base, r, which),
			 p) < 0)
			return -1;
	}
	return 0;
}

/* ---- what the user asks for ---- */

static struct domain *named(struct domains *d, const char *key, size_t n)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strncmp(d->item[i].key, key, n) && !d->item[i].key[n])
			return &d->item[i];
	return NULL;
}

static struct domain *add(struct domains *d, const char *key, size_t n)
{
	struct domain *x = &d->item[d->n];
	x->owned = strndup(key, n);
	x->key = x->owned;
	d->n += x->owned != NULL;
	return x->owned ? x : NULL;
}

/* Sets the values of a key that the user wants to search (--search). */
static int give(struct domains *d, const char *option, const char *key,
		size_t n, const char *values, struct problem *p)
{
	struct domain *x = named(d, key, n);
	if (!assignment_dot(key, n))
		return problem_set(p, EXIT_USAGE,
				   "%s %.*s: not SECTION.KEY, as in "
				   "engine.max_num_seqs",
				   option, (int)n, key);
	if (!strncmp(key, "workload.", 9) || !strncmp(key, "slo.", 4))
		return problem_set(
		    p, EXIT_USAGE,
		    "%s %.*s: configurations must answer the same requests",
		    option, (int)n, key);
	if (x && x->is_given)
		return problem_set(p, EXIT_USAGE, "%s %.*s: searched twice",
				   option, (int)n, key);
	if (!x && !(x = add(d, key, n)))
		return problem_no_memory(p);
	names_free(&x->value);
	x->is_given = 1;
	return values_parse_as(&x->value, option, x->key, values, p);
}

/* Reads --search: the values to try of each key. */
static int read_searched(struct domains *d, const struct names *list,
			 struct problem *p)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *text = list->item[i], *equals = strchr(text, '=');
		if (!equals)
			return problem_set(
			    p, EXIT_USAGE,
			    "--search %s: not SECTION.KEY=VALUES, as in "
			    "engine.max_num_seqs=64,256",
			    text);
		if (give(d, "--search", text, (size_t)(equals - text),
			 equals + 1, p) < 0)
			return -1;
	}
	return 0;
}

/* Returns 1 for a key that is tried under some engine, or that says how long
 * runs are. */
static int may_be_fixed(const char *key, size_t n)
{
	for (int i = 0; i < DOMAIN_KEYS; i++)
		for (int k = 0; k < 3; k++)
			if (row[i].key[k] && strlen(row[i].key[k]) == n &&
			    !strncmp(row[i].key[k], key, n))
				return 1;
	return n == strlen(FIXED_RUNS) && !strncmp(key, FIXED_RUNS, n);
}

static int not_tried(const struct domains *d, const char *key, size_t n,
		     struct problem *p)
{
	struct names all = {0};
	char text[800], given[64], hint[100];
	for (size_t i = 0; i < d->n; i++)
		if (d->item[i].value.n)
			names_add(&all, d->item[i].key);
	snprintf(given, sizeof given, "%.*s", (int)n, key);
	problem_set(p, EXIT_USAGE,
		    "--fix %.*s: no key that is tried%s; these are: %s, and "
		    "longer runs (%s)",
		    (int)n, key, nearest_of_id(given, &all, hint),
		    names_join(&all, text, sizeof text), FIXED_RUNS);
	names_free(&all);
	return -1;
}

static int fix_one(struct domains *d, const char *key, size_t n,
		   struct problem *p)
{
	struct domain *x = named(d, key, n);
	if (!assignment_dot(key, n))
		return problem_set(p, EXIT_USAGE,
				   "--fix %.*s: not SECTION.KEY, as in "
				   "engine.max_num_seqs",
				   (int)n, key);
	if (x && x->is_given)
		return problem_set(p, EXIT_USAGE, "--fix %.*s: it is searched",
				   (int)n, key);
	if (!x && !may_be_fixed(key, n))
		return not_tried(d, key, n, p);
	if (x)
		names_free(&x->value);
	return 0;
}

/* Fixes the keys of all --fix options: lists with commas. */
static int fix(struct domains *d, const struct names *list, struct problem *p)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *s = list->item[i];
		for (;;) {
			size_t n = strcspn(s, ",");
			if (fix_one(d, s, n, p) < 0)
				return -1;
			if (!s[n])
				break;
			s += n + 1;
		}
	}
	return 0;
}

static int give_list(struct domains *d, const char *option, int which,
		     const char *values, struct problem *p)
{
	const char *key = row[which].key[0];
	return values ? give(d, option, key, strlen(key), values, p) : 0;
}

int domains_make(struct domains *d, const struct domain_request *r,
		 const struct config *base, struct problem *p)
{
	*d = (struct domains){0};
	return begin(d, r, base, p) < 0 ||
		       give_list(d, "--models", DOMAIN_MODEL, r->models, p) <
			   0 ||
		       give_list(d, "--hardware", DOMAIN_HARDWARE, r->hardware,
				 p) < 0 ||
		       read_searched(d, r->search, p) < 0 ||
		       fix(d, r->fix, p) < 0
		   ? -1
		   : 0;
}

void domains_free(struct domains *d)
{
	for (size_t i = 0; i < d->n; i++) {
		names_free(&d->item[i].value);
		free(d->item[i].owned);
	}
	free(d->item);
	*d = (struct domains){0};
}
