/* study.c -- Runs each arm in a job, and collects the results. */
#include "study/study.h"
#include <inttypes.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "arm/host.h"
#include "arm/provenance.h"
#include "arm/run.h"
#include "cost/breakdown.h"
#include "engine/engine.h"
#include "engine/presets.h"
#include "record/metrics.h"
#include "record/recorder.h"
#include "sim/simulation.h"
#include "workload/workload.h"

const struct study_options study_defaults = {
    .answer_limit_s = JOB_ANSWER_LIMIT_S,
    .memory_limit_gib = JOB_MEMORY_LIMIT_GIB,
    .order = 3,
};

/* ---- one arm, in its job ---- */

/* The longest log of steps of one arm, about 300 million decoded tokens: more
 * would fill a disk without asking. */
#define LOG_LIMIT_BYTES (UINT64_C(4) << 30)

/* Writes what the arm is into its record and streams. */
static void describe(struct job *j, const struct arm *a)
{
	struct arm_record *r = j->shared;
	struct jw w;
	snprintf(r->plugin, sizeof r->plugin, "%s", a->plugin.p.name);
	snprintf(r->version, sizeof r->version, "%s", a->plugin.p.version);
	if (a->engine.decode)
		snprintf(r->num_gpu_blocks, sizeof r->num_gpu_blocks,
			 "%s %s; %s %s", pool_name[0], a->engine.blocks_text,
			 pool_name[1], a->engine.decode->blocks_text);
	else
		snprintf(r->num_gpu_blocks, sizeof r->num_gpu_blocks, "%s",
			 a->engine.blocks_text);
	r->capabilities = a->plugin.p.capabilities;
	if (j->stream[STREAM_SETUP]) {
		jw_start(&w, j->stream[STREAM_SETUP]);
		jw_flat_object(&w, NULL);
		arm_write(&w, a);
		jw_end(&w);
	}
	if (j->stream[STREAM_ORIGIN])
		provenance_arm(j->stream[STREAM_ORIGIN], a);
}

/* Notes the work of steps that the arm's cost models do not price. */
static void note_unpriced(FILE *f, const struct workload *w,
			  const struct arm *a)
{
	if (a->engine.lora.max_loras && a->engine.lora.step_ns == 0)
		fputs("adapters cost no time in a step, because cost models "
		      "know none; give engine.lora_us\n",
		      f);
	if (workload_longest_item(w) && a->engine.encoders.step_us == 0 &&
	    a->engine.encoders.token_us == 0)
		fputs("encoding items costs no time in a step, because cost "
		      "models know none; give engine.encoder_us_per_token\n",
		      f);
	if (a->engine_keys.decode_context_parallel_size > 1)
		fputs("decode_context_parallel_size changes blocks and the "
		      "schedule; cost models price attention as without it\n",
		      f);
	if (engine_drafts_for_nothing(&a->engine) ||
	    engine_drafts_for_nothing(engine_of_pool(&a->engine, 1)))
		fputs("drafting costs nothing; give engine.draft_us (the time "
		      "of one pass of the drafter) or engine.draft_cost_model "
		      "(an arm that prices it)\n",
		      f);
	if (a->drafter && a->draft_model.view.n_groups == 0)
		fprintf(f,
			"draft_cost_model = %s: the drafter's model is "
			"unknown; name it with engine.draft_model_config\n",
			a->drafter->is->name);
}

static void note_trtllm(FILE *f, const struct arm *a)
{
	const struct engine *e = &a->engine;
	if (!engine_scheduler_doubt(e->scheduler))
		return;
	fprintf(f,
		e->trtllm.has_manager_v2
		    ? "scheduler = %s: its second KV cache manager and the "
		      "scheduler of that come from its source\n"
		    : "scheduler = %s: its schedulers were run and compared; "
		      "its KV cache and its loop come from its source\n",
		engine_scheduler_words[e->scheduler]);
	if (e->preset != PRESET_TENSORRT_LLM_12 && !e->trtllm.has_manager_v2 &&
	    a->engine_keys.use_kv_cache_manager_v2 == KV_MANAGER_V2_AUTO)
		fputs("use_kv_cache_manager_v2 = auto: by the rules of the "
		      "first KV cache manager; since summer 2026 TensorRT-LLM "
		      "serves some models with the second one (true)\n",
		      f);
}

