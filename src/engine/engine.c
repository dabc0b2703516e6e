/* engine.c -- Turns the keys of [engine] and [slo] into plain numbers. */
#include <config.h>
#include "engine/engine.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "keys/hardware.h"
#include "keys/keys.h"
#include "model/model.h"

/* A whole number and nothing else. */
static int whole(uint64_t *n, const char *text)
{
	if (text[0] < '0' || text[0] > '9')
		return -1;
	char *end;
	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);
	if (errno || *end)
		return -1;
	*n = v;
	return 0;
}

/* As vLLM counts them, less the one that it never gives out.  A memory without
 * room for one request of max_model_len is refused. */
static int grouped_blocks(struct engine *e, double room,
			  const struct engine_facts *f, struct problem *p)
{
	const struct kv_groups *g = &e->kv_groups;
	uint64_t in_flight = engine_tokens_in_flight(e);
	double ids = room > 0 ? kv_groups_blocks(g, room) : 0;
	if (ids < 2 ||
	    kv_groups_concurrency(g, ids, in_flight, e->max_model_len) < 1)
		return engine_refuse(
		    p, f->from, "num_gpu_blocks",
		    "num_gpu_blocks = auto: %.4g GB for KV have no "
		    "room for one request of max_model_len = %" PRIu32
		    " tokens",
		    room / 1e9, e->max_model_len);
	e->num_gpu_blocks = (uint64_t)ids - 1;
	snprintf(e->blocks_text, sizeof e->blocks_text,
		 "auto: %" PRIu64 " blocks = %.4g GB for KV / %.8g bytes a "
		 "page / %" PRIu32 " layers - 1",
		 e->num_gpu_blocks, room / 1e9, g->page_bytes, g->n_layers);
	return 0;
}

/* Of a GPU's memory, what weights, activations and graphs leave. */
static double room_beside(const struct engine_share *share,
			  const struct engine_keys *k,
			  const struct engine_facts *f)
{
	const double activations = 0.9e9; /* measured on vLLM's servers */
	double part = k->gpu_memory_utilization;
	switch ((enum engine_scheduler)k->scheduler) {
	case SCHEDULER_SGLANG:
		return part * f->usable_bytes - share->weight_bytes;
	case SCHEDULER_TENSORRT_LLM:
		return part *
		       (f->usable_bytes - share->weight_bytes - activations);
	default:
		return part * f->usable_bytes - share->weight_bytes -
		       activations - k->graph_memory_bytes;
	}
}

/* The stage whose GPUs have room for the fewest tokens, of those that keep KV;
 * NULL: none does. */
static const struct engine_share *tightest(const struct engine_keys *k,
					   const struct engine_facts *f)
{
	const struct engine_share *least = NULL;
	for (uint32_t i = 0; i < f->parallel.pp; i++) {
		const struct engine_share *s = &f->share[i];
		if (s->kv_bytes_per_token > 0 &&
		    (!least ||
		     room_beside(s, k, f) / s->kv_bytes_per_token <
			 room_beside(least, k, f) / least->kv_bytes_per_token))
			least = s;
	}
	return least;
}

/* KV of the whole model, in that of a stage. */
static double stages_of(const struct engine_facts *f,
			const struct engine_share *s)
{
	double all = 0;
	for (uint32_t i = 0; i < f->parallel.pp; i++)
		all += f->share[i].kv_bytes_per_token;
	return all / s->kv_bytes_per_token;
}

