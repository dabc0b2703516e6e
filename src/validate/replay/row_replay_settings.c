/* row_replay_settings.c -- Turns a measured row into settings of the simulator.
 */
#include "validate/replay/row_replay_settings.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/engine_names.h"
#include "engine/presets.h"
#include "model/model.h"
#include "validate/measured/cells.h"
#include "validate/measured/parallelism.h"
#include "validate/measured/rules.h"
#include "validate/measured/served.h"

static int set_number(struct row_replay *t, const char *key, double v,
		      double least)
{
	return v >= least ? row_replay_set(t, "engine.%s=%.17g", key, v) : 0;
}

static int set_limit(struct row_replay *t, const char *scheduler,
		     const char *key, double v)
{
	double least = !strcmp(key, "gpu_memory_utilization") ? 0 : 1;
	return set_number(t, engine_name_by(scheduler, key), v, least);
}

/* Some are named by what they switch off. */
static int set_flag(struct row_replay *t, const char *scheduler,
		    const char *key, int on)
{
	const char *theirs = engine_name_by(scheduler, key);
	int is_true = on == !!strncmp(theirs, "disable_", 8);
	return row_replay_set(t, "engine.%s=%s", theirs,
			      is_true ? "true" : "false");
}

static double or_else(double v, double otherwise)
{
	return isnan(v) ? otherwise : v;
}

/* From "0.15.1": 15.  -1: unknown. */
static int minor_version(const char *version)
{
	return version && !strncmp(version, "0.", 2) &&
		       isdigit((unsigned char)version[2])
		   ? atoi(version + 2)
		   : -1;
}

/* -1: as the engine does it. */
static int is_async(const struct protocol *c, const struct measured_row *r,
		    const char *scheduler)
{
	int minor = minor_version(r->engine_version);
	if (c->async_scheduling != PROTOCOL_ASYNC_AUTO)
		return c->async_scheduling == PROTOCOL_ASYNC_TRUE;
	return minor < 0 || strcmp(scheduler, "vllm") != 0 ? -1 : minor >= 14;
}

static int is_fp8(const struct measured_row *r, const char *model)
{
	return r->dtype && !strncasecmp(r->dtype, "fp8", 3) &&
	       !strstr(model, "fp8");
}

/* Whether a file of the user's own says how it is quantized. */
static int is_told_by_file(const char *path)
{
	struct ini own = {0};
	struct model m = {0};
	struct problem unused;
	char config[4200];
	snprintf(config, sizeof config, "model.config=%s", path);
	int told = ini_override(&own, config, &unused) < 0 ||
		   model_load(&m, &own, &unused) < 0 || m.keys.quantization ||
		   ini_find(&m.from, "model", "quantization");
	model_free(&m);
	ini_free(&own);
	return told;
}

/* Values that the row lacks stay as configured.  A format in a file of the
 * user's own goes before the row's; so do rules that name one. */
static int set_served(struct row_replay *t, const struct measured_row *r,
		      const struct ini *aliases)
{
	int rc = 0;
	char *model = served_config(r, SERVED_MODEL, aliases);
	char *gpu = served_config(r, SERVED_GPU, aliases);
	if (model)
		rc |= row_replay_set(t, "model.config=%s", model);
	if (model && is_fp8(r, model) &&
	    !rules_get(aliases, r, "model.config") &&
	    !rules_get(aliases, r, "model.quantization") &&
	    !(strchr(model, '/') && is_told_by_file(model)))
		rc |= row_replay_set(t, "model.quantization=fp8");
	if (gpu)
		rc |= row_replay_set(t, "hardware.config=%s", gpu);
	free(model);
	free(gpu);
	return rc;
}

/* What a row does not have is not set: not every engine has the keys. */
static int set_parallelism(struct row_replay *t, const struct measured_row *r,
			   int has_replicas)
{
	struct parallelism is = parallelism_of(r);
	double replicas = floor(r->gpu_count / (is.tp * is.pp * is.dp));
	int rc = set_number(t, "tensor_parallel_size", is.tp, 1);
	rc |= set_number(t, "pipeline_parallel_size", is.pp, 2);
	rc |= set_number(t, "data_parallel_size", is.dp, 2);
	rc |= set_number(t, "expert_parallel_size", is.ep, 2);
	if (has_replicas && is.tp >= 1)
		rc |= set_number(t, "replicas", replicas, 2);
	return rc;
}

/* ---- what rules set ---- */

struct setting {
	struct row_replay *t;
	const struct measured_row *r;
};

static int set_key(void *ctx, const char *key, const struct ini_item *item)
{
	struct setting *s = ctx;
	char value[4096];
	if (!strncmp(key, "protocol.", 9) || !strcmp(key, "model.config") ||
	    !strcmp(key, "hardware.config") ||
	    !cells_fill(item->value, s->r, value, sizeof value))
		return 0;
	return strncmp(key, "arm.", 4)
		   ? row_replay_set(s->t, "%s=%s", key, value)
		   : row_replay_set_knob(s->t, key + 4, value);
}

