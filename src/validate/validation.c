/* validation.c -- Simulates measured runs under every arm, in jobs. */
#include <config.h>
#include "validate/validation.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arm/run.h"
#include "base/csv.h"
#include "record/recorder.h"
#include "sim/simulation.h"
#include "validate/arm_knobs.h"

/* ---- one run under one arm, in its job ---- */

struct task {
	struct validation *v;
	size_t arm, trial, point;
	const struct knob_points *knobs; /* NULL: as configured              */
	struct prediction *prediction;   /* [file->n] where the answers go    */
};

/* Times of the trial's requests, ms, as they end. */
struct times {
	double *ms[N_LATENCIES]; /* [n] */
	const struct trial *trial;
	const struct measured_row *row;
	struct recorder recorder; /* of the job's stream, if it has one      */
};

/* The measured row that a request belongs to; NULL: a warm-up. */
static const struct measured_row *row_of(const struct trial *t,
					 uint64_t request)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (request >= t->first[i] && request < t->first[i + 1])
			return &t->file->row[t->row[i]];
	return NULL;
}

static int write_request(struct times *t, const struct request_event *e,
			 struct problem *p)
{
	const struct measured_row *r = row_of(t->trial, e->request.row);
	const struct observer o = recorder_observe(&t->recorder);
	csv_text(t->recorder.requests, r && r->id ? r->id : "");
	putc(',', t->recorder.requests);
	return o.on_request(o.ctx, e, p);
}

static double ms(int64_t ns)
{
	return ns < 0 ? (double)NAN : (double)ns / 1e6;
}

static int on_request(void *ctx, const struct request_event *e,
		      struct problem *p)
{
	struct times *t = ctx;
	uint64_t row = e->request.row;
	uint32_t tokens = e->request.output_tokens;
	if (t->recorder.requests && write_request(t, e, p) < 0)
		return -1;
	if (e->ending != REQUEST_ENDED || row >= t->trial->n)
		return 0;
	t->ms[LATENCY_TTFT][row] = ms(e->ttft_ns);
	t->ms[LATENCY_E2EL][row] = ms(e->e2el_ns);
	t->ms[LATENCY_TPOT][row] =
	    measured_tpot_has_first_token(t->row) ? ms(e->e2el_ns) / tokens
	    : tokens > 1 ? (ms(e->e2el_ns) - ms(e->ttft_ns)) / (tokens - 1)
			 : (double)NAN;
	return 0;
}

static double output_throughput(const struct outcome *o)
{
	return o->completed
		   ? (double)o->total_output_tokens * 1e9 /
			 (double)(o->last_token_ns - o->first_arrival_ns)
		   : (double)NAN;
}

static void summarise(const struct times *t, const struct outcome *o,
		      double replicas, struct prediction *out)
{
	const struct trial *x = t->trial;
	for (size_t i = 0; i < x->n_rows; i++) {
		out[i].priced = 1;
		out[i].saturation = o->saturation;
		out[i].rejected = o->rejected;
		out[i].output_throughput = replicas * output_throughput(o);
		memcpy(out[i].coverage_us, o->coverage_us,
		       sizeof out[i].coverage_us);
		for (int k = 0; k < N_LATENCIES; k++)
			out[i].time[k] = measured_summary(
			    t->ms[k] + x->first[i],
			    (size_t)(x->first[i + 1] - x->first[i]));
		if (x->tpot_only)
			out[i].time[LATENCY_TTFT] = out[i].time[LATENCY_E2EL] =
			    measured_no_times;
	}
}

/* Times that no request has yet are NaN. */
static double *new_times(struct times *t)
{
	size_t n = t->trial->n + 1;
	double *block = calloc(N_LATENCIES * n, sizeof *block);
	for (size_t i = 0; block && i < N_LATENCIES * n; i++)
		block[i] = (double)NAN;
	for (size_t k = 0; block && k < N_LATENCIES; k++)
		t->ms[k] = block + k * n;
	return block;
}

/* How many replicas of the configuration served the row together. */
static double replicas_of(const struct trial *x, const struct config *c)
{
	double of_one = (double)config_gpus(c);
	return x->gpus > of_one ? floor(x->gpus / of_one) : 1;
}

/* A replica sees its share of the requests that come at a rate. */
static struct workload *workload_of(const struct trial *x, double replicas,
				    struct planned_request **own,
				    struct problem *p)
{
	*own = NULL;
	if (replicas > 1) {
		*own = calloc(x->n + 1, sizeof **own);
		if (!*own) {
			problem_set(p, EXIT_USAGE, "out of memory");
			return NULL;
		}
		memcpy(*own, x->request, x->n * sizeof **own);
		for (uint64_t i = 0; i < x->n; i++)
			(*own)[i].arrival_ns = llround(
			    replicas * (double)x->request[i].arrival_ns);
	}
	return workload_planned(*own ? *own : x->request, x->n, x->concurrency,
				p);
}