/* What auto came to, in words. */
static void say_blocks(struct engine *e, const struct engine_keys *k,
		       const struct engine_facts *f,
		       const struct engine_share *s)
{
	double part = k->gpu_memory_utilization, all = f->usable_bytes / 1e9,
	       weights = s->weight_bytes / 1e9;
	char room[100];
	if (e->scheduler == SCHEDULER_SGLANG)
		snprintf(room, sizeof room,
			 "(%.4g * %.4g GB - %.4g GB weights)", part, all,
			 weights);
	else if (e->scheduler == SCHEDULER_TENSORRT_LLM)
		snprintf(room, sizeof room,
			 "%.4g * (%.4g GB - %.4g GB weights - 0.9 GB)", part,
			 all, weights);
	else
		snprintf(room, sizeof room,
			 "(%.4g * %.4g GB - %.4g GB weights - 0.9 GB)", part,
			 all, weights);
	int n = snprintf(e->blocks_text, sizeof e->blocks_text,
			 "auto: %" PRIu64 " blocks = %s / %.8g bytes a token / "
			 "%" PRIu32,
			 e->num_gpu_blocks, room, s->kv_bytes_per_token,
			 e->block_size);
	if (e->step_ranks > 1)
		snprintf(e->blocks_text + n, sizeof e->blocks_text - (size_t)n,
			 " * %" PRIu32 " of data_parallel_size", e->step_ranks);
}

/* The memory that weights and activations leave, in blocks. */
static int auto_blocks(struct engine *e, const struct engine_keys *k,
		       const struct engine_facts *f, struct problem *p)
{
	const char *missing = !(f->share[0].weight_bytes > 0)
				  ? "the size of the weights ([model])"
			      : f->usable_bytes <= 0
				  ? "the memory of the GPU ([hardware])"
				  : NULL;
	if (missing)
		return engine_refuse(
		    p, f->from, "num_gpu_blocks",
		    "num_gpu_blocks = auto: %s is unknown; give a number or "
		    "unlimited",
		    missing);
	const struct engine_share *s = tightest(k, f);
	if (!s) {
		e->num_gpu_blocks = ENGINE_UNLIMITED;
		snprintf(e->blocks_text, sizeof e->blocks_text,
			 "auto: unlimited, no layer keeps KV of each token");
		return 0;
	}
	double room = room_beside(s, k, f);
	if (e->kv_groups.n_kinds)
		return grouped_blocks(e, room * stages_of(f, s), f, p);
	double blocks = floor(room / s->kv_bytes_per_token / e->block_size);
	if (blocks < 1)
		return engine_refuse(
		    p, f->from, "num_gpu_blocks",
		    "num_gpu_blocks = auto: no room for KV: %.4g of %.4g GB, "
		    "less %.4g GB of weights and 0.9 GB",
		    k->gpu_memory_utilization, f->usable_bytes / 1e9,
		    s->weight_bytes / 1e9);
	e->num_gpu_blocks = (uint64_t)blocks * e->step_ranks;
	say_blocks(e, k, f, s);
	return 0;
}

/* As given: AUTO_BLOCKS, ENGINE_UNLIMITED or the number. */
enum { AUTO_BLOCKS = 0 };
static int read_blocks(uint64_t *n, const char *text,
		       const struct engine_source *from, struct problem *p)
{
	*n = !strcmp(text, "auto") ? AUTO_BLOCKS : ENGINE_UNLIMITED;
	if (*n == AUTO_BLOCKS || !strcmp(text, "unlimited"))
		return 0;
	/* Block numbers are 32 bits wide. */
	if (whole(n, text) || *n < 1 || *n > UINT32_MAX / 2)
		return engine_refuse(
		    p, from, "num_gpu_blocks",
		    "num_gpu_blocks = %s: not auto, unlimited or a "
		    "whole number in [1, %" PRIu32 "]",
		    text, UINT32_MAX / 2);
	return 0;
}

static int resolve_blocks(struct engine *e, const struct engine_keys *k,
			  const struct engine_facts *f, struct problem *p)
{
	if (read_blocks(&e->num_gpu_blocks, k->num_gpu_blocks, f->from, p))
		return -1;
	if (e->num_gpu_blocks == AUTO_BLOCKS)
		return auto_blocks(e, k, f, p);
	if (e->num_gpu_blocks == ENGINE_UNLIMITED) {
		snprintf(e->blocks_text, sizeof e->blocks_text,
			 "unlimited, as configured");
		return 0;
	}
	snprintf(e->blocks_text, sizeof e->blocks_text,
		 "%" PRIu64 " blocks, as configured", e->num_gpu_blocks);
	return 0;
}

