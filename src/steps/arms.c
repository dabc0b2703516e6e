/* arms.c -- Lays deployments over a configuration, and runs their arms. */
#include "steps/arms.h"
#include <stdlib.h>
#include <string.h>
#include "cost/breakdown.h"
#include "cost/floor.h"
#include "stepcost/sum.h"
#include "validate/fit/arm_knobs.h"
#include "validate/replay/row_replay_settings.h"

/* The work of a job. */
struct step_arms_task {
	struct step_arms *arms;
	size_t arm, deployment;
	step_arms_fn work;
	void *ctx;
};

/* ---- configurations ---- */

/* An INI calls the 16-bit cache of a 16-bit model "auto". */
static const char *kv_format(const char *cell)
{
	return !strcmp(cell, "bf16") || !strcmp(cell, "bfloat16") ||
		       !strcmp(cell, "fp16") || !strcmp(cell, "float16")
		   ? "auto"
		   : cell;
}

static int add_knobs(struct names *set, const struct row_replay *t,
		     const struct step_arms_options *o, struct problem *p)
{
	struct arm_knobs knobs = {0};
	int rc = t->n_knobs
		     ? arm_knobs_open(&knobs, o->path, o->set, o->n_set, p)
		     : 0;
	for (size_t k = 0; rc == 0 && k < t->n_knobs; k++)
		if (arm_knobs_assign(&knobs, t->knob[k], set) < 0)
			rc = problem_no_memory(p);
	arm_knobs_free(&knobs);
	return rc;
}

static int add_extra(struct names *set, const char *extra, struct problem *p)
{
	char text[100];
	snprintf(text, sizeof text, "cost_model:%s.plugin=linear", extra);
	return names_add(set, text) < 0 ? problem_no_memory(p) : 0;
}

/* In this order, so that the row wins over rules, and the user over both. */
static int list_settings(struct names *set, const struct step_deployment *d,
			 const struct ini *aliases,
			 const struct step_arms_options *o, struct problem *p)
{
	const struct measured_row *as = &d->as.row[0];
	struct row_replay t = {0};
	int rc = row_replay_deployment(&t, as, aliases);
	if (rc == 0 && as->kv_cache_dtype)
		rc = row_replay_set(&t, "engine.kv_cache_dtype=%s",
				    kv_format(as->kv_cache_dtype));
	for (size_t k = 0; rc == 0 && k < t.n_settings; k++)
		rc = names_add(set, t.setting[k]);
	rc = rc ? problem_no_memory(p) : add_knobs(set, &t, o, p);
	for (size_t k = 0; rc == 0 && k < o->n_set; k++)
		if (names_add(set, o->set[k]) < 0)
			rc = problem_no_memory(p);
	if (rc == 0 && o->extra)
		rc = add_extra(set, o->extra, p);
	row_replay_free(&t);
	return rc;
}

static const struct config *first_loaded(const struct step_arms *a)
{
	for (size_t d = 0; d < a->set->n_deployments; d++)
		if (a->config[d].n_arms)
			return &a->config[d];
	return NULL;
}

/* A deployment that cannot be configured is noted, and is no error yet. */
static int load_one(struct step_arms *a, size_t d, const struct ini *aliases,
		    const struct step_arms_options *o, struct problem *p)
{
	struct names set = {0};
	struct problem why;
	int rc = list_settings(&set, &a->set->deployment[d], aliases, o, p);
	const struct config *beside = o->beside ? o->beside : first_loaded(a);
	if (rc == 0 &&
	    config_load_priced_beside(&a->config[d], beside, o->path, set.item,
				      set.n, o->arms, &why) < 0) {
		config_free(&a->config[d]);
		a->refused[d] = strdup(why.text);
		*p = why;
		if (!a->refused[d])
			rc = problem_no_memory(p);
	}
	names_free(&set);
	return rc;
}

static int name_arms(struct step_arms *a, struct problem *p)
{
	const struct config *c = first_loaded(a);
	size_t n = a->set->n_deployments;
	if (!c) /* *p is that of the last one */
		return -1;
	a->n_arms = c->n_arms;
	a->arm = arrays_add(&a->arrays, a->n_arms, sizeof *a->arm);
	a->plugin = arrays_add(&a->arrays, a->n_arms, sizeof *a->plugin);
	a->pair = arrays_add(&a->arrays, a->n_arms * n, sizeof *a->pair);
	a->job = arrays_add(&a->arrays, a->n_arms * n, sizeof *a->job);
	a->task = arrays_add(&a->arrays, a->n_arms * n, sizeof *a->task);
	if (a->arrays.out_of_memory)
		return problem_no_memory(p);
	for (size_t i = 0; i < a->n_arms; i++) {
		a->arm[i] = c->arm[i].name;
		a->plugin[i] = c->arm[i].plugin;
	}
	return 0;
}

/* ---- jobs ---- */

static int use(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct step_arms_task *t = ctx;
	return t->work(j, a, &t->arms->set->deployment[t->deployment], t->ctx,
		       p);
}