static int simulate_loop(const struct task *task, struct arm *a,
			 struct workload *w, const struct observer *o,
			 void *memory, struct outcome *out, struct problem *p)
{
	struct loop_rules rules = task->v->trials.trial[task->trial].loop;
	rules.kv_tokens = a->engine.num_gpu_blocks == ENGINE_UNLIMITED
			      ? UINT64_MAX
			      : a->engine.num_gpu_blocks * a->engine.block_size;
	return loop_run(&rules, &a->cost, w, o, memory, out, p);
}

static int simulate_with(struct job *j, struct arm *a, const struct task *task,
			 struct workload *w, const struct observer *o,
			 struct outcome *out, struct problem *p)
{
	struct cost *cost[2];
	if (task->v->trials.trial[task->trial].has_loop)
		return simulate_loop(task, a, w, o, j->live, out, p);
	arm_run_costs(a, cost);
	return simulate(&a->engine, cost, w, o, j->live, out, p);
}

static int simulate_trial(struct job *j, struct arm *a, void *ctx,
			  struct problem *p)
{
	const struct task *task = ctx;
	const struct trial *x = &task->v->trials.trial[task->trial];
	struct times t = {
	    .trial = x,
	    .row = &x->file->row[x->row[0]],
	    .recorder = {.arm = j->name,
			 .status = j->status,
			 .requests = j->stream[VALIDATION_REQUESTS]}};
	struct observer o = {.on_request = on_request, .ctx = &t};
	struct outcome *outcome = calloc(1, sizeof *outcome);
	double *block = new_times(&t);
	double replicas = replicas_of(x, &task->v->config[task->trial]);
	struct planned_request *own;
	struct workload *w = workload_of(x, replicas, &own, p);
	int rc = -1;
	j->status->n_requests = x->n;
	if (!outcome || !block)
		problem_set(p, EXIT_USAGE, "out of memory");
	else if (w)
		rc = simulate_with(j, a, task, w, &o, outcome, p);
	if (rc == 0)
		summarise(&t, outcome, replicas, j->shared);
	workload_free(w);
	free(own);
	free(block);
	free(outcome);
	return rc;
}

/* The configuration is the child's own, or (in-process) each run overrides the
 * same knobs again. */
static int set_knobs(const struct task *t, struct problem *p)
{
	const struct knob_points *k = t->knobs;
	struct config *c = &t->v->config[t->trial];
	char text[300];
	for (size_t i = 0; k && i < k->n_knobs; i++) {
		snprintf(text, sizeof text, "%s.%s=%.17g",
			 c->arm[t->arm].section, k->name[i],
			 k->value[t->point * k->n_knobs + i]);
		if (ini_override(&c->cfg, text, p) < 0)
			return -1;
	}
	return 0;
}

static int run_trial(struct job *j, struct problem *p)
{
	struct task *t = j->user;
	return set_knobs(t, p) < 0 ? -1
				   : arm_run(j, &t->v->config[t->trial], t->arm,
					     NULL, simulate_trial, t, p);
}

/* ---- all of them ---- */

/* In this order, so that what the user sets wins over what a run says. */
static int list_settings(struct names *set, const struct trial *x,
			 const struct arm_knobs *knobs,
			 const struct validate_options *o)
{
	int rc = 0;
	for (size_t k = 0; rc == 0 && k < x->n_settings; k++)
		rc = names_add(set, x->setting[k]);
	for (size_t k = 0; rc == 0 && k < x->n_knobs; k++)
		rc = arm_knobs_assign(knobs, x->knob[k], set);
	for (size_t k = 0; rc == 0 && k < o->n_set; k++)
		rc = names_add(set, o->set[k]);
	return rc;
}

static void name_arms(struct validation *v, const struct config *c)
{
	v->n_arms = c->n_arms;
	v->arm = calloc(v->n_arms + 1, sizeof *v->arm);
	for (size_t k = 0; v->arm && k < v->n_arms; k++)
		v->arm[k] = c->arm[k].name;
}

static int open_config(struct validation *v, size_t i, const char *path,
		       const struct arm_knobs *knobs,
		       const struct validate_options *o, struct problem *p)
{
	struct names set = {0};
	struct problem why;
	if (list_settings(&set, &v->trials.trial[i], knobs, o) < 0) {
		names_free(&set);
		return problem_set(p, EXIT_USAGE, "out of memory");
	}
	if (config_load_beside(&v->config[i], i ? v->config : NULL, path,
			       set.item, set.n, o->arms, &why) < 0) {
		v->refused[i] = strdup(why.text);
		*p = why;
	} else if (!v->arm) {
		name_arms(v, &v->config[i]);
	}
	names_free(&set);
	return 0;
}

