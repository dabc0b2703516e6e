/* engine/choices.h -- the keys of [engine] that are words: each list has the
 * constants that the program uses and the words of the INI, in one order. */
#pragma once
#include "stepcost/knob.h"

enum { ENGINE_STAGES = 64 }; /* the most in a pipeline */
enum { ENGINE_DRAFTS = 64 }; /* the most of a sequence per step */

/* The versions of an engine are in order; a name without one is the latest.  A
 * new one belongs to a scheduler (engine/presets.c) and to that scheduler's
 * keys (ENGINE_VLLM in engine/keys/rows.h). */
#define ENGINE_PRESETS(X)                                                      \
	X(PRESET_NONE, "none"), X(PRESET_VLLM_015, "vllm-0.15"),               \
	    X(PRESET_VLLM_024, "vllm-0.24"),                                   \
	    X(PRESET_VLLM_2026_07, "vllm-2026-07"),                            \
	    X(PRESET_SGLANG_056, "sglang-0.5.6"),                              \
	    X(PRESET_SGLANG_2026_07, "sglang-2026-07"),                        \
	    X(PRESET_SGLANG_2026_08, "sglang-2026-08"),                        \
	    X(PRESET_SGLANG, "sglang"),                                        \
	    X(PRESET_TENSORRT_LLM_12, "tensorrt_llm-1.2"),                     \
	    X(PRESET_TENSORRT_LLM_13, "tensorrt_llm-1.3"),                     \
	    X(PRESET_TENSORRT_LLM, "tensorrt_llm")
SC_WORDS(engine_preset, ENGINE_PRESETS);
/* The newest of vLLM, for users who do not choose one. */
#define PRESET_VLLM_NEWEST PRESET_VLLM_2026_07

#define ENGINE_SCHEDULERS(X)                                                   \
	X(SCHEDULER_VLLM, "vllm"), X(SCHEDULER_SGLANG, "sglang"),              \
	    X(SCHEDULER_TENSORRT_LLM, "tensorrt_llm")
SC_WORDS(engine_scheduler, ENGINE_SCHEDULERS);

#define USAGE_CONTEXTS(X)                                                      \
	X(USAGE_SERVER, "openai_api_server"), X(USAGE_LLM_CLASS, "llm_class")
SC_WORDS(usage_context, USAGE_CONTEXTS);

#define MEMORY_CHECKS(X) X(MEMORY_CHECK_ON, "on"), X(MEMORY_CHECK_OFF, "off")
SC_WORDS(memory_check, MEMORY_CHECKS);

#define KV_DTYPES(X)                                                           \
	X(KV_DTYPE_AUTO, "auto"), X(KV_DTYPE_BF16, "bfloat16"),                \
	    X(KV_DTYPE_FP8, "fp8")
SC_WORDS(kv_dtype, KV_DTYPES);

/* In the order of SC_SAMPLING_*, auto in the place of unknown. */
#define SAMPLINGS(X)                                                           \
	X(SAMPLING_AUTO, "auto"), X(SAMPLING_GREEDY, "greedy"),                \
	    X(SAMPLING_RANDOM, "random"), X(SAMPLING_TOP_P, "top_p")
SC_WORDS(sampling, SAMPLINGS);

/* ---- which requests are in a step ---- */

#define SCHEDULING_POLICIES(X)                                                 \
	X(POLICY_FCFS, "fcfs"), X(POLICY_PRIORITY, "priority")
SC_WORDS(scheduling_policy, SCHEDULING_POLICIES);

#define FREE_LISTS(X)                                                          \
	X(FREE_LIST_LRU, "lru"), X(FREE_LIST_UNKEYED_FIRST, "unkeyed_first")
SC_WORDS(free_list, FREE_LISTS);

#define SLEEP_WHILES(X)                                                        \
	X(SLEEP_WHILE_UNFINISHED, "unfinished"), X(SLEEP_WHILE_ANY, "any")
SC_WORDS(sleep_while, SLEEP_WHILES);

#define WINDOW_FREES(X)                                                        \
	X(WINDOW_FREE_SCHEDULED, "scheduled"),                                 \
	    X(WINDOW_FREE_PROCESSED, "processed")
