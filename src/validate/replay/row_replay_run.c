/* row_replay_run.c -- Simulates a measured run under one arm, in its job. */
#include "validate/replay/row_replay_run.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arm/arm_gpus.h"
#include "arm/run.h"
#include "base/csv.h"
#include "math/statistics.h"
#include "record/metrics.h"
#include "record/recorder.h"
#include "sim/simulation.h"
#include "validate/replay/row_replay_requests.h"
#include "stepcost/plugin.h"

/* Times of the trial's requests, ms, as they end. */
struct times {
	double *ms[N_RUN_LATENCIES]; /* [n] */
	const struct row_replay *row_replay;
	const struct measured_row *row;
	/* [rows][latencies][statistics][repeats] of the simulations so far */
	double *drawn;
	double prefill_us, steps_us; /* of all simulations                  */
	struct recorder recorder; /* of the job's stream, if it has one      */
	struct uncertainty_watch uncertainty; /* of the first simulation      */
};

/* The measured row that a request belongs to; NULL: a warm-up. */
static const struct measured_row *row_of(const struct row_replay *t,
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
	const struct measured_row *r = row_of(t->row_replay, e->request.row);
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
	if (t->recorder.requests && write_request(t, e, p) < 0)
		return -1;
	if (e->ending != REQUEST_ENDED || row >= t->row_replay->n)
		return 0;
	if (t->uncertainty.is_known &&
	    uncertainty_request(t->uncertainty.sum, e) < 0)
		return problem_no_memory(p);
	t->ms[RUN_TTFT][row] = ms(e->ttft_ns);
	t->ms[RUN_E2EL][row] = ms(e->e2el_ns);
	t->ms[RUN_TPOT][row] = measured_tpot_has_first_token(t->row)
				   ? ms(e->e2el_ns) / e->request.output_tokens
				   : ms(e->tpot_ns);
	return 0;
}

/* Plugins that do not tell of prompts, and steps without one, say NaN. */
static void add_step(struct times *t, const sc_result *r)
{
	double prefill_us =
	    r->gemm_us[SC_PREFILL] + r->attention_us[SC_PREFILL];
	t->steps_us += r->total_us;
	if (!isnan(prefill_us))
		t->prefill_us += prefill_us;
}

static int on_step(void *ctx, const struct step_event *e, struct problem *p)
{
	struct times *t = ctx;
	add_step(t, e->result);
	return uncertainty_is_asked(&t->uncertainty, e->pool, e->result)
		   ? uncertainty_add(&t->uncertainty, e->pool, e->step->replica,
				     e->start_ns, e->end_ns, e->result, p)
		   : 0;
}

static int on_run(void *ctx, const struct decode_run *run, struct problem *p)
{
	struct times *t = ctx;
	for (uint32_t i = 0; i < run->n; i++)
		add_step(t, run->result[i]);
	return uncertainty_add_run(&t->uncertainty, run, p);
}

static double output_throughput(const struct outcome *o)
{
	return o->completed
		   ? (double)o->total_output_tokens * 1e9 /
			 (double)(o->last_token_ns - o->first_arrival_ns)
		   : (double)NAN;
}

static double per(uint64_t sum, uint64_t n)
{
	return n ? (double)sum / (double)n : 0;
}

static uint64_t repeats_of(const struct row_replay *x)
{
	return x->repeats ? x->repeats : 1;
}

/* What the errors of a row may depend on; share: of several simulations. */
static void add_load(const struct outcome *o, double share,
		     struct prediction *out)
{
	out->computed_share +=
	    share * (1 - per(o->prefix_hit_tokens, o->prefix_queried_tokens));
	out->input_tokens += share * per(o->total_input_tokens, o->completed);
	out->output_tokens += share * per(o->total_output_tokens, o->completed);
	out->running += share * per(o->scheduled_sequences, o->num_steps);
	out->most = o->max_num_seqs;
	out->clients = o->clients;
}

const char *const row_replay_energy_name[N_ROW_REPLAY_ENERGY] = {
    "gpu_power_w", "energy_per_token_j", "memory_utilization",
    "compute_utilization"};

static void add_energy(const struct outcome *o, double share,
		       struct prediction *out)
{
	for (int k = 0; k < N_ROW_REPLAY_ENERGY; k++)
		out->energy[k] +=
		    share *
		    metric_value(metric_find(row_replay_energy_name[k]), o);
}

/* v[n] is put in order.  NaN: no request had that time. */
static double median(double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isnan(v[i]))
			return v[i];
	stats_sort(v, n);
	return stats_percentile(v, n, .5);
}

