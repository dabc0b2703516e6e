/* configuration.c -- Reads an INI as sections, keys and arms. */
#include "arm/configuration.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arm/assignment.h"
#include "arm/inert.h"
#include "arm/key_tables.h"
#include "arm/knob_check.h"
#include "arm/known_names.h"
#include "arm/table_choice.h"
#include "engine/draft_model.h"
#include "engine/keys/defaults.h"
#include "engine/keys/fill.h"
#include "engine/keys/rows.h"
#include "engine/parallel.h"
#include "engine/resolve.h"
#include "keys/keys.h"
#include "keys/known_gpus.h"
#include "plugin/installed.h"

#define N(array) (uint32_t)(sizeof(array) / sizeof *(array))

static int fill_engine(struct engine_keys *k, const struct engine_source *from,
		       struct problem *p)
{
	return engine_keys_fill(k, from, p) < 0 ? -1 : engine_check(k, from, p);
}

/* Returns 1 if no arm reads the sections of the pools. */
static int are_ignored(const struct ini *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->item[i].key, "engine.pools"))
			return 0;
	const char *pools = ini_get(c, "engine", "pools");
	return pools && !strcmp(pools, pools_words[POOLS_TOGETHER]);
}

/* Returns 1 if any section of a pool has a key or a heading, and is read. */
static int is_apart(const struct ini *c)
{
	if (are_ignored(c))
		return 0;
	for (int pool = 0; pool < 2; pool++) {
		const char *name = engine_pool_section[pool];
		for (size_t i = 0; i < c->n_heads; i++)
			if (!strcmp(c->head[i].section, name))
				return 1;
		for (size_t i = 0; i < c->n; i++)
			if (!strcmp(c->item[i].section, name))
				return 1;
	}
	return 0;
}

/* Returns 1 if the arm ignores the sections of the pools. */
static int is_together(const struct config *c, size_t i)
{
	const struct engine_source own = config_engine_source(c, i, NULL);
	const struct ini_item *t = engine_key_item(&own, "pools");
	return t && !strcmp(t->value, pools_words[POOLS_TOGETHER]);
}

const char *config_pool(const struct config *c, size_t i, uint32_t pool)
{
	return c->is_apart && !is_together(c, i) ? engine_pool_section[pool]
						 : NULL;
}

struct engine_source config_engine_source(const struct config *c, size_t i,
					  const char *pool)
{
	return (struct engine_source){
	    .ini = &c->cfg, .pool = pool, .arm = c->arm[i].section};
}

int config_decode_arm(const struct config *c, size_t i, size_t *index,
		      struct problem *p)
{
	const struct engine_source from =
	    config_engine_source(c, i, config_pool(c, i, 1));
	const struct ini_item *t = engine_key_item(&from, "decode_cost_model");
	*index = i;
	if (!t || !t->value[0])
		return 0;
	for (*index = 0; *index < c->n_arms; ++*index)
		if (!strcmp(c->arm[*index].name, t->value))
			return 0;
	return problem_set(
	    p, EXIT_USAGE,
	    "%s: decode_cost_model = %s: no arm of this name is run", t->at,
	    t->value);
}

int config_draft_arm(const struct config *c, size_t i, const char *pool,
		     const struct engine_keys *k, size_t *index,
		     struct problem *p)
{
	const struct engine_source from = config_engine_source(c, i, pool);
	for (*index = 0; *index < c->n_all_arms; ++*index)
		if (!strcmp(c->arm[*index].name, k->draft_cost_model))
			return 0;
	return engine_refuse(p, &from, "draft_cost_model",
			     "draft_cost_model = %s: there is no arm of this "
			     "name",
			     k->draft_cost_model);
}

int config_engine_keys(struct engine_keys *k, const struct config *c, size_t i,
		       const char *pool, const struct hardware *h,
		       struct problem *p)
{
	const struct engine_source from = config_engine_source(c, i, pool);
	const struct engine_usage usage = engine_usage_of(&c->model, h);
	if (fill_engine(k, &from, p) < 0 ||
	    engine_keys_complete(k, &from, &usage, p) < 0)
		return -1;
	if (!c->prices_only)
		return parallel_check(k, &c->model, &from, p);
	k->num_gpu_blocks = "unlimited";
	k->kv_offloading_size = 0;
	k->cpu_bytes_to_use = 0;
	k->memory_check = MEMORY_CHECK_OFF;
	return 0;
}