/* Writes notes about settings that have no effect, or another one than
 * expected. */
static void notes(FILE *f, const struct workload *w, const struct arm *a)
{
	const char *line;
	if (!f)
		return;
	if (engine_ignores_windows(&a->engine, &a->config->model.view))
		fprintf(f,
			"layers with a sliding window keep every token, "
			"because only a preset frees their blocks; set "
			"engine.preset, for example %s\n",
			engine_preset_words[PRESET_VLLM_NEWEST]);
	note_trtllm(f, a);
	if (a->engine.prefill_interval > 1 && a->engine.lockstep_ranks < 2)
		fputs("prefill_schedule_interval has no effect: only ranks of "
		      "a model with experts take steps together\n",
		      f);
	note_unpriced(f, w, a);
	for (uint32_t i = 0; (line = workload_note(w, i)) != NULL; i++)
		fprintf(f, "%s\n", line);
}

/* More than rounding and batches of unequal length explain. */
#define TOO_EARLY .05

static void note_early_steps(FILE *f, const struct outcome *o)
{
	double share = metric_value(metric_find("early_share"), o);
	if (f && share > TOO_EARLY)
		fprintf(
		    f,
		    "TPOT is too short: for %.0f %% of their time, steps run "
		    "before the tokens that they continue exist, because there "
		    "are fewer batches than stages, or batches of unequal "
		    "length; engine.async_scheduling = false waits for them\n",
		    100 * share);
}

static void note_faster_steps(FILE *f, const struct outcome *o)
{
	const struct floor_count *c = &o->faster;
	char text[FLOOR_TEXT];
	if (f && c->steps)
		fprintf(f,
			"%" PRIu64 " of %" PRIu64 " steps are faster than the "
			"hardware; the worst is step %" PRIu64 " (%" PRIu32
			" prefill, %" PRIu32 " decode): %s\n",
			c->steps, o->num_steps, c->step_index, c->n_prefill,
			c->n_decode, floor_text(text, &c->worst));
}

static void note_dear_loads(FILE *f, const struct outcome *o)
{
	const struct offload_worth *x = &o->loads;
	if (f && x->load_s > x->computing_s)
		fprintf(f,
			"loading KV from the host does not pay: %" PRIu64
			" loads took %.3g s, and computing their tokens, each "
			"load as a step of its own, takes %.3g s; a faster "
			"link (engine.kv_offload_bandwidth_gbs) or no "
			"kv_offloading_size\n",
			x->loads, x->load_s, x->computing_s);
}

/* Adds up the parts that the plugin names.  If the decode pool has another
 * plugin, they are not added, because their names differ. */
static int ask_parts(struct cost *const cost[2], struct recorder *r,
		     struct problem *p)
{
	for (int pool = 0; pool < 2; pool++) {
		if (cost_ask_parts(cost[pool], p) < 0)
			return -1;
		r->n_parts[pool] = 2 * cost[pool]->p->n_parts;
		if (r->steps && cost_ask_figures(cost[pool], p) < 0)
			return -1;
		r->n_sigma[pool] = cost[pool]->p->n_sigma;
	}
	if (cost[1]->p->part == cost[0]->p->part)
		named_parts(&r->breakdown->named, cost[0]->p);
	return 0;
}

