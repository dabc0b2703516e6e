/* engine/engine_keys.h -- the keys of [engine] and [slo] as they are given, and
 * the presets: what an engine of a version does where the keys say nothing.
 *
 * The names are vLLM's, and of what another scheduler has of its own, those of
 * that engine.  A scheduler other than vLLM's is a preset, too.  Without a
 * preset the defaults are the program's own, and those of the rules that only a
 * preset changed are vLLM 0.15's. [any thread]; no printing. */
#ifndef SC_ENGINE_ENGINE_KEYS_H
#define SC_ENGINE_ENGINE_KEYS_H
#include <stdint.h>
#include "base/ini.h"
#include "base/json_writer.h"
#include "base/problem.h"
#include "stepcost/plugin.h"

enum engine_preset {
	PRESET_NONE,
	PRESET_VLLM_015,
	PRESET_VLLM_024,
	PRESET_VLLM_2026_07,
	PRESET_SGLANG,
	PRESET_TENSORRT_LLM,
};
enum engine_scheduler {
	SCHEDULER_VLLM,
	SCHEDULER_SGLANG,
	SCHEDULER_TENSORRT_LLM,
	N_SCHEDULERS
};
enum schedule_policy { SCHEDULE_FCFS, SCHEDULE_LPM };
enum capacity_policy { CAPACITY_NO_EVICT, CAPACITY_MAX_UTILIZATION };
enum chunking_policy { CHUNKS_FIRST_COME, CHUNKS_EQUAL };
enum scheduling_policy { POLICY_FCFS, POLICY_PRIORITY };
enum routing {
	ROUTE_ROUND_ROBIN,
	ROUTE_LEAST_OUTSTANDING,
	ROUTE_POWER_OF_TWO,
	ROUTE_PREFIX_AFFINITY,
};
enum rank_routing { RANKS_VLLM, RANKS_ROUND_ROBIN };
enum kv_dtype { KV_DTYPE_AUTO, KV_DTYPE_BF16, KV_DTYPE_FP8 };
enum { ENGINE_STAGES = 64 }; /* most of a pipeline */
enum { ENGINE_DRAFTS = 64 }; /* most of a sequence in a step */
enum usage_context { USAGE_SERVER, USAGE_LLM_CLASS };
enum free_list { FREE_LIST_LRU, FREE_LIST_UNKEYED_FIRST };
enum sleep_while { SLEEP_WHILE_UNFINISHED, SLEEP_WHILE_ANY };
enum window_free { WINDOW_FREE_SCHEDULED, WINDOW_FREE_PROCESSED };
enum kv_connector { KV_PUSH, KV_PULL };
enum pd_first_token { PD_FIRST_TOKEN_DECODE, PD_FIRST_TOKEN_PREFILL };
enum window_gate { WINDOW_GATE_NONE, WINDOW_GATE_ONE, WINDOW_GATE_ALL };
enum speculative_method {
	SPECULATIVE_EAGLE,
	SPECULATIVE_MTP,
	SPECULATIVE_DRAFT_MODEL,
	SPECULATIVE_NGRAM,
};
enum hit_drop { HIT_DROP_EACH, HIT_DROP_ONCE };
enum model_runner { MODEL_RUNNER_AUTO, MODEL_RUNNER_V1, MODEL_RUNNER_V2 };
enum pipeline_stages { STAGES_BY_MODEL, STAGES_EQUAL };