/* ---- values ---- */

/* Fills in the keys of [engine], and those of the pools' sections on top. */
static int fill_engines(struct config *c, struct problem *p)
{
	const struct engine_source all = {.ini = &c->cfg,
					  .is_part = is_apart(&c->cfg)};
	c->is_apart = all.is_part;
	if ((!c->is_apart && router_refuse_pools(&c->cfg, p) < 0) ||
	    fill_engine(&c->engine_keys, &all, p) < 0)
		return -1;
	for (uint32_t pool = 0; c->is_apart && pool < 2; pool++) {
		const struct engine_source from = {
		    .ini = &c->cfg, .pool = engine_pool_section[pool]};
		if (fill_engine(&c->pool_keys[pool], &from, p) < 0)
			return -1;
	}
	return 0;
}

static int fill_blocks(struct config *c, unsigned parts, struct problem *p)
{
	struct host_keys host;
	const struct ini *f = &c->cfg;
	if (parts & CONFIG_HOST && knobs_fill(&host, host_key, host_n_keys,
					      NULL, f, "stepcost", "", p) < 0)
		return -1;
	if (parts & CONFIG_ENGINE && fill_engines(c, p) < 0)
		return -1;
	if (parts & CONFIG_SLO && knobs_fill(&c->slo_keys, slo_key, slo_n_keys,
					     NULL, f, "slo", "", p) < 0)
		return -1;
	return parts & CONFIG_WORKLOAD
		   ? knobs_fill(&c->workload_keys, workload_keys,
				n_workload_keys, NULL, f, "workload", "", p)
		   : 0;
}

/* ---- --set ---- */

int config_read(struct ini *c, const char *path, const char *const *set,
		size_t n_set, struct problem *p)
{
	if (ini_load(c, path, p) < 0)
		return -1;
	for (size_t i = 0; i < n_set; i++)
		if (assignment_apply(c, set[i], p) < 0)
			return -1;
	return 0;
}

/* ---- the whole configuration ---- */

/* Checks every arm of the file, and then keeps those that run. */
static int list_arms(struct config *c, struct problem *p)
{
	struct arm_list l;
	int rc = arm_list_read(&l, &c->cfg, p);
	if (rc == 0 && l.n == 0)
		rc = problem_set(
		    p, EXIT_USAGE,
		    "%s: no arm; add a section [cost_model] with plugin = NAME",
		    c->cfg.path);
	if (rc == 0)
		rc = known_plugins_ask(c->known, l.item, l.n, p);
	if (rc == 0)
		rc = knob_check(&c->cfg, l.item, l.n, c->known, &c->notes, p);
	if (rc == 0)
		arm_list_lead(&l);
	if (rc == 0 && c->wanted)
		rc = arm_list_select(&l, c->wanted, c->cfg.path, p);
	else if (rc == 0 && !c->prices_only)
		arm_list_leave_drafters(&l, &c->cfg);
	c->arm = l.item;
	c->n_arms = l.n;
	c->n_all_arms = l.n_all;
	return rc;
}

static void free_arms(struct config *c)
{
	arm_list_free(&(struct arm_list){c->arm, c->n_arms, c->n_all_arms});
}

/* Returns 1 for an arm that takes part, or is the drafter of one. */
static int is_used(const struct config *c, size_t i)
{
	return i < c->n_arms || arm_list_drafts(&c->arm[i], &c->cfg);
}

static int choose_tables(const struct config *c, size_t i, struct problem *p)
{
	const struct table_source from = {.ini = &c->cfg,
					  .model = &c->model,
					  .known = c->known,
					  .library = c->library,
					  .any_kernel = c->any_kernel};
	struct arm_config *a = &c->arm[i];
	if (table_choice_make(&from, a, config_pool(c, i, 0), &a->tables, p) <
	    0)
		return -1;
	return c->is_apart ? table_choice_make(&from, a, config_pool(c, i, 1),
					       &a->decode_tables, p)
			   : 0;
}

