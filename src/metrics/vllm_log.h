/* metrics/vllm_log.h -- what a vLLM server, 0.15 or newer, says when it starts:
 * its version, the arguments that it was given, the configuration that came of
 * them, and later how many tokens a second it makes.  [any thread]; no
 * printing. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/problem.h"

enum { VLLM_LOG_TEXT = 300 };

/* NaN, and "": the log does not say. */
struct vllm_log {
	char version[VLLM_LOG_TEXT], model[VLLM_LOG_TEXT];
	char device[VLLM_LOG_TEXT], quantization[VLLM_LOG_TEXT];
	char kv_cache_dtype[VLLM_LOG_TEXT], scheduling_policy[VLLM_LOG_TEXT];
	char method[VLLM_LOG_TEXT], draft_model[VLLM_LOG_TEXT];
	double num_speculative_tokens;
	double tensor_parallel_size, pipeline_parallel_size;
	double data_parallel_size, enable_expert_parallel;
	double max_model_len, max_num_seqs, max_num_batched_tokens;
	double long_prefill_token_threshold, block_size, num_gpu_blocks;
	double gpu_memory_utilization, max_cudagraph_capture_size;
	/* 0 or 1 */
	double enforce_eager, enable_prefix_caching, enable_chunked_prefill;
	double async_scheduling;
	int has_arguments; /* 1: arguments that it lacks were not given */
	int has_config;
	int transfers_kv, has_lora; /* 1: given as an argument */
	/* Lines of engine 0 about the load, and tokens a second summed over
	 * the lines of all engines. */
	uint64_t load_lines;
	double output_tokens_per_s;
};

/* Reads text[0 … n-1].  Returns 0, or -1 with *p filled in (EXIT_INPUT): the
 * text has no line of vLLM. */
int vllm_log_read(struct vllm_log *l, const char *text, size_t n,
		  const char *path, struct problem *p);
/* Returns the mean number of output tokens a second, NaN: not told. */
double vllm_log_output_rate(const struct vllm_log *l);
