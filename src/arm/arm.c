/* arm.c -- Opens an arm: loads its plugin, prepares its setup, creates its
 * instance. */
#include "arm/arm.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/file/inputs.h"
#include "engine/draft_model.h"
#include "engine/keys/fill.h"
#include "engine/memory/fits.h"
#include "engine/memory/memory.h"
#include "engine/parallel.h"
#include "engine/pools.h"
#include "engine/keys/rows.h"
#include "engine/presets.h"
#include "engine/request_costs.h"
#include "engine/resolve.h"
#include "keys/keys.h"
#include "keys/known_gpus.h"
#include "plugin/needs.h"
#include "plugin/schema.h"

/* Adds the drafter's model, and the memory that it takes on the GPUs. */
static int add_drafter(struct arm *a, struct engine_facts *f,
		       const struct engine_source *from, struct problem *p)
{
	const struct engine_keys *k = &a->engine_keys;
	struct model *m = &a->draft_model;
	model_free(m);
	if (a->config->prices_only)
		return 0;
	if (draft_model_load(m, k, &a->config->model, from, p) < 0)
		return -1;
	if (m->view.n_groups)
		model_set_kv_format(m, engine_kv_format(k), &m->view);
	draft_model_add(f, m, k, m->view.kv_bits);
	return 0;
}

/* A price needs no memory, and serving does: says once that the weights of a
 * stage do not fit. */
static void warn_of_weights(const struct arm *a, const struct engine_facts *f)
{
	for (uint32_t s = 0; s < f->parallel.pp && a->host && a->host->log;
	     s++) {
		char text[200];
		double weights = f->share[s].weight_bytes;
		if (!(weights > f->usable_bytes && f->usable_bytes > 0))
			continue;
		snprintf(text, sizeof text,
			 "no engine can serve this: the weights alone take "
			 "%.4g GB of each GPU, which has %.4g GB; steps are "
			 "priced all the same",
			 weights / 1e9, f->usable_bytes / 1e9);
		a->host->log(a->host, 2, text);
		return;
	}
}

static int resolve_engine(struct arm *a, struct problem *p)
{
	const struct config *c = a->config;
	const struct engine_source from =
	    config_engine_source(c, a->index, a->pool);
	const struct engine_keys *k = &a->engine_keys;
	if (config_engine_keys(&a->engine_keys, c, a->index, a->pool,
			       &a->hardware, p) < 0)
		return -1;
	struct engine_facts facts =
	    parallel_facts(&c->model, &a->hardware, k, &a->model);
	if (add_drafter(a, &facts, &from, p) < 0)
		return -1;
	if (c->prices_only)
		warn_of_weights(a, &facts);
	facts.seed = (uint64_t)c->workload_keys.seed;
	facts.chars_per_token = c->workload_keys.chars_per_token;
	facts.from = &from;
	int rc = engine_resolve(&a->engine, k, &c->slo_keys, &facts, p);
	if (rc == ENGINE_NO_ROOM)
		fits_say(p, &(struct fits_of){.keys = k,
					      .model = &c->model,
					      .draft = &a->draft_model,
					      .hardware = &a->hardware});
	if (rc < 0)
		return -1;
	engine_view(&a->engine_view, &a->parallel, &a->engine);
	return 0;
}

/* Adds the missing section to the plugin's complaint about an empty model or
 * GPU. */
static int say_what_is_missing(const struct arm *a, const struct problem *why,
			       struct problem *p)
{
	const char *missing = !a->config->model.view.n_groups ? "[model]"
			      : !a->hardware.from.n           ? "[hardware]"
							      : NULL;
	if (missing)
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: no %s; give config = NAME or its keys: %s",
		    a->config->cfg.path, missing, why->text);
	const char *other = model_other_work(&a->config->model);
	if (why->code == EXIT_USAGE && other)
		return problem_set(p, EXIT_USAGE, "%s (the model has %s)",
				   why->text, other);
	*p = *why;
	return -1;
}

static void enter(struct arm *a, enum job_place place)
{
	if (a->watch)
		watch_enter(a->watch, place, a->loaded);
}

/* Returns 0, or -1 with *p filled in if the plugin did something forbidden. */
static int leave(struct arm *a, struct problem *p)
{
	if (!a->watch || watch_leave(a->watch) == 0)
		return 0;
	*p = a->watch->violation;
	return -1;
}