static int renew_arms(struct config *c, unsigned parts, struct problem *p)
{
	if (parts & CONFIG_ARMS)
		free_arms(c);
	int rc = parts & CONFIG_ARMS ? list_arms(c, p) : 0;
	if (rc == 0 && parts & CONFIG_MODEL) {
		model_free(&c->model);
		rc = model_load(&c->model, &c->cfg, p);
	}
	for (size_t i = 0; rc == 0 && i < c->n_all_arms; i++) {
		if (!is_used(c, i))
			continue;
		if (!c->arm[i].plugin_path)
			rc =
			    problem_set(p, EXIT_USAGE, "%s", c->arm[i].missing);
		else if (parts & CONFIG_CHOICE)
			rc = choose_tables(c, i, p);
	}
	return rc;
}

int config_renew(struct config *c, unsigned parts, struct problem *p)
{
	int was_apart = c->is_apart;
	if (fill_blocks(c, parts, p) < 0)
		return -1;
	/* A decode pool that was not there before has no tables yet. */
	if (c->is_apart != was_apart)
		parts |= CONFIG_TABLES;
	return renew_arms(c, parts, p);
}

static int is_pool_section(const char *section)
{
	for (int pool = 0; pool < 2; pool++)
		if (!strcmp(section, engine_pool_section[pool]) ||
		    !strcmp(section, router_pool_section[pool]))
			return 1;
	return 0;
}

unsigned config_parts(const char *section, const char *key)
{
	static const struct {
		const char *section;
		unsigned parts;
	} of[] = {
	    {"stepcost", CONFIG_HOST},     {"model", CONFIG_MODEL},
	    {"hardware", CONFIG_HARDWARE}, {"engine", CONFIG_ENGINE},
	    {"tables", CONFIG_TABLES},     {"workload", CONFIG_WORKLOAD},
	    {"slo", CONFIG_SLO},           {"router", CONFIG_ENGINE},
	    {"autoscaler", CONFIG_ENGINE}, {"failures", CONFIG_ENGINE},
	};
	for (uint32_t i = 0; i < N(of); i++)
		if (!strcmp(section, of[i].section))
			return of[i].parts;
	if (!arm_is_section(section) && !is_pool_section(section))
		return 0;
	if (!strncmp(key, "tables.", 7))
		return CONFIG_TABLES;
	if (!strncmp(key, "hardware.", 9))
		return CONFIG_HARDWARE;
	if (!strncmp(key, "engine.", 7) || !strncmp(key, "router.", 7) ||
	    is_pool_section(section))
		return CONFIG_ENGINE;
	return strcmp(key, "plugin") && strcmp(key, "preset")
		   ? CONFIG_KNOBS
		   : CONFIG_ARMS | CONFIG_KNOBS;
}

int config_check_split(const struct config *c, size_t i, struct problem *p)
{
	struct engine_keys k;
	const struct engine_source from =
	    config_engine_source(c, i, config_pool(c, i, 0));
	if (fill_engine(&k, &from, p) < 0)
		return -1;
	return parallel_check(&k, &c->model, &from, p);
}

/* Refuses drafts for a cost model that cannot price several tokens per
 * decode. */
static int check_drafts(const struct config *c, size_t i, const char *pool,
			const struct engine_keys *k, struct problem *p)
{
	char names[300];
	const struct engine_source from = config_engine_source(c, i, pool);
	const struct plugin_description *about =
	    known_plugin(c->known, c->arm[i].plugin_path);
	if (k->num_speculative_tokens == 0 || !about ||
	    about->is.capabilities & SC_CAP_DECODE_NEW)
		return 0;
	return engine_refuse(
	    p, &from, "num_speculative_tokens",
	    "num_speculative_tokens = %" PRId64
	    ": %s cannot price decodes of several tokens; use one of %s",
	    k->num_speculative_tokens, c->arm[i].plugin,
	    installed_with(names, sizeof names, SC_CAP_DECODE_NEW));
}

/* Checks the drafter, if there is one: the arm that prices it, and its
 * model. */
