/* other_tools.c -- Writes a run as other tools write theirs. */
#include "report/results/other_tools.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arm/arm_gpus.h"
#include "base/checksum.h"
#include "base/csv.h"
#include "base/grow.h"
#include "base/json/json_writer.h"
#include "base/text.h"
#include "engine/parallel.h"
#include "record/metrics.h"
#include "record/recorder.h"
#include "serve/measures.h"

#define SIMULATED "simulated by stepcost " PACKAGE_VERSION

int is_format_of_other_tools(int format)
{
	return format == FORMAT_REPORT || format == FORMAT_VLLM ||
	       format == FORMAT_PROMETHEUS;
}

struct run {
	const struct config *c;
	const struct arm_result *a;
	const struct outcome *o;
	struct request_event *request; /* [n] in the order of their rows */
	size_t n, cap;
};

/* ---- the requests ---- */

/* Columns of recorder_requests_head(). */
enum {
	ROW = 1,
	REPLICA = 7,
	STATUS,
	INPUT,
	OUTPUT,
	GENERATED,
	CACHED,
	PREEMPTIONS,
	ARRIVAL,
	SCHEDULED,
	FIRST_TOKEN,
	LAST_TOKEN,
	TTFT,
	TPOT,
	E2EL,
	N_CELLS
};

static uint32_t count(const char *s)
{
	return (uint32_t)strtoul(s, NULL, 10);
}

static int64_t ns(const char *s)
{
	return *s ? strtoll(s, NULL, 10) : -1;
}

static int64_t ns_of_ms(const char *s)
{
	return *s ? llround(1e6 * strtod(s, NULL)) : -1;
}

static const char *take_request(void *user, uint64_t row, uint32_t n,
				char *const *cell)
{
	struct run *r = user;
	if (row == 0 || n < N_CELLS)
		return NULL;
	if (!MAKE_ROOM(r->request, r->n, r->cap))
		return out_of_memory;
	struct request_event *e = memset(&r->request[r->n++], 0, sizeof *e);
	e->request.row = count(cell[ROW]);
	e->replica = count(cell[REPLICA]);
	while (strcmp(recorder_ending[e->ending], cell[STATUS]) != 0)
		e->ending++;
	e->request.input_tokens = count(cell[INPUT]);
	e->request.output_tokens = count(cell[OUTPUT]);
	e->generated_tokens = count(cell[GENERATED]);
	e->cached_tokens = count(cell[CACHED]);
	e->preemptions = count(cell[PREEMPTIONS]);
	e->request.arrival_ns = ns(cell[ARRIVAL]);
	e->seen_ns = -1;
	e->scheduled_ns = ns(cell[SCHEDULED]);
	e->first_token_ns = ns(cell[FIRST_TOKEN]);
	e->last_token_ns = ns(cell[LAST_TOKEN]);
	e->ttft_ns = ns_of_ms(cell[TTFT]);
	e->tpot_ns = ns_of_ms(cell[TPOT]);
	e->e2el_ns = ns_of_ms(cell[E2EL]);
	return NULL;
}

static int by_row(const void *va, const void *vb)
{
	const struct request_event *a = va, *b = vb;
	return (a->request.row > b->request.row) -
	       (a->request.row < b->request.row);
}

/* ---- common to the JSON documents ---- */

static double figure(const struct run *r, const char *name)
{
	return metric_value(metric_find(name), r->o);
}

static double rate_of(const struct run *r)
{
	const struct workload_keys *w = &r->c->workload_keys;
	return w->request_rate > 0      ? w->request_rate
	       : w->interarrival_us > 0 ? 1e6 / w->interarrival_us
					: (double)NAN;
}

enum list { INPUT_LENS, OUTPUT_LENS, START_TIMES, TTFTS, LATENCIES, ERRORS };

