/* engine_keys.c -- The keys of [engine] and [slo], and what presets set. */
#include <config.h>
#include "engine/engine_keys.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "engine/engine_names.h"
#include "keys/keys.h"
#include "stepcost/knob.h"

#define INT(field, def, min, max, unit, help)                                  \
	SC_INT(struct engine_keys, field, def, min, max, unit, help)
#define DOUBLE(field, def, min, max, unit, help)                               \
	SC_DOUBLE(struct engine_keys, field, def, min, max, unit, help)
#define BOOL(field, def, help) SC_BOOL(struct engine_keys, field, def, help)
#define TEXT(field, def, help) KEY_TEXT_OF(struct engine_keys, field, def, help)
#define CHOICE(field, def, words, help)                                        \
	SC_CHOICE(struct engine_keys, field, def, words, help)
#define N(array) (uint32_t)(sizeof(array) / sizeof *(array))

static const char *const policies[] = {"fcfs", "priority", NULL};
static const char *const routings[] = {"round_robin", "least_outstanding",
				       "power_of_two", "prefix_affinity", NULL};
static const char *const rank_routings[] = {"vllm", "round_robin", NULL};

static const char *const presets[] = {
    "none",   "vllm-0.15",    "vllm-0.24", "vllm-2026-07",
    "sglang", "tensorrt_llm", NULL};
const char *const engine_scheduler_name[] = {"vllm", "sglang", "tensorrt_llm",
					     NULL};
static const char *const schedule_policies[] = {"fcfs", "lpm", NULL};
static const char *const capacity_policies[] = {"guaranteed_no_evict",
						"max_utilization", NULL};
static const char *const chunking_policies[] = {"first_come_first_served",
						"equal_progress", NULL};
static const char *const usages[] = {"openai_api_server", "llm_class", NULL};
static const char *const free_lists[] = {"lru", "unkeyed_first", NULL};
static const char *const sleeps[] = {"unfinished", "any", NULL};
static const char *const window_frees[] = {"scheduled", "processed", NULL};
static const char *const window_gates[] = {"none", "one_batch", "all_batches",
					   NULL};

static const char *const methods[] = {"eagle", "mtp", "draft_model", "ngram",
				      NULL};
static const char *const hit_drops[] = {"each", "once", NULL};
static const char *const model_runners[] = {"auto", "v1", "v2", NULL};
static const char *const stage_times[] = {"cost_model", "equal", NULL};
static const char *const connectors[] = {"push", "pull", NULL};
static const char *const first_tokens[] = {"decode", "prefill", NULL};

static const char *const kv_dtypes[] = {"auto", "bfloat16", "fp8", NULL};
/* In the order of SC_SAMPLING_*, auto in the place of unknown. */
static const char *const samplings[] = {"auto", "greedy", "random", "top_p",
					NULL};

enum {
	ENGINE_KEY_PRESET,
	ENGINE_KEY_SCHEDULER,
	ENGINE_KEYS_FIRST
}; /* places
    */
