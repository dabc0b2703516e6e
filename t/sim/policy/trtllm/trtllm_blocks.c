/* The blocks of requests under TensorRT-LLM's scheduler, 4 tokens each. */
#include "sim/policy/trtllm/trtllm_blocks.h"
#include "one_scheduler.h"
#include "sim/policy/trtllm/trtllm.h"

static struct trtllm *t;

static void begin(enum capacity_policy capacity, uint64_t blocks)
{
	engine = small_engine();
	engine.preset = PRESET_TENSORRT_LLM;
	engine.scheduler = SCHEDULER_TENSORRT_LLM;
	engine.lockstep_ranks = 1;
	engine.prefix_caching = 1;
	engine.num_gpu_blocks = blocks;
	engine.trtllm.finds_parts = 1;
	engine.trtllm.capacity = capacity;
	start(&policy_trtllm);
	t = (struct trtllm *)(uintptr_t)s;
}

static uint32_t block(uint32_t request, uint32_t k)
{
	return pool.item[request].kv.block[k];
}

static void looks(void)
{
	begin(CAPACITY_NO_EVICT, 50);
	come_sharing(8, 4, 0, 8);
	come_sharing(8, 4, 0, 8);
	form();
	results();
	struct trtllm_look look = trtllm_look(t, &pool.item[1]);
	ok(look.expected == 7, "the last token of a prompt is computed");
	ok(look.shared == 1, "and so its block is not shared");
	ok(look.next == 0, "no full block is missing");
	ok(trtllm_held(t, &pool.item[0]) == 2, "two blocks");
	ok(trtllm_rest(&pool.item[1]) == 8, "all of it is left");
}

/* Two decodes that need a block in the same step. */
static void decodes_in_order(void)
{
	begin(CAPACITY_MAX_UTILIZATION, 50);
	come(4, 4, 0);
	come(4, 4, 0);
	form();
	ok(block(0, 0) == 0 && block(1, 0) == 1, "prompts in their order");
	results();
	form();
	ok(block(0, 1) == 2 && block(1, 1) == 3, "decodes in theirs");
}

/* Prompts are stored in the order of their step, chunks first. */
static void stored_in_order(void)
{
	begin(CAPACITY_STATIC_BATCH, 50);
	engine.trtllm.has_chunks = 1;
	engine.trtllm.chunk_unit = 4;
	start(&policy_trtllm);
	t = (struct trtllm *)(uintptr_t)s;
	come_sharing(60, 2, 0, 60);
	come_sharing(70, 1, 0, 70);
	is(form(), " p1@0+40 p0@0+60!", "a chunk before a whole prompt");
	ok(block(1, 0) == 0, "which takes its blocks first, too");
	results();
	come_sharing(9, 3, 0, 9);
	ok(trtllm_look(t, &pool.item[2]).shared == 2, "8 tokens are there");
	while (pool.item[2].kv.covered == 0) {
		form();
		results();
	}
	ok(block(2, 0) == block(1, 0), "those of the chunk");
}

/* A paused request finds again what it had. */
static void pausing(void)
{
	begin(CAPACITY_MAX_UTILIZATION, 6);
	come(8, 8, 0);
	come(7, 8, 0);
	form();
	results();
	for (int i = 0; i < 5; i++) {
		form();
		results();
	}
	ok(pool.item[1].preemptions == 1, "the second one is paused");
	ok(trtllm_look(t, &pool.item[1]).expected >= 4,
	   "and what nobody took is there");
}

int main(void)
{
	looks();
	decodes_in_order();
	stored_in_order();
	pausing();
	stop();
	return done();
}
