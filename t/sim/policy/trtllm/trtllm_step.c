/* Which requests are in a step of TensorRT-LLM, and with how many tokens:
 * blocks of 4. */
#include "sim/policy/trtllm/trtllm_step.h"
#include "one_scheduler.h"
#include "sim/policy/trtllm/trtllm.h"

static void begin(uint32_t tokens, enum chunking_policy chunking, int parts)
{
	engine = small_engine();
	engine.preset = PRESET_TENSORRT_LLM;
	engine.scheduler = SCHEDULER_TENSORRT_LLM;
	engine.lockstep_ranks = 1;
	engine.max_num_seqs = 16;
	engine.prefix_caching = 1;
	engine.max_num_batched_tokens = tokens;
	engine.trtllm.has_chunks = 1;
	engine.trtllm.chunk_unit = 4;
	engine.trtllm.chunking = chunking;
	engine.trtllm.finds_parts = (uint32_t)parts;
	start(&policy_trtllm);
}

/* A request with the first tokens of segment `id`, and its own. */
static void come_of(uint32_t input, uint32_t output, uint64_t id,
		    uint32_t shared)
{
	const struct segment x = {id, shared};
	come_with(input, output, 0, &x, 1);
}

/* The first `tokens` tokens of a segment get into the tree. */
static void have(uint64_t id, uint32_t tokens)
{
	come_of(tokens + 1, 1, id, tokens + 1);
	while (s->policy->running(s) || s->waiting.n) {
		form();
		results();
	}
}

static void costs(void)
{
	ok(trtllm_cost(5, 0, 12) == 5, "nothing is expected to be found");
	ok(trtllm_cost(12, 8, 12) == 4, "8 of 12 are");
	ok(trtllm_cost(4, 8, 12) == 4 && trtllm_cost(3, 8, 12) == 3,
	   "a chunk costs no more than what is computed in the end");
}

/* 8 tokens, five prompts that are all in the tree. */
static void all_found(void)
{
	begin(4, CHUNKS_FIRST_COME, 1);
	have(1, 8);
	for (int i = 0; i < 5; i++)
		come_of(8, 1, 1, 8);
	is(form(), " p1@7+1! p2@7+1! p3@7+1! p4@7+1!",
	   "at most all but the last token of a prompt is expected");
}

/* The tokens that it finds complete a prompt that was cut. */
static void sorted_again(void)
{
	begin(8, CHUNKS_EQUAL, 1);
	have(1, 4);
	come_of(7, 1, 1, 3);
	come_of(12, 1, 2, 12);
	is(form(), " p2@0+4 p1@3+4!",
	   "it moves behind one that is not completed");
	begin(12, CHUNKS_FIRST_COME, 1);
	have(1, 8);
	come_of(11, 1, 1, 6);
	come_of(7, 1, 1, 3);
	is(form(), " p2@3+4! p1@6+5!",
	   "those that are completed stay in the order that they had");
}

/* The first prompt finds 4 tokens less than expected, the second one as many,
 * and is completed by that: it is trimmed before the third one. */
static void trimmed(void)
{
	begin(17, CHUNKS_EQUAL, 0);
	have(1, 8);
	have(2, 12);
	come_of(8, 1, 1, 8);
	come_of(20, 1, 2, 12);
	come_of(20, 1, 3, 20);
	is(form(), " p4@0+8 p3@12+4 p2@4+4!",
	   "the last that can be cut is cut");
}

/* Without chunks the step is too long: the engine dies. */
static void dies(void)
{
	begin(8, CHUNKS_FIRST_COME, 0);
	engine.trtllm.has_chunks = 0;
	engine.trtllm.chunk_unit = 4;
	engine.max_num_seqs = 4;
	start(&policy_trtllm);
	have(1, 7);
	have(1, 7);
	come_of(8, 2, 1, 8);
	come_of(8, 2, 1, 8);
	come_of(8, 2, 1, 8);
	form();
	ok(s->death == SCHEDULER_LONG_STEP, "a step of 12 tokens, 8 at most");
	ok(s->death_row == 2, "its first prompt is named");
}

static void chunks(void)
{
	begin(100, CHUNKS_FIRST_COME, 1);
	come(150, 1, 0);
	come(10, 1, 0);
	is(form(), " p0@0+100", "as much as there is, whole blocks");
	results();
	is(form(), " p0@100+50! p1@0+10!", "both, since both fit");
	begin(100, CHUNKS_EQUAL, 1);
	come(150, 1, 0);
	come(80, 1, 0);
	is(form(), " p0@0+52 p1@0+48", "block by block in turn");
}

int main(void)
{
	costs();
	all_found();
	sorted_again();
	trimmed();
	dies();
	chunks();
	stop();
	return done();
}