static int simulate_watched(struct job *j, struct arm *a, struct workload *w,
			    struct recorder *r, struct problem *p)
{
	const struct study_task *t = j->user;
	struct arm_record *record = j->shared;
	struct observer o = recorder_observe(r);
	struct cost *cost[2];
	o.warm_up = t->warm_up;
	arm_run_costs(a, cost);
	if (ask_parts(cost, r, p) < 0)
		return -1;
	for (int pool = 0; pool < 2; pool++)
		r->floor[pool] = &cost[pool]->floor;
	if (uncertainty_ask(&r->uncertainty, cost, p) < 0)
		return -1;
	if (simulation_step_bytes(&a->engine) > t->step_bytes)
		return problem_set(p, EXIT_USAGE, "no room for a step");
	j->status->n_requests = workload_total(w);
	notes(j->stream[STREAM_SAID], w, a);
	int rc =
	    simulate(&a->engine, cost, w, &o, j->live, &record->outcome, p);
	recorder_end(r);
	if (rc == 0 && r->uncertainty.sum)
		rc = uncertainty_close(r->uncertainty.sum, &record->uncertainty,
				       p);
	uncertainty_free(r->uncertainty.sum);
	record->request_hash = workload_hash(w);
	/* After a run that broke off the plugin may have left floating-point
	 * traps on. */
	if (rc == 0) {
		note_early_steps(j->stream[STREAM_SAID], &record->outcome);
		note_faster_steps(j->stream[STREAM_SAID], &record->outcome);
		note_dear_loads(j->stream[STREAM_SAID], &record->outcome);
	}
	if (j->stream[STREAM_SAID])
		rejections_write(&record->outcome.rejections,
				 j->stream[STREAM_SAID]);
	return rc;
}

static int simulate_requests(struct job *j, struct arm *a, struct workload *w,
			     struct problem *p)
{
	const struct study_task *t = j->user;
	struct arm_record *record = j->shared;
	FILE *timeline = j->stream[STREAM_TIMELINE];
	FILE *to = j->stream[STREAM_SESSIONS];
	const struct session_shape shape = {workload_trees(w),
					    workload_turns(w)};
	struct sessions sessions = {0};
	struct recorder r = {.arm = j->name,
			     .status = j->status,
			     .breakdown = &record->breakdown,
			     .requests = j->stream[STREAM_REQUESTS],
			     .steps = j->stream[STREAM_STEPS],
			     .transfers = j->stream[STREAM_TRANSFERS],
			     .scaling = j->stream[STREAM_SCALING],
			     .lifetimes = j->stream[STREAM_LIFETIMES],
			     .sessions = to ? &sessions : NULL,
			     .said = j->stream[STREAM_SAID],
			     .schedule_is_extra = !a->engine.async_scheduling &&
						  a->engine.schedule_ns > 0,
			     .log_steps = j->stream[STREAM_LOG_STEPS],
			     .log_requests = j->stream[STREAM_LOG_REQUESTS],
			     .log_limit = LOG_LIMIT_BYTES,
			     .log_cut = &record->log_cut,
			     .strict = strict_of(t->options->strict)};
	if (to && !shape.trees && shape.turns < 2)
		return problem_set(p, EXIT_USAGE,
				   "--write-sessions: the requests are no "
				   "sessions; give workload.turns, or a trace "
				   "with sessions as trees");
	if (timeline) {
		r.timeline = timeline_open(timeline, (uint32_t)t->arm,
					   a->engine.replicas, p);
		if (!r.timeline)
			return -1;
	}
	int rc = simulate_watched(j, a, w, &r, p);
	timeline_close(r.timeline);
	if (rc == 0 && to)
		rc = sessions_write(&sessions, &shape, j->name, to, p);
	sessions_free(&sessions);
	return rc;
}

/* Simulates the requests only to find where TTFT gets steady. */
static int find_warm_up(struct job *j, struct arm *a, struct workload *w,
			struct problem *p)
{
	struct arm_record *record = j->shared;
	struct warm_up_series s = {0};
	struct observer o = warm_up_observe(&s);
	struct cost *cost[2];
	int steady = 1;
	arm_run_costs(a, cost);
	j->status->n_requests = workload_total(w);
	int rc =
	    simulate(&a->engine, cost, w, &o, j->live, &record->outcome, p);
	if (rc == 0 && warm_up_find(&s, &record->warm_up_requests, &steady) < 0)
		rc = problem_no_memory(p);
	record->is_steady = (uint32_t)steady;
	warm_up_free(&s);
	return rc;
}

static int check_counted(const struct outcome *o, struct problem *p)
{
	return o->requests || !o->warm_up.requests
		   ? 0
		   : problem_set(p, EXIT_USAGE,
				 "--warm-up leaves none of the %" PRIu64
				 " requests",
				 o->warm_up.requests);
}