static int read_graph(uint32_t *tokens, const struct engine_keys *k,
		      const struct engine_source *from, struct problem *p)
{
	uint64_t n;
	const char *text = k->graph_max_tokens;
	if (!strcmp(text, "auto") && k->scheduler == SCHEDULER_SGLANG) {
		n = (uint64_t)k->cuda_graph_max_bs;
	} else if (!strcmp(text, "auto") &&
		   k->scheduler == SCHEDULER_TENSORRT_LLM) {
		n = (uint64_t)k->max_batch_size;
	} else if (!strcmp(text, "auto")) {
		n = 2 * (uint64_t)(1 + k->num_speculative_tokens) *
		    (uint64_t)k->max_num_seqs;
		n = n < 512 ? n : 512;
		if (k->preset != PRESET_NONE &&
		    n > (uint64_t)k->max_num_batched_tokens)
			n = (uint64_t)k->max_num_batched_tokens;
	} else if (whole(&n, text) || n > UINT32_MAX) {
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
	uint64_t blocks;
	uint32_t tokens;
	struct speculation speculation;
	if (read_blocks(&blocks, k->num_gpu_blocks, from, p) < 0 ||
	    speculation_resolve(&speculation, k, from, p) < 0)
		return -1;
	if (k->draft_us > 0 && k->draft_cost_model[0])
		return engine_refuse(p, from, "draft_cost_model",
				     "draft_cost_model = %s: beside draft_us, "
				     "which is the price of a pass, too",
				     k->draft_cost_model);
	return read_graph(&tokens, k, from, p);
}

static int is_pool(const struct engine_facts *f)
{
	return f->from && f->from->pool;
}

static int check_pools(const struct engine *e, const struct engine_facts *f,
		       struct problem *p)
{
	if (is_pool(f) && e->scheduler != SCHEDULER_VLLM)
		return engine_refuse(p, f->from, "scheduler",
				     "scheduler = %s: prefill and decode apart "
				     "are simulated with vLLM's only",
				     engine_scheduler_name[e->scheduler]);
	if (is_pool(f) && e->prefill_replicas)
		return engine_refuse(
		    p, f->from, "prefill_replicas",
		    "prefill_replicas = %" PRIu32
		    ": the pools have sizes of their own: replicas in [%s] "
		    "and [%s]",
		    e->prefill_replicas, engine_pool_section[0],
		    engine_pool_section[1]);
	if (e->kv_connector == KV_PULL && !e->preset)
		return engine_refuse(p, f->from, "kv_connector",
				     "kv_connector = pull needs a preset");
	if (e->prefill_replicas && e->prefill_replicas >= e->replicas)
		return engine_refuse(p, f->from, "prefill_replicas",
				     "prefill_replicas = %" PRIu32
				     ": fewer than replicas = %" PRIu32,
				     e->prefill_replicas / e->ranks,
				     e->replicas / e->ranks);
	return 0;
}

static int resolve_pools(struct engine *e, const struct engine_keys *k,
			 const struct engine_facts *f, struct problem *p)
{
	e->prefill_replicas = (uint32_t)k->prefill_replicas * e->ranks;
	e->kv_connector = (enum kv_connector)k->kv_connector;
	e->pd_first_token = (enum pd_first_token)k->pd_first_token;
	e->proxy_ns = llround(1e3 * k->proxy_us);
	if (check_pools(e, f, p) < 0)
		return -1;
	if (e->prefill_replicas == 0 && !is_pool(f))
		return 0;
	for (uint32_t i = 0; i < e->parallel.pp; i++)
		e->kv_bytes_per_token +=
		    f->share[i].kv_bytes_per_token * e->parallel.tp;
	e->kv_transfer_bytes_per_s = k->kv_transfer_bandwidth_gbs > 0
					 ? k->kv_transfer_bandwidth_gbs * 1e9
					 : f->link_bytes_per_s;
	if (e->kv_bytes_per_token <= 0 || e->kv_transfer_bytes_per_s <= 0)
		return engine_refuse(p, f->from,
				     is_pool(f) ? "kv_transfer_bandwidth_gbs"
						: "prefill_replicas",
				     "%s: the KV bytes of a token and "
				     "kv_transfer_bandwidth_gbs must be known",
				     is_pool(f) ? f->from->pool
						: "prefill_replicas");
	return 0;
}

int engine_join(struct engine *e, const struct engine *decode,
		const struct engine_source *from, struct problem *p)
{
	const char *key =
	    e->kv_connector != decode->kv_connector       ? "kv_connector"
	    : e->pd_first_token != decode->pd_first_token ? "pd_first_token"
	    : e->proxy_ns != decode->proxy_ns             ? "proxy_us"
							  : NULL;
	if (key)
		return engine_refuse(
		    p, from, key, "%s: must be the same in [%s] and [%s]", key,
		    engine_pool_section[0], engine_pool_section[1]);
	e->prefill_replicas = e->replicas;
	e->replicas += decode->replicas;
	e->decode = decode;
	return 0;
}

struct engine_usage engine_usage_of(const struct model *m,
				    const struct hardware *h)
{
	return (struct engine_usage){
	    .gpu = h->name,
	    .memory_bytes = h->keys.memory_gib > 0 ? h->keys.memory_gib * 0x1p30
						   : h->view.mem_bytes,
	    .max_model_len = m->max_len,
	    .keeps_state = model_attends(&m->view, SC_ATTN_LINEAR),
	};
}

/* Layers with windows keep less than all tokens, under a preset; not beside
 * chunked attention, as in vLLM. */
static int resolve_groups(struct engine *e, const struct engine_keys *k,
			  const struct engine_facts *f, struct problem *p)
{
	struct kv_layers layer[KV_KINDS];
	int windows = !k->disable_hybrid_kv_cache_manager &&
		      !model_attends(f->model, SC_ATTN_CHUNK);
	if (e->preset == PRESET_NONE || e->scheduler != SCHEDULER_VLLM ||
	    f->n_kv_layers == 0)
		return 0;
	for (uint32_t i = 0; i < f->n_kv_layers; i++) {
		layer[i] = f->kv_layer[i];
		if (!windows)
			layer[i].window = 0;
	}
	return kv_groups_make(&e->kv_groups, layer, f->n_kv_layers,
			      e->block_size, k->group_padding, p);
}

/* Which of vLLM's model runners, of a pipeline.  Later versions queue batches
 * ahead of a pipeline with the newer one only. */
static int resolve_runner(struct engine *e, const struct engine_keys *k,
			  const struct engine_facts *f, struct problem *p)
{
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
	return engine_refuse(p, f->from, "pipeline_parallel_size",
			     "pipeline_parallel_size = %" PRIu32
			     ": %s schedules ahead of a pipeline with "
			     "model_runner = v2 only; or give "
			     "async_scheduling = false",
			     e->parallel.pp, engine_preset(e->preset)->name);
}

/* n-grams are drafted by nobody. */
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
	e->hit_drop = (enum hit_drop)k->eagle_hit_drop;
	resolve_drafter(e, k);
	e->pads_admissions = (uint32_t)k->pad_spec_decode;
	e->admits_with_lookahead = (uint32_t)k->admission_lookahead;
	e->drafts_for_chunks = (uint32_t)k->chunk_drafts;
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

static void resolve_rules(struct engine *e, const struct engine_keys *k)
{
	e->reserves_whole_prompt = (uint32_t)k->scheduler_reserve_full_isl;
	e->free_list = (enum free_list)k->free_list;
	e->queues_empty_batches = (uint32_t)k->queue_empty_batches;
	e->empty_sleep_ns = llround(1e3 * k->empty_sleep_us);
	e->empty_sleep_while = (enum sleep_while)k->empty_sleep_while;
	e->window_free = (enum window_free)k->window_free;
	e->window_gate = (enum window_gate)k->window_gate;
}

uint64_t engine_tokens_in_flight(const struct engine *e)
{
	uint64_t batches =
	    e->window_gate == WINDOW_GATE_ALL ? engine_batches(e) : 1;
	return batches * e->max_num_batched_tokens;
}

uint32_t engine_padded_tokens(const struct engine *e, uint32_t tokens)
{
	uint32_t unit = tokens <= 2 ? 1 : tokens <= 4 ? 4 : 8;
	if (tokens > e->graph_max_tokens)
		return tokens;
	if (tokens > 256)
		unit = 16;
	uint64_t size = ((uint64_t)tokens + unit - 1) / unit * unit;
	return size < e->graph_max_tokens ? (uint32_t)size
					  : e->graph_max_tokens;
}

double engine_concurrency(const struct engine *e)
{
	if (e->num_gpu_blocks == ENGINE_UNLIMITED || e->max_model_len == 0)
		return INFINITY;
	/* vLLM counts the block that it never gives out. */
	return kv_groups_concurrency(
	    &e->kv_groups, (double)e->num_gpu_blocks + 1,
	    engine_tokens_in_flight(e), e->max_model_len);
}

/* The same as windows hold them in fact, for drafts, too, or as the gate asks
 * for them. */
static uint64_t most_in_flight(const struct engine *e)
{
	uint64_t held = e->max_num_batched_tokens;
	if (e->window_free == WINDOW_FREE_PROCESSED)
		held *= engine_batches(e);
	held += e->speculation.lookahead;
	if (!e->reserves_whole_prompt)
		return held;
	if (e->window_gate == WINDOW_GATE_NONE)
		return UINT32_MAX;
	uint64_t asked = engine_tokens_in_flight(e);
	return asked > held ? asked : held;
}

/* Tokens that a request under vLLM holds blocks for at its end.  The KV of the
 * last one is never needed, that of drafts is. */
static uint64_t most_tokens(const struct engine *e, uint64_t tokens)
{
	uint64_t most = tokens - 1 + e->speculation.lookahead;
	return e->max_model_len && most > e->max_model_len ? e->max_model_len
							   : most;
}

int engine_has_room(const struct engine *e, uint64_t tokens)
{
	if (e->num_gpu_blocks == ENGINE_UNLIMITED)
		return 1;
	switch (e->scheduler) {
	case SCHEDULER_SGLANG: /* admission asks for whole pages and one more */
		return tokens + 2 * (uint64_t)e->block_size - 1 <
		       e->num_gpu_blocks * e->block_size;
	case SCHEDULER_TENSORRT_LLM:
		return engine_blocks_of(e, tokens) <= e->num_gpu_blocks;
	default:
		return engine_blocks_of(e, most_tokens(e, tokens)) <=
		       e->num_gpu_blocks;
	}
}

uint64_t engine_longest_prompt(const struct engine *e)
{
	return e->scheduler == SCHEDULER_TENSORRT_LLM && !e->trtllm.has_chunks
		   ? e->max_num_batched_tokens
		   : UINT64_MAX;
}

uint64_t engine_blocks_of(const struct engine *e, uint64_t tokens)
{
	if (e->kv_groups.n_kinds)
		return kv_groups_need(&e->kv_groups, tokens, most_in_flight(e),
				      e->max_model_len);
	return (tokens + e->block_size - 1) / e->block_size;
}

/* Of windows only whole blocks are left behind. */
static double grouped_bytes(const struct engine *e, uint32_t tokens,
			    uint32_t from)
{
	const struct kv_groups *g = &e->kv_groups;
	double bytes = 0;
	for (uint32_t k = 0; k < g->n_kinds; k++) {
		const struct kv_kind *kind = &g->kind[k];
		uint32_t size = kind->block_size, first = 0;
		if (kind->window && tokens >= kind->window)
			first = (tokens - kind->window + 1) / size * size;
		first = first > from ? first : from;
		bytes += (double)kind->n_layers * g->page_bytes / size *
			 (tokens - first);
	}
	return bytes * e->parallel.tp;
}

double engine_transfer_bytes(const struct engine *e, uint32_t tokens,
			     uint32_t from)
{
	for (uint32_t k = 0; k < e->kv_groups.n_kinds; k++)
		if (e->kv_groups.kind[k].window)
			return grouped_bytes(e, tokens, from);
	return (tokens - from) * e->kv_bytes_per_token;
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
	    .replicas = (uint32_t)(k->replicas * times),
	    .speculation.drafts = (uint32_t)k->num_speculative_tokens,
	    .ranks = has_preset ? (uint32_t)k->data_parallel_size : 1,
	    .lockstep_ranks = s->dp / in_step,
	};
}

