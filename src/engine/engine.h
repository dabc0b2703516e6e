/* engine/engine.h -- the serving engine in the plain numbers that a simulation
 * works with.
 *
 * engine_resolve() (engine/resolve.h) makes them from the keys: nothing is
 * "auto" any more, and times are integer ns.  A row of engine/keys/rows.c names
 * each field that is copied from a key, and engine/equal_schedules.c each that
 * is made of several.  [any thread]; no allocation, no printing. */
#pragma once
#include <stdint.h>
#include "base/problem.h"
#include "engine/choices.h"
#include "engine/fleet.h"
#include "engine/memory/kv_groups.h"
#include "engine/router.h"
#include "engine/speculation.h"
#include "stepcost/plugin.h"

/* A request is served within its SLO if each of these holds; 0: no bound. */
struct slo {
	int64_t ttft_ns, tpot_ns, e2el_ns;
};

#define ENGINE_UNLIMITED UINT64_MAX /* of num_gpu_blocks */

/* What only SGLang's scheduler knows.  0 or 1 where there is no unit. */
struct sglang_rules {
	uint32_t chunk; /* prompt tokens in a step; 0: no chunks             */
	uint32_t max_prefill_tokens;
	enum schedule_policy policy;
	uint32_t mixes; /* prompts and decodes in a step                     */
	double first_share; /* of coming tokens that requests reserve        */
	uint32_t ignores_eos; /* each request makes all its output           */
	uint32_t recv_interval; /* decode steps between looks at new requests */
	uint32_t has_priorities, low_values_first;
	uint32_t keeps_seats; /* the less important give up none             */
	uint32_t preemption_threshold; /* of priority, to take a seat        */
};

/* What only TensorRT-LLM's knows. */
struct trtllm_rules {
	enum capacity_policy capacity;
	uint32_t has_chunks; /* 0 or 1                                       */
	enum chunking_policy chunking;
	/* While requests decode, prompts wait for this many steps, unless they
	 * and the decodes have wait_tokens tokens; 0: they do not wait.     */
	uint32_t wait_steps, wait_tokens;
	uint32_t has_manager_v2; /* 1: the second KV cache manager           */
	uint32_t chunk_unit;  /* of tokens, for a chunk that is not the last  */
	uint32_t finds_parts; /* 1: prompts find parts of blocks             */
	/* 1: ranks of attention data parallelism begin prompts together; steps
	 * that they wait for prompts on all ranks, and then for more of them.
	 */
	uint32_t balances_ranks, balance_timeout, balance_wait;
};

/* Adapters (LoRA) under vLLM's presets; max_loras 0: none. */
struct lora_rules {
	uint32_t max_loras;     /* in a step, and slots of the GPU           */
	uint32_t max_cpu_loras; /* slots in the host's memory                */
	int64_t step_ns;        /* a step takes that much longer             */
	int64_t load_ns, activate_ns; /* into a slot of the host, of the GPU */
};

/* KV in the memory of the host; chunks 0: none. */
struct offload_rules {
	uint64_t chunks; /* that there is room for                           */
	uint32_t blocks_per_chunk;
	enum eviction_policy policy;
	uint32_t store_threshold; /* look-ups before a chunk is stored       */
	uint32_t prompt_only;     /* 0 or 1                                  */
	double bytes_per_ns;      /* of one GPU, in one direction            */
	int64_t latency_ns;       /* of a copy                               */
};

/* Pictures and sound. */
struct encoder_rules {
	uint32_t item_tokens; /* of the longest; 0: the workload's longest   */
	uint32_t whole_items; /* 1: no chunk of a prompt ends in an item     */
	/* A step that encodes takes that much longer, and more for each token
	 * that it encodes. */
	double step_us, token_us;
};

/* Time of a request outside of steps, as its cost model says, in picoseconds:
 * before it queues, and for each token of its prompt; from its tokens to the
 * client, for each so far, and more for the last. */
struct request_times {
	int64_t before_ps, prompt_token_ps, after_ps, output_token_ps;
};