const sc_knob *const engine_key[] = {
    CHOICE(preset, "none", presets,
	   "The engine whose defaults the other keys have, and whose rules are "
	   "followed in every step. none: an idealised schedule."),
    CHOICE(scheduler, "vllm", engine_scheduler_name,
	   "The engine whose rules form the steps. sglang, tensorrt_llm: as "
	   "their sources were read; not compared with the engines."),
    CHOICE(usage_context, "openai_api_server", usages,
	   "What vLLM's defaults of max_num_seqs and max_num_batched_tokens "
	   "are for: a server, or offline use."),
    INT(tensor_parallel_size, "1", 1, 1024, "1",
	"GPUs that share each matrix and the heads of attention."),
    INT(pipeline_parallel_size, "1", 1, ENGINE_STAGES, "1",
	"Stages that the layers of a replica are dealt out to; under vLLM's "
	"presets each has a batch of its own."),
    INT(data_parallel_size, "1", 1, 1024, "1",
	"With experts: groups of GPUs of one replica that have requests of "
	"their own and share the experts (attention-DP). Without: so many "
	"times the replicas."),
    BOOL(enable_expert_parallel, "false",
	 "Experts are split by expert over tensor_parallel_size x "
	 "data_parallel_size GPUs, not by width."),
    INT(expert_parallel_size, "0", 0, 1024, "1",
	"Ways that experts are split by expert; what is left of the GPUs "
	"splits them by width. 0: by enable_expert_parallel."),
    CHOICE(data_parallel_routing, "vllm", rank_routings,
	   "Which of data_parallel_size ranks a request of a replica goes to: "
	   "the one with the least 4 * waiting + running, as the ranks last "
	   "said; or one after another. Needs a preset."),
    INT(prefill_schedule_interval, "1", 1, 1e6, "1",
	"With experts and data_parallel_size: prompts that can wait begin in "
	"one of so many steps only. Needs a preset."),
    INT(max_num_seqs, "256", 1, 65536, "1", "Sequences in one step."),
    INT(max_num_batched_tokens, "2048", 1, 1e9, "1",
	"Tokens in one step, of prompts and decodes together."),
    INT(max_model_len, "0", 0, 1e9, "1",
	"Prompt and output of a request; longer ones are rejected. 0: the "
	"model's."),
    INT(long_prefill_token_threshold, "0", 0, 1e9, "1",
	"Most tokens of one prompt in one step. 0: no such bound."),
    INT(block_size, "16", 1, 65536, "1", "Tokens in one KV block."),
    TEXT(num_gpu_blocks, "auto",
	 "KV blocks of a replica: auto (what the memory has room for), "
	 "unlimited, or a number."),
    DOUBLE(gpu_memory_utilization, "0.9", 0.01, 1, "1",
	   "Share of the GPU's usable memory that `auto` may fill."),
    DOUBLE(graph_memory_bytes, "0", 0, 1e12, "B",
	   "Memory of captured graphs, which `auto` leaves free."),
    CHOICE(kv_cache_dtype, "auto", kv_dtypes,
	   "Format of the KV cache. auto: as the model's checkpoint asks."),
    BOOL(enable_prefix_caching, "false",
	 "Full blocks of KV are found again by their content."),
    BOOL(async_scheduling, "false",
	 "The next step is scheduled while one runs (vLLM 0.14 and later)."),
    CHOICE(scheduling_policy, "fcfs", policies,
	   "Who is admitted first, and who is preempted last."),
    BOOL(scheduler_reserve_full_isl, "false",
	 "A request is admitted only if there are blocks for all of its "
	 "prompt, not for its first chunk alone."),
    DOUBLE(watermark, "0", 0, 1, "1",
	   "Share of the blocks that an admission leaves free while others "
	   "run."),
    CHOICE(free_list, "lru", free_lists,
	   "Which free block is taken first: the one that has been free "
	   "longest, or one that holds nothing that can be found again."),
    BOOL(queue_empty_batches, "false",
	 "Async scheduling does not wait for the GPU behind a batch with "
	 "nothing in it."),
    DOUBLE(empty_sleep_us, "0", 0, 1e9, "us",
	   "The engine's thread sleeps so long when it found nothing to "
	   "schedule although there is something to do."),
    CHOICE(empty_sleep_while, "unfinished", sleeps,
	   "When there is something to do: while requests run or wait, or also "
	   "when one has just ended."),
    BOOL(disable_hybrid_kv_cache_manager, "false",
	 "Layers with a sliding window keep every token, as full attention "
	 "does. Needs a preset."),
    CHOICE(window_free, "scheduled", window_frees,
	   "When a window's blocks are free: when a later step is scheduled, "
	   "or when it has been processed. Needs a preset."),
    CHOICE(window_gate, "none", window_gates,
	   "How many batches' tokens scheduler_reserve_full_isl expects a "
	   "window to hold: of no bound, one, or all in flight. Needs a "
	   "preset."),
    DOUBLE(group_padding, "1.25", 1, 100, "1",
	   "Kinds of layers are put into one KV-cache group each if the most "
	   "frequent has less than so many times the layers of the rarest. "
	   "Needs a preset."),
    DOUBLE(api_overhead_us, "0", 0, 1e9, "us",
	   "From the client to the scheduler."),
    DOUBLE(api_request_us, "0", 0, 1e9, "us",
	   "A thread in front of the scheduler then takes this long for each "
	   "request, one after another."),
    DOUBLE(response_overhead_us, "0", 0, 1e9, "us",
	   "From the end of a step to the client."),
    DOUBLE(response_sequence_us, "0", 0, 1e9, "us",
	   "And so much more for each sequence that the step made a token "
	   "for."),
    DOUBLE(schedule_us, "0", 0, 1e9, "us",
	   "Host work before a step; async scheduling hides it behind the "
	   "step before."),
    DOUBLE(first_step_us, "0", 0, 1e9, "us",
	   "A server that has just started: its first step beyond the captured "
	   "graphs lasts so much longer."),
    DOUBLE(expert_compile_us, "0", 0, 1e9, "us",
	   "A server that has just started: a step beyond the captured graphs "
	   "whose number of tokens needs a variant of the kernels of experts "
	   "of 16 bits that no step before it needed lasts so much longer."),
    TEXT(graph_max_tokens, "auto",
	 "Largest step replayed from a captured graph: auto is min(2 * "
	 "max_num_seqs, 512), 0 is eager."),
    INT(replicas, "1", 1, 4096, "1", "Engines behind one router."),
    CHOICE(routing, "round_robin", routings,
	   "Which replica a request goes to."),
    INT(prefill_replicas, "0", 0, 4095, "1",
	"So many of the replicas only compute prompts and hand the KV cache to "
	"the others, which only generate. 0: all do both."),
    TEXT(decode_cost_model, "",
	 "With prefill_replicas: the arm that prices the replicas that "
	 "generate. Empty: the one that prices the prompts."),
    DOUBLE(kv_transfer_bandwidth_gbs, "0", 0, 1e6, "GB/s",
	   "From a prefill replica to a decode replica. 0: the hardware's "
	   "link_bandwidth_gbs."),
    DOUBLE(kv_transfer_latency_us, "0", 0, 1e9, "us",
	   "Added to each transfer."),
    CHOICE(kv_connector, "push", connectors,
	   "push: a prompt's KV cache is sent when the prompt is done. pull: "
	   "the decode replica takes blocks for it and fetches it, and the "
	   "prefill replica holds it until then; needs a preset."),
    DOUBLE(proxy_us, "0", 0, 1e9, "us",
	   "With kv_connector = pull: from the end of the prompt's step to "
	   "the decode replica's scheduler."),
    CHOICE(pd_first_token, "decode", first_tokens,
	   "With kv_connector = pull: who makes the first token that counts. "
	   "decode: the prefill replica's is thrown away, and the last token "
	   "of the prompt is computed again."),
    CHOICE(sampling, "auto", samplings,
	   "How requests choose their tokens; top_p: by top_p, top_k or "
	   "min_p. auto: as the model's generation_config asks."),
    INT(chunked_prefill_size, "0", -1, 1e9, "1",
	"SGLang: prompt tokens in a step; a longer prompt goes in chunks. -1: "
	"no chunks. 0: by the GPU's memory."),
    INT(max_prefill_tokens, "16384", 1, 1e9, "1",
	"SGLang: prompt tokens in a step, but for a prompt alone."),
    INT(max_running_requests, "0", 0, 65536, "1",
	"SGLang: requests that run at once. 0: half the tokens of the KV "
	"cache, "
	"2048 to 4096."),
    DOUBLE(mem_fraction_static, "0.88", 0.01, 1, "1",
	   "SGLang: share of the GPU's memory for weights and KV."),
    DOUBLE(schedule_conservativeness, "1", 0, 100, "1",
	   "SGLang: times 0.7 is the share of their coming tokens that running "
	   "requests reserve at first."),
    INT(cuda_graph_max_bs, "0", 0, 65536, "1",
	"SGLang: largest step of decodes replayed from a graph. 0: by the "
	"GPU's memory."),
    INT(page_size, "1", 1, 65536, "1", "SGLang: tokens in a page of KV."),
    CHOICE(schedule_policy, "fcfs", schedule_policies,
	   "SGLang: whose prompt goes first: who came first, or who finds most "
	   "of it in the cache."),
    BOOL(enable_mixed_chunk, "false",
	 "SGLang: a step of prompts takes the running decodes along."),
    BOOL(disable_radix_cache, "false", "SGLang: prefixes are not found again."),
    BOOL(disable_overlap_schedule, "false",
	 "SGLang: the next step is formed when the last one is over."),
    INT(max_batch_size, "2048", 1, 65536, "1",
	"TensorRT-LLM: requests in a step."),
    INT(max_num_tokens, "8192", 1, 1e9, "1", "TensorRT-LLM: tokens in a step."),
    INT(tokens_per_block, "32", 1, 65536, "1",
	"TensorRT-LLM: tokens in a KV block."),
    CHOICE(capacity_scheduler_policy, "guaranteed_no_evict", capacity_policies,
	   "TensorRT-LLM: a request begins if its last token will fit, or if "
	   "its next step does; then others may have to pause."),
    BOOL(enable_chunked_prefill, "false",
	 "TensorRT-LLM: a prompt may go in chunks."),
    CHOICE(context_chunking_policy, "first_come_first_served",
	   chunking_policies,
	   "TensorRT-LLM: whose chunks grow when not all prompts fit."),
    BOOL(enable_block_reuse, "true",
	 "TensorRT-LLM: blocks of finished requests are found by their "
	 "content."),
    BOOL(disable_overlap_scheduler, "false",
	 "TensorRT-LLM: the next step is formed when the last one is over."),
    DOUBLE(free_gpu_memory_fraction, "0.9", 0.01, 1, "1",
	   "TensorRT-LLM: share of the memory beside weights and activations "
	   "that KV takes."),
    INT(num_speculative_tokens, "0", 0, ENGINE_DRAFTS, "1",
	"Tokens drafted for a sequence and verified in its next step. 0: no "
	"speculative decoding. Needs a preset."),
    CHOICE(speculative_method, "eagle", methods,
	   "Who drafts. eagle and mtp: layers that read the model's hidden "
	   "states; draft_model: a model of its own; ngram: the request's own "
	   "text."),
    INT(speculative_seed, "0", 0, 9007199254740992.0, "1",
	"Of which drafts are accepted."),
    TEXT(synthetic_acceptance_rates, "",
	 "Per draft, the probability that it and all before it are accepted: "
	 "0.8,0.6,0.45; rates beyond num_speculative_tokens are left out."),
    DOUBLE(synthetic_acceptance_length, "0", 0, 1000, "1",
	   "Instead of rates: tokens that a verified sequence makes on "
	   "average. 0: not given."),
    DOUBLE(draft_us, "0", 0, 1e9, "us",
	   "Time of a pass of the drafter, of which a step has "
	   "num_speculative_tokens, or one if it makes no token."),
    TEXT(draft_cost_model, "",
	 "Instead of draft_us, the arm whose plugin, knobs and tables price "
	 "the drafter's passes, on the GPU of the arm that it drafts for. It "
	 "takes no part itself unless --arms names it."),
    TEXT(draft_model_config, "",
	 "The drafter's model, a name under etc/models or a config.json: what "
	 "its passes cost, its weights and its KV. Empty: not known; with mtp "
	 "and draft_cost_model the last layer of the model."),
    CHOICE(eagle_hit_drop, "each", hit_drops,
	   "With eagle or mtp a found prefix gives up its last block: in each "
	   "look-up of a kind of layers, or once."),
    BOOL(pad_spec_decode, "false",
	 "A request that is admitted with one token to compute takes drafts "
	 "that are all rejected, if all others in the step decode; and "
	 "draft_model leaves max_num_seqs tokens of a step to its drafts."),
    BOOL(admission_lookahead, "false",
	 "Blocks for drafts are held from the admission on."),
    BOOL(chunk_drafts, "false",
	 "Without async scheduling a prompt that is not at its end gets "
	 "drafts, too."),
    CHOICE(model_runner, "auto", model_runners,
	   "vLLM's: with pipeline_parallel_size > 1 and async scheduling v1 "
	   "queues a batch for each stage, v2 one more. auto: v1 in vllm-0.15 "
	   "and for models with experts, else v2."),
    CHOICE(pipeline_stages, "cost_model", stage_times,
	   "How long a step occupies one of pipeline_parallel_size stages: "
	   "cost_model: its ready_us, or all of the step if it has none; "
	   "equal: an equal share of the step."),
};
const uint32_t engine_n_keys = N(engine_key);

