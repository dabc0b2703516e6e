/* resolve.c -- Turns the keys of [engine] and [slo] into plain numbers. */
#include "engine/resolve.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/whole.h"
#include "engine/count.h"
#include "engine/memory/kv_memory.h"
#include "engine/lora.h"
#include "engine/memory/memory.h"
#include "engine/offload.h"
#include "engine/pools.h"
#include "engine/presets.h"
#include "engine/keys/rows.h"
#include "model/model.h"

static int read_graph(uint32_t *tokens, const struct engine_keys *k,
		      const struct engine_source *from, struct problem *p)
{
	uint64_t n;
	const char *text = k->graph_max_tokens;
	if (!strcmp(text, "auto") && k->scheduler == SCHEDULER_SGLANG) {
		n = (uint64_t)k->cuda_graph_max_bs *
		    (uint64_t)(1 + k->num_speculative_tokens);
	} else if (!strcmp(text, "auto") &&
		   k->scheduler == SCHEDULER_TENSORRT_LLM) {
		n = (uint64_t)k->max_batch_size *
		    (uint64_t)(1 + k->num_speculative_tokens);
	} else if (!strcmp(text, "auto")) {
		n = 2 * (uint64_t)(1 + k->num_speculative_tokens) *
		    (uint64_t)k->max_num_seqs;
		n = n < 512 ? n : 512;
		if (k->preset != PRESET_NONE &&
		    n > (uint64_t)k->max_num_batched_tokens)
			n = (uint64_t)k->max_num_batched_tokens;
	} else if (count_read(&n, text) || n > UINT32_MAX) {
		return engine_refuse(
		    p, from, "graph_max_tokens",
		    "graph_max_tokens = %s: not auto or a whole "
		    "number in [0, %" PRIu32 "]",
		    text, UINT32_MAX);
	}
	*tokens = (uint32_t)n;
	return 0;
}

int engine_check(const struct engine_keys *k, const struct engine_source *from,
		 struct problem *p)
{
	uint32_t tokens;
	struct speculation speculation;
	if (kv_memory_check(k, from, p) < 0 ||
	    speculation_resolve(&speculation, k, from, p) < 0)
		return -1;
	if (k->draft_us > 0 && k->draft_cost_model[0])
		return engine_refuse(
		    p, from, "draft_cost_model",
		    "draft_cost_model = %s: draft_us also gives the price of a "
		    "pass; give only one of the two",
		    k->draft_cost_model);
	return read_graph(&tokens, k, from, p);
}

/* Returns 1 if the engine has a table of blocks for each KV-cache group. */
static int has_groups(const struct engine *e, const struct engine_keys *k,
		      const struct engine_facts *f)
{
	if (f->n_kv_layers == 0)
		return 0;
	switch (e->scheduler) {
	case SCHEDULER_VLLM:
		return e->preset != PRESET_NONE;
	case SCHEDULER_TENSORRT_LLM:
		return k->max_attention_window == ATTENTION_WINDOW_MODEL &&
		       model_attends(f->model, SC_ATTN_WINDOW);
	default:
		return 0;
	}
}

/* Returns the tokens of the smallest block of the attention kernels: of
 * FlashMLA, or of FlashAttention. */
static uint32_t attention_block(const struct engine_facts *f)
{
	return model_attends(f->model, SC_ATTN_MLA) ? 64 : 16;
}

static int has_states(const struct engine_facts *f)
{
	for (uint32_t i = 0; i < f->n_kv_layers; i++)
		if (f->kv_layer[i].state_bytes > 0)
			return 1;
	return 0;
}

static int has_tokens(const struct engine_facts *f)
{
	for (uint32_t i = 0; i < f->n_kv_layers; i++)
		if (f->kv_layer[i].token_bytes > 0)
			return 1;
	return 0;
}

/* Finds out which states are kept.  vLLM has kernels that write a state for
 * every block for Mamba alone. */