SC_WORDS(window_free, WINDOW_FREES);

#define WINDOW_GATES(X)                                                        \
	X(WINDOW_GATE_NONE, "none"), X(WINDOW_GATE_ONE, "one_batch"),          \
	    X(WINDOW_GATE_ALL, "all_batches")
SC_WORDS(window_gate, WINDOW_GATES);

#define MODEL_RUNNERS(X)                                                       \
	X(MODEL_RUNNER_AUTO, "auto"), X(MODEL_RUNNER_V1, "v1"),                \
	    X(MODEL_RUNNER_V2, "v2")
SC_WORDS(model_runner, MODEL_RUNNERS);

/* The states that are kept (enum kv_state). */
#define MAMBA_CACHE_MODES(X)                                                   \
	X(MAMBA_CACHE_AUTO, "auto"), X(MAMBA_CACHE_NONE, "none"),              \
	    X(MAMBA_CACHE_ALL, "all"), X(MAMBA_CACHE_ALIGN, "align")
SC_WORDS(mamba_cache_mode, MAMBA_CACHE_MODES);

#define PIPELINE_STAGES(X)                                                     \
	X(STAGES_BY_MODEL, "cost_model"), X(STAGES_EQUAL, "equal")
SC_WORDS(pipeline_stages, PIPELINE_STAGES);

/* ---- the server in front ---- */

/* Whether a preset's times outside of steps (engine/front_ends.h) count. */
#define FRONT_ENDS(X)                                                          \
	X(FRONT_END_NONE, "none"), X(FRONT_END_MEASURED, "measured")
SC_WORDS(front_end, FRONT_ENDS);

#define OUTPUT_PROCESSES(X)                                                    \
	X(OUTPUT_PROCESS_OWN, "own"), X(OUTPUT_PROCESS_SHARED, "shared")
SC_WORDS(output_process, OUTPUT_PROCESSES);

/* ---- which replica, and how it hands over ---- */

#define ROUTINGS(X)                                                            \
	X(ROUTE_ROUND_ROBIN, "round_robin"),                                   \
	    X(ROUTE_LEAST_OUTSTANDING, "least_outstanding"),                   \
	    X(ROUTE_POWER_OF_TWO, "power_of_two"),                             \
	    X(ROUTE_PREFIX_AFFINITY, "prefix_affinity"),                       \
	    X(ROUTE_RANDOM, "random"), X(ROUTE_SESSION, "session"),            \
	    X(ROUTE_CACHE_AWARE, "cache_aware"),                               \
	    X(ROUTE_PREFIXAWARE, "prefixaware"),                               \
	    X(ROUTE_ENDPOINT_PICKER, "endpoint_picker"), X(ROUTE_KV, "kv")
SC_WORDS(routing, ROUTINGS);
enum { N_ROUTINGS = ROUTE_KV + 1 };

#define TIES(X) X(TIES_RANDOM, "random"), X(TIES_FIRST, "first")
SC_WORDS(ties, TIES);

#define PICKERS(X)                                                             \
	X(PICKER_MAX_SCORE, "max-score-picker"),                               \
	    X(PICKER_WEIGHTED, "weighted-random-picker"),                      \
	    X(PICKER_RANDOM, "random-picker")
SC_WORDS(picker, PICKERS);

#define SCORERS(X)                                                             \
	X(SCORE_QUEUE, "queue-scorer"),                                        \
	    X(SCORE_RUNNING, "running-requests-size-scorer"),                  \
	    X(SCORE_KV_USE, "kv-cache-utilization-scorer"),                    \
	    X(SCORE_LOAD, "load-aware-scorer"),                                \
	    X(SCORE_PREFIX, "prefix-cache-scorer"),                            \
	    X(SCORE_PRECISE, "precise-prefix-cache-scorer"),                   \
	    X(SCORE_NO_HIT, "no-hit-lru-scorer"),                              \
	    X(SCORE_ACTIVE, "active-request-scorer")
SC_WORDS(scorer, SCORERS);
enum { N_SCORERS = SCORE_ACTIVE + 1 };