void engine_keys_write(struct jw *j, const struct engine_keys *k)
{
	uint32_t n = 0;
	while (strcmp(engine_key[n]->name, "num_speculative_tokens"))
		n++;
	if (k->preset != PRESET_NONE &&
	    (k->num_speculative_tokens || k->pipeline_parallel_size > 1))
		n = engine_n_keys;
	knobs_write(j, k, engine_key, n);
}

#define SLO(field, help)                                                       \
	SC_DOUBLE(struct slo_keys, field, "0", 0, 1e9, "ms", help)
const sc_knob *const slo_key[] = {
    SLO(ttft_ms, "Time to first token of a good request. 0: any."),
    SLO(tpot_ms, "Time per output token of a good request. 0: any."),
    SLO(e2el_ms, "End-to-end latency of a good request. 0: any."),
};
const uint32_t slo_n_keys = N(slo_key);

uint32_t engine_kv_format(const struct engine_keys *k)
{
	static const uint32_t format[] = {
	    [KV_DTYPE_BF16] = SC_BF16, [KV_DTYPE_FP8] = SC_FP8};
	return format[k->kv_cache_dtype];
}

uint64_t engine_gpus(const struct engine_keys *k)
{
	return (uint64_t)(k->tensor_parallel_size * k->pipeline_parallel_size *
			  k->data_parallel_size * k->replicas);
}