/* Writes a list over the requests, or over those that completed. */
static void put_list(struct jw *j, const struct run *r, const char *name,
		     enum list which, int completed)
{
	jw_flat_array(j, name);
	for (size_t i = 0; i < r->n; i++) {
		const struct request_event *e = &r->request[i];
		int is_good = e->ending == REQUEST_ENDED;
		if (completed && !is_good)
			continue;
		if (which == ERRORS)
			jw_text(j, NULL,
				is_good ? "" : recorder_ending[e->ending]);
		else if (which == INPUT_LENS || which == OUTPUT_LENS)
			jw_uint(j, NULL,
				which == INPUT_LENS ? e->request.input_tokens
				: is_good           ? e->generated_tokens
						    : 0);
		else
			jw_number(j, NULL,
				  (double)(which == START_TIMES
					       ? e->request.arrival_ns
					   : !is_good       ? 0
					   : which == TTFTS ? e->ttft_ns
							    : e->e2el_ns) /
				      1e9);
	}
	jw_end(j);
}

/* ---- Benchmark Report ---- */

static void put_statistics(struct jw *j, const char *name, const char *units,
			   const struct stats_summary *s)
{
	const struct {
		const char *name;
		double ns;
	} of[] = {{"mean", s->mean}, {"stddev", s->std}, {"min", s->min},
		  {"p50", s->p50},   {"p90", s->p90},    {"p95", s->p95},
		  {"p99", s->p99},   {"max", s->max}};
	if (!s->n)
		return;
	jw_object(j, name);
	jw_text(j, "units", units);
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		jw_number(j, of[i].name, of[i].ns / 1e6);
	jw_end(j);
}

/* Lengths as a distribution of the load (name of its kind), or as statistics of
 * the requests that completed. */
static void put_lengths(struct jw *j, const struct run *r, const char *name,
			int is_output, int is_load)
{
	double sum = 0, min = INFINITY, max = 0, n = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct request_event *e = &r->request[i];
		double v = is_output ? e->request.output_tokens
				     : e->request.input_tokens;
		if (!is_load && e->ending != REQUEST_ENDED)
			continue;
		sum += v, n++;
		min = fmin(min, v);
		max = fmax(max, v);
	}
	if (!(n > 0))
		return;
	jw_object(j, name);
	jw_text(j, is_load ? "distribution" : "units",
		!is_load     ? "count"
		: min == max ? "fixed"
			     : "other");
	jw_number(j, is_load ? "value" : "mean", sum / n);
	jw_number(j, "min", min);
	jw_number(j, "max", max);
	jw_end(j);
}

static void put_rate(struct jw *j, const char *name, const char *units,
		     double mean)
{
	jw_object(j, name);
	jw_text(j, "units", units);
	jw_number(j, "mean", mean);
	jw_end(j);
}

/* Ids are checksums, so the same run has the same. */
static void put_id(struct jw *j, const char *key, const void *bytes, size_t n,
		   uint64_t more)
{
	struct checksum sum = {0};
	char text[40];
	checksum_add(&sum, bytes, n);
	snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64,
		 checksum_value(&sum), more);
	jw_text(j, key, text);
}

/* The configuration as JSON; the caller frees it.  NULL: memory is out. */
static char *configuration(const struct config *c, size_t *n)
{
	char *text = NULL;
	FILE *m = text_open(&text, n);
	if (!m)
		return NULL;
	struct jw j = jw_document(m);
	config_write(&j, c);
	jw_end(&j);
	return fclose(m) == 0 ? text : NULL;
}