static int check_drafter(const struct config *c, size_t i, const char *pool,
			 const struct engine_keys *k, struct problem *p)
{
	struct model m;
	size_t index;
	const struct engine_source from = config_engine_source(c, i, pool);
	if (c->prices_only)
		return 0;
	if (k->draft_cost_model[0] &&
	    config_draft_arm(c, i, pool, k, &index, p) < 0)
		return -1;
	int rc = draft_model_load(&m, k, &c->model, &from, p);
	model_free(&m);
	return rc;
}

static int complete_pool(struct config *c, uint32_t pool,
			 const struct engine_usage *u, struct problem *p)
{
	const struct engine_source from = {.ini = &c->cfg,
					   .pool = engine_pool_section[pool]};
	return engine_keys_complete(&c->pool_keys[pool], &from, u, p);
}

/* Checks the engine of arm i, and fills in its keys.  The GPU of the first arm
 * is used for the engine keys of all. */
static int check_engine(struct config *c, size_t i, uint32_t pool,
			const struct hardware *h, struct engine_keys *keys,
			struct problem *p)
{
	const struct engine_source all = {.ini = &c->cfg};
	const struct engine_source of_pool = {.ini = &c->cfg,
					      .pool = config_pool(c, i, pool)};
	const struct engine_usage usage = engine_usage_of(&c->model, h);
	if (i == 0 && pool == 0 &&
	    engine_keys_complete(&c->engine_keys, &all, &usage, p) < 0)
		return -1;
	if (i == 0 && c->is_apart && complete_pool(c, pool, &usage, p) < 0)
		return -1;
	if (config_engine_keys(keys, c, i, of_pool.pool, h, p) < 0)
		return -1;
	if (check_drafts(c, i, of_pool.pool, keys, p) < 0)
		return -1;
	return check_drafter(c, i, of_pool.pool, keys, p);
}

/* *name: name of the GPU.  Fills in *v; the caller frees its hardware. */
static int check_hardware(struct config *c, size_t i, uint32_t pool,
			  char **name, struct inert_values *v,
			  struct problem *p)
{
	struct hardware *h = &v->hardware;
	const struct engine_source from =
	    config_engine_source(c, i, config_pool(c, i, pool));
	int rc =
	    hardware_load(h, &c->cfg, config_pool(c, i, pool),
			  c->arm[i].section, c->model.view.compute_format, p);
	if (rc == 0)
		rc = hardware_check_known(h, c->model.view.compute_format, p);
	if (rc == 0)
		rc = check_engine(c, i, pool, h, &v->engine, p);
	if (rc == 0 && c->prices_only) /* as the file has them */
		rc = fill_engine(&v->engine, &from, p);
	if (h->price.lists) /* the price is not of the key, but of `prices` */
		h->keys.usd_per_hour = 0;
	*name = h->name;
	h->name = NULL;
	return rc;
}

/* v[2n]: values of each arm, and behind them those of the decode pool. */
static int check_each_arm(struct config *c, struct inert_values *v,
			  struct problem *p)
{
	for (size_t i = 0; i < c->n_arms; i++) {
		struct arm_config *a = &c->arm[i];
		if (check_hardware(c, i, 0, &a->hardware, &v[i], p) < 0 ||
		    (c->is_apart && check_hardware(c, i, 1, &a->decode_hardware,
						   &v[c->n_arms + i], p) < 0))
			return -1;
		if (!config_pool(c, i, 1)) {
			free(a->decode_hardware);
			a->decode_hardware = NULL;
		}
	}
	return inert_check_sections(
	    &(const struct inert_sections){.ini = &c->cfg,
					   .workload = &c->workload_keys,
					   .common = &c->engine_keys,
					   .kinds = &c->model.kinds,
					   .arm = c->arm,
					   .value = v,
					   .n = c->n_arms,
					   .is_apart = c->is_apart,
					   .is_searched = c->is_searched},
	    &c->notes, p);
}

static int check_arms(struct config *c, struct problem *p)
{
	size_t n = 2 * c->n_arms;
	struct inert_values *v = calloc(n + 1, sizeof *v);
	if (!v)
		return problem_no_memory(p);
	int rc = check_each_arm(c, v, p);
	for (size_t i = 0; i < n; i++)
		hardware_free(&v[i].hardware);
	free(v);
	return rc;
}

