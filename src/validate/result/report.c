/* report.c -- Reads the Benchmark Report of llm-d, versions 0.2 and 0.2.1 (YAML
 * or JSON; a document a run), and the results of version 0.1.
 *
 * Schema: llm-d/llm-d-benchmark @ 8bc9f1dd
 * llmdbenchmark/analysis/benchmark_report/schema_v0_2.py.  TPOT is
 * time_per_output_token, which is a mean over requests without their first
 * token.  inter_token_latency is a mean over tokens in most tools; in reports
 * made of AIPerf's results it is TPOT, and in those of GuideLLM's the other one
 * counts the first token.  normalized_time_per_output_token always does. */
#include <config.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "validate/result/results.h"

#define AGGREGATE "results.request_performance.aggregate"
/* The place in version 0.2, and that of 0.1. */
#define FIGURE(path) AGGREGATE "." path "|metrics." path
#define LOAD "scenario.load.standardized."

/* ---- the load ---- */

/* ISO 8601: PT1H2M3.5S; NaN for another text.  Version 0.1 has seconds. */
static double duration_s(const json_t *o)
{
	const char *s =
	    json_string_value(result_member(o, "run.time.duration"));
	double seconds = 0;
	if (!s || strncmp(s, "PT", 2) != 0)
		return result_number(o, "metrics.time.duration");
	for (s += 2; *s;) {
		char *end;
		double v = strtod(s, &end);
		double unit = *end == 'H' ? 3600 : *end == 'M' ? 60 : 1;
		if (end == s || !strchr("HMS", *end) || !*end || !(v >= 0))
			return (double)NAN;
		seconds += v * unit;
		s = end + 1;
	}
	return seconds;
}

static int is_fixed(const json_t *o, const char *path)
{
	const char *s = json_string_value(result_member(o, path));
	return s && !strcmp(s, "fixed");
}

static void take_load(struct measured_row *row, const json_t *o)
{
	double total = result_number(o, FIGURE("requests.total"));
	double failed = result_number(o, FIGURE("requests.failures"));
	double cut = result_number(o, FIGURE("requests.incomplete"));
	failed = (failed > 0 ? failed : 0) + (cut > 0 ? cut : 0);
	row->num_requests = total - failed;
	row->n_failed = failed < 1e15 ? (uint64_t)failed : 0;
	row->request_rate = result_number(o, LOAD "rate_qps");
	row->concurrency = result_number(o, LOAD "concurrency");
	row->stage = result_number(o, LOAD "stage");
	row->duration_s = duration_s(o);
	row->input_tokens = result_number(
	    o, FIGURE("requests.input_length.mean") "|" LOAD
						    "input_seq_len.value");
	row->output_tokens = result_number(
	    o, FIGURE("requests.output_length.mean") "|" LOAD
						     "output_seq_len.value");
	row->output_throughput = result_number(
	    o,
	    FIGURE(
		"throughput.output_token_rate.mean") "|"
						     "metrics.throughput."
						     "output_tokens_per_sec");
	/* Percentiles of requests that are all alike can be compared. */
	row->is_summary = !is_fixed(o, LOAD "input_seq_len.distribution") ||
			  !is_fixed(o, LOAD "output_seq_len.distribution");
}

/* ---- the servers ---- */

/* Flags of vLLM's that limit a step: with or without the dashes. */
static void take_limits(struct measured_row *row, const json_t *component)
{
	static const struct {
		const char *flag;
		size_t offset;
	} of[] = {
#define LIMIT(flag, field) {flag, offsetof(struct measured_row, field)}
	    LIMIT("max-model-len", max_model_len),
	    LIMIT("max-num-seqs", max_num_seqs),
	    LIMIT("max-num-batched-tokens", max_num_batched_tokens),
	    LIMIT("gpu-memory-utilization", gpu_memory_utilization),
	    LIMIT("num-gpu-blocks-override", num_gpu_blocks),
	    LIMIT("block-size", block_size),
	};
	char path[200];
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		snprintf(path, sizeof path, "native.args.--%s|native.args.%s",
			 of[i].flag, of[i].flag);
		double v = result_number(component, path);
		memcpy((char *)row + of[i].offset, &v, sizeof v);
	}
}