static void put_engine(struct jw *j, const struct run *r, uint32_t pool,
		       const char *config, size_t n_config)
{
	static const char *const role[2][2] = {{"replica", ""},
					       {"prefill", "decode"}};
	const struct arm_config *arm = &r->c->arm[0];
	struct engine_keys k;
	struct problem p;
	int is_apart = r->o->n_pools > 1;
	if (config_arm_keys(&k, r->c, 0, pool, &p) < 0)
		return;
	jw_object(j, NULL);
	jw_object(j, "metadata");
	jw_text(j, "label", role[is_apart][pool]);
	put_id(j, "cfg_id", config, n_config, pool);
	jw_text(j, "description", SIMULATED);
	jw_end(j);
	jw_object(j, "standardized");
	jw_text(j, "kind", "inference_engine");
	jw_text(j, "tool", "stepcost");
	jw_text(j, "tool_version", PACKAGE_VERSION);
	jw_text(j, "role", role[is_apart][pool]);
	jw_int(j, "replicas",
	       !is_apart   ? k.replicas
	       : pool == 0 ? k.prefill_replicas
			   : k.replicas - k.prefill_replicas);
	jw_object(j, "model");
	jw_text(j, "name", r->c->model.name);
	jw_end(j);
	jw_object(j, "accelerator");
	jw_text(j, "model",
		pool && arm->decode_hardware ? arm->decode_hardware
					     : arm->hardware);
	jw_int(j, "count",
	       k.tensor_parallel_size * k.pipeline_parallel_size *
		   k.data_parallel_size);
	jw_object(j, "parallelism");
	jw_int(j, "tp", k.tensor_parallel_size);
	jw_int(j, "pp", k.pipeline_parallel_size);
	jw_int(j, "dp", k.data_parallel_size);
	jw_int(j, "dp_local", k.data_parallel_size);
	jw_uint(j, "ep", parallel_of(&k, &r->c->model).ep);
	jw_end(j);
	jw_end(j);
	jw_end(j);
	jw_object(j, "native");
	jw_literal(j, "config", config);
	jw_end(j);
	jw_end(j);
}

/* native.config has each request, so that the load can be repeated. */
static void put_load(struct jw *j, const struct run *r)
{
	double rate = rate_of(r);
	jw_object(j, "load");
	jw_object(j, "metadata");
	jw_text(j, "description", SIMULATED);
	jw_end(j);
	jw_object(j, "standardized");
	jw_text(j, "tool", "stepcost");
	jw_text(j, "tool_version", PACKAGE_VERSION);
	jw_text(j, "source", "random");
	put_lengths(j, r, "input_seq_len", 0, 1);
	put_lengths(j, r, "output_seq_len", 1, 1);
	if (isfinite(rate))
		jw_number(j, "rate_qps", rate);
	if (r->o->clients)
		jw_uint(j, "concurrency", r->o->clients);
	jw_end(j);
	jw_object(j, "native");
	jw_object(j, "config");
	if (!r->o->warm_up.requests) {
		put_list(j, r, "input_lens", INPUT_LENS, 1);
		put_list(j, r, "output_lens", OUTPUT_LENS, 1);
		put_list(j, r, "start_times", START_TIMES, 1);
	}
	jw_end(j);
	jw_end(j);
	jw_end(j);
}

static void put_aggregate(struct jw *j, const struct run *r)
{
	const struct outcome *o = r->o;
	double s = figure(r, "duration");
	jw_object(j, "requests");
	jw_uint(j, "total", o->requests);
	jw_uint(j, "failures", o->failed + o->rejected);
	jw_uint(j, "incomplete", o->unfinished + o->cancelled);
	put_lengths(j, r, "input_length", 0, 0);
	put_lengths(j, r, "output_length", 1, 0);
	jw_end(j);
	jw_object(j, "latency");
	put_statistics(j, "time_to_first_token", "ms", &o->ttft);
	put_statistics(j, "time_per_output_token", "ms/token", &o->tpot);
	put_statistics(j, "inter_token_latency", "ms/token", &o->itl);
	put_statistics(j, "request_latency", "ms", &o->e2el);
	jw_end(j);
	if (!(s > 0))
		return;
	jw_object(j, "throughput");
	put_rate(j, "input_token_rate", "tokens/s",
		 (double)o->total_input_tokens / s);
	put_rate(j, "output_token_rate", "tokens/s",
		 figure(r, "output_throughput"));
	put_rate(j, "total_token_rate", "tokens/s",
		 figure(r, "total_token_throughput"));
	put_rate(j, "request_rate", "queries/s",
		 figure(r, "request_throughput"));
	jw_end(j);
}