struct engine_keys {
	int64_t preset, scheduler;
	int64_t usage_context;
	int64_t tensor_parallel_size, pipeline_parallel_size;
	int64_t data_parallel_size, enable_expert_parallel;
	int64_t expert_parallel_size; /* 0: by enable_expert_parallel */
	int64_t data_parallel_routing, prefill_schedule_interval;
	int64_t max_num_seqs, max_num_batched_tokens, max_model_len;
	int64_t long_prefill_token_threshold;
	int64_t block_size;
	const char *num_gpu_blocks; /* auto | unlimited | N */
	double gpu_memory_utilization, graph_memory_bytes;
	int64_t kv_cache_dtype; /* KV_DTYPE_* */
	int64_t enable_prefix_caching, async_scheduling, scheduling_policy;
	int64_t scheduler_reserve_full_isl;
	double watermark;
	int64_t free_list, queue_empty_batches;
	double empty_sleep_us;
	int64_t empty_sleep_while;
	int64_t disable_hybrid_kv_cache_manager, window_free, window_gate;
	double group_padding;
	double api_overhead_us, api_request_us;
	double response_overhead_us, response_sequence_us;
	double schedule_us;
	double first_step_us, expert_compile_us;
	const char *graph_max_tokens; /* auto | N */
	int64_t replicas, routing;
	int64_t prefill_replicas;
	const char *decode_cost_model; /* an arm's name; "": the same */
	double kv_transfer_bandwidth_gbs, kv_transfer_latency_us;
	int64_t kv_connector, pd_first_token;
	double proxy_us;
	int64_t sampling; /* 0: the model's; else SC_SAMPLING_* */
	/* SGLang's; they set what they correspond to of those above */
	int64_t chunked_prefill_size, max_prefill_tokens, max_running_requests;
	double mem_fraction_static, schedule_conservativeness;
	int64_t cuda_graph_max_bs, page_size, schedule_policy;
	int64_t enable_mixed_chunk, disable_radix_cache;
	int64_t disable_overlap_schedule;
	/* TensorRT-LLM's, likewise */
	int64_t max_batch_size, max_num_tokens, tokens_per_block;
	int64_t capacity_scheduler_policy, enable_chunked_prefill;
	int64_t context_chunking_policy, enable_block_reuse;
	int64_t disable_overlap_scheduler;
	double free_gpu_memory_fraction;
	int64_t num_speculative_tokens, speculative_method, speculative_seed;
	const char *synthetic_acceptance_rates; /* "0.8,0.6"; "": not given */
	double synthetic_acceptance_length;     /* 0: not given */
	double draft_us;
	/* an arm's name, a model's; "": none */
	const char *draft_cost_model, *draft_model_config;
	int64_t eagle_hit_drop, pad_spec_decode, admission_lookahead;
	int64_t chunk_drafts, model_runner, pipeline_stages;
};
extern const sc_knob *const engine_key[];
extern const uint32_t engine_n_keys;

/* As members of the open object; the keys of speculation and of pipelines only
 * where there is one. */
void engine_keys_write(struct jw *j, const struct engine_keys *k);

/* SC_* of the KV cache; 0: as the model's checkpoint asks. */
uint32_t engine_kv_format(const struct engine_keys *k);
/* Of all replicas together. */
uint64_t engine_gpus(const struct engine_keys *k);

struct slo_keys {
	double ttft_ms, tpot_ms, e2el_ms; /* 0: none */
};
extern const sc_knob *const slo_key[];
extern const uint32_t slo_n_keys;

extern const char *const engine_scheduler_name[]; /* ends with NULL */
/* How far that scheduler's rules were checked: "read, not run"; NULL: they were
 * run against the engine's own. */
const char *engine_scheduler_doubt(enum engine_scheduler s);
/* 0: the key is one of another scheduler alone. */
int engine_key_applies(enum engine_scheduler s, const char *key);

/* What the preset sets; NULL: there is none, PRESET_NONE. */
const sc_preset *engine_preset(enum engine_preset preset);

/* What a preset's defaults depend on. */
struct engine_usage {
	const char *gpu;        /* its name                                  */
	double memory_bytes;    /* of one GPU; 0: unknown                    */
	uint64_t max_model_len; /* of the model; 0: unknown                  */
	int keeps_state; /* some of its layers keep a state, and no KV: their
			    prefixes are not cached                       */
};
/* The sections of prefill and decode apart, by pool: they have keys of
 * [engine], and `hardware.…`. */
extern const char *const engine_pool_section[2];
/* Where the keys stand, each over those before it. */
struct engine_source {
	const struct ini *ini; /* [engine] of it                             */
	const char *pool;      /* of engine_pool_section; NULL: none          */
	const char *arm; /* its section, with keys `engine.…`; NULL: none    */
	int is_part; /* pools lay theirs over it: a preset may be theirs     */
};
/* The place of a key that is given; NULL: it is not. */
const struct ini_item *engine_key_item(const struct engine_source *s,
				       const char *key);
/* Refuses the value of a key with EXIT_USAGE, its place (from may be NULL) and
 * why; returns -1. */
int engine_refuse(struct problem *p, const struct engine_source *from,
		  const char *key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* 0, or -1 with *p. */
int engine_keys_fill(struct engine_keys *k, const struct engine_source *s,
		     struct problem *p);
/* Under a preset the defaults that depend on what is served, and on what.  s:
 * as engine_keys_fill() took it.  0, or -1 with *p (EXIT_USAGE): they depend on
 * a memory that is unknown.  Source: vLLM, engine/arg_utils.py. */
int engine_keys_complete(struct engine_keys *k, const struct engine_source *s,
			 const struct engine_usage *u, struct problem *p);
/* The largest that engine_keys_complete() can make of them. */
void engine_keys_bound(struct engine_keys *k, const struct engine_source *s);
#endif