#define RANK_ROUTINGS(X)                                                       \
	X(RANKS_VLLM, "vllm"), X(RANKS_ROUND_ROBIN, "round_robin"),            \
	    X(RANKS_FEWEST_TOKENS, "fewest_tokens")
SC_WORDS(rank_routing, RANK_ROUTINGS);

#define POOLS(X) X(POOLS_APART, "apart"), X(POOLS_TOGETHER, "together")
SC_WORDS(pools, POOLS);

#define KV_CONNECTORS(X) X(KV_PUSH, "push"), X(KV_PULL, "pull")
SC_WORDS(kv_connector, KV_CONNECTORS);

#define KV_TRANSFER_LINKS(X)                                                   \
	X(LINK_OF_REPLICA, "replica"), X(LINK_OF_GPU, "gpu")
SC_WORDS(kv_transfer_link, KV_TRANSFER_LINKS);

#define PD_FIRST_TOKENS(X)                                                     \
	X(PD_FIRST_TOKEN_DECODE, "decode"), X(PD_FIRST_TOKEN_PREFILL, "prefil" \
								      "l")
SC_WORDS(pd_first_token, PD_FIRST_TOKENS);

/* ---- SGLang's and TensorRT-LLM's ---- */

#define SCHEDULE_POLICIES(X) X(SCHEDULE_FCFS, "fcfs"), X(SCHEDULE_LPM, "lpm")
SC_WORDS(schedule_policy, SCHEDULE_POLICIES);

#define CAPACITY_POLICIES(X)                                                   \
	X(CAPACITY_NO_EVICT, "guaranteed_no_evict"),                           \
	    X(CAPACITY_MAX_UTILIZATION, "max_utilization"),                    \
	    X(CAPACITY_STATIC_BATCH, "static_batch")
SC_WORDS(capacity_policy, CAPACITY_POLICIES);

#define CHUNKING_POLICIES(X)                                                   \
	X(CHUNKS_FIRST_COME, "first_come_first_served"),                       \
	    X(CHUNKS_EQUAL, "equal_progress")
SC_WORDS(chunking_policy, CHUNKING_POLICIES);

/* The KV cache manager of a model; auto: as TensorRT-LLM's release chooses. */
#define KV_MANAGERS_V2(X)                                                      \
	X(KV_MANAGER_V2_AUTO, "auto"), X(KV_MANAGER_V2_TRUE, "true"),          \
	    X(KV_MANAGER_V2_FALSE, "false")
SC_WORDS(kv_manager_v2, KV_MANAGERS_V2);

#define ATTENTION_WINDOWS(X)                                                   \
	X(ATTENTION_WINDOW_FULL, "full"), X(ATTENTION_WINDOW_MODEL, "model")
SC_WORDS(attention_window, ATTENTION_WINDOWS);

/* ---- the number of replicas ---- */

#define FLEET_METRICS(X)                                                       \
	X(FLEET_METRIC_NONE, "none"),                                          \
	    X(FLEET_METRIC_WAITING, "num_requests_waiting"),                   \
	    X(FLEET_METRIC_RUNNING, "num_requests_running"),                   \
	    X(FLEET_METRIC_KV_USE, "kv_cache_usage_perc")
SC_WORDS(fleet_metric, FLEET_METRICS);

/* ---- KV offloading ---- */

#define EVICTION_POLICIES(X) X(EVICTION_LRU, "lru"), X(EVICTION_ARC, "arc")
SC_WORDS(eviction_policy, EVICTION_POLICIES);

/* ---- speculative decoding ---- */

#define SPECULATIVE_METHODS(X)                                                 \
	X(SPECULATIVE_EAGLE, "eagle"), X(SPECULATIVE_MTP, "mtp"),              \
	    X(SPECULATIVE_DRAFT_MODEL, "draft_model"),                         \
	    X(SPECULATIVE_NGRAM, "ngram")
SC_WORDS(speculative_method, SPECULATIVE_METHODS);

#define HIT_DROPS(X) X(HIT_DROP_EACH, "each"), X(HIT_DROP_ONCE, "once")
SC_WORDS(hit_drop, HIT_DROPS);