static void resolve_schedulers(struct engine *e, const struct engine_keys *k)
{
	const double start = 0.7 * k->schedule_conservativeness;
	e->scheduler = (enum engine_scheduler)k->scheduler;
	e->sglang = (struct sglang_rules){
	    .chunk = k->chunked_prefill_size > 0
			 ? (uint32_t)k->chunked_prefill_size
			 : 0,
	    .max_prefill_tokens = (uint32_t)k->max_prefill_tokens,
	    .policy = (enum schedule_policy)k->schedule_policy,
	    .mixes = (uint32_t)k->enable_mixed_chunk,
	    .reserve_ppb = llround(1e9 * (start < 1 ? start : 1)),
	};
	e->trtllm = (struct trtllm_rules){
	    .capacity = (enum capacity_policy)k->capacity_scheduler_policy,
	    .has_chunks = (uint32_t)k->enable_chunked_prefill,
	    .chunking = (enum chunking_policy)k->context_chunking_policy,
	};
}

/* Drafts are vLLM's. */
static int check_scheduler(const struct engine *e, const struct engine_facts *f,
			   struct problem *p)
{
	if (e->scheduler == SCHEDULER_VLLM)
		return 0;
	if (e->speculation.drafts)
		return engine_refuse(p, f->from, "num_speculative_tokens",
				     "num_speculative_tokens = %" PRIu32
				     ": drafts are simulated with vLLM's "
				     "scheduler only, not with %s",
				     e->speculation.drafts,
				     engine_scheduler_name[e->scheduler]);
	return 0;
}