static int run_task(struct job *j, struct problem *p)
{
	struct step_arms_task *t = j->user;
	sc_host host = host_writing(j->stream[0]);
	return arm_run(j, &t->arms->config[t->deployment], t->arm, &host, use,
		       t, p);
}

int step_arms_open(struct step_arms *a, const struct step_set *set,
		   const struct ini *aliases, const struct step_arms_options *o,
		   struct problem *p)
{
	size_t n = set->n_deployments;
	struct step_arms_options how = *o;
	*a = (struct step_arms){.set = set};
	a->config = arrays_add(&a->arrays, n, sizeof *a->config);
	a->refused = arrays_add(&a->arrays, n, sizeof *a->refused);
	if (!a->config || !a->refused ||
	    (o->arms && o->extra &&
	     asprintf(&a->wanted, "%s,%s", o->arms, o->extra) < 0))
		return problem_no_memory(p);
	if (a->wanted)
		how.arms = a->wanted;
	problem_set(p, EXIT_INPUT,
		    "%s has no steps: write one row for each step behind its "
		    "head",
		    set->n_files ? set->file[0].path : "the file");
	for (size_t d = 0; d < n; d++)
		if (load_one(a, d, aliases, &how, p) < 0)
			return -1;
	return name_arms(a, p);
}

int step_arms_run(struct step_arms *a, step_arms_fn work, void *ctx,
		  const struct jobs_options *o, struct problem *p)
{
	size_t n = 0, deployments = a->set->n_deployments;
	for (size_t i = 0; i < a->n_arms * deployments; i++) {
		struct step_arms_task t = {a, i / deployments, i % deployments,
					   work, ctx};
		a->pair[i] = SIZE_MAX;
		if (a->refused[t.deployment])
			continue;
		a->pair[i] = n;
		a->task[n] = t;
		a->job[n] = (struct job){.name = a->arm[t.arm],
					 .plugin = a->plugin[t.arm],
					 .user = &a->task[n],
					 .wanted_streams = 1};
		n++;
	}
	return jobs_run(&a->jobs, a->job, n, run_task, o, p);
}

const struct job *step_arms_job(const struct step_arms *a, size_t arm,
				size_t deployment)
{
	size_t i = a->pair[arm * a->set->n_deployments + deployment];
	return i == SIZE_MAX ? NULL : &a->job[i];
}

const char *step_arms_why(const struct step_arms *a, size_t arm,
			  size_t deployment)
{
	const struct job *j = step_arms_job(a, arm, deployment);
	return !j             ? a->refused[deployment]
	       : j->complaint ? j->problem->text
			      : NULL;
}

void step_arms_free(struct step_arms *a)
{
	jobs_free(&a->jobs);
	/* The first one owns what the others share. */
	for (size_t d = a->set ? a->set->n_deployments : 0; d-- > 0;) {
		if (a->config)
			config_free(&a->config[d]);
		if (a->refused)
			free(a->refused[d]);
	}
	free(a->wanted);
	arrays_free(&a->arrays);
	*a = (struct step_arms){0};
}

/* ---- a row ---- */

static uint64_t tokens_of(const sc_step *s)
{
	uint64_t decodes =
	    s->decode_new ? sc_sum(s->decode_new, s->n_decode) : s->n_decode;
	return decodes + sc_sum(s->prefill_new, s->n_prefill);
}

const sc_result *step_price(struct arm *a, const struct given_step *g,
			    sc_step *step, struct problem *p)
{
	*step = g->step;
	if (step->decode_new &&
	    !(a->plugin.p.capabilities & SC_CAP_DECODE_NEW)) {
		problem_set(p, EXIT_USAGE,
			    "step %s: %s cannot price decodes of several "
			    "tokens",
			    g->name, a->is->plugin);
		return NULL;
	}
	if (g->graph == STEP_GRAPH_UNKNOWN &&
	    tokens_of(step) <= a->engine_view.graph_max_tokens)
		step->flags |= SC_STEP_GRAPH;
	struct cost *cost[2];
	arm_run_costs(a, cost);
	int pool = a->decode && step->replica >= a->engine.prefill_replicas;
	return cost_eval(cost[pool], step, p);
}

int step_check_strict(const struct strict *strict, const struct arm *a,
		      const struct given_step *g, const sc_step *step,
		      const sc_result *r, struct problem *p)
{
	char text[FLOOR_TEXT];
	for (uint32_t c = strict->lookups; c < SC_N_PROVENANCE; c++)
		if (r->lookups[c])
			return problem_set(p, EXIT_INPUT,
					   "step %s: %u lookups are %s, and "
					   "--strict does not allow them",
					   g->name, r->lookups[c],
					   provenance_name[c]);
	if (!strict->floor)
		return 0;
	struct floor_mark m = floor_mark(&a->cost.floor, step, r);
	if (!m.is_below)
		return 0;
	return problem_set(p, EXIT_INPUT,
			   "step %s: faster than the hardware: %s "
			   "(--strict=floor)",
			   g->name, floor_text(text, &m.worst));
}
