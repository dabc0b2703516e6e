/* engine/keys/engine_keys.h -- the keys of [engine] and [slo] as they are
 * given.
 *
 * The names are vLLM's, and of what another scheduler has of its own, those of
 * that engine.  Each field of struct engine_keys has a row in
 * engine/keys/rows.c, except those of [router] (engine/keys/router_keys.c), and
 * of [autoscaler] and [failures] (engine/keys/fleet_keys.c). [any thread]; no
 * printing. */
#pragma once
#include <stdint.h>
#include "engine/keys/fleet_keys.h"
#include "engine/keys/router_keys.h"
#include "stepcost/plugin.h"

/* Whole numbers, true and false, and words (engine/choices.h) are int64_t. */
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
	int64_t memory_check;   /* MEMORY_CHECK_* */
	int64_t kv_cache_dtype; /* KV_DTYPE_* */
	int64_t enable_prefix_caching, async_scheduling, scheduling_policy;
	int64_t scheduler_reserve_full_isl;
	double watermark;
	int64_t free_list, queue_empty_batches;
	double empty_sleep_us;
	int64_t empty_sleep_while;
	int64_t enable_lora, max_loras, max_cpu_loras;
	double lora_us, lora_load_us, lora_activate_us;
	int64_t max_tokens_per_mm_item, disable_chunked_mm_input;
	double encoder_us, encoder_us_per_token;
	int64_t decode_context_parallel_size;
	double kv_offloading_size;
	int64_t cpu_bytes_to_use, blocks_per_chunk, eviction_policy;
	int64_t store_threshold, offload_prompt_only;
	double kv_offload_bandwidth_gbs, kv_offload_latency_us;
	int64_t disable_hybrid_kv_cache_manager, window_free, window_gate;
	int64_t mamba_cache_mode;
	double group_padding;
	int64_t front_end; /* FRONT_END_* */
	double api_overhead_us, api_request_us, api_token_us;
	double output_token_us, output_first_us;
	int64_t output_process;
	double response_overhead_us, response_sequence_us;
	double schedule_us;
	double first_step_us, expert_compile_us;
	const char *graph_max_tokens; /* auto | N */
	int64_t replicas, routing;
	int64_t pools, prefill_replicas;
	const char *decode_cost_model; /* an arm's name; "": the same */
	double kv_transfer_bandwidth_gbs, kv_transfer_latency_us;
	int64_t kv_transfer_links;
	int64_t kv_connector, pd_first_token;
	double proxy_us, pd_fixed_us;
	const char *expert_dispatch;
	int64_t sampling; /* 0: the model's; else SC_SAMPLING_* */
	/* SGLang's; each sets the key above that it corresponds to */
	int64_t chunked_prefill_size, max_prefill_tokens, max_running_requests;
	double mem_fraction_static, schedule_conservativeness;
	int64_t cuda_graph_max_bs, page_size, schedule_policy;
	int64_t enable_mixed_chunk, disable_radix_cache;
	int64_t disable_overlap_schedule, ignore_eos;
	int64_t scheduler_recv_interval;
	int64_t enable_priority_scheduling, schedule_low_priority_values_first;
	int64_t disable_priority_preemption;
	int64_t priority_scheduling_preemption_threshold;
	/* TensorRT-LLM's do the same */
	int64_t max_batch_size, max_num_tokens, tokens_per_block;
	int64_t capacity_scheduler_policy, enable_chunked_prefill;
	int64_t context_chunking_policy, enable_block_reuse;
	int64_t enable_partial_reuse, max_attention_window;
	int64_t disable_overlap_scheduler, batch_wait_timeout_iters;
	double batch_wait_max_tokens_ratio;
	int64_t attention_dp_enable_balance, attention_dp_timeout_iters;
	int64_t attention_dp_batching_wait_iters, use_kv_cache_manager_v2;
	double free_gpu_memory_fraction;
	int64_t num_speculative_tokens, speculative_method, speculative_seed;
	/* "[[1, 16, 3], [17, 64, 1]]"; "": not given */
	const char *num_speculative_tokens_per_batch_size;
	const char *synthetic_acceptance_rates; /* "0.8,0.6"; "": not given */
	double synthetic_acceptance_length;     /* 0: not given */
	double draft_us;
	/* an arm's name, a model's; "": none */
	const char *draft_cost_model, *draft_model_config;
	int64_t eagle_hit_drop, pad_spec_decode, admission_lookahead;
	int64_t chunk_drafts, model_runner, pipeline_stages;
	struct router_keys router;         /* of [router] */
	struct autoscaler_keys autoscaler; /* of [autoscaler] */
	struct failures_keys failures;     /* of [failures] */
};

/* SC_* of the KV cache; 0: as the model's checkpoint asks. */
uint32_t engine_kv_format(const struct engine_keys *k);
/* Returns the GPUs of all replicas together. */
uint64_t engine_gpus(const struct engine_keys *k);

struct slo_keys {
	double ttft_ms, tpot_ms, e2el_ms; /* 0: none */
};
extern const sc_knob *const slo_key[];
extern const uint32_t slo_n_keys;