static int find_states(enum kv_state *state, const struct engine_keys *k,
		       const struct engine_facts *f, struct problem *p)
{
	int64_t mode = k->mamba_cache_mode;
	const char *why = NULL;
	*state = k->enable_prefix_caching ? f->cached_states : KV_STATE_LAST;
	if (k->enable_prefix_caching && !has_tokens(f))
		return engine_refuse(p, f->from, "enable_prefix_caching",
				     "enable_prefix_caching = true: not "
				     "simulated for a model without attention");
	if (mode == MAMBA_CACHE_AUTO)
		return 0;
	if ((mode == MAMBA_CACHE_NONE) == (k->enable_prefix_caching != 0))
		why = mode == MAMBA_CACHE_NONE
			  ? "enable_prefix_caching = true needs all or align"
			  : "needs enable_prefix_caching = true";
	else if (mode == MAMBA_CACHE_ALL && f->cached_states != KV_STATE_ALL)
		why = "only Mamba has a state for each block";
	else if (mode == MAMBA_CACHE_ALIGN)
		*state = KV_STATE_ALIGNED;
	if (why)
		return engine_refuse(p, f->from, "mamba_cache_mode",
				     "mamba_cache_mode = %s: %s",
				     mamba_cache_mode_words[mode], why);
	return 0;
}

/* Layers with windows keep less than all tokens; not beside chunked attention,
 * as in vLLM. */
static int resolve_groups(struct engine *e, const struct engine_keys *k,
			  const struct engine_facts *f, struct problem *p)
{
	struct kv_layers layer[KV_KINDS];
	int windows = !k->disable_hybrid_kv_cache_manager &&
		      !model_attends(f->model, SC_ATTN_CHUNK);
	enum kv_state state = KV_STATE_LAST;
	if (!has_groups(e, k, f))
		return 0;
	if (has_states(f) && find_states(&state, k, f, p) < 0)
		return -1;
	for (uint32_t i = 0; i < f->n_kv_layers; i++) {
		layer[i] = f->kv_layer[i];
		if (!windows)
			layer[i].window = 0;
	}
	const struct kv_layout layout = {
	    .block_size = e->block_size,
	    .padding = k->group_padding,
	    .state = state,
	    .kernel_block = attention_block(f),
	    .chunk = f->state_chunk,
	    .drafts = (uint32_t)k->num_speculative_tokens,
	};
	if (kv_groups_make(&e->kv_groups, layer, f->n_kv_layers, &layout, p) <
	    0)
		return -1;
	for (uint32_t i = 0; i < e->kv_groups.n_kinds; i++)
		if (e->kv_groups.kind[i].state)
			e->block_size = e->kv_groups.kind[i].block_size;
	return 0;
}

/* vLLM wants a state for each of max_num_seqs requests in the memory that it
 * has, and counts the block that it never gives out.  A given number of blocks
 * is taken as it is. */
static int check_states(const struct engine *e, const struct engine_keys *k,
			const struct engine_facts *f, struct problem *p)
{
	uint32_t chunk = e->max_num_batched_tokens;
	if (e->long_prefill_token_threshold)
		chunk = whole_min(chunk, e->long_prefill_token_threshold);
	if (chunk < e->block_size && kv_groups_are_aligned(&e->kv_groups))
		return engine_refuse(
		    p, f->from, "enable_prefix_caching",
		    "enable_prefix_caching = true: chunks end at blocks of "
		    "%" PRIu32 " tokens, and max_num_batched_tokens or "
		    "long_prefill_token_threshold allows %" PRIu32
		    "; give at least %" PRIu32
		    ", or enable_prefix_caching = false",
		    e->block_size, chunk, e->block_size);
	if (!kv_groups_have_states(&e->kv_groups) ||
	    strcmp(k->num_gpu_blocks, "auto") ||
	    e->num_gpu_blocks == ENGINE_UNLIMITED ||
	    e->max_num_seqs <= e->num_gpu_blocks + 1)
		return 0;
	return engine_refuse(p, f->from, "max_num_seqs",
			     "max_num_seqs (%" PRIu32
			     ") exceeds available Mamba cache blocks (%" PRIu64
			     ")",
			     e->max_num_seqs, e->num_gpu_blocks + 1);
}

/* Which of vLLM's model runners, of a pipeline.  Later versions queue batches
 * ahead of a pipeline with the newer one only. */