/* A prompt in chunks must get on. */
static int check_chunks(const struct engine *e, const struct engine_facts *f,
			struct problem *p)
{
	if (e->scheduler == SCHEDULER_SGLANG && e->sglang.chunk % e->block_size)
		return engine_refuse(p, f->from, "chunked_prefill_size",
				     "chunked_prefill_size = %" PRIu32
				     ": not a multiple of page_size = %" PRIu32,
				     e->sglang.chunk, e->block_size);
	if (e->scheduler == SCHEDULER_TENSORRT_LLM && e->trtllm.has_chunks &&
	    e->max_num_batched_tokens < e->block_size)
		return engine_refuse(
		    p, f->from, "max_num_tokens",
		    "max_num_tokens = %" PRIu32
		    ": chunks are at least a block of tokens_per_block = "
		    "%" PRIu32,
		    e->max_num_batched_tokens, e->block_size);
	return 0;
}

/* SGLang's default: half the tokens of the KV cache, within bounds. */
static void resolve_running(struct engine *e, const struct engine_keys *k)
{
	uint64_t n = 4096;
	if (e->scheduler != SCHEDULER_SGLANG || k->max_running_requests)
		return;
	if (e->num_gpu_blocks != ENGINE_UNLIMITED)
		n = e->num_gpu_blocks * e->block_size / 2;
	n = n < 2048 ? 2048 : n > 4096 ? 4096 : n;
	e->max_num_seqs = (uint32_t)(n / (uint64_t)k->data_parallel_size);
	if (e->max_num_seqs == 0)
		e->max_num_seqs = 1;
}