/* ---- presets ---- */

#define PRESET(name_, help_, ...)                                              \
	{                                                                      \
		.size = sizeof(sc_preset), .name = name_, .help = help_,       \
		.values = (const char *const[])                                \
		{                                                              \
			__VA_ARGS__, NULL                                      \
		}                                                              \
	}
#define SINCE_015                                                              \
	"enable_prefix_caching", "true", "async_scheduling", "true",           \
	    "empty_sleep_us", "1000", "kv_connector", "pull"
#define SINCE_024                                                              \
	SINCE_015, "scheduler_reserve_full_isl", "true", "free_list",          \
	    "unkeyed_first", "queue_empty_batches", "true",                    \
	    "empty_sleep_while", "any", "group_padding", "1.5",                \
	    "gpu_memory_utilization", "0.92", "eagle_hit_drop", "once",        \
	    "pad_spec_decode", "true", "admission_lookahead", "true"

static const sc_preset preset_of[] = {
    [PRESET_VLLM_015] = PRESET("vllm-0.15", "vLLM of January 2026.", SINCE_015,
			       "chunk_drafts", "true"),
    [PRESET_VLLM_024] = PRESET("vllm-0.24", "vLLM of June 2026.", SINCE_024,
			       "window_gate", "one_batch"),
    [PRESET_VLLM_2026_07] =
	PRESET("vllm-2026-07", "vLLM's main branch of July 2026.", SINCE_024,
	       "window_gate", "all_batches", "window_free", "processed"),
    [PRESET_SGLANG] =
	PRESET("sglang", "SGLang, as its sources were read; not run.",
	       "scheduler", "sglang", "queue_empty_batches", "true",
	       "data_parallel_routing", "round_robin"),
    [PRESET_TENSORRT_LLM] = PRESET(
	"tensorrt_llm", "TensorRT-LLM, as its sources were read; not run.",
	"scheduler", "tensorrt_llm", "queue_empty_batches", "true",
	"data_parallel_routing", "round_robin"),
};
static const enum engine_scheduler scheduler_of[] = {
    [PRESET_SGLANG] = SCHEDULER_SGLANG,
    [PRESET_TENSORRT_LLM] = SCHEDULER_TENSORRT_LLM};

