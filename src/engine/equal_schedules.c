/* equal_schedules.c -- Compares two engines, field by field. */
#include "engine/equal_schedules.h"
#include <string.h>

static int stages_same(const struct engine *a, const struct engine *b)
{
	return engine_stages(a) == engine_stages(b);
}

static int batches_same(const struct engine *a, const struct engine *b)
{
	return engine_batches(a) == engine_batches(b);
}

static int groups_same(const struct engine *a, const struct engine *b)
{
	return kv_groups_same(&a->kv_groups, &b->kv_groups);
}

static int drafts_same(const struct engine *a, const struct engine *b)
{
	return speculation_same(&a->speculation, &b->speculation);
}

static int draft_cost_same(const struct engine *a, const struct engine *b)
{
	return !strcmp(a->draft_cost_model, b->draft_cost_model);
}

static int draft_model_same(const struct engine *a, const struct engine *b)
{
	return !strcmp(a->draft_model, b->draft_model);
}

/* A step that no graph replays waits for what it uses first. */
static int graphs_same(const struct engine *a, const struct engine *b)
{
	return a->graph_max_tokens == b->graph_max_tokens ||
	       !(a->first_step_us > 0 || a->expert_compile_us > 0);
}

static int experts_same(const struct engine *a, const struct engine *b)
{
	return !(a->expert_compile_us > 0) ||
	       (a->n_experts == b->n_experts &&
		a->experts_per_token == b->experts_per_token);
}

/* Without steps to wait for, no number of tokens matters. */
static int waits_same(const struct engine *a, const struct engine *b)
{
	return a->trtllm.wait_steps == 0 ||
	       a->trtllm.wait_tokens == b->trtllm.wait_tokens;
}

/* Without chunks no unit of them matters. */
static int units_same(const struct engine *a, const struct engine *b)
{
	return !a->trtllm.has_chunks ||
	       a->trtllm.chunk_unit == b->trtllm.chunk_unit;
}

/* A price changes no schedule. */
static int fleets_same(const struct engine *a, const struct engine *b)
{
	struct fleet_rules as = b->fleet;
	as.gpu_hour_price = a->fleet.gpu_hour_price;
	return memcmp(&a->fleet, &as, sizeof as) == 0;
}

static int pools_same(const struct engine *a, const struct engine *b)
{
	if (!a->decode && !b->decode)
		return 1;
	return engine_schedules_are_equal(engine_of_pool(a, 1),
					  engine_of_pool(b, 1));
}

/* name_: the key that the field comes from. */
#define PART_OF(name_, field_, effect_, same_)                                 \
	{                                                                      \
		.name = name_, .field = offsetof(struct engine, field_),       \
		.field_bytes = sizeof(((struct engine *)0)->field_),           \
		.effect = EFFECT_##effect_, .same = (same_)                    \
	}
