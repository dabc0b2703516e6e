/* engine.c -- Answers what a simulation asks of an engine. */
#include "engine/engine.h"
#include <inttypes.h>
#include <math.h>
#include "engine/presets.h"
#include "model/model.h"

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

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t whole_blocks(uint64_t tokens, uint32_t size)
{
	return (tokens + size - 1) / size;
}

/* The same as windows hold them in fact, for drafts, too, or as the gate asks
 * for them. */
static uint64_t most_in_flight(const struct engine *e)
{
	uint64_t held = e->max_num_batched_tokens;
	/* Windows keep the tokens that are reached after the whole prompt. */
	if (e->scheduler == SCHEDULER_TENSORRT_LLM)
		return 1;
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

/* SGLang's front end cuts outputs that are longer.  In 0.5.6 it does not, and
 * the request would wait forever: where lengths are certain, one that would not
 * leave two tokens of whole pages. */
static int sglang_has_room(const struct engine *e, uint64_t prompt,
			   uint64_t output)
{
	uint64_t page = e->block_size, all = e->num_gpu_blocks * page;
	uint64_t paged = whole_blocks(prompt, e->block_size) * page;
	if (e->preset != PRESET_SGLANG_056)
		return paged + output + page + 1 <= all;
	return engine_lengths_are_certain(e) ? paged + output + 2 <= all
					     : prompt + output < all;
}

/* Returns the blocks that a request under vLLM needs in its last step at
 * least: of a window those that the tokens of the step reach. */
static uint64_t least_blocks(const struct engine *e, uint64_t tokens)
{
	const struct kv_groups *g = &e->kv_groups;
	uint64_t need = g->n_kinds ? 0 : whole_blocks(tokens, e->block_size);
	for (uint32_t k = 0; k < g->n_kinds; k++) {
		const struct kv_kind *kind = &g->kind[k];
		uint64_t reached = kind->window + e->speculation.lookahead;
		if (!kind->window || tokens < reached)
			reached = tokens;
		need += kind->n_groups * kv_kind_blocks(kind, reached);
	}
	return need;
}

/* Returns the blocks that vLLM asks for before it admits a request. */
static uint64_t gate_blocks(const struct engine *e, uint64_t prompt)
{
	uint64_t n =
	    least(prompt, e->max_num_batched_tokens - e->drafter_tokens);
	uint64_t asked = e->window_gate == WINDOW_GATE_NONE
			     ? UINT32_MAX
			     : engine_tokens_in_flight(e);
	if (e->long_prefill_token_threshold)
		n = least(n, e->long_prefill_token_threshold);
	if (e->admits_with_lookahead)
		n += e->speculation.lookahead;
	uint64_t len = e->max_model_len ? e->max_model_len : UINT32_MAX;
	uint64_t first = kv_groups_need(&e->kv_groups, least(n, len),
					UINT32_MAX, e->max_model_len);
	uint64_t whole = kv_groups_need(&e->kv_groups, least(prompt, len),
					asked, e->max_model_len);
	return e->reserves_whole_prompt && whole > first ? whole : first;
}

/* Rejected is what vLLM would not admit even to an empty cache, and what can
 * certainly not end. */
static int vllm_has_room(const struct engine *e, uint64_t prompt,
			 uint64_t output)
{
	return least_blocks(e, most_tokens(e, prompt + output)) <=
		   e->num_gpu_blocks &&
	       gate_blocks(e, prompt) <= e->num_gpu_blocks;
}

int engine_has_room(const struct engine *e, uint64_t prompt, uint64_t output)
{
	const uint64_t tokens = prompt + output;
	if (e->num_gpu_blocks == ENGINE_UNLIMITED)
		return 1;
	switch (e->scheduler) {
	case SCHEDULER_SGLANG:
		return sglang_has_room(e, prompt, output);
	case SCHEDULER_TENSORRT_LLM:
		return engine_blocks_of(e, tokens) <= e->num_gpu_blocks;
	default:
		return vllm_has_room(e, prompt, output);
	}
}

uint64_t engine_longest_request(const struct engine *e)
{
	/* SGLang keeps a place of its context free. */
	return e->max_model_len - (e->scheduler == SCHEDULER_SGLANG);
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
	return whole_blocks(tokens, e->block_size);
}

int engine_check_held(const struct engine *e, uint64_t blocks,
		      struct problem *p)
{
	if (e->kv_room_blocks == 0 || blocks <= e->kv_room_blocks)
		return 0;
	return problem_set(
	    p, EXIT_USAGE,
	    "num_gpu_blocks = unlimited: requests held %" PRIu64
	    " blocks of KV at once, and the GPU's memory has room for %" PRIu64
	    "; use num_gpu_blocks = auto; memory_check = off simulates it all "
	    "the same",
	    blocks, e->kv_room_blocks);
}

/* Returns the bytes of the KV cache that `tokens` tokens need, without the
 * first `from` ones.  A window group leaves out whole blocks only. */
static double grouped_bytes(const struct engine *e, uint32_t tokens,
			    uint32_t from)
{
	const struct kv_groups *g = &e->kv_groups;
	double bytes = 0;
	for (uint32_t k = 0; k < g->n_kinds; k++) {
		const struct kv_kind *kind = &g->kind[k];
		uint32_t size = kind->block_size, first = 0;
		if (kind->state)
			continue;
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

int engine_ignores_windows(const struct engine *e, const sc_model *m)
{
	int is_vllm =
	    e->preset != PRESET_NONE && e->scheduler == SCHEDULER_VLLM;
	return !is_vllm && e->kv_groups.n_kinds == 0 &&
	       model_attends(m, SC_ATTN_WINDOW);
}

/* Without a preset the rules are of no engine, and any engine's kernels may
 * run. */
static uint32_t whose_kernels(const struct engine *e)
{
	static const uint32_t code[] = {[SCHEDULER_VLLM] = SC_ENGINE_VLLM,
					[SCHEDULER_SGLANG] = SC_ENGINE_SGLANG,
					[SCHEDULER_TENSORRT_LLM] =
					    SC_ENGINE_TENSORRT_LLM};
	return e->preset == PRESET_NONE ? SC_ENGINE_UNKNOWN
					: code[e->scheduler];
}

/* Returns 0 if the cache has no bound that is known. */
static double kv_tokens(const struct engine *e)
{
	uint64_t blocks = e->num_gpu_blocks == ENGINE_UNLIMITED
			      ? e->kv_room_blocks
			      : e->num_gpu_blocks;
	return (double)blocks * e->block_size;
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
	    .kv_tokens = kv_tokens(e),
	    .expert_dispatch = e->expert_dispatch && *e->expert_dispatch
				   ? e->expert_dispatch
				   : NULL,
	};
	*parallel = e->parallel;
}