/* Returns 1 if the plugin misbehaved; its code is not called any more. */
static int is_left_alone(const struct arm *a)
{
	return a->watch && a->watch->violation.code != EXIT_DONE;
}

/* Notes the plugin as an input of the results; with it the files of its folder
 * if its steps may read them. */
static void note_plugin(const struct arm *a)
{
	const sc_plugin *is = &a->plugin.p;
	int does_io = (is->capabilities & SC_CAP_DOES_IO) != 0;
	const char *const text[N_ARM_TEXTS] = {
	    [ARM_NAME] = a->is->name,      [ARM_FILE] = a->plugin.path,
	    [ARM_PLUGIN] = is->name,       [ARM_ID] = is->id,
	    [ARM_VERSION] = is->version,   [ARM_LICENCE] = is->licence,
	    [ARM_CITATION] = is->citation, [ARM_DOES_IO] = does_io ? "1" : "",
	};
	inputs_note(INPUT_ARM, text, N_ARM_TEXTS);
	const char *slash = strrchr(a->plugin.path, '/');
	struct names files = {0};
	if (does_io && plugin_files(&files, a->plugin.path) == 0)
		for (size_t i = 0; i < files.n; i++) {
			char *path;
			if (asprintf(&path, "%.*s%s",
				     (int)(slash - a->plugin.path + 1),
				     a->plugin.path, files.item[i]) < 0)
				continue;
			inputs_note_file(path);
			free(path);
		}
	names_free(&files);
}

static int load(struct arm *a, struct problem *p)
{
	snprintf(a->loaded, sizeof a->loaded, "%s", a->is->plugin);
	enter(a, JOB_IN_LOAD);
	int rc = plugin_open(&a->plugin, a->is->plugin_path, p);
	if (a->watch && a->plugin.p.capabilities & SC_CAP_DOES_IO)
		watch_does_io(a->watch);
	if (leave(a, p) < 0)
		return -1;
	if (rc == 0)
		note_plugin(a);
	return rc;
}

static void unload(struct arm *a)
{
	struct problem unused;
	if (!a->plugin.dso || is_left_alone(a))
		return;
	enter(a, JOB_IN_UNLOAD);
	plugin_close(&a->plugin);
	leave(a, &unused);
}

/* ---- the setup ---- */

/* Logs tables with unknown number formats. */
static int select_tables(struct arm *a, struct problem *p)
{
	const struct set_choice *sets = a->pool == engine_pool_section[1]
					    ? &a->is->decode_tables
					    : &a->is->tables;
	selection_free(&a->tables);
	if (selection_make(&a->tables, a->config->library, sets, &a->hardware,
			   p) < 0)
		return -1;
	for (size_t i = 0; i < a->tables.n_sets; i++) {
		const struct names *out = &a->tables.set[i]->left_out;
		for (size_t k = 0; k < out->n; k++)
			a->host->log(a->host, 2, out->item[k]);
	}
	return 0;
}

static void tell(struct arm *a)
{
	a->setup = (sc_setup){.size = sizeof a->setup,
			      .n_tables = a->tables.n,
			      .host = a->host,
			      .model = &a->model,
			      .hardware = &a->hardware.view,
			      .parallel = &a->parallel,
			      .engine = &a->engine_view,
			      .table = a->tables.view,
			      .plugin_dir = a->plugin_dir};
}

static void close_arm(struct arm **a)
{
	if (*a)
		arm_close(*a);
	free(*a);
	*a = NULL;
}

/* Always made new: it is small, and depends on all parts. */
static int prepare_drafter(struct arm *a, struct problem *p)
{
	const struct config *c = a->config;
	const struct engine_keys *k = &a->engine_keys;
	size_t index;
	close_arm(&a->drafter);
	if (c->prices_only || !a->engine.draft_cost_model[0])
		return 0;
	struct arm *d = a->drafter = calloc(1, sizeof *d);
	if (!d)
		return problem_no_memory(p);
	if (config_draft_arm(c, a->index, a->pool, k, &index, p) < 0)
		return -1;
	*d = (struct arm){.config = c,
			  .index = index,
			  .pool = a->pool,
			  .is = &c->arm[index],
			  .host = a->host,
			  .engine_keys = *k,
			  .engine = a->engine,
			  .model = a->draft_model.view,
			  .parallel = draft_model_parallel(k, &a->draft_model),
			  .engine_view = a->engine_view};
	d->engine_view.num_speculative_tokens = 0;
	if (hardware_load(&d->hardware, &c->cfg, a->pool, a->is->section,
			  d->model.compute_format, p) < 0 ||
	    select_tables(d, p) < 0)
		return -1;
	tell(d);
	return 0;
}

