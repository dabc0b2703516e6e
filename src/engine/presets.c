/* presets.c -- The defaults that each preset sets. */
#include "engine/presets.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PRESET(name_, help_, ...)                                              \
	{                                                                      \
		.size = sizeof(sc_preset), .name = name_, .help = help_,       \
		.values = (const char *const[])                                \
		{                                                              \
			__VA_ARGS__, NULL                                      \
		}                                                              \
	}
#define WITH_FRONT_END "front_end", "measured"
#define SINCE_015                                                              \
	WITH_FRONT_END, "enable_prefix_caching", "true", "async_scheduling",   \
	    "true", "empty_sleep_us", "1000", "kv_connector", "pull"
#define SINCE_024                                                              \
	SINCE_015, "scheduler_reserve_full_isl", "true", "free_list",          \
	    "unkeyed_first", "queue_empty_batches", "true",                    \
	    "empty_sleep_while", "any", "group_padding", "1.5",                \
	    "gpu_memory_utilization", "0.92", "eagle_hit_drop", "once",        \
	    "pad_spec_decode", "true", "admission_lookahead", "true"

#define SINCE_SGLANG_056                                                       \
	WITH_FRONT_END, "scheduler", "sglang", "queue_empty_batches", "true",  \
	    "data_parallel_routing", "round_robin"

#define SINCE_TENSORRT_LLM_12                                                  \
	WITH_FRONT_END, "scheduler", "tensorrt_llm", "queue_empty_batches",    \
	    "true", "data_parallel_routing", "round_robin"

static const sc_preset preset_of[ENGINE_N_PRESETS] = {
    [PRESET_VLLM_015] = PRESET("vllm-0.15", "vLLM of January 2026.", SINCE_015,
			       "chunk_drafts", "true"),
    [PRESET_VLLM_024] = PRESET("vllm-0.24", "vLLM of June 2026.", SINCE_024,
			       "window_gate", "one_batch"),
    [PRESET_VLLM_2026_07] =
	PRESET("vllm-2026-07", "vLLM's main branch of July 2026.", SINCE_024,
	       "window_gate", "all_batches", "window_free", "processed"),
    [PRESET_SGLANG_056] =
	PRESET("sglang-0.5.6", "SGLang of December 2025.", SINCE_SGLANG_056),
    [PRESET_SGLANG_2026_07] =
	PRESET("sglang-2026-07", "SGLang's main branch of July 2026.",
	       SINCE_SGLANG_056),
    [PRESET_SGLANG_2026_08] =
	PRESET("sglang-2026-08",
	       "SGLang's main branch of August 2026; the rules since July "
	       "were read, not run.",
	       SINCE_SGLANG_056),
    [PRESET_SGLANG] =
	PRESET("sglang",
	       "The latest of SGLang's presets that was run: sglang-2026-07.",
	       SINCE_SGLANG_056),
    [PRESET_TENSORRT_LLM_12] =
	PRESET("tensorrt_llm-1.2", "TensorRT-LLM 1.2 of early 2026.",
	       SINCE_TENSORRT_LLM_12),
    [PRESET_TENSORRT_LLM_13] = PRESET(
	"tensorrt_llm-1.3",
	"TensorRT-LLM 1.3 of August 2026; its second KV cache manager and its "
	"scheduler were read, not run.",
	SINCE_TENSORRT_LLM_12),
    [PRESET_TENSORRT_LLM] = PRESET(
	"tensorrt_llm",
	"The latest of TensorRT-LLM's presets; its KV cache was read, not run.",
	SINCE_TENSORRT_LLM_12),
};

const sc_preset *engine_preset(enum engine_preset preset)
{
	return preset == PRESET_NONE ? NULL : &preset_of[preset];
}

enum engine_scheduler engine_preset_scheduler(enum engine_preset preset)
{
	static const enum engine_scheduler of[ENGINE_N_PRESETS] = {
	    [PRESET_SGLANG_056] = SCHEDULER_SGLANG,
	    [PRESET_SGLANG_2026_07] = SCHEDULER_SGLANG,
	    [PRESET_SGLANG_2026_08] = SCHEDULER_SGLANG,
	    [PRESET_SGLANG] = SCHEDULER_SGLANG,
	    [PRESET_TENSORRT_LLM_12] = SCHEDULER_TENSORRT_LLM,
	    [PRESET_TENSORRT_LLM_13] = SCHEDULER_TENSORRT_LLM,
	    [PRESET_TENSORRT_LLM] = SCHEDULER_TENSORRT_LLM,
	};
	return of[preset];
}

const char *engine_scheduler_of(const char *preset)
{
	enum engine_scheduler s = SCHEDULER_VLLM;
	for (uint32_t i = 0; i < ENGINE_N_PRESETS; i++)
		if (!strcmp(preset, engine_preset_words[i]))
			s = engine_preset_scheduler((enum engine_preset)i);
	return engine_scheduler_words[s];
}

enum engine_preset engine_scheduler_preset(enum engine_scheduler s)
{
	static const enum engine_preset alone[] = {
	    [SCHEDULER_VLLM] = PRESET_NONE,
	    [SCHEDULER_SGLANG] = PRESET_SGLANG,
	    [SCHEDULER_TENSORRT_LLM] = PRESET_TENSORRT_LLM,
	};
	return alone[s];
}

const char *engine_scheduler_doubt(enum engine_scheduler s)
{
	return s == SCHEDULER_TENSORRT_LLM ? "its KV cache read, not run"
					   : NULL;
}

const struct engine_release *engine_preset_of_release(const char *release)
{
	static const struct {
		const char *engine;
		double below; /* 1000 * minor number + patch */
		struct engine_release is;
	} known[] = {
	    {"vllm-", 20e3, {PRESET_VLLM_015, "up to 0.19"}},
	    {"vllm-", 26e3, {PRESET_VLLM_024, "0.20 to 0.25"}},
	    {"vllm-", INFINITY, {PRESET_VLLM_2026_07, "0.26 and later"}},
	    {"sglang-", 5.009e3, {PRESET_SGLANG_056, "up to 0.5.8"}},
	    {"sglang-", 5.016e3, {PRESET_SGLANG_2026_07, "0.5.9 to 0.5.15"}},
	    {"sglang-", INFINITY, {PRESET_SGLANG_2026_08, "0.5.16 and later"}},
	    {"tensorrt_llm-", INFINITY, {PRESET_TENSORRT_LLM, "1.2"}},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		size_t n = strlen(known[i].engine);
		unsigned major, minor = 0, patch = 0;
		if (strncmp(release, known[i].engine, n) != 0 ||
		    sscanf(release + n + (release[n] == 'v'), "%u.%u.%u",
			   &major, &minor, &patch) < 1)
			continue;
		if (1e6 * major + 1e3 * minor + patch < known[i].below)
			return &known[i].is;
	}
	return NULL;
}