/* [repeats] what the simulations said of a statistic. */
static double *draws_of(const struct times *t, size_t row, int k, int s)
{
	return t->drawn + ((row * N_RUN_LATENCIES + (size_t)k) * N_STATISTICS +
			   (size_t)s) *
			      repeats_of(t->row_replay);
}

/* Returns the mean of the values that are not NaN. */
static double mean_of(const double *v, size_t n)
{
	double sum = 0;
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		sum += isnan(v[i]) ? 0 : v[i];
		kept += (size_t)!isnan(v[i]);
	}
	return kept ? sum / (double)kept : (double)NAN;
}

/* The mean with the first wave and the others at their shares; NaN where each
 * request counts alike, or one of the two is empty. */
static double mean_by_waves(const struct row_replay *x, const double *ms,
			    size_t n)
{
	size_t wave = (size_t)x->concurrency;
	double share = x->protocol.first_wave_share;
	if (!(share >= 0) || !wave || n <= wave)
		return (double)NAN;
	return share * mean_of(ms, wave) +
	       (1 - share) * mean_of(ms + wave, n - wave);
}

static void add_times(const struct times *t, size_t row, uint64_t repeat)
{
	const struct row_replay *x = t->row_replay;
	size_t n = (size_t)(x->first[row + 1] - x->first[row]);
	for (int k = 0; k < N_RUN_LATENCIES; k++) {
		double *ms = t->ms[k] + x->first[row];
		double mean = mean_by_waves(x, ms, n);
		struct measured_times is = measured_summary(ms, n);
		if (!isnan(mean))
			is.of[STATISTIC_MEAN] = mean;
		for (int s = 0; s < N_STATISTICS; s++)
			draws_of(t, row, k, s)[repeat] = is.of[s];
	}
}

/* Takes the medians over several draws of the arrivals, because a queue that
 * one of the draws fills must not decide. */
static void take_medians(const struct times *t, struct prediction *out)
{
	const struct row_replay *x = t->row_replay;
	for (size_t i = 0; i < x->n_rows; i++) {
		out[i].prefill_share = t->prefill_us > 0
					   ? t->prefill_us / t->steps_us
					   : (double)NAN;
		for (int k = 0; k < N_RUN_LATENCIES; k++)
			for (int s = 0; s < N_STATISTICS; s++)
				out[i].time[k].of[s] =
				    median(draws_of(t, i, k, s), repeats_of(x));
		if (x->tpot_only)
			out[i].time[RUN_TTFT] = out[i].time[RUN_E2EL] =
			    measured_no_times;
	}
}

/* `out` gets its share of one simulation more. */
static void add_simulation(const struct times *t, const struct outcome *o,
			   uint64_t repeat, double replicas,
			   struct prediction *out)
{
	const struct row_replay *x = t->row_replay;
	double share = 1 / (double)repeats_of(x);
	for (size_t i = 0; i < x->n_rows; i++) {
		out[i].priced = 1;
		if (o->saturation > out[i].saturation)
			out[i].saturation = o->saturation;
		out[i].rejected += o->rejected;
		out[i].output_throughput +=
		    share * replicas * output_throughput(o);
		for (int k = 0; k < COVERAGE_CLASSES; k++)
			out[i].coverage_us[k] += o->coverage_us[k];
		add_load(o, share, &out[i]);
		add_energy(o, share, &out[i]);
		add_times(t, i, repeat);
	}
}

static int new_times(struct times *t)
{
	size_t n = t->row_replay->n + 1, repeats = repeats_of(t->row_replay);
	size_t statistics =
	    N_RUN_LATENCIES * N_STATISTICS * t->row_replay->n_rows;
	double *block = calloc(N_RUN_LATENCIES * n, sizeof *block);
	t->drawn = calloc(statistics * repeats, sizeof *t->drawn);
	for (size_t k = 0; k < N_RUN_LATENCIES; k++)
		t->ms[k] = block ? block + k * n : NULL;
	return block && t->drawn ? 0 : -1;
}

static void free_times(struct times *t)
{
	free(t->ms[0]);
	free(t->drawn);
}

/* Times that no request has yet are NaN. */
static void clear_times(struct times *t)
{
	for (size_t k = 0; k < N_RUN_LATENCIES; k++)
		for (uint64_t i = 0; i <= t->row_replay->n; i++)
			t->ms[k][i] = (double)NAN;
}

/* How many replicas of the configuration served the row together. */
static double replicas_of(const struct row_replay *x, const struct arm *a)
{
	double of_one = (double)config_arm_gpus(a->config, a->index);
	return x->gpus > of_one ? floor(x->gpus / of_one) : 1;
}