static int open_configs(struct validation *v, const char *path,
			const struct validate_options *o, struct problem *p)
{
	struct arm_knobs knobs = {0};
	size_t n_knobs = 0;
	int rc = 0;
	v->config = calloc(v->trials.n + 1, sizeof *v->config);
	v->refused = calloc(v->trials.n + 1, sizeof *v->refused);
	if (!v->config || !v->refused)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < v->trials.n; i++)
		n_knobs += v->trials.trial[i].n_knobs;
	if (n_knobs)
		rc = arm_knobs_open(&knobs, path, o->set, o->n_set, p);
	for (size_t i = 0; rc == 0 && i < v->trials.n; i++)
		rc = open_config(v, i, path, &knobs, o, p);
	arm_knobs_free(&knobs);
	return rc == 0 && v->arm ? 0 : -1;
}

static void collect(const struct task *task, struct job *job)
{
	struct validation *v = task->v;
	const struct trial *x = &v->trials.trial[task->trial];
	const struct prediction *is = job->shared;
	for (size_t i = 0; !job->complaint && i < x->n_rows; i++)
		task->prediction[x->row[i]] = is[i];
	if (job->complaint && job->problem->code == EXIT_PLUGIN)
		v->plugin_failed = 1;
	if (job->complaint && !task->knobs)
		v->why[task->arm * v->trials.n + task->trial] =
		    strdup(job->problem->text);
}

static size_t step_bytes(const struct validation *v, size_t trial)
{
	const struct trial *x = &v->trials.trial[trial];
	return x->has_loop ? loop_step_bytes(x->loop.max_num_seqs)
			   : arm_run_step_bytes(&v->config[trial]);
}

/* What a job leaves, at most: a prediction for each row of its trial; and the
 * memory of the step under way. */
static void add_bytes(struct jobs_options *o, const struct validation *v,
		      const struct task *task)
{
	size_t rows = v->trials.trial[task->trial].n_rows;
	size_t step = step_bytes(v, task->trial);
	size_t shared = (rows + 1) * sizeof(struct prediction);
	if (shared > o->shared_bytes)
		o->shared_bytes = shared;
	if (step > o->live_bytes)
		o->live_bytes = step;
}

static int run_tasks(struct validation *v, struct task *task, size_t n,
		     const struct validate_options *o, struct problem *p)
{
	struct job *job = calloc(n + 1, sizeof *job);
	struct jobs arms = {0};
	if (!job)
		return problem_set(p, EXIT_USAGE, "out of memory");
	struct jobs_options how = {.at_once = o->jobs,
				   .in_process = o->in_process,
				   .answer_limit_s = JOB_ANSWER_LIMIT_S,
				   .memory_limit_gib = JOB_MEMORY_LIMIT_GIB,
				   .progress = o->progress,
				   .progress_user = o->progress_user};
	for (size_t i = 0; i < n; i++) {
		job[i] = (struct job){
		    .name = v->arm[task[i].arm],
		    .user = &task[i],
		    .wanted_streams =
			o->requests ? 1u << VALIDATION_REQUESTS : 0u};
		add_bytes(&how, v, &task[i]);
	}
	int rc = jobs_run(&arms, job, n, run_trial, &how, p);
	v->interrupted = arms.interrupted;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		collect(&task[i], &job[i]);
		if (o->done)
			o->done(o->done_user, &job[i]);
	}
	if (rc == 0 && o->requests)
		jobs_join(&arms, VALIDATION_REQUESTS, o->requests);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (job[i].complaint && task[i].knobs)
			rc = problem_set(p, job[i].problem->code, "%s",
					 job[i].problem->text);
	jobs_free(&arms);
	free(job);
	return rc;
}

int validation_run(struct validation *v, const struct validate_options *o,
		   struct problem *p)
{
	size_t n = 0;
	struct task *task = calloc(v->n_arms * v->trials.n + 1, sizeof *task);
	if (!task)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < v->trials.n; i++)
		for (size_t k = 0; !v->refused[i] && k < v->n_arms; k++)
			task[n++] = (struct task){.v = v,
						  .arm = k,
						  .trial = i,
						  .prediction = v->prediction +
								k * v->file->n};
	int rc = run_tasks(v, task, n, o, p);
	free(task);
	return rc;
}

int validation_ask(struct validation *v, const struct knob_points *k,
		   const struct validate_options *o,
		   struct prediction *prediction, struct problem *p)
{
	size_t n = 0;
	struct task *task = calloc(k->n_points * v->trials.n + 1, sizeof *task);
	if (!task)
		return problem_set(p, EXIT_USAGE, "out of memory");
	for (size_t i = 0; i < k->n_points; i++)
		for (size_t t = 0; t < v->trials.n; t++)
			if (!v->refused[t])
				task[n++] = (struct task){
				    .v = v,
				    .arm = k->arm,
				    .trial = t,
				    .point = i,
				    .knobs = k,
				    .prediction = prediction + i * v->file->n};
	int rc = run_tasks(v, task, n, o, p);
	free(task);
	return rc;
}

