/* Reads Benchmark Reports of llm-d. */
#include "results_read.h"

#define RUN                                                                    \
	"version: '0.2'\n"                                                     \
	"run: {uid: a, time: {duration: PT1M2.5S}}\n"
#define LOAD                                                                   \
	"scenario:\n"                                                          \
	"  load:\n"                                                            \
	"    standardized: {tool: vllm-benchmark, rate_qps: 2.5,\n"            \
	"      concurrency: .inf, stage: 1,\n"                                 \
	"      input_seq_len: {distribution: fixed, value: 99},\n"             \
	"      output_seq_len: {distribution: fixed, value: 8}}\n"
#define STACK                                                                  \
	"  stack:\n"                                                           \
	"  - standardized: {kind: generic, tool: router}\n"                    \
	"  - standardized:\n"                                                  \
	"      kind: inference_engine\n"                                       \
	"      tool: vllm\n"                                                   \
	"      tool_version: 'x/vllm-openai:v0.11.0'\n"                        \
	"      role: replica\n"                                                \
	"      replicas: 3\n"                                                  \
	"      model: {name: m/x}\n"                                           \
	"      accelerator: {model: NVIDIA-H200, count: 4,\n"                  \
	"        parallelism: {tp: 2, dp: 4, dp_local: 2, ep: 1}}\n"           \
	"    native:\n"                                                        \
	"      args: {--max-model-len: 4096, max-num-seqs: '64'}\n"
#define RESULTS                                                                \
	"results:\n"                                                           \
	"  request_performance:\n"                                             \
	"    aggregate:\n"                                                     \
	"      requests: {total: 12, failures: 2, incomplete: 1,\n"            \
	"        input_length: {units: count, mean: 100}}\n"                   \
	"      throughput: {output_token_rate: {units: tokens/s, mean: 70}}\n" \
	"      latency:\n"                                                     \
	"        time_to_first_token: {units: s, mean: 0.5, p50: 0.25,\n"      \
	"          p90: 1, p95: 2, p99: 3}\n"                                  \
	"        inter_token_latency: {units: ms/token, mean: 7}\n"            \
	"        normalized_time_per_output_token: {units: s/token, mean: "    \
	"1}\n"                                                                 \
	"        request_latency: {units: ms, mean: 900}\n"

static void whole(void)
{
	ok(read_text(RUN LOAD STACK RESULTS
		     "        time_per_output_token: {units: s/token, mean: "
		     "0.01}\n") == 0 &&
	       m.n == 1,
	   "a report in YAML: %s", p.text);
	const struct measured_row *r = &m.row[0];
	ok(r->request_rate == 2.5 && isnan(r->concurrency) && r->stage == 1 &&
	       r->duration_s == 62.5 && r->num_requests == 9 &&
	       r->n_failed == 3,
	   "its load");
	ok(r->input_tokens == 100 && r->output_tokens == 8,
	   "lengths as measured, else as asked for");
	ok(!r->is_summary && r->output_throughput == 70,
	   "requests of fixed lengths have percentiles to compare");
	is(r->gpu, "NVIDIA-H200", "the GPU");
	ok(!strcmp(r->engine, "vllm") && !strcmp(r->engine_version, "0.11.0") &&
	       r->tensor_parallel_size == 2 && r->data_parallel_size == 4 &&
	       r->gpu_count == 24,
	   "the engine, its ranks, and GPUs of all replicas and hosts");
	ok(r->max_model_len == 4096 && r->max_num_seqs == 64, "its limits");
	ok(time_of(RUN_TTFT, STATISTIC_MEAN) == 500 &&
	       time_of(RUN_TTFT, STATISTIC_P50) == 250 &&
	       time_of(RUN_TTFT, STATISTIC_P99) == 3000 &&
	       time_of(RUN_TPOT, STATISTIC_MEAN) == 10 &&
	       isnan(time_of(RUN_TPOT, STATISTIC_P50)) &&
	       time_of(RUN_E2EL, STATISTIC_MEAN) == 900,
	   "times in their units");
}

static void lasts(const char *duration, double want_s)
{
	char text[2000];
	snprintf(text, sizeof text,
		 "version: '0.2'\nrun: {time: {duration: %s}}\n" RESULTS,
		 duration);
	ok(read_text(text) == 0 &&
	       (isnan(want_s) ? isnan(m.row[0].duration_s)
			      : m.row[0].duration_s == want_s),
	   "%s is %g s: %s", duration, want_s, p.text);
}

static void durations(void)
{
	lasts("PT1H2M3.5S", 3723.5);
	lasts("PT", 0);
	lasts("PTS", NAN);
	lasts("PT5", NAN);
	lasts("PT5X", NAN);
	lasts("PT-5S", NAN);
	lasts("5 s", NAN);
}

/* Only requests that are all alike have percentiles to compare. */
static void lengths(void)
{
	static const char *const of[][2] = {{"gaussian", "fixed"},
					    {"fixed", "gaussian"}};
	for (int i = 0; i < 2; i++) {
		char text[2000];
		snprintf(text, sizeof text,
			 RUN "scenario: {load: {standardized: {"
			     "input_seq_len: {distribution: %s},"
			     "output_seq_len: {distribution: %s}}}}\n" RESULTS,
			 of[i][0], of[i][1]);
		ok(read_text(text) == 0 && m.row[0].is_summary,
		   "%s prompts, %s outputs: %s", of[i][0], of[i][1], p.text);
	}
}

