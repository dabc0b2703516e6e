/* rows.c -- The table of the keys of [engine]: one row a key.  Those of
 * speculative decoding are in rows_drafts.inc. */
#include "engine/keys/rows.h"
#include <string.h>
#include "engine/keys/rows_private.h"

const sc_knob *const engine_key[] = {
    CHOICE(preset, "none", engine_preset_words,
	   "The engine that gives the other keys their defaults and every step "
	   "its rules. none: an idealised schedule.",
	   ANY, COPIED(preset, SCHEDULE)),
    CHOICE(scheduler, "vllm", engine_scheduler_words,
	   "Forms each step by the rules of this engine. tensorrt_llm: its KV "
	   "cache and its loop were read from its source and not run.",
	   ANY, COPIED(scheduler, SCHEDULE)),
    CHOICE(usage_context, "openai_api_server", usage_context_words,
	   "vLLM has other defaults of max_num_seqs and max_num_batched_tokens "
	   "for a server than for offline use: this key chooses.",
	   VLLM, MADE(max_num_seqs), WITHOUT(OWN_SIZES)),
    INT(tensor_parallel_size, "1", 1, 1024, "1",
	"GPUs that share each matrix and the heads of attention.", ANY,
	MADE(parallel),
	CALLED("tensor_parallel_size", "tp_size", "tensor_parallel_size")),
    INT(pipeline_parallel_size, "1", 1, ENGINE_STAGES, "1",
	"Stages that share the layers of a replica; under vLLM's presets each "
	"has a batch of its own.",
	ANY, MADE(parallel),
	CALLED("pipeline_parallel_size", "pp_size", "pipeline_parallel_size")),
    INT(data_parallel_size, "1", 1, 1024, "1",
	"With experts: groups of GPUs of one replica; each group has requests "
	"of its own, and all share the experts (attention-DP). Without "
	"experts: multiplies the replicas by this number.",
	ANY, MADE(parallel),
	CALLED("data_parallel_size", "dp_size", "enable_attention_dp")),
    BOOL(enable_expert_parallel, "false",
	 "Experts are split by expert over tensor_parallel_size x "
	 "data_parallel_size GPUs, not by width.",
	 ANY, MADE(parallel), CALLED("enable_expert_parallel", NULL, NULL)),
    INT(expert_parallel_size, "0", 0, 1024, "1",
	"Number of groups that the experts are divided into; the GPUs of a "
	"group split its experts by width. 0: by enable_expert_parallel.",
	ANY, MADE(parallel),
	CALLED(NULL, "ep_size", "moe_expert_parallel_size")),
    CHOICE(
	data_parallel_routing, "vllm", rank_routing_words,
	"Which of data_parallel_size ranks gets a request of a replica: the "
	"one with the least 4 * waiting + running in its last report; one "
	"after another; or, when a step begins, the one with the fewest tokens "
	"in it that has room, for models with experts.",
	ANY_PRESET, COPIED(rank_routing, SCHEDULE), WITHOUT(DEALS)),
    INT(prefill_schedule_interval, "1", 1, 1e6, "1",
	"With experts and data_parallel_size: prompts that can wait begin "
	"only in every n-th step.",
	VLLM, COPIED(prefill_interval, SCHEDULE), WITHOUT(DEALS),
	WHEN("data_parallel_size>1")),
    INT(max_num_seqs, "256", 1, 65536, "1", "Sequences in one step.",
	PLAIN | VLLM, MADE(max_num_seqs),
	CALLED("max_num_seqs", "max_running_requests", "max_batch_size")),
    INT(max_num_batched_tokens, "2048", 1, 1e9, "1",
	"Tokens in one step, of prompts and decodes together.", PLAIN | VLLM,
	MADE(max_num_batched_tokens),
	CALLED("max_num_batched_tokens", "chunked_prefill_size",
	       "max_num_tokens")),
    INT(max_model_len, "0", 0, 1e9, "1",
	"Most tokens of a request, prompt and output together; longer "
	"requests are rejected. 0: the limit of the model.",
	ANY, MADE(max_model_len),
	CALLED("max_model_len", "context_length", "max_seq_len")),
    INT(long_prefill_token_threshold, "0", 0, 1e9, "1",
	"Most tokens of one prompt in one step. 0: no limit.", PLAIN | VLLM,
	COPIED(long_prefill_token_threshold, SCHEDULE),
	CALLED("long_prefill_token_threshold", NULL, NULL)),
    INT(block_size, "16", 1, 65536, "1", "Tokens in one KV block.",
	PLAIN | VLLM, MADE(block_size),
	CALLED("block_size", "page_size", "tokens_per_block")),
    TEXT(num_gpu_blocks, "auto",
	 "KV blocks of a replica: auto (as many as fit into memory), "
	 "unlimited, or a number.",
	 ANY, MADE(num_gpu_blocks),
	 CALLED("num_gpu_blocks_override", "max_total_tokens", "max_tokens")),
    DOUBLE(gpu_memory_utilization, "0.9", 0.01, 1, "1",
	   "Share of the GPU's usable memory that `auto` may fill.",
	   PLAIN | VLLM, MADE(num_gpu_blocks),
	   CALLED("gpu_memory_utilization", "mem_fraction_static",
		  "free_gpu_memory_fraction")),
    DOUBLE(graph_memory_bytes, "0", 0, 1e12, "B",
	   "Memory of captured graphs, which `auto` leaves free.", PLAIN | VLLM,
	   MADE(num_gpu_blocks)),
    CHOICE(memory_check, "on", memory_check_words,
	   "on: weights, KV and activations that exceed the GPU's memory are "
	   "refused. off: they are simulated, and results say so.",
	   ANY, MADE(kv_room_blocks)),
    CHOICE(
	kv_cache_dtype, "auto", kv_dtype_words,
	"Format of the KV cache. auto: the format that the model's checkpoint "
	"names.",
	ANY, MADE(num_gpu_blocks),
	CALLED("kv_cache_dtype", "kv_cache_dtype", "dtype")),
    BOOL(enable_prefix_caching, "false",
	 "A request reuses full KV blocks that hold the same tokens as its "
	 "prompt.",
	 PLAIN | VLLM, COPIED(prefix_caching, SCHEDULE),
	 CALLED("enable_prefix_caching", "disable_radix_cache",
		"enable_block_reuse")),
    BOOL(async_scheduling, "false",
	 "The next step is scheduled while one runs (vLLM 0.14 and later).",
	 PLAIN | VLLM, COPIED(async_scheduling, SCHEDULE),
	 CALLED("async_scheduling", "disable_overlap_schedule",
		"disable_overlap_scheduler")),
    CHOICE(scheduling_policy, "fcfs", scheduling_policy_words,
	   "Who is admitted first, and who is preempted last.", PLAIN | VLLM,
	   COPIED(policy, SCHEDULE),
	   CALLED("scheduling_policy", "schedule_policy",
		  "capacity_scheduler_policy")),
    BOOL(scheduler_reserve_full_isl, "false",
	 "A request is admitted only if there are blocks for all of its "
	 "prompt, not for its first chunk alone.",
	 VLLM, COPIED(reserves_whole_prompt, SCHEDULE), NEUTRAL("false"),
	 WITHOUT(CHUNKS), CALLED("scheduler_reserve_full_isl", NULL, NULL)),
    DOUBLE(
	watermark, "0", 0, 1, "1",
	"Share of the blocks that an admission leaves free while others run.",
	VLLM, MADE(watermark_blocks), NEUTRAL("0"), WITHOUT(CHUNKS)),
    CHOICE(free_list, "lru", free_list_words,
	   "Which free block is taken first: the one that has been free "
	   "longest, or one that holds nothing that can be found again.",
	   PLAIN | VLLM, COPIED(free_list, SCHEDULE)),
    BOOL(queue_empty_batches, "false",
	 "Async scheduling does not wait for the GPU behind a batch with "
	 "nothing in it.",
	 ANY_PRESET, COPIED(queues_empty_batches, SCHEDULE), WITHOUT(WAITS)),
    DOUBLE(empty_sleep_us, "0", 0, 1e9, "us",
	   "The engine's thread sleeps this long when it finds nothing to "
	   "schedule although there is something to do.",
	   ANY, COPIED(empty_sleep_ns, SCHEDULE)),
    CHOICE(empty_sleep_while, "unfinished", sleep_while_words,
	   "When there is something to do: while requests run or wait, or also "
	   "when one has just ended.",
	   ANY, COPIED(empty_sleep_while, SCHEDULE), WHEN("empty_sleep_us>0")),
    BOOL(disable_hybrid_kv_cache_manager, "false",
	 "Layers with a sliding window keep every token, as full attention "
	 "does.",
	 VLLM, MADE(kv_groups), WITHOUT(WINDOWS),
	 CALLED("disable_hybrid_kv_cache_manager", "disable_hybrid_swa_memory",
		NULL)),
    CHOICE(window_free, "scheduled", window_free_words,
	   "When a window's blocks are free: when a later step is scheduled, "
	   "or when it has been processed.",
	   VLLM, COPIED(window_free, SCHEDULE), WITHOUT(WINDOWS)),
    CHOICE(
	window_gate, "none", window_gate_words,
	"The tokens that scheduler_reserve_full_isl expects a window to hold: "
	"those of one batch, of all batches in flight, or without limit.",
	VLLM, COPIED(window_gate, SCHEDULE), WITHOUT(WINDOWS),
	WHEN("scheduler_reserve_full_isl=true")),
    DOUBLE(
	group_padding, "1.25", 1, 100, "1",
	"Each kind of layer gets one KV-cache group if the most frequent kind "
	"has less than this many times the layers of the rarest.",
	VLLM, MADE(kv_groups), WITHOUT(WINDOWS)),
    CHOICE(
	mamba_cache_mode, "auto", mamba_cache_mode_words,
	"The states of linear attention that prefix caching finds: all (one "
	"for each block), align (at the end of a step that ends a block). "
	"auto: all for Mamba, align for others; none without prefix caching.",
	VLLM, MADE(kv_groups), NEUTRAL("auto"), WITHOUT(STATES),
	CALLED("mamba_cache_mode", NULL, NULL)),
    INT(decode_context_parallel_size, "1", 1, 1024, "1",
	"Ranks of tensor_parallel_size that share the KV of a token's heads: a "
	"block holds block_size tokens on each of them.",
	VLLM_2026_07, MADE(block_size), NEUTRAL("1"), WITHOUT(WHOLE_KV),
	CALLED("decode_context_parallel_size", NULL, NULL)),
    DOUBLE(kv_offloading_size, "0", 0, 1e6, "GiB",
	   "Memory of the host for KV that prompts may find again, of a "
	   "replica. 0: none.",
	   VLLM_2026_07, MADE(offload.chunks), NEUTRAL("0"), WITHOUT(ON_GPU),
	   CALLED("kv_offloading_size", NULL, NULL)),
    INT(cpu_bytes_to_use, "0", 0, 9007199254740992.0, "B",
	"The same memory in bytes. 0: by kv_offloading_size.", VLLM_2026_07,
	MADE(offload.chunks), NEUTRAL("0"), WITHOUT(ON_GPU)),
    INT(blocks_per_chunk, "1", 1, 65536, "1",
	"KV blocks that are copied to the host as one chunk.", VLLM_2026_07,
	MADE(offload.blocks_per_chunk), WITHOUT(ON_GPU), WHEN(OFFLOADED)),
    CHOICE(eviction_policy, "lru", eviction_policy_words,
	   "The chunk on the host that gives way to a new one.", VLLM_2026_07,
	   MADE(offload.policy), WITHOUT(ON_GPU), WHEN(OFFLOADED)),
    INT(store_threshold, "0", 0, 1e9, "1",
	"Look-ups of a chunk before it is copied to the host. 0 and 1: it is "
	"copied at once.",
	VLLM_2026_07, MADE(offload.store_threshold), WITHOUT(ON_GPU),
	WHEN(OFFLOADED)),
    BOOL(offload_prompt_only, "true",
	 "Generated tokens are not copied to the host.", VLLM_2026_07,
	 MADE(offload.prompt_only), WITHOUT(ON_GPU), WHEN(OFFLOADED)),
    DOUBLE(kv_offload_bandwidth_gbs, "0", 0, 1e6, "GB/s",
	   "Speed of a copy between a GPU and its host, in one direction.",
	   VLLM_2026_07, MADE(offload.bytes_per_ns), WITHOUT(ON_GPU),
	   WHEN(OFFLOADED)),
    DOUBLE(kv_offload_latency_us, "0", 0, 1e9, "us", "Added to each such copy.",
	   VLLM_2026_07, MADE(offload.latency_ns), WITHOUT(ON_GPU),
	   WHEN(OFFLOADED)),
    BOOL(enable_lora, "false",
	 "Requests may have an adapter, the column `adapter` of a trace.",
	 VLLM_2026_07, MADE(lora.max_loras), NEUTRAL("false"),
	 WITHOUT(NO_ADAPTERS), CALLED("enable_lora", NULL, NULL)),
    INT(max_loras, "1", 1, 65536, "1",
	"With enable_lora: most adapters in one step, and slots for them on "
	"the GPU.",
	VLLM_2026_07, MADE(lora.max_loras), WITHOUT(NO_ADAPTERS),
	CALLED("max_loras", NULL, NULL), WHEN(ADAPTERS)),
    INT(max_cpu_loras, "0", 0, 65536, "1",
	"With enable_lora: slots for adapters in the memory of the host. 0: "
	"as many as max_loras.",
	VLLM_2026_07, MADE(lora.max_cpu_loras), WITHOUT(NO_ADAPTERS),
	CALLED("max_cpu_loras", NULL, NULL), WHEN(ADAPTERS)),
    DOUBLE(lora_us, "0", 0, 1e9, "us",
	   "With enable_lora: added to each step for the kernels of adapters, "
	   "which run also in a step without any.",
	   VLLM_2026_07, MADE(lora.step_ns), WITHOUT(NO_ADAPTERS),
	   WHEN(ADAPTERS)),
    DOUBLE(lora_load_us, "0", 0, 1e9, "us",
	   "With enable_lora: a step waits this long for each of its adapters "
	   "that is read from disk into a slot of the host.",
	   VLLM_2026_07, MADE(lora.load_ns), WITHOUT(NO_ADAPTERS),
	   WHEN(ADAPTERS)),
    DOUBLE(lora_activate_us, "0", 0, 1e9, "us",
	   "With enable_lora: a step waits this long for each of its adapters "
	   "that is copied into a slot of the GPU.",
	   VLLM_2026_07, MADE(lora.activate_ns), WITHOUT(NO_ADAPTERS),
	   WHEN(ADAPTERS)),
    INT(max_tokens_per_mm_item, "0", 0, INT32_MAX, "tokens",
	"Tokens of the longest item (picture, sound) in a prompt. The cache of "
	"encoded items has room for that many tokens, and for at least "
	"max_num_batched_tokens. 0: the longest of the trace.",
	VLLM_2026_07, COPIED(encoders.item_tokens, SCHEDULE),
	WITHOUT(NO_ITEMS)),
    BOOL(disable_chunked_mm_input, "false",
	 "No chunk of a prompt ends inside an item.", VLLM_2026_07,
	 COPIED(encoders.whole_items, SCHEDULE), NEUTRAL("false"),
	 WITHOUT(NO_ITEMS), CALLED("disable_chunked_mm_input", NULL, NULL)),
    DOUBLE(encoder_us, "0", 0, 1e9, "us", "Added to a step that encodes items.",
	   VLLM_2026_07, COPIED(encoders.step_us, SCHEDULE), WITHOUT(NO_ITEMS)),
    DOUBLE(encoder_us_per_token, "0", 0, 1e6, "us",
	   "Added to a step for each token of the items that it encodes.",
	   VLLM_2026_07, COPIED(encoders.token_us, SCHEDULE),
	   WITHOUT(NO_ITEMS)),
    CHOICE(front_end, "none", front_end_words,
	   "The time that requests take outside of steps: in front of the "
	   "engine, behind it, and from prefill to decode replicas. measured, "
	   "the default of every preset: the times fitted to published runs of "
	   "the engine. none: an idealised engine. A time that is given counts "
	   "in either case.",
	   ANY_PRESET, COPIED(front_end, SCHEDULE), NEUTRAL("none"),
	   WITHOUT(NO_TIMES)),
    DOUBLE(api_overhead_us, "0", 0, 1e9, "us",
	   "Time from the client to the scheduler.", ANY,
	   COPIED(api_overhead_ns, SCHEDULE)),
    DOUBLE(api_request_us, "0", 0, 1e9, "us",
	   "A thread in front of the scheduler then takes this long for each "
	   "request, one after another.",
	   ANY, COPIED(api_request_ns, SCHEDULE)),
    DOUBLE(api_token_us, "0", 0, 1e6, "us",
	   "Added to api_request_us for each token of the prompt.", ANY,
	   COPIED(api_token_ns, SCHEDULE)),
    DOUBLE(output_token_us, "0", 0, 1e9, "us",
	   "A process behind the engine hands out all tokens, one after "
	   "another, and takes this long for each. A step's tokens reach the "
	   "clients when it is through with all of them.",
	   ANY, COPIED(output_token_ns, SCHEDULE)),
    DOUBLE(output_first_us, "0", 0, 1e9, "us",
	   "Added to output_token_us for the first token of a request.", ANY,
	   COPIED(output_first_ns, SCHEDULE)),
    CHOICE(output_process, "own", output_process_words,
	   "shared: the process that hands out tokens also takes in requests, "
	   "in the order of time; api_request_us and api_token_us are its "
	   "time, too.",
	   ANY, COPIED(output_process, SCHEDULE)),
    DOUBLE(response_overhead_us, "0", 0, 1e9, "us",
	   "Time from the end of a step to the client.", ANY,
	   COPIED(response_overhead_ns, SCHEDULE)),
    DOUBLE(
	response_sequence_us, "0", 0, 1e9, "us",
	"Added to response_overhead_us for each sequence that got a token in "
	"the step.",
	ANY, COPIED(response_sequence_ns, SCHEDULE)),
    DOUBLE(schedule_us, "0", 0, 1e9, "us",
	   "Host work before a step; async scheduling hides it behind the step "
	   "before.",
	   ANY, COPIED(schedule_ns, SCHEDULE)),
    DOUBLE(
	first_step_us, "0", 0, 1e9, "us",
	"Added to the first step beyond the captured graphs of a server that "
	"has just started.",
	ANY, COPIED(first_step_us, SCHEDULE)),
    DOUBLE(expert_compile_us, "0", 0, 1e9, "us",
	   "Added to a step beyond the captured graphs if its number of tokens "
	   "needs a variant of the 16-bit expert kernels that no earlier step "
	   "needed, because a server that has just started compiles it then.",
	   ANY, COPIED(expert_compile_us, SCHEDULE)),
    TEXT(graph_max_tokens, "auto",
	 "Largest step replayed from a captured graph: auto is min(2 * "
	 "max_num_seqs, 512), 0 is eager.",
	 ANY, MADE(graph_max_tokens),
	 CALLED("max_cudagraph_capture_size", "cuda_graph_max_bs",
		"cuda_graph_config.max_batch_size")),
    INT(replicas, "1", 1, 4096, "1", "Engines behind one router.", ANY,
	MADE(replicas), CALLED(NULL, "dp", NULL)),
    CHOICE(routing, "round_robin", routing_words,
	   "How the router chooses a replica for a request.", ANY,
	   COPIED(routing, SCHEDULE),
	   CALLED(NULL, "load_balance_method", NULL)),
    CHOICE(pools, "apart", pools_words,
	   "With the sections [engine:prefill] and [engine:decode]: apart: "
	   "they are pools. together: an arm ignores both sections.",
	   ANY, READ_BY_ARM(SCHEDULE)),
    INT(prefill_replicas, "0", 0, 4095, "1",
	"Replicas that only compute prompts; they send the KV cache to the "
	"other replicas, which only generate. 0: all do both.",
	PLAIN | VLLM, MADE(prefill_replicas), NEUTRAL("0")),
    TEXT(decode_cost_model, "",
	 "With prefill_replicas: the arm that prices the replicas that "
	 "generate. Empty: the one that prices the prompts.",
	 PLAIN | VLLM, READ_BY_ARM(PRICE), WHEN(APART)),
    DOUBLE(kv_transfer_bandwidth_gbs, "0", 0, 1e6, "GB/s",
	   "Bandwidth from a prefill replica to a decode replica. 0: the "
	   "hardware's link_bandwidth_gbs.",
	   ANY, MADE(kv_transfer_bytes_per_s), WHEN(APART)),
    CHOICE(kv_transfer_links, "replica", kv_transfer_link_words,
	   "replica: all bytes of a transfer pass one link. gpu: each GPU of "
	   "the decode replica has a link of its own for what it holds.",
	   ANY, MADE(kv_transfer_bytes_per_s), WHEN(APART)),
    DOUBLE(kv_transfer_latency_us, "0", 0, 1e9, "us", "Added to each transfer.",
	   ANY, COPIED(kv_transfer_latency_ns, SCHEDULE), WHEN(APART)),
    DOUBLE(pd_fixed_us, "0", 0, 1e9, "us",
	   "With separate prefill and decode replicas: time of each request "
	   "that depends on nothing; half of it before the prefill replica "
	   "sees the request, half added to its transfer.",
	   ANY, COPIED(pd_fixed_ns, SCHEDULE), WHEN(APART)),
    CHOICE(
	kv_connector, "push", kv_connector_words,
	"push: a prompt's KV cache is sent when the prompt is done. pull: the "
	"decode replica takes blocks for it and fetches it, and the prefill "
	"replica holds it until then; needs a preset.",
	VLLM, COPIED(kv_connector, SCHEDULE), NEUTRAL("push"), WITHOUT(PUSHED),
	CALLED("kv_connector", "disaggregation_transfer_backend", "backend"),
	WHEN(APART)),
    DOUBLE(
	proxy_us, "0", 0, 1e9, "us",
	"With kv_connector = pull: time from the end of the prompt's step to "
	"the decode replica's scheduler.",
	VLLM, COPIED(proxy_ns, SCHEDULE), NEUTRAL("0"), WITHOUT(PUSHED),
	WHEN("kv_connector=pull")),
    CHOICE(
	pd_first_token, "decode", pd_first_token_words,
	"With kv_connector = pull, and under the schedulers sglang and "
	"tensorrt_llm: the replica that makes the first token of the answer. "
	"decode: the decode replica drops the token of the prefill replica "
	"and computes the last prompt token again.",
	ANY_PRESET, COPIED(pd_first_token, SCHEDULE), WITHOUT(PUSHED)),
    CHOICE(sampling, "auto", sampling_words,
	   "How requests choose their tokens; top_p: by top_p, top_k or min_p. "
	   "auto: as the model's generation_config says.",
	   ANY, MADE(sampling)),
    TEXT(
	expert_dispatch, "",
	"Back end of the all-to-all between experts on several GPUs, by the "
	"engine's own name (deepep_low_latency); cost models that know it read "
	"it. Empty: none.",
	ANY, COPIED(expert_dispatch, PRICE)),
    INT(chunked_prefill_size, "0", -1, 1e9, "1",
	"Prompt tokens in a step; a longer prompt goes in chunks. -1: no "
	"chunks. 0: by the GPU's memory.",
	SGLANG, MADE(sglang.chunk)),
    INT(max_prefill_tokens, "16384", 1, 1e9, "1",
	"Most prompt tokens in a step; a prompt that is alone in its step may "
	"be longer.",
	SGLANG, COPIED(sglang.max_prefill_tokens, SCHEDULE)),
    INT(max_running_requests, "0", 0, 65536, "1",
	"Requests that run at once. 0: 512 times the requests of the longest "
	"context that KV holds, 2048 to 4096; at most half the tokens of KV.",
	SGLANG, MADE(max_num_seqs)),
    DOUBLE(mem_fraction_static, "0", 0, 1, "1",
	   "Share of the GPU's memory for weights and KV. 0: by the GPU's "
	   "memory, on one H100 0.83.",
	   SGLANG, SAME_AS(gpu_memory_utilization)),
    DOUBLE(
	schedule_conservativeness, "1", 0, 100, "1",
	"Running requests at first reserve 0.7 times this share of the tokens "
	"that they have yet to make.",
	SGLANG, MADE(sglang.first_share)),
    INT(cuda_graph_max_bs, "0", 0, 65536, "1",
	"Largest step of decodes replayed from a graph. 0: by the GPU's "
	"memory.",
	SGLANG, MADE(graph_max_tokens)),
    INT(page_size, "1", 1, 65536, "1", "Tokens in a page of KV.", SGLANG,
	SAME_AS(block_size)),
    CHOICE(
	schedule_policy, "fcfs", schedule_policy_words,
	"The prompt that goes first: the earliest, or the one that finds most "
	"of itself in the cache.",
	SGLANG, COPIED(sglang.policy, SCHEDULE)),
    BOOL(enable_mixed_chunk, "false",
	 "A step of prompts also makes a token for each running request.",
	 SGLANG, COPIED(sglang.mixes, SCHEDULE)),
    BOOL(disable_radix_cache, "false",
	 "Prompts do not reuse the KV cache of earlier prompts.", SGLANG,
	 OPPOSITE_OF(enable_prefix_caching)),
    BOOL(disable_overlap_schedule, "false",
	 "The next step is formed when the last one is over.", SGLANG,
	 OPPOSITE_OF(async_scheduling)),
    BOOL(ignore_eos, "true",
	 "Requests make all of their output, as SGLang's benchmark asks for. "
	 "Without a radix cache one is admitted only if memory lasts until "
	 "each has ended.",
	 SGLANG, COPIED(sglang.ignores_eos, SCHEDULE)),
    INT(scheduler_recv_interval, "1", 1, 1e6, "1",
	"Steps of decodes between two looks at new requests; after a step "
	"with prompts the next look is at once.",
	SGLANG, COPIED(sglang.recv_interval, SCHEDULE), NEUTRAL("1")),
    BOOL(enable_priority_scheduling, "false",
	 "Waiting requests are in order of their priority.", SGLANG_2026,
	 COPIED(sglang.has_priorities, SCHEDULE), NEUTRAL("false")),
    BOOL(schedule_low_priority_values_first, "false",
	 "A smaller value of priority matters more.", SGLANG_2026,
	 COPIED(sglang.low_values_first, SCHEDULE),
	 WHEN("enable_priority_scheduling=true")),
    BOOL(disable_priority_preemption, "false",
	 "A running request never gives its seat to a more important one.",
	 SGLANG_2026, COPIED(sglang.keeps_seats, SCHEDULE),
	 WHEN("enable_priority_scheduling=true")),
    INT(priority_scheduling_preemption_threshold, "10", 0, 2147483647, "1",
	"A request takes the seat of one if their priorities differ by more.",
	SGLANG_2026, COPIED(sglang.preemption_threshold, SCHEDULE),
	WHEN("enable_priority_scheduling=true")),
    INT(max_batch_size, "2048", 1, 65536, "1", "Requests in a step.", TRTLLM,
	SAME_AS(max_num_seqs)),
    INT(max_num_tokens, "8192", 1, 1e9, "1", "Tokens in a step.", TRTLLM,
	SAME_AS(max_num_batched_tokens)),
    INT(tokens_per_block, "32", 1, 65536, "1", "Tokens in a KV block.", TRTLLM,
	SAME_AS(block_size)),
    CHOICE(capacity_scheduler_policy, "guaranteed_no_evict",
	   capacity_policy_words,
	   "A request begins if all its tokens will fit; or if its next step "
	   "fits, and others may have to pause; or as the first one, but only "
	   "when no request decodes.",
	   TRTLLM, COPIED(trtllm.capacity, SCHEDULE)),
    BOOL(enable_chunked_prefill, "false", "A prompt may go in chunks.", TRTLLM,
	 COPIED(trtllm.has_chunks, SCHEDULE)),
    CHOICE(context_chunking_policy, "first_come_first_served",
	   chunking_policy_words,
	   "The prompts that get longer chunks when not all fit.", TRTLLM,
	   COPIED(trtllm.chunking, SCHEDULE)),
    BOOL(enable_block_reuse, "true",
	 "A request reuses the KV blocks of finished requests that hold the "
	 "same tokens as its prompt.",
	 TRTLLM, SAME_AS(enable_prefix_caching)),
    BOOL(enable_partial_reuse, "true",
	 "With enable_block_reuse: a request reuses a block, too, that begins "
	 "with the same tokens and goes on with others.",
	 TRTLLM, COPIED(trtllm.finds_parts, SCHEDULE),
	 WHEN("enable_block_reuse=true")),
    CHOICE(max_attention_window, "full", attention_window_words,
	   "How many tokens of a request a layer with a sliding window keeps: "
	   "all, or no more than its window.",
	   TRTLLM, MADE(kv_groups)),
    BOOL(disable_overlap_scheduler, "false",
	 "The next step is formed when the last one is over.", TRTLLM,
	 OPPOSITE_OF(async_scheduling)),
    INT(batch_wait_timeout_iters, "0", 0, 1e6, "1",
	"While requests decode, prompts wait for at most this many steps to "
	"be computed together.",
	TRTLLM, COPIED(trtllm.wait_steps, SCHEDULE)),
    DOUBLE(batch_wait_max_tokens_ratio, "0", 0, 1, "1",
	   "With batch_wait_timeout_iters: prompts no longer wait when they "
	   "and the decodes have this share of max_num_tokens.",
	   TRTLLM, MADE(trtllm.wait_tokens)),
    CHOICE(use_kv_cache_manager_v2, "auto", kv_manager_v2_words,
	   "TensorRT-LLM's second KV cache manager, with a scheduler of its "
	   "own. auto: as tensorrt_llm-1.3 has it for models with latent "
	   "attention; else the first one.",
	   TRTLLM, MADE(trtllm.has_manager_v2)),
    BOOL(attention_dp_enable_balance, "false",
	 "With experts and data_parallel_size: prompts begin on all ranks in "
	 "the same step.",
	 TRTLLM, COPIED(trtllm.balances_ranks, SCHEDULE)),
    INT(attention_dp_timeout_iters, "50", 0, 1e6, "1",
	"With attention_dp_enable_balance: most steps that prompts wait for "
	"those of other ranks.",
	TRTLLM, COPIED(trtllm.balance_timeout, SCHEDULE),
	WHEN("attention_dp_enable_balance=true")),
    INT(attention_dp_batching_wait_iters, "10", 0, 1e6, "1",
	"With attention_dp_enable_balance: steps that prompts wait when all "
	"ranks have some.",
	TRTLLM, COPIED(trtllm.balance_wait, SCHEDULE),
	WHEN("attention_dp_enable_balance=true")),
    DOUBLE(free_gpu_memory_fraction, "0.9", 0.01, 1, "1",
	   "Share of the memory left by weights and activations that KV takes.",
	   TRTLLM, SAME_AS(gpu_memory_utilization)),
#include "engine/keys/rows_drafts.inc"
    CHOICE(
	model_runner, "auto", model_runner_words,
	"vLLM's runner: with pipeline_parallel_size > 1 and async scheduling "
	"v1 queues a batch for each stage, v2 one more; v2 drafts all of "
	"num_speculative_tokens for any batch. auto: v1 in vllm-0.15 and for "
	"models with experts, else v2.",
	VLLM, MADE(model_runner), WITHOUT(ONE_STEP), RARE,
	WHEN("pipeline_parallel_size>1 ; "
	     "num_speculative_tokens_per_batch_size=?*")),
    CHOICE(pipeline_stages, "cost_model", pipeline_stages_words,
	   "How long a step occupies one of pipeline_parallel_size stages: "
	   "cost_model: its ready_us, or all of the step if it has none; "
	   "equal: an equal share of the step.",
	   VLLM, MADE(pipeline_stages), WITHOUT(ONE_STEP), RARE,
	   WHEN("pipeline_parallel_size>1")),
};
const uint32_t engine_n_keys = sizeof engine_key / sizeof *engine_key;

const struct engine_row *engine_row_named(const char *name)
{
	const sc_knob *k = knob_named(engine_key, engine_n_keys, name);
	return k ? engine_row_of(k) : NULL;
}

const struct engine_row *engine_row_at(uint32_t place)
{
	for (uint32_t i = 0; i < engine_n_keys; i++)
		if (engine_key[i]->offset == place)
			return engine_row(i);
	return NULL;
}