const sc_preset *engine_preset(enum engine_preset preset)
{
	return preset == PRESET_NONE ? NULL : &preset_of[preset];
}

const char *const engine_pool_section[2] = {"engine:prefill", "engine:decode"};

const struct ini_item *engine_key_item(const struct engine_source *s,
				       const char *key)
{
	const struct ini_item *t = NULL;
	if (s->arm)
		t = ini_find_behind(s->ini, s->arm, "engine.", key);
	if (!t && s->pool)
		t = ini_find(s->ini, s->pool, key);
	return t ? t : ini_find(s->ini, "engine", key);
}

int engine_refuse(struct problem *p, const struct engine_source *from,
		  const char *key, const char *fmt, ...)
{
	char why[500];
	const struct ini_item *at = from ? engine_key_item(from, key) : NULL;
	const char *path = from ? from->ini->path : NULL;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	if (at)
		return problem_set(p, EXIT_USAGE, "%s: %s", at->at, why);
	return problem_set(p, EXIT_USAGE, "%s%s[engine] %s", path ? path : "",
			   path ? ": " : "", why);
}

/* The keys that mean nothing without a preset, and what holds there. */
static int refuse_without_preset(const struct engine_source *s,
				 struct problem *p)
{
#define WINDOWS "windows keep every token"
#define CHUNKS "a request is admitted where its first chunk has room"
#define DEALS "the cost model deals a step out to ranks"
#define NO_DRAFTS "nothing is drafted"
#define ONE_STEP "a step passes all stages as one"
#define PUSHED "a prompt's KV cache is sent when the prompt is done"
	static const struct {
		const char *key, *means; /* the value that may be given      */
		const char *why;
	} of[] = {
	    {"disable_hybrid_kv_cache_manager", NULL, WINDOWS},
	    {"window_free", NULL, WINDOWS},
	    {"window_gate", NULL, WINDOWS},
	    {"group_padding", NULL, WINDOWS},
	    {"scheduler_reserve_full_isl", "false", CHUNKS},
	    {"watermark", "0", CHUNKS},
	    {"kv_connector", "push", PUSHED},
	    {"proxy_us", "0", PUSHED},
	    {"pd_first_token", NULL, PUSHED},
	    {"data_parallel_routing", NULL, DEALS},
	    {"prefill_schedule_interval", NULL, DEALS},
	    {"num_speculative_tokens", "0", NO_DRAFTS},
	    {"speculative_method", NULL, NO_DRAFTS},
	    {"speculative_seed", NULL, NO_DRAFTS},
	    {"synthetic_acceptance_rates", NULL, NO_DRAFTS},
	    {"synthetic_acceptance_length", NULL, NO_DRAFTS},
	    {"draft_us", NULL, NO_DRAFTS},
	    {"draft_cost_model", NULL, NO_DRAFTS},
	    {"draft_model_config", NULL, NO_DRAFTS},
	    {"eagle_hit_drop", NULL, NO_DRAFTS},
	    {"pad_spec_decode", NULL, NO_DRAFTS},
	    {"admission_lookahead", NULL, NO_DRAFTS},
	    {"chunk_drafts", NULL, NO_DRAFTS},
	    {"model_runner", NULL, ONE_STEP},
	    {"pipeline_stages", NULL, ONE_STEP},
	};
	for (uint32_t i = 0; i < N(of); i++) {
		const struct ini_item *t = engine_key_item(s, of[i].key);
		if (t && (!of[i].means || strcmp(t->value, of[i].means) != 0))
			return problem_set(p, EXIT_USAGE,
					   "%s: %s needs a preset: without one "
					   "%s",
					   t->at, of[i].key, of[i].why);
	}
	return 0;
}