static void servers(void)
{
#define ENGINE "standardized: {kind: inference_engine, "
	refused(RUN "scenario:\n  stack:\n  - " ENGINE
		    "role: replica, replicas: -1}\n" RESULTS,
		"r.json:1: standardized.replicas must be a number, at least 0");
	ok(read_text(RUN "scenario:\n  stack:\n  - " ENGINE
			 "accelerator: {count: 3, parallelism: "
			 "{dp: 4, dp_local: 0}}}\n" RESULTS) == 0 &&
	       m.row[0].gpu_count == 3,
	   "ranks of no host say nothing of the number of hosts: %s", p.text);
	ok(read_text(RUN "scenario:\n  stack:\n"
			 "  - " ENGINE "role: prefill, replicas: 1}\n"
			 "  - " ENGINE
			 "role: prefill, replicas: 2}\n" RESULTS) == 0 &&
	       measured_is_apart(&m.row[0]) &&
	       m.row[0].pool[MEASURED_PREFILL].workers == 2,
	   "of two pools of prefill the last counts: %s", p.text);
}

/* A simulated run has its requests, as `vllm bench serve` saves them. */
static void requests(void)
{
#define CONFIG(lists)                                                          \
	RUN "scenario: {load: {native: {config: {" lists "}}}}\n" RESULTS
	ok(read_text(CONFIG("input_lens: [7, 8], output_lens: [2, 3], "
			    "start_times: [1, 0]")) == 0 &&
	       m.row[0].n_requests == 2 && !m.row[0].is_summary &&
	       m.row[0].request[0].input_tokens == 8,
	   "requests one by one: %s", p.text);
	refused(CONFIG("input_lens: [7, 8], output_lens: [2]"),
		"r.json:1: output_lens has 1 values, but input_lens 2");
}

static void tpot(void)
{
	ok(read_text(RUN "scenario: {load: {standardized: {tool: "
			 "guidellm}}}\n" RESULTS) == 0 &&
	       time_of(RUN_TPOT, STATISTIC_MEAN) == 7,
	   "the gaps of GuideLLM are TPOT: %s", p.text);
	ok(read_text(RUN LOAD STACK RESULTS) == 0 &&
	       isnan(time_of(RUN_TPOT, STATISTIC_MEAN)),
	   "a mean over tokens is no TPOT: %s", p.text);
	ok(read_text(
	       RUN
	       "scenario: {load: {standardized: {tool: aiperf}}}\n" RESULTS) ==
		   0 &&
	       time_of(RUN_TPOT, STATISTIC_MEAN) == 7 && m.row[0].is_summary,
	   "that of AIPerf is: %s", p.text);
}

static void apart(void)
{
	ok(read_text(RUN
		     "scenario:\n  stack:\n"
		     "  - standardized: {kind: inference_engine, role: "
		     "prefill, replicas: 2,\n"
		     "      accelerator: {parallelism: {tp: 4}}}\n"
		     "  - standardized: {kind: inference_engine, role: "
		     "decode, replicas: 1,\n"
		     "      accelerator: {parallelism: {tp: 8}}}\n" RESULTS) ==
		   0 &&
	       measured_is_apart(&m.row[0]) &&
	       m.row[0].pool[MEASURED_PREFILL].workers == 2 &&
	       m.row[0].pool[MEASURED_DECODE].tp == 8,
	   "prefill and decode on engines of their own: %s", p.text);
	ok(read_text(
	       RUN "scenario:\n  stack:\n"
		   "  - standardized: {kind: inference_engine, tool: vllm,\n"
		   "      accelerator: {model: A100}}\n"
		   "  - standardized: {kind: inference_engine, tool: sglang,\n"
		   "      accelerator: {model: H100}}\n" RESULTS) == 0 &&
	       !strcmp(m.row[0].gpu, "A100") &&
	       !strcmp(m.row[0].engine, "vllm"),
	   "of engines without a model's name the first counts: %s", p.text);
}

static void several(void)
{
	ok(read_text("---\n" RUN RESULTS "---\n" RUN RESULTS) == 0 &&
	       m.n == 2 && m.row[1].line == 17,
	   "a document a run: %s", p.text);
	ok(read_text("{'version': '0.2', 'results': {'request_performance': "
		     "{'aggregate': {'requests': {'total': 1}, 'latency': "
		     "{'request_latency': {'units': 's', 'mean': 2}}}}}}") ==
		   0 &&
	       time_of(RUN_E2EL, STATISTIC_MEAN) == 2000,
	   "JSON: %s", p.text);
	ok(read_text("{'version': '0.1', 'scenario': {'model': {'name': 'x'}},"
		     "'metrics': {'requests': {'total': 3}, 'latency': "
		     "{'request_latency': {'units': 's', 'mean': 2}}}}") == 0 &&
	       m.row[0].num_requests == 3,
	   "version 0.1: %s", p.text);
	refused(RUN "results: {request_performance: {aggregate: {requests: "
		    "{total: 3}, latency: {request_latency: {mean: 1}}}}}\n",
		"r.json:1: results.request_performance.aggregate.latency."
		"request_latency: units must be ns, us, ms or s, not missing");
	refused("{'version': '0.1', 'metrics': {'requests': {'total': 3},"
		"'latency': {'request_latency': {'units': 's', 'mean': 2}}}}",
		"r.json:1: is no result of a program that is known: ");
	refused(RUN "results: {request_performance: {aggregate: {requests: "
		    "{total: 3, failures: 3}}}}\n",
		"r.json:1: it names no completed requests");
}

int main(void)
{
	whole();
	durations();
	lengths();
	servers();
	requests();
	tpot();
	apart();
	several();
	measured_free(&m);
	return done();
}