static int resolve_runner(struct engine *e, const struct engine_keys *k,
			  const struct engine_facts *f, struct problem *p)
{
	if (engine_stages(e) > 1)
		e->pipeline_stages = (enum pipeline_stages)k->pipeline_stages;
	e->model_runner = (enum model_runner)k->model_runner;
	if (e->model_runner == MODEL_RUNNER_AUTO)
		e->model_runner =
		    e->preset <= PRESET_VLLM_015 || model_has_experts(f->model)
			? MODEL_RUNNER_V1
			: MODEL_RUNNER_V2;
	if (engine_stages(e) > 1 && e->lockstep_ranks > 1)
		return engine_refuse(p, f->from, "pipeline_parallel_size",
				     "pipeline_parallel_size = %" PRIu32
				     ": stages of ranks in lockstep are not "
				     "simulated",
				     e->parallel.pp);
	if (engine_stages(e) == 1 || e->preset <= PRESET_VLLM_015 ||
	    !e->async_scheduling || e->model_runner == MODEL_RUNNER_V2)
		return 0;
	return engine_refuse(
	    p, f->from, "pipeline_parallel_size",
	    "pipeline_parallel_size = %" PRIu32
	    ": %s schedules ahead of a pipeline only with model_runner = v2; "
	    "set that, or async_scheduling = false",
	    e->parallel.pp, engine_preset(e->preset)->name);
}

/* No model drafts n-grams. */
static void resolve_drafter(struct engine *e, const struct engine_keys *k)
{
	int has = k->num_speculative_tokens > 0 &&
		  k->speculative_method != SPECULATIVE_NGRAM;
	e->draft_us = has ? k->draft_us : 0;
	e->draft_cost_model = has ? k->draft_cost_model : "";
	e->draft_model = has ? k->draft_model_config : "";
}

/* A draft model's own tokens of a step come out of the budget. */
static int resolve_speculation(struct engine *e, const struct engine_keys *k,
			       const struct engine_facts *f, struct problem *p)
{
	resolve_drafter(e, k);
	if (speculation_resolve(&e->speculation, k, f->from, p) < 0)
		return -1;
	if (e->speculation.drafts == 0 || !e->pads_admissions ||
	    k->speculative_method != SPECULATIVE_DRAFT_MODEL)
		return 0;
	e->drafter_tokens = e->max_num_seqs;
	if (e->max_num_batched_tokens > e->drafter_tokens)
		return 0;
	return engine_refuse(p, f->from, "max_num_batched_tokens",
			     "max_num_batched_tokens = %" PRIu32
			     ": a draft model takes max_num_seqs = %" PRIu32
			     " of them, and none are left",
			     e->max_num_batched_tokens, e->max_num_seqs);
}

static uint32_t times_ranks(int64_t n, uint32_t ranks)
{
	return n * ranks < UINT32_MAX ? (uint32_t)(n * ranks) : UINT32_MAX;
}

struct engine engine_sized(const struct engine_keys *k, const sc_parallel *s)
{
	int has_preset = k->preset != PRESET_NONE;
	uint32_t in_step = has_preset ? 1 : s->dp;
	/* Without experts the model has no attention-DP, and dp is 1. */
	int64_t times = k->data_parallel_size / in_step;
	return (struct engine){
	    .parallel = *s,
	    .step_ranks = in_step,
	    .max_num_seqs = times_ranks(k->max_num_seqs, in_step),
	    .max_num_batched_tokens =
		times_ranks(k->max_num_batched_tokens, in_step),
	    .replicas =
		(uint32_t)(fleet_most_replicas(&k->autoscaler, k->replicas) *
			   times),
	    .per_replica = (uint32_t)times,
	    .block_size =
		(uint32_t)(k->block_size * k->decode_context_parallel_size),
	    .speculation.drafts = (uint32_t)k->num_speculative_tokens,
	    .ranks = has_preset ? (uint32_t)k->data_parallel_size : 1,
	    .lockstep_ranks = s->dp / in_step,
	};
}

/* What SGLang's scheduler makes of its keys. */
static void resolve_sglang(struct sglang_rules *rules,
			   const struct engine_keys *k)
{
	const double start = 0.7 * k->schedule_conservativeness;
	int64_t chunk = k->chunked_prefill_size;
	rules->chunk = chunk > 0 ? (uint32_t)chunk : 0;
	rules->first_share = start < 1 ? start : 1;
}