static int write_report(const struct run *r, FILE *f)
{
	size_t n = 0;
	char *config = configuration(r->c, &n), text[240];
	if (!config)
		return -1;
	struct jw j = jw_document(f);
	jw_text(&j, "version", "0.2");
	jw_object(&j, "run");
	put_id(&j, "uid", config, n, r->a->record->request_hash);
	jw_object(&j, "time");
	snprintf(text, sizeof text, "PT%.9fS", figure(r, "duration"));
	jw_text(&j, "duration", text);
	jw_end(&j);
	snprintf(text, sizeof text, SIMULATED "; its cost model: %s %s",
		 r->a->record->plugin, r->a->record->version);
	jw_text(&j, "description", text);
	jw_flat_array(&j, "keywords");
	jw_text(&j, NULL, "simulated");
	jw_text(&j, NULL, "stepcost");
	jw_end(&j);
	jw_end(&j);
	jw_object(&j, "scenario");
	jw_array(&j, "stack");
	for (uint32_t pool = 0; pool < r->o->n_pools; pool++)
		put_engine(&j, r, pool, config, n);
	jw_end(&j);
	put_load(&j, r);
	jw_end(&j);
	jw_object(&j, "results");
	jw_object(&j, "request_performance");
	jw_object(&j, "aggregate");
	put_aggregate(&j, r);
	jw_finish(&j);
	free(config);
	return 0;
}

/* ---- vllm bench serve ---- */

static void put_times(struct jw *j, const char *name,
		      const struct stats_summary *s)
{
	const struct {
		const char *name;
		double ns;
	} of[] = {{"mean", s->mean}, {"median", s->p50}, {"std", s->std},
		  {"p90", s->p90},   {"p95", s->p95},    {"p99", s->p99}};
	char key[60];
	for (size_t i = 0; s->n && i < sizeof of / sizeof *of; i++) {
		snprintf(key, sizeof key, "%s_%s_ms", of[i].name, name);
		jw_number(j, key, of[i].ns / 1e6);
	}
}

static int write_vllm(const struct run *r, FILE *f)
{
	static const struct {
		const char *name;
		enum list which;
	} list[] = {{"input_lens", INPUT_LENS},   {"output_lens", OUTPUT_LENS},
		    {"start_times", START_TIMES}, {"ttfts", TTFTS},
		    {"latencies", LATENCIES},     {"errors", ERRORS}};
	const struct outcome *o = r->o;
	double rate = rate_of(r);
	struct jw j = jw_document(f);
	jw_text(&j, "backend", "stepcost");
	jw_text(&j, "label", SIMULATED);
	jw_text(&j, "model_id", r->c->model.name);
	jw_text(&j, "tokenizer_id", r->c->model.name);
	jw_uint(&j, "num_prompts", o->requests);
	if (isfinite(rate))
		jw_number(&j, "request_rate", rate);
	else
		jw_text(&j, "request_rate", "inf");
	if (o->clients)
		jw_uint(&j, "max_concurrency", o->clients);
	else
		jw_null(&j, "max_concurrency");
	jw_number(&j, "duration", figure(r, "duration"));
	jw_uint(&j, "completed", o->completed);
	jw_uint(&j, "failed", o->requests - o->completed);
	jw_uint(&j, "total_input_tokens", o->total_input_tokens);
	jw_uint(&j, "total_output_tokens", o->total_output_tokens);
	jw_number(&j, "request_throughput", figure(r, "request_throughput"));
	jw_number(&j, "output_throughput", figure(r, "output_throughput"));
	jw_number(&j, "total_token_throughput",
		  figure(r, "total_token_throughput"));
	put_times(&j, "ttft", &o->ttft);
	put_times(&j, "tpot", &o->tpot);
	put_times(&j, "itl", &o->itl);
	put_times(&j, "e2el", &o->e2el);
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (!o->warm_up.requests)
			put_list(&j, r, list[i].name, list[i].which, 0);
	jw_finish(&j);
	return 0;
}

/* ---- /metrics ---- */