/* Of each row; NULL: out of memory. */
static size_t *number_trials(const struct validation *v)
{
	size_t *trial_of = calloc(v->file->n + 1, sizeof *trial_of);
	for (size_t i = 0; trial_of && i < v->file->n; i++)
		trial_of[i] = SIZE_MAX;
	for (size_t i = 0; trial_of && i < v->trials.n; i++)
		for (size_t k = 0; k < v->trials.trial[i].n_rows; k++)
			trial_of[v->trials.trial[i].row[k]] = i;
	return trial_of;
}

static int none_left(const struct trials *t, const struct measured *file,
		     struct problem *p)
{
	char why[400] = "";
	size_t at = 0;
	for (size_t i = 0; i < t->n_left_out && at < sizeof why; i++) {
		size_t n = trials_left_out(t, i);
		if (n)
			at += (size_t)snprintf(why + at, sizeof why - at,
					       "%s%zu rows: %s", at ? "; " : "",
					       n, t->left_out[i].why);
	}
	return problem_set(p, EXIT_INPUT,
			   "%s: none of its rows can be simulated: %s",
			   file->path[0], why);
}

int validation_open(struct validation *v, const char *path,
		    const struct measured *file, const struct ini *aliases,
		    const struct validate_options *o, struct problem *p)
{
	*v = (struct validation){.file = file};
	if (trials_plan(&v->trials, file, aliases, o->all_flags, p) < 0)
		return -1;
	if (!v->trials.n)
		return none_left(&v->trials, file, p);
	if (open_configs(v, path, o, p) < 0)
		return -1;
	v->trial_of = number_trials(v);
	v->prediction = calloc(v->n_arms * file->n + 1, sizeof *v->prediction);
	v->why = calloc(v->n_arms * v->trials.n + 1, sizeof *v->why);
	return v->prediction && v->why && v->trial_of
		   ? 0
		   : problem_set(p, EXIT_USAGE, "out of memory");
}

void validation_free(struct validation *v)
{
	for (size_t i = 0; i < v->trials.n; i++) {
		if (v->config)
			config_free(&v->config[i]);
		if (v->refused)
			free(v->refused[i]);
		for (size_t k = 0; v->why && k < v->n_arms; k++)
			free(v->why[k * v->trials.n + i]);
	}
	free(v->config);
	free(v->refused);
	free(v->arm);
	free(v->prediction);
	free(v->trial_of);
	free(v->why);
	trials_free(&v->trials);
	*v = (struct validation){0};
}

/* ---- questions ---- */

const struct prediction *validation_of(const struct validation *v, size_t arm,
				       size_t row)
{
	return &v->prediction[arm * v->file->n + row];
}

/* Where only the median was measured, that stands for the mean. */
static enum statistic stands_for(const struct measured_times *t,
				 enum statistic statistic)
{
	return statistic == STATISTIC_MEAN && isnan(t->of[STATISTIC_MEAN])
		   ? STATISTIC_P50
		   : statistic;
}

double validation_error(const struct validation *v, size_t arm, size_t row,
			enum latency metric, enum statistic statistic)
{
	const struct prediction *is = validation_of(v, arm, row);
	const struct measured_times *real = &v->file->row[row].time[metric];
	enum statistic s = stands_for(real, statistic);
	return is->priced ? is->time[metric].of[s] / real->of[s] - 1
			  : (double)NAN;
}

double validation_throughput_error(const struct validation *v, size_t arm,
				   size_t row)
{
	const struct prediction *is = validation_of(v, arm, row);
	const struct measured_row *r = &v->file->row[row];
	for (int k = 0; k < N_LATENCIES; k++)
		for (int i = 0; i < N_STATISTICS; i++)
			if (!isnan(r->time[k].of[i]))
				return (double)NAN;
	return is->priced ? is->output_throughput / r->output_throughput - 1
			  : (double)NAN;
}

const struct config *validation_config(const struct validation *v, size_t row)
{
	size_t i = v->trial_of[row];
	return i == SIZE_MAX || v->refused[i] ? NULL : &v->config[i];
}

int validation_saturated(const struct measured_row *r)
{
	return measured_has_flag(r, "SATURATED") ||
	       measured_has_flag(r, "NEAR_KV_SATURATION") ||
	       measured_has_flag(r, "BURST_");
}

int validation_common(const struct validation *v, size_t row)
{
	for (size_t k = 0; k < v->n_arms; k++)
		if (!validation_of(v, k, row)->priced)
			return 0;
	return 1;
}