/* vLLM's Triton kernel computes experts of 16 bits. */
static void resolve_first_use(struct engine *e, const struct engine_keys *k,
			      const sc_model *m)
{
	e->first_step_us = k->first_step_us;
	e->expert_compile_us = k->expert_compile_us;
	for (uint32_t i = 0; m && i < m->n_groups; i++) {
		const sc_layers *g = m->group[i];
		if (g->ffn == SC_FFN_MOE && g->expert_bits == 16) {
			e->n_experts = g->n_experts;
			e->experts_per_token = g->experts_per_token;
		}
	}
}

int engine_resolve(struct engine *e, const struct engine_keys *k,
		   const struct slo_keys *s, const struct engine_facts *f,
		   struct problem *p)
{
	uint64_t len =
	    k->max_model_len ? (uint64_t)k->max_model_len : f->model_max_len;
	*e = engine_sized(k, &f->parallel);
	e->preset = (enum engine_preset)k->preset;
	e->max_model_len = len < UINT32_MAX ? (uint32_t)len : UINT32_MAX;
	e->long_prefill_token_threshold =
	    (uint32_t)k->long_prefill_token_threshold;
	e->block_size = (uint32_t)k->block_size;
	e->prefix_caching = (uint32_t)k->enable_prefix_caching;
	e->async_scheduling = (uint32_t)k->async_scheduling;
	e->policy = (enum scheduling_policy)k->scheduling_policy;
	e->api_overhead_ns = llround(1e3 * k->api_overhead_us);
	e->api_request_ns = llround(1e3 * k->api_request_us);
	e->response_overhead_ns = llround(1e3 * k->response_overhead_us);
	e->response_sequence_ns = llround(1e3 * k->response_sequence_us);
	e->schedule_ns = llround(1e3 * k->schedule_us);
	resolve_first_use(e, k, f->model);
	e->routing = (enum routing)k->routing;
	e->rank_routing = (enum rank_routing)k->data_parallel_routing;
	e->prefill_interval = (uint32_t)k->prefill_schedule_interval;
	e->seed = f->seed;
	e->sampling = k->sampling ? (uint32_t)k->sampling : f->model_sampling;
	e->kv_transfer_latency_ns = llround(1e3 * k->kv_transfer_latency_us);
	e->slo =
	    (struct slo){llround(1e6 * s->ttft_ms), llround(1e6 * s->tpot_ms),
			 llround(1e6 * s->e2el_ms)};
	resolve_rules(e, k);
	resolve_schedulers(e, k);
	if (check_scheduler(e, f, p) < 0 || check_chunks(e, f, p) < 0)
		return -1;
	if (resolve_runner(e, k, f, p) || resolve_speculation(e, k, f, p) ||
	    read_graph(&e->graph_max_tokens, k, f->from, p) ||
	    resolve_pools(e, k, f, p) || resolve_groups(e, k, f, p) ||
	    resolve_blocks(e, k, f, p))
		return -1;
	resolve_running(e, k);
	e->graph_max_tokens = times_ranks(e->graph_max_tokens, e->step_ranks);
	if (e->num_gpu_blocks != ENGINE_UNLIMITED)
		e->watermark_blocks =
		    (uint64_t)(k->watermark * (double)e->num_gpu_blocks);
	return 0;
}