/* An image or a name; llm-d serves with vLLM, but has versions of its own. */
static void take_engine(struct measured_row *row, const json_t *standardized)
{
	const char *tool =
	    json_string_value(json_object_get(standardized, "tool"));
	const char *version =
	    json_string_value(json_object_get(standardized, "tool_version"));
	static const char *const of[][2] = {{"vllm", "vllm"},
					    {"llm-d", "vllm"},
					    {"sglang", "sglang"},
					    {"tensorrt", "trtllm"},
					    {"trtllm", "trtllm"}};
	for (size_t i = 0; tool && i < sizeof of / sizeof *of; i++) {
		if (!strstr(tool, of[i][0]))
			continue;
		row->engine = strdup(of[i][1]);
		const char *colon = version ? strrchr(version, ':') : NULL;
		const char *is = colon ? colon + 1 : version;
		is += is && *is == 'v';
		if (is && *is >= '0' && *is <= '9' && i != 1)
			row->engine_version = strdup(is);
		return;
	}
}

static void take_sizes(struct measured_row *row, const json_t *s)
{
#define PARALLEL "accelerator.parallelism."
	double replicas = result_number(s, "replicas");
	double dp = result_number(s, PARALLEL "dp");
	double here = result_number(s, PARALLEL "dp_local");
	row->tensor_parallel_size = result_number(s, PARALLEL "tp");
	row->pipeline_parallel_size = result_number(s, PARALLEL "pp");
	row->expert_parallel_size = result_number(s, PARALLEL "ep");
	row->data_parallel_size = dp;
	/* `count` is of one host of a replica. */
	row->gpu_count = result_number(s, "accelerator.count") *
			 (replicas > 1 ? replicas : 1) *
			 (dp > here && here >= 1 ? dp / here : 1);
}

static void take_pool(struct measured_row *row, const json_t *s, const char *is)
{
	struct measured_pool *pool =
	    &row->pool[!strcmp(is, "prefill") ? MEASURED_PREFILL
					      : MEASURED_DECODE];
	pool->workers = result_number(s, "replicas");
	pool->tp = result_number(s, PARALLEL "tp");
}

/* The first engine tells what the servers are. */
static void take_component(struct measured_row *row, const json_t *component,
			   int *n_engines)
{
	const json_t *s = json_object_get(component, "standardized");
	const char *kind = json_string_value(json_object_get(s, "kind"));
	const char *role = json_string_value(json_object_get(s, "role"));
	if (!kind || strcmp(kind, "inference_engine") != 0)
		return;
	if (role && !strcmp(role, "prefill") && !row->mode)
		row->mode = strdup("disagg");
	if (role && strcmp(role, "replica") != 0)
		take_pool(row, s, role);
	if ((*n_engines)++)
		return;
	row->model = result_text(s, "model.name");
	row->gpu = result_text(s, "accelerator.model");
	take_engine(row, s);
	take_sizes(row, s);
	take_limits(row, component);
}

static void take_servers(struct measured_row *row, const json_t *o)
{
	const json_t *stack = result_member(o, "scenario.stack");
	int n_engines = 0;
	for (size_t i = 0; i < json_array_size(stack); i++)
		take_component(row, json_array_get(stack, i), &n_engines);
	if (stack)
		return;
	row->model = result_text(o, "scenario.model.name");
	row->gpu = result_text(o, "scenario.host.accelerator.0.model");
	row->tensor_parallel_size =
	    result_number(o, "scenario.host.accelerator.0.parallelism.tp");
}

/* ---- latencies ---- */

static int take_times(const struct result *r, struct measured_row *row,
		      const json_t *o)
{
#define LATENCY(name) AGGREGATE ".latency." name "|metrics.latency." name
	const char *tool =
	    json_string_value(result_member(o, LOAD "tool|scenario.load.name"));
	int is_itl =
	    tool && (!strcmp(tool, "aiperf") || !strcmp(tool, "guidellm"));
	const char *const path[N_RUN_LATENCIES] = {
	    LATENCY("time_to_first_token"),
	    is_itl ? LATENCY("inter_token_latency")
		   : LATENCY("time_per_output_token"),
	    LATENCY("request_latency")};
	for (int k = 0; k < N_RUN_LATENCIES; k++)
		if (result_times_in(r, o, path[k], "units", &row->time[k]) < 0)
			return -1;
	return 0;
}

static int add(struct result *r, const json_t *o)
{
	struct measured_row *row = result_row(r, 0);
	if (!row)
		return -1;
	take_load(row, o);
	take_servers(row, o);
	/* What a report of a simulated run says besides. */
	if (result_requests(
		r, row, result_member(o, "scenario.load.native.config")) < 0)
		return -1;
	row->is_summary &= !row->n_requests;
	return take_times(r, row, o) < 0 ? -1 : result_check(r, row);
}

static int is(const json_t *o)
{
	return result_member(o, "version") &&
	       (result_member(o, "results.request_performance") ||
		(result_member(o, "metrics.latency") &&
		 result_member(o, "scenario")));
}

const struct result_format result_report = {
    "a Benchmark Report of llm-d (version, run, results.request_performance)",
    is, add};