/* The work of an arm's job: makes the requests and simulates them. */
static int work(struct job *j, struct arm *a, void *ctx, struct problem *p)
{
	const struct study_task *t = ctx;
	struct workload_keys keys = t->config->workload_keys;
	if (!t->finds_warm_up)
		describe(j, a);
	keys.seed += (int64_t)t->seed_shift;
	struct workload *w = workload_open(&keys, &t->config->cfg, p);
	if (!w)
		return -1;
	int rc = t->finds_warm_up ? find_warm_up(j, a, w, p)
				  : simulate_requests(j, a, w, p);
	workload_free(w);
	if (rc == 0)
		rc = check_counted(&study_record(j)->outcome, p);
	return rc;
}

int study_job(struct job *j, struct problem *p)
{
	const struct study_task *t = j->user;
	const sc_host host = host_writing(j->stream[STREAM_SAID]);
	return arm_run(j, t->config, t->arm, &host, work, j->user, p);
}

const struct arm_record *study_record(const struct job *j)
{
	return j->shared;
}

/* ---- all arms ---- */

/* Returns the streams that the options ask for, as bits. */
static unsigned wanted(const struct study_options *o, int keep_logs)
{
	return 1u << STREAM_SAID | 1u << STREAM_SETUP |
	       (o->provenance ? 1u << STREAM_ORIGIN : 0u) |
	       (o->write_requests || o->keep_requests ? 1u << STREAM_REQUESTS
						      : 0u) |
	       (o->write_steps ? 1u << STREAM_STEPS : 0u) |
	       (o->write_transfers ? 1u << STREAM_TRANSFERS : 0u) |
	       (o->write_scaling ? 1u << STREAM_SCALING : 0u) |
	       (o->write_replicas ? 1u << STREAM_LIFETIMES : 0u) |
	       (o->write_sessions ? 1u << STREAM_SESSIONS : 0u) |
	       (o->perfetto ? 1u << STREAM_TIMELINE : 0u) |
	       (keep_logs ? 1u << STREAM_LOG_STEPS | 1u << STREAM_LOG_REQUESTS
			  : 0u);
}

static int make_jobs(struct study *s, const struct config *c,
		     const struct study_options *o, struct problem *p)
{
	s->task = calloc(s->n, sizeof *s->task);
	s->job = calloc(s->n, sizeof *s->job);
	s->arm = calloc(s->n, sizeof *s->arm);
	if (!s->task || !s->job || !s->arm)
		return problem_no_memory(p);
	if (warm_up_parse(&s->warm_up, o->warm_up, p) < 0)
		return -1;
	int keep_logs = (s->n > 1 && (o->why || o->swap)) || o->html || o->plot;
	size_t step_bytes = arm_run_step_bytes(c);
	for (size_t i = 0; i < s->n; i++) {
		s->task[i] = (struct study_task){.config = c,
						 .options = o,
						 .arm = i,
						 .keep_logs = keep_logs,
						 .warm_up = s->warm_up.cut,
						 .step_bytes = step_bytes};
		s->job[i] =
		    (struct job){.name = c->arm[i].name,
				 .plugin = c->arm[i].plugin,
				 .user = &s->task[i],
				 .wanted_streams = wanted(o, keep_logs)};
	}
	return 0;
}

static char *whole(FILE *f)
{
	char *text = NULL;
	size_t size = 0;
	if (f && getdelim(&text, &size, '\0', f) < 0) {
		if (!feof(f))
			problem_note_machine(errno);
		free(text);
		text = NULL;
	}
	return text;
}

/* Takes the results of the jobs. */
static void collect(struct study *s, const struct config *c)
{
	for (size_t i = 0; i < s->n; i++) {
		struct job *j = &s->job[i];
		struct trusted_load load =
		    trusted_load_of(&study_record(j)->outcome);
		s->arm[i] = (struct arm_result){
		    .name = j->name,
		    .error = j->complaint,
		    .record = study_record(j),
		    .trusted =
			trusted_of(c, i, study_record(j)->version, &load),
		    .setup = whole(j->stream[STREAM_SETUP]),
		    .provenance = whole(j->stream[STREAM_ORIGIN]),
		};
	}
}