static void count_request(struct measures *m, struct simulation_load *load,
			  const struct request_event *e)
{
	static const enum finish how[] = {[REQUEST_ENDED] = FINISH_LENGTH,
					  [REQUEST_CANCELLED] = FINISH_ABORT};
	uint32_t k = e->replica < m->n ? e->replica : 0;
	struct engine_measures *to = &m->engine[k];
	int is_good = e->ending == REQUEST_ENDED;
	if (!is_good && e->ending != REQUEST_CANCELLED) {
		to->finished[FINISH_ERROR]++;
		return;
	}
	to->prompt_tokens += e->request.input_tokens;
	to->cached_tokens += e->cached_tokens;
	to->generation_tokens += e->generated_tokens;
	load[k].queried_tokens += e->request.input_tokens;
	load[k].hit_tokens += e->cached_tokens;
	load[k].preemptions += e->preemptions;
	measures_ended(m, e, how[e->ending], 1, e->request.output_tokens);
	if (e->ttft_ns >= 0)
		measures_add(m, k, M_TTFT, 1e-9 * (double)e->ttft_ns, 1);
}

static int write_metrics(const struct run *r, FILE *f)
{
	const struct outcome *o = r->o;
	const struct engine_keys *k = &r->c->engine_keys;
	uint32_t n = o->replicas ? o->replicas : 1;
	struct measures m = {0};
	struct buffer out = {0};
	struct simulation_load *load = calloc(n, sizeof *load);
	const struct live_facts facts = {.num_gpu_blocks = o->kv_blocks,
					 .block_size = (uint32_t)k->block_size,
					 .caches =
					     k->enable_prefix_caching != 0,
					 .drafts = o->drafts};
	const struct measures_now now = {
	    .model = r->c->model.name,
	    .facts = &facts,
	    .load = load,
	    .n = n,
	    /* The stream of requests does not have them. */
	    .without = 1u << M_QUEUE | 1u << M_ITL | 1u << M_ITERATION};
	int64_t longest = k->max_model_len;
	for (size_t i = 0; i < r->n; i++) {
		const struct request *q = &r->request[i].request;
		int64_t tokens = (int64_t)q->input_tokens + q->output_tokens;
		longest = tokens > longest ? tokens : longest;
	}
	int rc = load && measures_make(&m, n, (uint64_t)longest) == 0 ? 0 : -1;
	for (size_t i = 0; rc == 0 && i < r->n; i++)
		count_request(&m, load, &r->request[i]);
	if (rc == 0) {
		m.engine[0].drafts = o->accepted.drafts;
		m.engine[0].draft_tokens = o->accepted.draft_tokens;
		m.engine[0].accepted_tokens = o->accepted.accepted_tokens;
		for (uint32_t i = 0; i < o->drafts; i++)
			m.engine[0].accepted_at[i] = o->accepted.accepted_at[i];
		measures_of_engines(&m, &now, &out);
		fputs("# HELP stepcost:simulated No server was "
		      "measured: " SIMULATED
		      ".\n# TYPE stepcost:simulated gauge\n"
		      "stepcost:simulated 1\n",
		      f);
		fwrite(out.s, 1, out.n, f);
		rc = out.out_of_memory ? -1 : 0;
	}
	buffer_free(&out);
	measures_free(&m);
	free(load);
	return rc;
}

/* ---- any of them ---- */

int results_for_other_tools(const struct results *r, int format, char *requests,
			    size_t n, FILE *to, struct problem *p)
{
	struct run run = {.c = r->config, .a = &r->arm[0]};
	int rc;
	if (run.a->error)
		return problem_set(p, EXIT_INPUT, "arm %s has no result",
				   run.a->name);
	run.o = &run.a->record->outcome;
	FILE *f = fmemopen(requests, n, "r");
	if (!f)
		return problem_no_memory(p);
	rc = csv_read(f, "requests", take_request, &run, p);
	fclose(f);
	if (run.n)
		qsort(run.request, run.n, sizeof *run.request, by_row);
	if (rc == 0 && (format == FORMAT_REPORT ? write_report(&run, to)
			: format == FORMAT_VLLM ? write_vllm(&run, to)
						: write_metrics(&run, to)) < 0)
		rc = problem_no_memory(p);
	free(run.request);
	return rc;
}