static int fill(struct engine_keys *k, const struct engine_source *s,
		const sc_knob *const *key, uint32_t n, const sc_preset *preset,
		struct problem *p)
{
	if (knobs_fill(k, key, n, preset, s->ini, "engine", "", p) < 0)
		return -1;
	if (s->pool && knobs_overlay(k, key, n, s->ini, s->pool, "", p) < 0)
		return -1;
	return s->arm ? knobs_overlay(k, key, n, s->ini, s->arm, "engine.", p)
		      : 0;
}

/* ---- schedulers ---- */

static int is_of_arm(const struct engine_source *s, const struct ini_item *t)
{
	return t && s->arm && !strcmp(t->section, s->arm);
}

/* Preset and scheduler are one engine: the one that is named nearer. */
static int settle_preset(struct engine_keys *k, const struct engine_source *s,
			 struct problem *p)
{
	static const enum engine_preset alone[N_SCHEDULERS] = {
	    PRESET_NONE, PRESET_SGLANG, PRESET_TENSORRT_LLM};
	const struct ini_item *preset = engine_key_item(s, "preset");
	const struct ini_item *scheduler = engine_key_item(s, "scheduler");
	if (!scheduler || (int64_t)scheduler_of[k->preset] == k->scheduler ||
	    (is_of_arm(s, preset) && !is_of_arm(s, scheduler)))
		return 0;
	if (preset && is_of_arm(s, preset) == is_of_arm(s, scheduler) &&
	    k->preset != PRESET_NONE)
		return problem_set(
		    p, EXIT_USAGE, "%s: scheduler = %s contradicts preset = %s",
		    scheduler->at, engine_scheduler_name[k->scheduler],
		    presets[k->preset]);
	k->preset = alone[k->scheduler];
	return 0;
}

/* Keys that only some schedulers have, by scheduler. */
static const char *const own_keys[N_SCHEDULERS][24] = {
    [SCHEDULER_VLLM] = {"usage_context", "max_num_seqs",
			"max_num_batched_tokens",
			"long_prefill_token_threshold", "block_size",
			"gpu_memory_utilization", "graph_memory_bytes",
			"enable_prefix_caching", "async_scheduling",
			"scheduling_policy", "scheduler_reserve_full_isl",
			"watermark", "free_list", "prefill_replicas",
			"disable_hybrid_kv_cache_manager", "window_free",
			"window_gate", "group_padding",
			"prefill_schedule_interval"},
    [SCHEDULER_SGLANG] = {"chunked_prefill_size", "max_prefill_tokens",
			  "max_running_requests", "mem_fraction_static",
			  "schedule_conservativeness", "cuda_graph_max_bs",
			  "page_size", "schedule_policy", "enable_mixed_chunk",
			  "disable_radix_cache", "disable_overlap_schedule"},
    [SCHEDULER_TENSORRT_LLM] = {"max_batch_size", "max_num_tokens",
				"tokens_per_block", "capacity_scheduler_policy",
				"enable_chunked_prefill",
				"context_chunking_policy", "enable_block_reuse",
				"disable_overlap_scheduler",
				"free_gpu_memory_fraction"},
};

