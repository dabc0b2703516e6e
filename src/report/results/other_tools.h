/* report/results/other_tools.h -- writes the first arm of a run as other tools
 * write a measured one, marked as simulated: llm-d's Benchmark Report 0.2 (as
 * JSON, which is YAML, too), the result of `vllm bench serve` with
 * --save-detailed, and the page /metrics of a vLLM at the end of the run.  The
 * same run gives the same bytes.
 *
 * Schemas: llm-d/llm-d-benchmark @ 8bc9f1dd
 * llmdbenchmark/analysis/benchmark_report/schema_v0_2.py; vllm-project/vllm
 * vllm/benchmarks/serve.py; serve/measures.h. */
#pragma once
#include <stdio.h>
#include "base/cmdline.h"
#include "base/problem.h"
#include "study/results.h"

/* Returns 1 if a format is one of them: they need the stream of requests. */
int is_format_of_other_tools(int format);
/* requests[n]: as recorder_requests_head() and the arm's stream have them.
 * Returns 0, or -1 with *p filled in. */
int results_for_other_tools(const struct results *r, int format, char *requests,
			    size_t n, FILE *to, struct problem *p);