struct engine {
	enum engine_preset preset;
	enum engine_scheduler scheduler;
	struct sglang_rules sglang;
	struct trtllm_rules trtllm;
	struct lora_rules lora;
	struct offload_rules offload;
	struct encoder_rules encoders;
	sc_parallel parallel;
	/* Attention-DP ranks with requests in one step: without a preset all of
	 * a replica, with one a rank is a replica of its own.  The next two,
	 * graph_max_tokens and num_gpu_blocks are of these ranks together.   */
	uint32_t step_ranks;
	uint32_t max_num_seqs, max_num_batched_tokens;
	uint32_t max_model_len; /* 0: no bound                               */
	uint32_t long_prefill_token_threshold; /* 0: none                    */
	uint32_t block_size;
	uint64_t num_gpu_blocks; /* of one replica, or ENGINE_UNLIMITED      */
	/* of an unlimited cache: what the memory has room for; 0: not known, or
	 * memory_check is off                                               */
	uint64_t kv_room_blocks;
	uint32_t prefix_caching, async_scheduling; /* 0 or 1                 */
	enum scheduling_policy policy;
	uint32_t reserves_whole_prompt; /* at admission; 0 or 1               */
	uint64_t watermark_blocks; /* stay free while others run            */
	enum free_list free_list;
	uint32_t queues_empty_batches; /* 0 or 1                              */
	int64_t empty_sleep_ns;
	enum sleep_while empty_sleep_while;
	/* layers with sliding windows; n_kinds 0: all layers keep all tokens */
	struct kv_groups kv_groups;
	enum window_free window_free;
	enum window_gate window_gate;
	struct speculation speculation;
	enum hit_drop hit_drop;
	double draft_us; /* of a pass of the drafter                         */
	/* the arm that prices it, and its model; "": none                    */
	const char *draft_cost_model, *draft_model;
	/* tokens of a step that are left to the drafts of a draft model */
	uint32_t drafter_tokens;
	/* 0 or 1 each */
	uint32_t pads_admissions, admits_with_lookahead, drafts_for_chunks;
	enum model_runner model_runner; /* not auto; of a pipeline            */
	enum pipeline_stages pipeline_stages;
	const char *expert_dispatch; /* "": none */
	enum front_end front_end;
	int64_t api_overhead_ns; /* from the client to the scheduler         */
	int64_t api_request_ns;  /* then for each, one after another          */
	int64_t api_token_ns;    /* and more for each token of its prompt     */
	/* A process hands out tokens, one after another: for each, and more for
	 * the first of a request. */
	int64_t output_token_ns, output_first_ns;
	enum output_process output_process;
	struct request_times request;
	int64_t response_overhead_ns; /* from a step's end to the client     */
	int64_t response_sequence_ns; /* more for each it made a token for  */
	int64_t schedule_ns;
	/* Experts with kernels that are compiled at first use; n_experts 0:
	 * there are none.                                                    */
	uint32_t n_experts, experts_per_token;
	double first_step_us, expert_compile_us;
	uint32_t graph_max_tokens; /* 0: eager                               */
	uint32_t replicas; /* all of them, ranks among them                  */
	/* How many of these one replica of the INI stands for: its
	 * data-parallel ranks that have a scheduler of their own. */
	uint32_t per_replica;
	enum routing routing;
	struct router_rules router;
	struct fleet_rules fleet;
	/* Data parallelism under a preset: `ranks` replicas in a row are ranks
	 * of one, and a request goes to one of them by rank_routing;
	 * `lockstep_ranks` of them, all or 1, take each step together.       */
	uint32_t ranks, lockstep_ranks;
	enum rank_routing rank_routing;
	uint32_t prefill_interval; /* of steps in lockstep                   */
	uint64_t seed; /* of routers that draw                               */
	/* Prefill and decode apart: replicas 0 … prefill_replicas − 1 compute
	 * prompts (pool 0), ranks counted, the others generate (pool 1).  0:
	 * one pool does both. */
	uint32_t prefill_replicas;
	const struct engine *decode; /* of pool 1; NULL: this one            */
	enum kv_connector kv_connector;
	enum pd_first_token pd_first_token;
	int64_t proxy_ns;
	int64_t
	    pd_fixed_ns; /* half before the prompt, half with the transfer */
	double kv_bytes_per_token; /* all that a replica holds of a token    */
	double kv_transfer_bytes_per_s;
	int64_t kv_transfer_latency_ns;
	uint32_t sampling; /* SC_SAMPLING_* */
	struct slo slo;
	char blocks_text[400]; /* what num_gpu_blocks resolved to, and why   */
};

/* With pools for prefill and decode: which pool a replica is in, the engine of
 * a pool, and the pool that makes a request's first token. */
static inline uint32_t engine_pool_of(const struct engine *e, uint32_t replica)
{
	return e->prefill_replicas && replica >= e->prefill_replicas;
}
static inline const struct engine *engine_of_pool(const struct engine *e,
						  uint32_t pool)
{
	return pool && e->decode ? e->decode : e;
}
static inline const struct engine *engine_of_replica(const struct engine *e,
						     uint32_t replica)
{
	return engine_of_pool(e, engine_pool_of(e, replica));
}
/* Without a division if there is one rank, because each request asks. */
static inline uint32_t engine_per_rank(uint32_t replicas, uint32_t ranks)
{
	return ranks == 1 ? replicas : replicas / ranks;
}
/* Replicas that are ranks of one, in a row, are a group; others are groups of
 * their own.  How many there are, the group of a replica and its place in it,
 * and the first replica of a group. */