const char *engine_scheduler_doubt(enum engine_scheduler s)
{
	return s == SCHEDULER_VLLM ? NULL : "read, not run";
}

int engine_key_applies(enum engine_scheduler s, const char *name)
{
	for (int i = 0; i < N_SCHEDULERS; i++)
		for (const char *const *key = own_keys[i]; i != (int)s && *key;
		     key++)
			if (!strcmp(*key, name))
				return 0;
	return 1;
}

/* What this scheduler's key of the same meaning is; NULL: it has none. */
static const char *own_name(int scheduler, const char *key)
{
	const char *common = engine_name_key(key);
	const char *own =
	    common ? engine_name_by(engine_scheduler_name[scheduler], common)
		   : NULL;
	for (uint32_t i = 0; own && i < engine_n_keys; i++)
		if (!strcmp(engine_key[i]->name, own))
			return own;
	return NULL;
}

static int refuse_other(const struct ini_item *t, const char *key, int whose,
			int scheduler, struct problem *p)
{
	struct nearest near = {.typed = key, .name = own_name(scheduler, key)};
	char hint[100];
	return problem_set(
	    p, EXIT_USAGE, "%s: %s is a key of scheduler = %s, not of %s%s",
	    t->at, key, engine_scheduler_name[whose],
	    engine_scheduler_name[scheduler], nearest_hint(&near, hint));
}

/* A key of another scheduler is refused where its own is named; in [engine]
 * beside an arm that names one it is other arms'. */
static int refuse_others(const struct engine_keys *k,
			 const struct engine_source *s, struct problem *p)
{
	int named = is_of_arm(s, engine_key_item(s, "preset")) ||
		    is_of_arm(s, engine_key_item(s, "scheduler"));
	for (int i = 0; i < N_SCHEDULERS; i++)
		for (const char *const *key = own_keys[i];
		     i != k->scheduler && *key; key++) {
			const struct ini_item *t = engine_key_item(s, *key);
			if (t && (!named || is_of_arm(s, t)))
				return refuse_other(t, *key, i,
						    (int)k->scheduler, p);
		}
	return 0;
}

/* What a scheduler's own keys are to the rest of the program. */
static void adopt_own(struct engine_keys *k)
{
	int64_t chunk = k->chunked_prefill_size;
	if (k->scheduler == SCHEDULER_SGLANG) {
		k->max_num_seqs =
		    k->max_running_requests ? k->max_running_requests : 4096;
		k->max_num_batched_tokens =
		    chunk > 0 ? chunk : k->max_prefill_tokens;
		k->block_size = k->page_size;
		k->gpu_memory_utilization = k->mem_fraction_static;
		k->enable_prefix_caching = !k->disable_radix_cache;
		k->async_scheduling = !k->disable_overlap_schedule;
	} else if (k->scheduler == SCHEDULER_TENSORRT_LLM) {
		k->max_num_seqs = k->max_batch_size;
		k->max_num_batched_tokens = k->max_num_tokens;
		k->block_size = k->tokens_per_block;
		k->gpu_memory_utilization = k->free_gpu_memory_fraction;
		k->enable_prefix_caching = k->enable_block_reuse;
		k->async_scheduling = !k->disable_overlap_scheduler;
	}
}

int engine_keys_fill(struct engine_keys *k, const struct engine_source *s,
		     struct problem *p)
{
	const sc_preset *preset;
	if (fill(k, s, engine_key, ENGINE_KEYS_FIRST, NULL, p) < 0 ||
	    settle_preset(k, s, p) < 0)
		return -1;
	int64_t chosen = k->preset;
	preset = engine_preset((enum engine_preset)chosen);
	if (!preset && !s->is_part && refuse_without_preset(s, p) < 0)
		return -1;
	if (fill(k, s, engine_key, engine_n_keys, preset, p) < 0)
		return -1;
	k->preset = chosen;
	k->scheduler = scheduler_of[chosen];
	if (refuse_others(k, s, p) < 0)
		return -1;
	adopt_own(k);
	return 0;
}

/* ---- what depends on what is served ---- */

static int is_given(const struct engine_source *s, const char *key)
{
	return engine_key_item(s, key) != NULL;
}

