/* report.c -- Reads the Benchmark Report of llm-d, versions 0.2 and 0.2.1 (YAML
 * or JSON; a document a run), and the results of version 0.1.
 *
 * Schema: llm-d/llm-d-benchmark @ 8bc9f1dd
 * llmdbenchmark/analysis/benchmark_report/schema_v0_2.py.  TPOT is
 * time_per_output_token, which is a mean over requests without their first
 * token.  inter_token_latency is a mean over tokens in most tools; in reports
 * made of AIPerf's results it is TPOT, and in those of GuideLLM's the other one
 * counts the first token.  normalized_time_per_output_token always does. */
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

static int take_load(const struct result *r, struct measured_row *row,
		     const json_t *o)
{
	static const struct result_field field[] = {
	    RESULT_NUMBER(request_rate, LOAD "rate_qps"),
	    RESULT_NUMBER(concurrency, LOAD "concurrency"),
	    RESULT_NUMBER(stage, LOAD "stage"),
	    RESULT_NUMBER(num_requests, FIGURE("requests.total")),
	    RESULT_NUMBER(
		input_tokens,
		FIGURE("requests.input_length.mean") "|" LOAD
						     "input_seq_len.value"),
	    RESULT_NUMBER(
		output_tokens,
		FIGURE("requests.output_length.mean") "|" LOAD
						      "output_seq_len.value"),
	    RESULT_NUMBER(
		output_throughput,
		FIGURE("throughput.output_token_rate.mean") "|metrics."
							    "throughput.output_"
							    "tokens_per_sec"),
	};
	if (RESULT_TAKE(r, row, o, field) < 0 ||
	    result_failed(r, row, o, FIGURE("requests.failures"),
			  FIGURE("requests.incomplete")) < 0)
		return -1;
	row->num_requests -= (double)row->n_failed;
	row->duration_s = duration_s(o);
	/* Percentiles of requests that are all alike can be compared. */
	row->is_summary = !is_fixed(o, LOAD "input_seq_len.distribution") ||
			  !is_fixed(o, LOAD "output_seq_len.distribution");
	return 0;
}

/* ---- the servers ---- */

/* Flags of vLLM's: with or without the dashes. */
#define FLAG(name) "native.args.--" name "|native.args." name
#define PARALLEL "standardized.accelerator.parallelism."

static int take_server(const struct result *r, struct measured_row *row,
		       const json_t *o)
{
	static const struct result_field field[] = {
	    RESULT_TEXT(model, "standardized.model.name"),
	    RESULT_TEXT(gpu, "standardized.accelerator.model"),
	    RESULT_NUMBER(tensor_parallel_size, PARALLEL "tp"),
	    RESULT_NUMBER(pipeline_parallel_size, PARALLEL "pp"),
	    RESULT_NUMBER(expert_parallel_size, PARALLEL "ep"),
	    RESULT_NUMBER(data_parallel_size, PARALLEL "dp"),
	    RESULT_NUMBER(max_model_len, FLAG("max-model-len")),
	    RESULT_NUMBER(max_num_seqs, FLAG("max-num-seqs")),
	    RESULT_NUMBER(max_num_batched_tokens,
			  FLAG("max-num-batched-tokens")),
	    RESULT_NUMBER(gpu_memory_utilization,
			  FLAG("gpu-memory-utilization")),
	    RESULT_NUMBER(num_gpu_blocks, FLAG("num-gpu-blocks-override")),
	    RESULT_NUMBER(block_size, FLAG("block-size")),
	};
	double replicas, here, count;
	if (RESULT_TAKE(r, row, o, field) < 0 ||
	    result_figure(r, o, "standardized.replicas", &replicas) < 0 ||
	    result_figure(r, o, PARALLEL "dp_local", &here) < 0 ||
	    result_figure(r, o, "standardized.accelerator.count", &count) < 0)
		return -1;
	result_engine(
	    row, json_string_value(result_member(o, "standardized.tool")),
	    json_string_value(result_member(o, "standardized.tool_version")));
	double dp = row->data_parallel_size;
	/* `count` is of one host of a replica. */
	row->gpu_count = count * (replicas > 1 ? replicas : 1) *
			 (dp > here && here >= 1 ? dp / here : 1);
	return 0;
}

/* The first engine tells what the servers are. */
static int take_component(const struct result *r, struct measured_row *row,
			  const json_t *o, int *n_engines)
{
	const char *kind =
	    json_string_value(result_member(o, "standardized.kind"));
	const char *role =
	    json_string_value(result_member(o, "standardized.role"));
	if (!kind || strcmp(kind, "inference_engine") != 0)
		return 0;
	int is_prefill = role && !strcmp(role, "prefill");
	if (is_prefill && !row->mode)
		row->mode = strdup("disagg");
	if (role && strcmp(role, "replica") != 0) {
		struct measured_pool *pool =
		    &row->pool[is_prefill ? MEASURED_PREFILL : MEASURED_DECODE];
		if (result_figure(r, o, "standardized.replicas",
				  &pool->workers) < 0 ||
		    result_figure(r, o, PARALLEL "tp", &pool->tp) < 0)
			return -1;
	}
	return (*n_engines)++ ? 0 : take_server(r, row, o);
}

static int take_servers(const struct result *r, struct measured_row *row,
			const json_t *o)
{
#define HOST "scenario.host.accelerator.0."
	static const struct result_field field[] = {
	    RESULT_TEXT(model, "scenario.model.name"),
	    RESULT_TEXT(gpu, HOST "model"),
	    RESULT_NUMBER(tensor_parallel_size, HOST "parallelism.tp"),
	};
	const json_t *stack = result_member(o, "scenario.stack");
	int n_engines = 0;
	for (size_t i = 0; i < json_array_size(stack); i++)
		if (take_component(r, row, json_array_get(stack, i),
				   &n_engines) < 0)
			return -1;
	return stack ? 0 : RESULT_TAKE(r, row, o, field);
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
	return result_times(r, row, o, path, NULL, "units");
}

static int add(struct result *r, const json_t *o)
{
	struct measured_row *row = result_row(r, 0);
	if (!row)
		return -1;
	if (take_load(r, row, o) < 0 || take_servers(r, row, o) < 0)
		return -1;
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