void config_begin(struct config *c)
{
	*c =
	    (struct config){.known = &c->own_known, .library = &c->own_library};
}

static int load(struct config *c, const struct config *beside, const char *path,
		const char *const *set, size_t n_set, const char *const *own,
		struct problem *p)
{
	c->known = beside ? beside->known : &c->own_known;
	c->library = beside ? beside->library : &c->own_library;
	if (config_read(&c->cfg, path, set, n_set, p) < 0 ||
	    known_names_check(&c->cfg, own, p) < 0 ||
	    config_renew(c, CONFIG_ALL, p) < 0)
		return -1;
	return check_arms(c, p);
}

int config_load(struct config *c, const char *path, const char *const *set,
		size_t n_set, const char *arms, struct problem *p)
{
	*c = (struct config){.wanted = arms};
	return load(c, NULL, path, set, n_set, NULL, p);
}

int config_load_beside(struct config *c, const struct config *beside,
		       const char *path, const char *const *set, size_t n_set,
		       const char *arms, struct problem *p)
{
	*c = (struct config){.wanted = arms};
	return load(c, beside, path, set, n_set, NULL, p);
}

int config_load_searched(struct config *c, const struct config *beside,
			 int prices_only, const char *path,
			 const char *const *set, size_t n_set, const char *arms,
			 struct problem *p)
{
	*c = (struct config){
	    .wanted = arms, .is_searched = 1, .prices_only = prices_only};
	return load(c, beside, path, set, n_set, NULL, p);
}

int config_load_priced(struct config *c, const char *path,
		       const char *const *set, size_t n_set, const char *arms,
		       const char *const *own, struct problem *p)
{
	*c = (struct config){.wanted = arms, .prices_only = 1};
	return load(c, NULL, path, set, n_set, own, p);
}

int config_load_priced_beside(struct config *c, const struct config *beside,
			      const char *path, const char *const *set,
			      size_t n_set, const char *arms, struct problem *p)
{
	*c = (struct config){.wanted = arms, .prices_only = 1};
	return load(c, beside, path, set, n_set, NULL, p);
}

int config_load_kernels(struct config *c, const char *path,
			const char *const *set, size_t n_set, const char *arms,
			struct problem *p)
{
	*c = (struct config){.wanted = arms, .prices_only = 1, .any_kernel = 1};
	return load(c, NULL, path, set, n_set, NULL, p);
}

void config_free(struct config *c)
{
	free_arms(c);
	model_free(&c->model);
	known_plugins_free(&c->own_known);
	library_free(&c->own_library);
	names_free(&c->notes);
	ini_free(&c->cfg);
	*c = (struct config){0};
}

void config_write_setup(struct jw *j, const struct config *c)
{
	jw_object(j, "model");
	if (c->model.view.n_groups) {
		jw_text(j, "name", c->model.name);
		model_keys_write(j, &c->model.keys);
		jw_uint(j, "parameters", c->model.view.n_params);
	}
	jw_end(j);
	jw_object(j, "engine");
	engine_keys_write(j, &c->engine_keys);
	jw_end(j);
	engine_router_write(j, "router", &c->engine_keys);
	engine_fleet_write(j, &c->engine_keys);
	for (uint32_t pool = 0; c->is_apart && pool < 2; pool++) {
		jw_object(j, engine_pool_section[pool]);
		knobs_write(j, &c->pool_keys[pool], engine_key, engine_n_keys);
		jw_end(j);
		engine_router_write(j, router_pool_section[pool],
				    &c->pool_keys[pool]);
	}
	jw_object(j, "slo");
	knobs_write(j, &c->slo_keys, slo_key, slo_n_keys);
	jw_end(j);
}

void config_write_workload(struct jw *j, const struct config *c)
{
	jw_object(j, "workload");
	knobs_write(j, &c->workload_keys, workload_keys, n_workload_keys);
	jw_end(j);
}

void config_write(struct jw *j, const struct config *c)
{
	config_write_setup(j, c);
	config_write_workload(j, c);
}