/* By the GPU's memory. */
static void usual_batch(const struct engine_keys *k,
			const struct engine_usage *u, int64_t *tokens,
			int64_t *seqs)
{
	int big = u->memory_bytes >= 70 * 0x1p30 && !strstr(u->gpu, "a100");
	if (k->usage_context == USAGE_LLM_CLASS)
		*tokens = big ? 16384 : 8192;
	else
		*tokens = big ? 8192 : 2048;
	*seqs = big ? 1024 : 256;
}

static int complete_batch(struct engine_keys *k, const struct engine_source *s,
			  const struct engine_usage *u, struct problem *p)
{
	int has_tokens = is_given(s, "max_num_batched_tokens");
	int has_seqs = is_given(s, "max_num_seqs");
	int64_t tokens, seqs, len = k->max_model_len;
	if (has_tokens && has_seqs)
		return 0;
	if (u->memory_bytes <= 0)
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: [engine] preset: the memory of the GPU ([hardware]) "
		    "is unknown; give max_num_batched_tokens and max_num_seqs",
		    s->ini->path ? s->ini->path : "?");
	usual_batch(k, u, &tokens, &seqs);
	if (!has_seqs)
		k->max_num_seqs = seqs;
	if (!has_tokens)
		k->max_num_batched_tokens = tokens;
	if (len == 0)
		len = (int64_t)u->max_model_len;
	if (!has_tokens && len && tokens > k->max_num_seqs * len)
		k->max_num_batched_tokens = k->max_num_seqs * len;
	if (!has_seqs && k->max_num_seqs > k->max_num_batched_tokens)
		k->max_num_seqs = k->max_num_batched_tokens;
	return 0;
}

/* By the GPU's memory.  Source: SGLang, server_args.py, from excerpts. */
static int complete_sglang(struct engine_keys *k, const struct engine_source *s,
			   const struct engine_usage *u, struct problem *p)
{
	static const struct {
		double gib;
		int64_t chunk, graph[2]; /* below tp 4; from there on        */
	} by_memory[] = {{35, 2048, {24, 80}},
			 {60, 4096, {32, 160}},
			 {160, 8192, {256, 512}},
			 {INFINITY, 16384, {512, 512}}};
	int i = 0;
	if (k->chunked_prefill_size && k->cuda_graph_max_bs)
		return 0;
	if (u->memory_bytes <= 0)
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: [engine] scheduler: the memory of the GPU "
		    "([hardware]) is unknown; give chunked_prefill_size and "
		    "cuda_graph_max_bs",
		    s->ini->path ? s->ini->path : "?");
	while (u->memory_bytes >= by_memory[i].gib * 0x1p30)
		i++;
	if (!k->chunked_prefill_size)
		k->chunked_prefill_size = by_memory[i].chunk;
	if (!k->cuda_graph_max_bs)
		k->cuda_graph_max_bs =
		    by_memory[i].graph[k->tensor_parallel_size >= 4];
	adopt_own(k);
	return 0;
}

void engine_keys_bound(struct engine_keys *k, const struct engine_source *s)
{
	if (k->preset == PRESET_NONE || k->scheduler == SCHEDULER_TENSORRT_LLM)
		return;
	if (k->scheduler == SCHEDULER_SGLANG) {
		k->max_num_batched_tokens = INT32_MAX;
		return;
	}
	if (!is_given(s, "max_num_seqs"))
		k->max_num_seqs = 1024;
	if (!is_given(s, "max_num_batched_tokens"))
		k->max_num_batched_tokens = 16384;
}

/* vLLM schedules ahead of a drafter that is part of the model; of others only
 * where asked to, and never of n-grams. */
static void complete_speculation(struct engine_keys *k,
				 const struct engine_source *s)
{
	if (k->num_speculative_tokens == 0 ||
	    k->speculative_method == SPECULATIVE_EAGLE ||
	    k->speculative_method == SPECULATIVE_MTP)
		return;
	if (k->speculative_method == SPECULATIVE_NGRAM ||
	    !is_given(s, "async_scheduling"))
		k->async_scheduling = 0;
}

int engine_keys_complete(struct engine_keys *k, const struct engine_source *s,
			 const struct engine_usage *u, struct problem *p)
{
	if (k->preset == PRESET_NONE)
		return 0;
	if (u->keeps_state && !is_given(s, "enable_prefix_caching"))
		k->enable_prefix_caching = 0;
	switch ((enum engine_scheduler)k->scheduler) {
	case SCHEDULER_SGLANG:
		return complete_sglang(k, s, u, p);
	case SCHEDULER_TENSORRT_LLM:
		return 0;
	default:
		complete_speculation(k, s);
		return complete_batch(k, s, u, p);
	}
}