/* Every arm makes its own requests; all must have made the same. */
static int check_hashes(const struct study *s, struct problem *p)
{
	const struct arm_result *first = NULL;
	for (size_t i = 0; i < s->n; i++) {
		const struct arm_result *a = &s->arm[i];
		if (a->error)
			continue;
		if (!first)
			first = a;
		if (a->record->request_hash != first->record->request_hash)
			return problem_set(
			    p, EXIT_INPUT,
			    "arms %s and %s were not given the same requests "
			    "(did the trace change meanwhile?)",
			    first->name, a->name);
	}
	return 0;
}

/* All arms get the latest cut of any, so that they count the same requests. */
static int find_cut(struct study *s, int *is_unsteady, struct problem *p)
{
	struct job *job = calloc(s->n + 1, sizeof *job);
	struct jobs jobs = {0};
	uint64_t most = 0;
	int rc = job ? 0 : problem_no_memory(p);
	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		s->task[i].finds_warm_up = 1;
		job[i] = (struct job){.name = s->job[i].name,
				      .plugin = s->job[i].plugin,
				      .user = &s->task[i]};
	}
	if (rc == 0)
		rc = jobs_run(&jobs, job, s->n, study_job, &s->how, p);
	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		const struct arm_record *r = study_record(&job[i]);
		if (job[i].complaint)
			continue;
		most = r->warm_up_requests > most ? r->warm_up_requests : most;
		*is_unsteady |= !r->is_steady;
	}
	for (size_t i = 0; i < s->n; i++) {
		s->task[i].finds_warm_up = 0;
		s->task[i].warm_up.requests = most;
	}
	jobs_free(&jobs);
	free(job);
	return rc;
}

int study_run(struct study *s, const char *command, const struct config *c,
	      size_t n, const struct study_options *o,
	      void (*progress)(void *user, const struct job *job, size_t n),
	      void *progress_user, struct problem *p)
{
	*s = (struct study){.n = n};
	s->how =
	    (struct jobs_options){.at_once = (unsigned)o->jobs,
				  .in_process = o->in_process,
				  .answer_limit_s = o->answer_limit_s,
				  .memory_limit_gib = o->memory_limit_gib,
				  .shared_bytes = sizeof(struct arm_record),
				  .live_bytes = arm_run_step_bytes(c),
				  .progress = progress,
				  .progress_user = progress_user};
	int is_unsteady = 0;
	if (make_jobs(s, c, o, p) < 0 ||
	    (s->warm_up.by_rule && find_cut(s, &is_unsteady, p) < 0) ||
	    jobs_run(&s->arms, s->job, n, study_job, &s->how, p) < 0)
		return -1;
	collect(s, c);
	s->results = (struct results){.command = command,
				      .config = c,
				      .seed = (uint64_t)c->workload_keys.seed,
				      .warm_up = s->warm_up.text,
				      .is_unsteady = is_unsteady,
				      .arm = s->arm,
				      .n = n};
	return check_hashes(s, p);
}

int study_code_of(const struct job *job, size_t n)
{
	int code = EXIT_DONE;
	for (size_t i = 0; i < n; i++) {
		int of = job[i].problem->code;
		if (of == EXIT_DONE &&
		    !study_record(&job[i])->outcome.completed)
			of = EXIT_SAYS_NO;
		code = of > code ? of : code;
	}
	return code;
}

int study_code(const struct study *s)
{
	return study_code_of(s->job, s->n);
}

int arm_has_latencies(const struct arm_result *a)
{
	return !a->error && a->record->outcome.completed > 0;
}

int study_has_results(const struct study *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->arm[i].error || s->job[i].problem->code == EXIT_PLUGIN)
			return 1;
	return 0;
}

void study_join(const struct study *s, enum study_stream which, FILE *to)
{
	jobs_join(&s->arms, which, to);
}

void study_free(struct study *s)
{
	for (size_t i = 0; s->arm && i < s->n; i++) {
		free((char *)s->arm[i].setup);
		free((char *)s->arm[i].provenance);
	}
	jobs_free(&s->arms);
	free(s->arm);
	free(s->task);
	free(s->job);
	*s = (struct study){0};
}