/* A replica sees its share of the requests that come at a rate. */
static struct workload *workload_of(const struct row_replay *x, uint64_t repeat,
				    double replicas,
				    struct planned_request **own,
				    struct problem *p)
{
	if (repeat > 0)
		*own = row_replay_draw(x, repeat);
	else if ((*own = calloc(x->n + 1, sizeof **own)))
		memcpy(*own, x->request, x->n * sizeof **own);
	if (!*own) {
		problem_no_memory(p);
		return NULL;
	}
	for (uint64_t i = 0; replicas > 1 && i < x->n; i++)
		(*own)[i].arrival_ns =
		    llround(replicas * (double)(*own)[i].arrival_ns);
	return workload_planned(*own, x->n, x->concurrency, p);
}

/* Adds the uncertainty of each row's means, which is that of all requests of
 * the simulation, also of other rows'. */
static int add_uncertainty(struct times *t, struct prediction *out,
			   struct problem *p)
{
	static const enum uncertain of[N_RUN_LATENCIES] = {
	    [RUN_TTFT] = UNCERTAIN_TTFT,
	    [RUN_TPOT] = UNCERTAIN_TPOT,
	    [RUN_E2EL] = UNCERTAIN_E2EL};
	struct uncertainty_run run;
	if (!t->uncertainty.sum)
		return 0;
	int rc = uncertainty_close(t->uncertainty.sum, &run, p);
	for (size_t i = 0; rc == 0 && run.n_steps && i < t->row_replay->n_rows;
	     i++)
		for (int k = 0; k < N_RUN_LATENCIES; k++) {
			const struct uncertain_latency *l = &run.of[of[k]];
			out[i].own_deviation[k] =
			    l->mean_ns > 0 ? l->sd_ns / l->mean_ns : 0;
		}
	uncertainty_free(t->uncertainty.sum);
	t->uncertainty.sum = NULL;
	return rc;
}

static int simulate_repeat(struct job *j, struct arm *a, uint64_t repeat,
			   struct times *t, struct outcome *outcome,
			   struct problem *p)
{
	double replicas = replicas_of(t->row_replay, a);
	struct observer o = {.on_step = on_step,
			     .on_run = on_run,
			     .on_request = on_request,
			     .ctx = t};
	struct planned_request *own;
	struct cost *cost[2];
	struct workload *w =
	    workload_of(t->row_replay, repeat, replicas, &own, p);
	int rc = -1;
	arm_run_costs(a, cost);
	clear_times(t);
	memset(outcome, 0, sizeof *outcome);
	if (w && (repeat > 0 || uncertainty_ask(&t->uncertainty, cost, p) == 0))
		rc = simulate(&a->engine, cost, w, &o, j->live, outcome, p);
	if (rc == 0)
		add_simulation(t, outcome, repeat, replicas, j->shared);
	if (rc == 0)
		rc = add_uncertainty(t, j->shared, p);
	workload_free(w);
	free(own);
	return rc;
}

static void tell_version(struct job *j, const struct row_replay *x,
			 const struct arm *a)
{
	struct prediction *out = j->shared;
	for (size_t i = 0; i < x->n_rows; i++)
		snprintf(out[i].version, sizeof out[i].version, "%s",
			 a->plugin.p.version);
}

static int simulate_row_replay(struct job *j, struct arm *a, void *ctx,
			       struct problem *p)
{
	const struct row_replay_run *task = ctx;
	const struct row_replay *x = task->row_replay;
	struct times t = {
	    .row_replay = x,
	    .row = &x->file->row[x->row[0]],
	    .recorder = {.arm = j->name,
			 .status = j->status,
			 .requests = j->stream[ROW_REPLAY_RUN_REQUESTS]}};
	struct outcome *outcome = calloc(1, sizeof *outcome);
	int rc = new_times(&t) == 0 && outcome ? 0 : problem_no_memory(p);
	j->status->n_requests = x->n * repeats_of(x);
	for (uint64_t i = 0; rc == 0 && i < repeats_of(x); i++)
		rc = simulate_repeat(j, a, i, &t, outcome, p);
	if (rc == 0)
		take_medians(&t, j->shared);
	tell_version(j, x, a);
	uncertainty_free(t.uncertainty.sum);
	free_times(&t);
	free(outcome);
	return rc;
}

/* The configuration is the child's own, or (in-process) each run overrides the
 * same knobs again. */
static int set_knobs(const struct row_replay_run *t, struct problem *p)
{
	const struct knob_points *k = t->knobs;
	struct config *c = t->config;
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

int row_replay_run(struct job *j, struct problem *p)
{
	struct row_replay_run *t = j->user;
	return set_knobs(t, p) < 0 ? -1
				   : arm_run(j, t->config, t->arm, NULL,
					     simulate_row_replay, t, p);
}