static inline uint32_t engine_group_of(const struct engine *e, uint32_t replica)
{
	uint32_t split = e->prefill_replicas;
	return engine_pool_of(e, replica)
		   ? engine_per_rank(split, e->ranks) +
			 engine_per_rank(replica - split,
					 engine_of_pool(e, 1)->ranks)
		   : engine_per_rank(replica, e->ranks);
}
static inline uint32_t engine_groups(const struct engine *e)
{
	return engine_group_of(e, e->replicas - 1) + 1;
}
static inline uint32_t engine_first_of(const struct engine *e, uint32_t group)
{
	uint32_t split = engine_per_rank(e->prefill_replicas, e->ranks);
	return split && group >= split
		   ? e->prefill_replicas +
			 (group - split) * engine_of_pool(e, 1)->ranks
		   : group * e->ranks;
}
static inline uint32_t engine_rank_of(const struct engine *e, uint32_t replica)
{
	return replica - engine_first_of(e, engine_group_of(e, replica));
}
static inline uint32_t engine_first_token_pool(const struct engine *e)
{
	int may_decode =
	    e->kv_connector == KV_PULL || e->scheduler != SCHEDULER_VLLM;
	return e->prefill_replicas && may_decode &&
	       e->pd_first_token == PD_FIRST_TOKEN_DECODE;
}
/* Time from the arrival to the queue, without the processes in front. */
static inline int64_t engine_request_before_ns(const struct engine *e,
					       uint32_t prompt_tokens)
{
	const struct request_times *t = &e->request;
	return (t->before_ps + prompt_tokens * t->prompt_token_ps + 500) / 1000;
}
/* Time from token n, counted from 1, to the client; is_last: it ends the
 * answer. */
static inline int64_t engine_request_after_ns(const struct engine *e,
					      uint32_t n, int is_last)
{
	const struct request_times *t = &e->request;
	return (n * t->output_token_ps + (is_last ? t->after_ps : 0) + 500) /
	       1000;
}
/* How pd_fixed_ns is divided: one half before the prompt is computed, the other
 * with the transfer. */
static inline int64_t engine_fixed_before_ns(const struct engine *e)
{
	return e->prefill_replicas ? e->pd_fixed_ns / 2 : 0;
}
static inline int64_t engine_fixed_transfer_ns(const struct engine *e)
{
	return e->pd_fixed_ns - e->pd_fixed_ns / 2;
}
/* What a replica that has the first `from` tokens of a prompt is sent: of
 * layers with windows only what its groups hold. */
double engine_transfer_bytes(const struct engine *e, uint32_t tokens,
			     uint32_t from);
/* Stages that are simulated one after the other, each with a batch of its own:
 * those of vLLM's presets.  Otherwise a step passes all of them as one. */
static inline uint32_t engine_stages(const struct engine *e)
{
	int has_queue =
	    e->preset != PRESET_NONE && e->scheduler == SCHEDULER_VLLM;
	return has_queue && e->parallel.pp > 1 ? e->parallel.pp : 1;
}
/* Batches that are scheduled or run at once.  Source: vLLM, config/vllm.py
 * max_concurrent_batches. */
static inline uint32_t engine_batches(const struct engine *e)
{
	uint32_t stages = engine_stages(e);
	if (stages == 1)
		return e->async_scheduling ? 2 : 1;
	return stages +
	       (e->async_scheduling && e->model_runner == MODEL_RUNNER_V2);
}
/* Tokens of a request that may be in flight, as a window group reckons. */
uint64_t engine_tokens_in_flight(const struct engine *e);
/* The number of tokens after padding: the smallest captured size that holds
 * them, or, beyond the largest, the same number. */
uint32_t engine_padded_tokens(const struct engine *e, uint32_t tokens);
/* Requests of max_model_len that the KV cache has room for at once, as vLLM
 * reports it; infinite if it is unlimited. */
double engine_concurrency(const struct engine *e);
/* Returns 1 if the KV cache has room for a whole request with these numbers of
 * tokens. */
int engine_has_room(const struct engine *e, uint64_t prompt, uint64_t output);
/* Returns 1 if SGLang's admission relies on the requests' lengths: nothing is
 * kept for others, and each makes all its output. */
static inline int engine_lengths_are_certain(const struct engine *e)
{
	return e->sglang.ignores_eos && !e->prefix_caching;
}
/* Most tokens of a request, prompt and output together, of an engine with
 * max_model_len. */
uint64_t engine_longest_request(const struct engine *e);
/* Most tokens of a prompt that can be computed at all. */
uint64_t engine_longest_prompt(const struct engine *e);
/* Compares the blocks of an unlimited cache that a replica held at once with
 * the memory (engine/memory/memory.h).  Returns 0, or -1 with *p filled in
 * (EXIT_USAGE). */
int engine_check_held(const struct engine *e, uint64_t blocks,
		      struct problem *p);
/* Blocks that a request of `tokens` tokens needs to get to its end. */
uint64_t engine_blocks_of(const struct engine *e, uint64_t tokens);
/* 1: the model has sliding windows, and without one of vLLM's presets they keep
 * every token. */
int engine_ignores_windows(const struct engine *e, const sc_model *m);
/* 1: a model drafts, and that takes no time. */
static inline int engine_drafts_for_nothing(const struct engine *e)
{
	return e->speculation.lookahead && !(e->draft_us > 0) &&
	       !e->draft_cost_model[0];
}
/* As a cost model sees it. */
void engine_view(sc_engine *view, sc_parallel *parallel,
		 const struct engine *e);