/* The rules that only one scheduler has. */
static int rules_alike(const struct engine *a, const struct engine *b)
{
	const struct sglang_rules *x = &a->sglang, *y = &b->sglang;
	const struct trtllm_rules *t = &a->trtllm, *u = &b->trtllm;
	return x->chunk == y->chunk &&
	       x->max_prefill_tokens == y->max_prefill_tokens &&
	       x->policy == y->policy && x->mixes == y->mixes &&
	       x->reserve_ppb == y->reserve_ppb && t->capacity == u->capacity &&
	       t->has_chunks == u->has_chunks && t->chunking == u->chunking;
}

static int drafter_same(const struct engine *a, const struct engine *b)
{
	return a->draft_us == b->draft_us &&
	       !strcmp(a->draft_cost_model, b->draft_cost_model) &&
	       !strcmp(a->draft_model, b->draft_model);
}

static int alike(const struct engine *a, const struct engine *b)
{
	return a->max_num_seqs == b->max_num_seqs &&
	       a->max_num_batched_tokens == b->max_num_batched_tokens &&
	       a->max_model_len == b->max_model_len &&
	       a->long_prefill_token_threshold ==
		   b->long_prefill_token_threshold &&
	       a->block_size == b->block_size &&
	       a->num_gpu_blocks == b->num_gpu_blocks &&
	       a->prefix_caching == b->prefix_caching &&
	       a->async_scheduling == b->async_scheduling &&
	       a->policy == b->policy && a->preset == b->preset &&
	       a->scheduler == b->scheduler && rules_alike(a, b) &&
	       a->reserves_whole_prompt == b->reserves_whole_prompt &&
	       a->watermark_blocks == b->watermark_blocks &&
	       a->free_list == b->free_list &&
	       a->queues_empty_batches == b->queues_empty_batches &&
	       a->empty_sleep_ns == b->empty_sleep_ns &&
	       a->empty_sleep_while == b->empty_sleep_while &&
	       a->window_free == b->window_free &&
	       a->window_gate == b->window_gate &&
	       speculation_same(&a->speculation, &b->speculation) &&
	       a->hit_drop == b->hit_drop &&
	       a->drafter_tokens == b->drafter_tokens && drafter_same(a, b) &&
	       a->pads_admissions == b->pads_admissions &&
	       a->admits_with_lookahead == b->admits_with_lookahead &&
	       a->drafts_for_chunks == b->drafts_for_chunks &&
	       engine_stages(a) == engine_stages(b) &&
	       engine_batches(a) == engine_batches(b) &&
	       kv_groups_same(&a->kv_groups, &b->kv_groups) &&
	       a->api_overhead_ns == b->api_overhead_ns &&
	       a->api_request_ns == b->api_request_ns &&
	       a->response_overhead_ns == b->response_overhead_ns &&
	       a->response_sequence_ns == b->response_sequence_ns &&
	       a->schedule_ns == b->schedule_ns &&
	       a->first_step_us == b->first_step_us &&
	       a->expert_compile_us == b->expert_compile_us &&
	       a->replicas == b->replicas && a->routing == b->routing &&
	       a->seed == b->seed && a->ranks == b->ranks &&
	       a->lockstep_ranks == b->lockstep_ranks &&
	       a->rank_routing == b->rank_routing &&
	       a->prefill_interval == b->prefill_interval &&
	       a->prefill_replicas == b->prefill_replicas &&
	       a->kv_connector == b->kv_connector &&
	       a->pd_first_token == b->pd_first_token &&
	       a->proxy_ns == b->proxy_ns &&
	       a->kv_bytes_per_token == b->kv_bytes_per_token &&
	       a->kv_transfer_bytes_per_s == b->kv_transfer_bytes_per_s &&
	       a->kv_transfer_latency_ns == b->kv_transfer_latency_ns;
}