/* What TensorRT-LLM's makes of its own. */
static void resolve_trtllm(struct trtllm_rules *rules,
			   const struct engine_keys *k)
{
	rules->wait_tokens = (uint32_t)ceil(k->batch_wait_max_tokens_ratio *
					    (double)k->max_num_batched_tokens);
}

/* A prompt in chunks must get on, and ranks look for requests together. */
static int check_chunks(const struct engine *e, const struct engine_facts *f,
			struct problem *p)
{
	if (e->scheduler == SCHEDULER_SGLANG && e->sglang.chunk % e->block_size)
		return engine_refuse(p, f->from, "chunked_prefill_size",
				     "chunked_prefill_size = %" PRIu32
				     ": not a multiple of page_size = %" PRIu32,
				     e->sglang.chunk, e->block_size);
	if (e->scheduler == SCHEDULER_SGLANG && e->sglang.recv_interval > 1 &&
	    e->lockstep_ranks > 1)
		return engine_refuse(p, f->from, "scheduler_recv_interval",
				     "scheduler_recv_interval = %" PRIu32
				     ": SGLang takes no more than 1 with "
				     "data_parallel_size = %" PRIu32,
				     e->sglang.recv_interval,
				     e->lockstep_ranks);
	return 0;
}

/* Where layers have windows that are shorter than the longest request, a chunk
 * that is not the last has a multiple of 256 tokens.  Source: TensorRT-LLM,
 * pyexecutor/py_executor_creator.py. */
static uint32_t chunk_unit_of(const struct engine *e)
{
	enum { UNIT_WITH_WINDOWS = 256 };
	uint32_t unit = e->block_size;
	for (uint32_t i = 0; i < e->kv_groups.n_kinds; i++) {
		uint32_t window = e->kv_groups.kind[i].window;
		if (window && (!e->max_model_len || window < e->max_model_len))
			unit = whole_max(e->block_size, UNIT_WITH_WINDOWS);
	}
	return unit;
}

static int check_chunk_unit(const struct engine *e,
			    const struct engine_facts *f, struct problem *p)
{
	if (e->scheduler != SCHEDULER_TENSORRT_LLM || !e->trtllm.has_chunks ||
	    e->max_num_batched_tokens >= e->trtllm.chunk_unit)
		return 0;
	if (e->trtllm.chunk_unit == e->block_size)
		return engine_refuse(p, f->from, "max_num_tokens",
				     "max_num_tokens = %" PRIu32
				     ": a chunk must be at least one block of "
				     "tokens_per_block = %" PRIu32,
				     e->max_num_batched_tokens, e->block_size);
	return engine_refuse(p, f->from, "max_num_tokens",
			     "max_num_tokens = %" PRIu32
			     ": a chunk must be at least %" PRIu32
			     " tokens with max_attention_window = model",
			     e->max_num_batched_tokens, e->trtllm.chunk_unit);
}

/* Returns why the second KV cache manager cannot serve the engine; NULL: it
 * can. */
static const char *manager_v2_lacks(const struct engine *e,
				    const struct engine_facts *f)
{
	const struct kv_groups *g = &e->kv_groups;
	for (uint32_t i = 0; i < g->n_kinds; i++)
		if (g->kind[i].window || g->kind[i].state != KV_TOKENS)
			return "layers with windows or states";
	if (e->prefill_replicas || (f->from && f->from->pool))
		return "prefill and decode apart";
	return e->num_gpu_blocks == ENGINE_UNLIMITED
		   ? "a KV cache without num_gpu_blocks"
		   : NULL;
}

static int resolve_manager(struct engine *e, const struct engine_keys *k,
			   const struct engine_facts *f, struct problem *p)
{
	const char *lacks = manager_v2_lacks(e, f);
	if (e->scheduler != SCHEDULER_TENSORRT_LLM)
		return 0;
	if (k->use_kv_cache_manager_v2 == KV_MANAGER_V2_TRUE && lacks)
		return engine_refuse(p, f->from, "use_kv_cache_manager_v2",
				     "use_kv_cache_manager_v2 = true: %s: not "
				     "simulated; false simulates the first one",
				     lacks);
	e->trtllm.has_manager_v2 =
	    k->use_kv_cache_manager_v2 == KV_MANAGER_V2_TRUE ||
	    (k->use_kv_cache_manager_v2 == KV_MANAGER_V2_AUTO && !lacks &&
	     e->preset == PRESET_TENSORRT_LLM_13 &&
	     model_attends(f->model, SC_ATTN_MLA));
	return 0;
}