/* Resolves the engine again if one of its parts has changed; of the workload it
 * reads only the seed.  The engines of two pools are joined anew each time. */
static int prepare_engine(struct arm *a, unsigned parts, struct problem *p)
{
	const unsigned others = CONFIG_HOST | CONFIG_WORKLOAD | CONFIG_KNOBS;
	if (a->pool || parts & ~others)
		return resolve_engine(a, p);
	a->engine.seed = (uint64_t)a->config->workload_keys.seed;
	return 0;
}

static int prepare_one(struct arm *a, unsigned parts, struct problem *p)
{
	const struct config *c = a->config;
	a->is = &c->arm[a->index];
	if (parts & CONFIG_ARMS) {
		unload(a);
		free(a->plugin_dir);
		a->plugin_dir = a->is->plugin_path
				    ? plugin_folder(a->is->plugin_path)
				    : NULL;
	}
	if (parts & (CONFIG_HARDWARE | CONFIG_MODEL)) {
		hardware_free(&a->hardware);
		if (hardware_load(&a->hardware, &c->cfg, a->pool,
				  a->is->section, c->model.view.compute_format,
				  p) < 0 ||
		    hardware_check_known(&a->hardware,
					 c->model.view.compute_format, p) < 0)
			return -1;
	}
	if (prepare_engine(a, parts, p) < 0)
		return -1;
	if (parts & CONFIG_CHOICE && select_tables(a, p) < 0)
		return -1;
	tell(a);
	return prepare_drafter(a, p);
}

/* Returns 1 if another arm prices the pool that generates; *index is that
 * arm. */
static int needs_decode(const struct arm *a, size_t *index, struct problem *p)
{
	if (!a->pool && a->engine.prefill_replicas == 0)
		return 0;
	if (config_decode_arm(a->config, a->index, index, p) < 0)
		return -1;
	return a->pool || *index != a->index;
}

/* Opens the arm, unless it is open already. */
static int choose_decode(struct arm *a, size_t index, unsigned *parts,
			 struct problem *p)
{
	const char *pool = a->pool ? engine_pool_section[1] : NULL;
	if (a->decode && (a->decode->index != index || a->decode->pool != pool))
		close_arm(&a->decode);
	if (a->decode)
		return 0;
	a->decode = calloc(1, sizeof *a->decode);
	if (!a->decode)
		return problem_no_memory(p);
	*a->decode = (struct arm){
	    .config = a->config, .index = index, .pool = pool, .host = a->host};
	*parts = CONFIG_ALL;
	return 0;
}

/* Joins the two engines to one of two pools. */
static int join_pools(struct arm *a, struct problem *p)
{
	const struct engine_source from =
	    config_engine_source(a->config, a->index, a->pool);
	if (a->model.kv_format != a->decode->model.kv_format)
		return engine_refuse(
		    p, &from, "kv_cache_dtype",
		    "kv_cache_dtype: prefill and decode replicas must have the "
		    "same KV cache format");
	return engine_join(&a->engine, &a->decode->engine, &from, p);
}

static int prepare_decode(struct arm *a, unsigned parts, struct problem *p)
{
	size_t index;
	int needs = needs_decode(a, &index, p);
	if (needs < 0)
		return -1;
	if (!needs) {
		close_arm(&a->decode);
		return 0;
	}
	if (choose_decode(a, index, &parts, p) < 0 ||
	    prepare_one(a->decode, parts, p) < 0)
		return -1;
	return a->pool ? join_pools(a, p) : 0;
}