int engine_schedules_alike(const struct engine *a, const struct engine *b)
{
	return alike(a, b) && alike(engine_of_pool(a, 1), engine_of_pool(b, 1));
}

int engine_ignores_windows(const struct engine *e, const sc_model *m)
{
	int has_groups =
	    e->preset != PRESET_NONE && e->scheduler == SCHEDULER_VLLM;
	return !has_groups && model_attends(m, SC_ATTN_WINDOW);
}

/* Without a preset the rules are nobody's, and any engine's kernels may run. */
static uint32_t whose_kernels(const struct engine *e)
{
	static const uint32_t code[] = {[SCHEDULER_VLLM] = SC_ENGINE_VLLM,
					[SCHEDULER_SGLANG] = SC_ENGINE_SGLANG,
					[SCHEDULER_TENSORRT_LLM] =
					    SC_ENGINE_TENSORRT_LLM};
	return e->preset == PRESET_NONE ? SC_ENGINE_UNKNOWN
					: code[e->scheduler];
}

void engine_view(sc_engine *view, sc_parallel *parallel, const struct engine *e)
{
	uint32_t ranks = e->step_ranks;
	*view = (sc_engine){
	    .size = sizeof *view,
	    .max_num_seqs = e->max_num_seqs / ranks,
	    .max_num_batched_tokens = e->max_num_batched_tokens / ranks,
	    .block_size = e->block_size,
	    .graph_max_tokens = e->graph_max_tokens / ranks,
	    .async_scheduling = e->async_scheduling,
	    .sampling = e->sampling,
	    .engine = whose_kernels(e),
	    .num_speculative_tokens = e->speculation.drafts,
	    .preset = e->preset ? engine_preset(e->preset)->name : NULL,
	};
	*parallel = e->parallel;
}