/* ---- the engine ---- */

/* The scheduler that forms the steps, and the data-parallel ranks in a step:
 * all of them, if no preset makes an engine of each. */
struct former {
	const char *scheduler;
	double ranks;
};

static struct former former_of(const struct measured_row *r,
			       const struct ini *aliases)
{
	const char *preset = rules_get(aliases, r, "engine.preset");
	const char *named = rules_get(aliases, r, "engine.scheduler");
	if (!named)
		named = preset;
	named = engine_scheduler_of(named ? named : "none");
	int is_apart = preset || strcmp(named, "vllm") != 0;
	return (struct former){named, is_apart ? 1 : parallelism_of(r).dp};
}

/* Sequences and tokens of a step. */
static int set_step(struct row_replay *t, const struct protocol *c,
		    const struct measured_row *r, struct former is)
{
	const char *scheduler = is.scheduler;
	double seqs = or_else(r->max_num_seqs, c->max_num_seqs);
	double most =
	    or_else(r->max_num_batched_tokens, c->max_num_batched_tokens);
	if (c->kind == PROTOCOL_PUBLISHED) {
		seqs = is.ranks * protocol_max_num_seqs(c, r);
		most = is.ranks * protocol_step_tokens(c, r);
	}
	return set_limit(t, scheduler, "max_num_seqs", seqs) |
	       set_limit(t, scheduler, "max_num_batched_tokens", most);
}

/* A time of the run's client, which a model that prices requests has in its own
 * times. */
static int set_client(struct row_replay *t, const char *key, double us)
{
	char name[80];
	snprintf(name, sizeof name, "engine.%s", key);
	return us < 0 ? 0
		      : set_number(t, key, us, 0) |
			    row_replay_set_knob(t, name, "0");
}

static int set_engine(struct row_replay *t, const struct protocol *c,
		      const struct measured_row *r, struct former is)
{
	const char *scheduler = is.scheduler;
	int async = is_async(c, r, scheduler);
	int rc = measured_is_apart(r) ? 0 : set_step(t, c, r, is);
	/* An engine without work schedules before its first step too. */
	double idle_us = async == 0 && c->schedule_us > 0 ? c->schedule_us : 0;
	double api_us =
	    c->api_overhead_us < 0 ? -1 : c->api_overhead_us + idle_us;
	rc |= set_number(t, "max_model_len", r->max_model_len, 1);
	rc |= set_limit(t, scheduler, "gpu_memory_utilization",
			r->gpu_memory_utilization);
	rc |= set_limit(t, scheduler, "block_size", r->block_size);
	if (r->num_gpu_blocks >= 1)
		rc |= set_number(t, "num_gpu_blocks", r->num_gpu_blocks, 1);
	else if (c->kind != PROTOCOL_BENCHMARK)
		rc |= row_replay_set(t, "engine.num_gpu_blocks=auto");
	rc |= set_client(t, "api_overhead_us", api_us);
	rc |= set_client(t, "api_request_us", c->api_request_us);
	rc |= set_client(t, "response_overhead_us", c->response_overhead_us);
	rc |= set_client(t, "response_sequence_us", c->response_sequence_us);
	rc |= set_number(t, "schedule_us", c->schedule_us, 0);
	if (c->enable_prefix_caching != PROTOCOL_CACHING_AS_CONFIGURED)
		rc |=
		    set_flag(t, scheduler, "enable_prefix_caching",
			     c->enable_prefix_caching == PROTOCOL_CACHING_TRUE);
	if (async >= 0)
		rc |= set_flag(t, scheduler, "async_scheduling", async);
	return rc;
}

/* A run's first stage, and those simulated with it, meet a new server. */
static int set_first_use(struct row_replay *t, const struct protocol *c,
			 const struct measured_row *r)
{
	if (c->kind == PROTOCOL_REPLAY && r->stage > 0)
		return 0;
	return set_number(t, "first_step_us", c->first_step_us, 0) |
	       set_number(t, "expert_compile_us", c->expert_compile_us, 0);
}

int row_replay_settings(struct row_replay *t, const struct protocol *c,
			const struct measured_row *r, const struct ini *aliases)
{
	struct setting s = {t, r};
	int rc = set_served(t, r, aliases);
	/* With separate pools the rules set the parallelism of each. */
	if (!measured_is_apart(r))
		rc |= set_parallelism(t, r, c->kind == PROTOCOL_BENCHMARK);
	rc |= set_engine(t, c, r, former_of(r, aliases));
	rc |= set_first_use(t, c, r);
	return rc | rules_each(aliases, r, "", set_key, &s);
}

int row_replay_deployment(struct row_replay *t, const struct measured_row *r,
			  const struct ini *aliases)
{
	struct setting s = {t, r};
	return set_served(t, r, aliases) | set_parallelism(t, r, 0) |
	       rules_each(aliases, r, "", set_key, &s);
}
