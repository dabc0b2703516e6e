/* defaults.c -- Finds the defaults that depend on the model and the GPU. */
#include "engine/keys/defaults.h"
#include <string.h>
#include "engine/keys/fill.h"
#include "engine/keys/rows.h"
#include "engine/keys/sglang_defaults.h"
#include "keys/hardware.h"
#include "model/model.h"

struct engine_usage engine_usage_of(const struct model *m,
				    const struct hardware *h)
{
	return (struct engine_usage){
	    .gpu = h->name,
	    .memory_bytes = h->keys.memory_gib > 0 ? h->keys.memory_gib * 0x1p30
						   : h->view.mem_bytes,
	    .max_model_len = m->max_len,
	    .keeps_state = model_attends(&m->view, SC_ATTN_LINEAR),
	    .has_experts = model_has_experts(&m->view),
	    .has_latent_attention = model_attends(&m->view, SC_ATTN_MLA),
	};
}

static int is_given(const struct engine_source *s, size_t place)
{
	return engine_key_item(s, engine_row_at((uint32_t)place)->knob.name) !=
	       NULL;
}
#define IS_GIVEN(s, field) is_given(s, offsetof(struct engine_keys, field))

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
	int has_tokens = IS_GIVEN(s, max_num_batched_tokens);
	int has_seqs = IS_GIVEN(s, max_num_seqs);
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

static int complete_sglang(struct engine_keys *k, const struct engine_source *s,
			   const struct engine_usage *u, struct problem *p)
{
	int has_sizes = k->chunked_prefill_size && k->cuda_graph_max_bs;
	if (u->memory_bytes <= 0 && !has_sizes)
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: [engine] scheduler: the memory of the GPU "
		    "([hardware]) is unknown; give chunked_prefill_size and "
		    "cuda_graph_max_bs",
		    s->ini->path ? s->ini->path : "?");
	if (u->memory_bytes > 0)
		sglang_defaults_set(k, u);
	engine_keys_adopt(k);
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
	if (!IS_GIVEN(s, max_num_seqs))
		k->max_num_seqs = 1024;
	if (!IS_GIVEN(s, max_num_batched_tokens))
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
	    !IS_GIVEN(s, async_scheduling))
		k->async_scheduling = 0;
}

int engine_keys_complete(struct engine_keys *k, const struct engine_source *s,
			 const struct engine_usage *u, struct problem *p)
{
	if (k->preset == PRESET_NONE)
		return 0;
	if (u->keeps_state && !IS_GIVEN(s, enable_prefix_caching))
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