#define PART(field_, effect_, same_) PART_OF(#field_, field_, effect_, same_)
/* Numbers of replicas and ranks come first, because others follow from them. */
const struct engine_part engine_part[] = {
    PART(replicas, SCHEDULE, NULL),
    PART_OF("data_parallel_size", ranks, SCHEDULE, NULL),
    PART_OF("data_parallel_size", lockstep_ranks, SCHEDULE, NULL),
    PART(sglang.chunk, SCHEDULE, NULL),
    PART(sglang.first_share, SCHEDULE, NULL),
    PART(trtllm.wait_tokens, SCHEDULE, waits_same),
    PART(trtllm.has_manager_v2, SCHEDULE, NULL),
    PART(trtllm.chunk_unit, SCHEDULE, units_same),
    PART(offload.chunks, SCHEDULE, NULL),
    PART(offload.blocks_per_chunk, SCHEDULE, NULL),
    PART(offload.policy, SCHEDULE, NULL),
    PART(offload.store_threshold, SCHEDULE, NULL),
    PART(offload.prompt_only, SCHEDULE, NULL),
    PART(offload.bytes_per_ns, SCHEDULE, NULL),
    PART(offload.latency_ns, SCHEDULE, NULL),
    PART(lora.max_loras, SCHEDULE, NULL),
    PART(lora.max_cpu_loras, SCHEDULE, NULL),
    PART(lora.step_ns, SCHEDULE, NULL),
    PART(lora.load_ns, SCHEDULE, NULL),
    PART(lora.activate_ns, SCHEDULE, NULL),
    PART(block_size, SCHEDULE, NULL),
    PART(parallel, SCHEDULE, stages_same),
    PART(step_ranks, PRICE, NULL),
    PART(max_num_seqs, SCHEDULE, NULL),
    PART(max_num_batched_tokens, SCHEDULE, NULL),
    PART(max_model_len, SCHEDULE, NULL),
    PART(num_gpu_blocks, SCHEDULE, NULL),
    PART(watermark_blocks, SCHEDULE, NULL),
    PART(kv_groups, SCHEDULE, groups_same),
    PART(speculation, SCHEDULE, drafts_same),
    PART(draft_us, SCHEDULE, NULL),
    PART(draft_cost_model, SCHEDULE, draft_cost_same),
    PART(draft_model, SCHEDULE, draft_model_same),
    PART(drafter_tokens, SCHEDULE, NULL),
    PART(model_runner, SCHEDULE, batches_same),
    PART(pipeline_stages, SCHEDULE, NULL),
    PART(n_experts, SCHEDULE, experts_same),
    PART(experts_per_token, SCHEDULE, experts_same),
    PART(graph_max_tokens, SCHEDULE, graphs_same),
    PART(request, SCHEDULE, NULL),
    PART(router, SCHEDULE, NULL),
    PART(fleet, SCHEDULE, fleets_same),
    PART(seed, SCHEDULE, NULL),
    PART(prefill_replicas, SCHEDULE, NULL),
    PART(decode, SCHEDULE, pools_same),
    PART(kv_bytes_per_token, SCHEDULE, NULL),
    PART(kv_transfer_bytes_per_s, SCHEDULE, NULL),
    PART(sampling, PRICE, NULL),
    PART_OF("data_parallel_size", per_replica, NOTHING, NULL),
    PART(slo, NOTHING, NULL),
    PART(kv_room_blocks, PRICE, NULL),
    PART(blocks_text, NOTHING, NULL),
};
const uint32_t engine_n_parts = sizeof engine_part / sizeof *engine_part;

enum engine_effect engine_row_effect(const struct engine_row *r)
{
	if (r->alias)
		r = engine_row_at(r->alias_of);
	for (uint32_t i = 0; r->into == INTO_MADE && i < engine_n_parts; i++)
		if (engine_part[i].field == r->field)
			return engine_part[i].effect;
	return r->effect;
}

static int bytes_same(const struct engine *a, const struct engine *b,
		      uint32_t field, uint32_t bytes)
{
	return !memcmp((const char *)a + field, (const char *)b + field, bytes);
}

static int row_same(const struct engine_row *r, const struct engine *a,
		    const struct engine *b)
{
	const char *x, *y;
	if (r->into != INTO_TEXT)
		return bytes_same(a, b, r->field, r->field_bytes);
	memcpy(&x, (const char *)a + r->field, sizeof x);
	memcpy(&y, (const char *)b + r->field, sizeof y);
	return !strcmp(x, y);
}

static int part_same(const struct engine_part *x, const struct engine *a,
		     const struct engine *b)
{
	return x->same ? x->same(a, b)
		       : bytes_same(a, b, x->field, x->field_bytes);
}

const char *engine_difference(const struct engine *a, const struct engine *b)
{
	/* One piece or two: all else follows from that. */
	if (!a->prefill_replicas != !b->prefill_replicas)
		return "prefill_replicas";
	for (uint32_t i = 0; i < engine_n_keys; i++) {
		const struct engine_row *r = engine_row(i);
		if (r->effect == EFFECT_SCHEDULE && r->into != INTO_MADE &&
		    !row_same(r, a, b))
			return r->knob.name;
	}
	for (uint32_t i = 0; i < engine_n_parts; i++)
		if (engine_part[i].effect == EFFECT_SCHEDULE &&
		    !part_same(&engine_part[i], a, b))
			return engine_part[i].name;
	return NULL;
}