/* What SGLang's pool of requests has: 512 times the requests of the longest
 * context that its memory holds, within bounds. */
static uint64_t sglang_slots(const struct engine *e, uint64_t kv_tokens)
{
	uint64_t n = 4096;
	if (kv_tokens != ENGINE_UNLIMITED && e->max_model_len)
		n = kv_tokens * 512 / e->max_model_len;
	return n < 2048 ? 2048 : n > 4096 ? 4096 : n;
}

/* SGLang's bounds of requests that run at once.  Source: SGLang,
 * managers/tp_worker.py, model_executor/model_runner.py. */
static void resolve_running(struct engine *e, const struct engine_keys *k)
{
	if (e->scheduler != SCHEDULER_SGLANG)
		return;
	int is_old = e->preset == PRESET_SGLANG_056;
	uint64_t kv_tokens = e->num_gpu_blocks == ENGINE_UNLIMITED
				 ? ENGINE_UNLIMITED
				 : e->num_gpu_blocks * e->block_size;
	uint64_t given = (uint64_t)k->max_running_requests / e->lockstep_ranks;
	uint64_t slots = sglang_slots(e, kv_tokens), half = kv_tokens / 2;
	uint64_t n = given ? given : slots;
	if (is_old && n > slots)
		n = slots;
	if ((!given || !is_old) && n > half)
		n = half;
	e->max_num_seqs = n ? (uint32_t)n : 1;
}

/* The tokens of a block that keeps all of them. */
static uint32_t whole_block(const struct engine *e)
{
	const struct kv_groups *g = &e->kv_groups;
	for (uint32_t i = 0; i < g->n_kinds; i++)
		if (!g->kind[i].window)
			return g->kind[i].block_size;
	return g->n_kinds ? g->kind[0].block_size : e->block_size;
}

static int resolve_router(struct engine *e, const struct engine_keys *k,
			  const struct engine_facts *f, struct problem *p)
{
	double chars = f->chars_per_token > 0 ? f->chars_per_token : 4;
	const struct router_facts facts = {.blocks = e->num_gpu_blocks,
					   .block_size = whole_block(e),
					   .chars_per_token = chars,
					   .from = f->from};
	return router_resolve(&e->router, e->routing, &k->router, &facts, p);
}

static int resolve_fleet(struct engine *e, const struct engine_keys *k,
			 const struct engine_facts *f, struct problem *p)
{
	const struct fleet_facts facts = {
	    .replicas = k->replicas,
	    .per_replica = e->ranks > 1 ? 1 : e->per_replica,
	    .weight_bytes = f->share[0].weight_bytes,
	    .gpus = engine_gpus(k) / (uint64_t)k->replicas,
	    .usd_per_hour = f->usd_per_hour,
	    .is_apart = e->prefill_replicas || (f->from && f->from->pool),
	    .has_ranks = e->ranks > 1,
	    .ini = f->from ? f->from->ini : NULL};
	return fleet_resolve(&e->fleet, &k->autoscaler, &k->failures, &facts,
			     p);
}

/* vLLM's Triton kernel computes experts of 16 bits. */
static void resolve_first_use(struct engine *e, const sc_model *m)
{
	for (uint32_t i = 0; m && i < m->n_groups; i++) {
		const sc_layers *g = m->group[i];
		if (g->ffn == SC_FFN_MOE && g->expert_bits == 16) {
			e->n_experts = g->n_experts;
			e->experts_per_token = g->experts_per_token;
		}
	}
}

/* ---- fields that are keys ---- */