double arm_usd_per_hour(const struct arm *a)
{
	double usd = a->hardware.view.usd_per_hour;
	if (!a->pool)
		return usd;
	double of_decode = a->decode->hardware.view.usd_per_hour;
	double n = (double)engine_gpus(&a->engine_keys);
	double m = (double)engine_gpus(&a->decode->engine_keys);
	return usd > 0 && of_decode > 0 ? (n * usd + m * of_decode) / (n + m)
					: 0;
}

int arm_prepare(struct arm *a, const struct config *c, size_t i,
		const sc_host *host, struct problem *p)
{
	*a = (struct arm){.config = c,
			  .index = i,
			  .pool = config_pool(c, i, 0),
			  .host = host ? host : &host_silent};
	return arm_prepare_again(a, CONFIG_ALL, p);
}

int arm_prepare_again(struct arm *a, unsigned parts, struct problem *p)
{
	const char *pool = config_pool(a->config, a->index, 0);
	if (a->pool != pool)
		parts = CONFIG_ALL;
	a->pool = pool;
	return prepare_one(a, parts, p) < 0 ? -1 : prepare_decode(a, parts, p);
}

/* ---- the instance ---- */

/* The configuration refuses this with a better message, if it knows the
 * plugin. */
static int check_drafts(const struct arm *a, struct problem *p)
{
	if (a->engine.speculation.drafts == 0 ||
	    a->plugin.p.capabilities & SC_CAP_DECODE_NEW)
		return 0;
	return problem_set(p, EXIT_USAGE,
			   "num_speculative_tokens = %" PRIu32
			   ": %s cannot price decodes of several tokens; use "
			   "plugin = operators",
			   a->engine.speculation.drafts, a->is->plugin);
}

static int check_needs(const struct arm *a, struct problem *p)
{
	const struct needs_of has = {.setup = &a->setup,
				     .knobs = a->knobs,
				     .tables = &a->tables,
				     .hardware = &a->hardware,
				     .library = a->config->library,
				     .layers = a->is->tables.layers};
	return needs_check(&a->plugin.p, &has, p);
}

static int create_one(struct arm *a, struct problem *p)
{
	struct problem why;
	if (!a->plugin.dso && load(a, p) < 0)
		return -1;
	if (check_drafts(a, p) < 0)
		return -1;
	a->knobs = knobs_new(&a->plugin.p, &a->config->cfg, a->is->section, p);
	if (!a->knobs || check_needs(a, p) < 0)
		return -1;
	host_limit(&a->limited, a->host);
	a->setup.host = &a->limited.is;
	enter(a, JOB_IN_CREATE);
	int rc = cost_create(&a->cost, &a->plugin.p, &a->setup, a->knobs, &why);
	if (leave(a, p) < 0)
		return -1;
	a->cost.power = a->hardware.power;
	host_tell_dropped(&a->limited, a->is->plugin);
	return rc < 0 ? say_what_is_missing(a, &why, p) : 0;
}

static int create_drafter(struct arm *a, struct problem *p)
{
	struct problem why = {0};
	if (!a->drafter)
		return 0;
	a->drafter->watch = a->watch;
	if (create_one(a->drafter, &why) == 0) {
		a->cost.drafter = &a->drafter->cost;
		return 0;
	}
	const struct engine_source from =
	    config_engine_source(a->config, a->index, a->pool);
	if (why.code == EXIT_USAGE && a->draft_model.view.n_groups == 0)
		return engine_refuse(p, &from, "draft_cost_model",
				     "draft_cost_model = %s: needs "
				     "draft_model_config: %s",
				     a->drafter->is->name, why.text);
	*p = why;
	return -1;
}

/* Lets the engine take the time of requests outside of steps from the cost
 * model. */
static int take_request_costs(struct arm *a, struct problem *p)
{
	const struct engine_source from =
	    config_engine_source(a->config, a->index, a->pool);
	enter(a, JOB_IN_CREATE);
	int has = cost_request_costs(&a->cost, &a->request_costs, p);
	if (leave(a, p) < 0 || has < 0)
		return -1;
	a->has_request_costs = has;
	if (has)
		engine_take_request_costs(&a->engine, &a->request_costs, &from);
	return 0;
}

int arm_create(struct arm *a, struct watch *watch, struct problem *p)
{
	a->watch = watch;
	if (create_one(a, p) < 0 || create_drafter(a, p) < 0 ||
	    take_request_costs(a, p) < 0)
		return -1;
	return a->decode ? arm_create(a->decode, watch, p) : 0;
}