static void copy_field(struct engine *e, const struct engine_row *r,
		       const struct engine_keys *k)
{
	const char *from = (const char *)k + r->knob.offset;
	char *to = (char *)e + r->field;
	int64_t whole;
	double real;
	memcpy(&whole, from, sizeof whole);
	memcpy(&real, from, sizeof real);
	const uint32_t narrow = (uint32_t)whole;
	const int64_t ns = r->into == INTO_NS ? llround(1e3 * real) : 0;
	switch (r->into) {
	case INTO_NOTHING:
	case INTO_MADE:
		break;
	case INTO_UINT32:
		memcpy(to, &narrow, sizeof narrow);
		break;
	case INTO_NS:
		memcpy(to, &ns, sizeof ns);
		break;
	case INTO_UINT64:
	case INTO_DOUBLE:
	case INTO_TEXT:
		memcpy(to, from, r->field_bytes);
		break;
	}
}

static void copy_fields(struct engine *e, const struct engine_keys *k)
{
	for (uint32_t i = 0; i < engine_n_keys; i++)
		copy_field(e, engine_row(i), k);
}

/* A prompt stops before an item that does not fit into the step. */
static int check_items(const struct engine *e, const struct engine_facts *f,
		       struct problem *p)
{
	if (!e->encoders.whole_items ||
	    e->encoders.item_tokens <= e->max_num_batched_tokens)
		return 0;
	return engine_refuse(p, f->from, "disable_chunked_mm_input",
			     "disable_chunked_mm_input = true: an item of "
			     "max_tokens_per_mm_item = %u tokens needs a step "
			     "of max_num_batched_tokens = %u",
			     e->encoders.item_tokens,
			     e->max_num_batched_tokens);
}

/* ---- all of them ---- */

int engine_resolve(struct engine *e, const struct engine_keys *k,
		   const struct slo_keys *s, const struct engine_facts *f,
		   struct problem *p)
{
	uint64_t len =
	    k->max_model_len ? (uint64_t)k->max_model_len : f->model_max_len;
	*e = engine_sized(k, &f->parallel);
	copy_fields(e, k);
	e->max_model_len = len < UINT32_MAX ? (uint32_t)len : UINT32_MAX;
	e->seed = f->seed;
	e->sampling = k->sampling ? (uint32_t)k->sampling : f->model_sampling;
	e->slo =
	    (struct slo){llround(1e6 * s->ttft_ms), llround(1e6 * s->tpot_ms),
			 llround(1e6 * s->e2el_ms)};
	if (e->rank_routing == RANKS_FEWEST_TOKENS && e->ranks > 1 &&
	    e->lockstep_ranks == 1)
		return engine_refuse(
		    p, f->from, "data_parallel_routing",
		    "data_parallel_routing = fewest_tokens: needs ranks that "
		    "take their steps together, and the model has no experts");
	resolve_first_use(e, f->model);
	resolve_sglang(&e->sglang, k);
	resolve_trtllm(&e->trtllm, k);
	if (check_chunks(e, f, p) < 0 || resolve_runner(e, k, f, p) ||
	    resolve_speculation(e, k, f, p) ||
	    read_graph(&e->graph_max_tokens, k, f->from, p) ||
	    pools_resolve(e, k, f, p) || lora_resolve(e, k, f, p) ||
	    check_items(e, f, p) || resolve_groups(e, k, f, p))
		return -1;
	e->trtllm.chunk_unit = chunk_unit_of(e);
	if (check_chunk_unit(e, f, p))
		return -1;
	int rc = kv_memory_resolve(e, k, f, p);
	if (rc == 0)
		rc = resolve_manager(e, k, f, p);
	if (rc == 0)
		rc = check_states(e, k, f, p);
	if (rc == 0)
		rc = memory_check(e, k, f, p);
	if (rc == 0)
		rc = offload_resolve(e, k, f, p);
	if (rc < 0)
		return rc;
	resolve_running(e, k);
	if (resolve_router(e, k, f, p) < 0 || resolve_fleet(e, k, f, p) < 0)
		return -1;
	e->graph_max_tokens = times_ranks(e->graph_max_tokens, e->step_ranks);
	/* vLLM counts the block that it never gives out. */
	if (e->num_gpu_blocks != ENGINE_UNLIMITED)
		e->watermark_blocks =
		    (uint64_t)(k->watermark * ((double)e->num_gpu_blocks + 1));
	return 0;
}