void arm_destroy(struct arm *a)
{
	struct problem unused;
	if (a->decode)
		arm_destroy(a->decode);
	if (a->drafter)
		arm_destroy(a->drafter);
	if (is_left_alone(a))
		return;
	if (a->cost.p) {
		enter(a, JOB_IN_DESTROY);
		cost_destroy(&a->cost);
		leave(a, &unused);
	}
	free(a->knobs);
	a->knobs = NULL;
}

int arm_open(struct arm *a, const struct config *c, size_t i,
	     const sc_host *host, struct watch *watch, struct problem *p)
{
	return arm_prepare(a, c, i, host, p) < 0 ? -1 : arm_create(a, watch, p);
}

void arm_close(struct arm *a)
{
	arm_destroy(a);
	close_arm(&a->decode);
	close_arm(&a->drafter);
	model_free(&a->draft_model);
	unload(a);
	selection_free(&a->tables);
	hardware_free(&a->hardware);
	free(a->plugin_dir);
	if (a->watch && a->watch->plugin == a->loaded)
		a->watch->plugin = NULL;
	*a = (struct arm){0};
}

/* Writes the sets as a configuration would name them, and all their files. */
static void write_tables(struct jw *j, const struct selection *s)
{
	struct names sets = {0};
	char text[1000];
	for (size_t i = 0; i < s->n_sets; i++)
		names_add(&sets, s->set[i]->name);
	jw_object(j, "tables");
	jw_text(j, "set", names_join(&sets, text, sizeof text));
	names_free(&sets);
	jw_object(j, "sha256");
	for (size_t i = 0; i < s->n_sets; i++)
		for (uint32_t k = 0; k < s->set[i]->n_files; k++)
			jw_text(j, s->set[i]->file[k].name,
				s->set[i]->file[k].sha256);
	jw_end(j);
	jw_end(j);
}

/* Returns 1 if keys of the arm change its engine or its router. */
static int has_engine_keys(const struct arm *a)
{
	const struct engine_keys *own = &a->engine_keys;
	const struct engine_keys *common = &a->config->engine_keys;
	return knobs_differ(engine_key, engine_n_keys, own, common) ||
	       knobs_differ(router_key, router_n_keys, &own->router,
			    &common->router);
}

static void write_request_costs(struct jw *j, const sc_request_costs *c)
{
	jw_flat_object(j, "request_costs");
	jw_number(j, "before_us", c->before_us);
	jw_number(j, "prompt_token_us", c->prompt_token_us);
	jw_number(j, "after_us", c->after_us);
	jw_number(j, "output_token_us", c->output_token_us);
	jw_end(j);
}

void arm_write(struct jw *j, const struct arm *a)
{
	const sc_plugin *p = &a->plugin.p;
	jw_text(j, "plugin", a->is->plugin);
	jw_text(j, "version", p->version);
	jw_text(j, "preset", a->is->preset);
	jw_object(j, "knobs");
	if (a->knobs)
		knobs_write(j, a->knobs, p->knob, p->n_knobs);
	jw_end(j);
	if (a->pool || has_engine_keys(a)) {
		jw_object(j, "engine");
		engine_keys_write(j, &a->engine_keys);
		jw_end(j);
		engine_router_write(j, "router", &a->engine_keys);
	}
	if (a->has_request_costs)
		write_request_costs(j, &a->request_costs);
	const char *doubt = engine_scheduler_doubt(
	    (enum engine_scheduler)a->engine_keys.scheduler);
	if (doubt)
		jw_text(j, "scheduler_rules", doubt);
	jw_object(j, "hardware");
	jw_text(j, "name", a->hardware.name);
	knobs_write(j, &a->hardware.keys, hardware_key, hardware_n_keys);
	jw_end(j);
	if (a->tables.n_sets)
		write_tables(j, &a->tables);
	if (a->drafter) {
		jw_object(j, "drafter");
		arm_write(j, a->drafter);
		jw_end(j);
	}
	if (a->pool && a->decode) {
		jw_object(j, "decode");
		arm_write(j, a->decode);
		jw_end(j);
	}
}
