/* Which waiting requests policy vllm admits to a step. */
#include "sim/policy/vllm/vllm_admission.h"
#include "sim/policy/vllm/vllm.h"
#include "one_scheduler.h"

static struct vllm *v;
static struct batch *b = &batches[0];

/* Requests of these prompt lengths wait; 0 ends the list. */
static void wait_for(const uint32_t *length)
{
	start(&policy_vllm);
	v = (struct vllm *)(uintptr_t)s;
	for (; *length; length++)
		come(*length, 3, 0);
}

/* "sequence:tokens" of each that is admitted. */
static const char *admitted(uint32_t budget)
{
	static char text[200];
	size_t n = 0;
	v->batch = b;
	v->budget = budget;
	b->n_members = b->n_decode_only = 0;
	text[0] = '\0';
	vllm_admit(v);
	for (uint32_t i = 0; i < b->n_members; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, " %u:%u",
				      b->member[i].sequence,
				      b->member[i].new_tokens);
	return text;
}

static void limits(void)
{
	engine = small_engine();
	wait_for((uint32_t[]){20, 5, 9, 0});
	is(admitted(100), " 0:20 1:5 2:9", "all, in their order");
	ok(s->waiting.n == 0 && v->n == 3 && v->running[2] == 2 &&
	       v->has_emptied && v->budget == 66,
	   "and nobody waits any more");
	wait_for((uint32_t[]){20, 5, 9, 0});
	is(admitted(22), " 0:20 1:2", "while the budget lasts");
	ok(s->waiting.n == 1 && v->budget == 0 && !v->has_emptied,
	   "the third waits");
	engine.max_num_seqs = 2;
	wait_for((uint32_t[]){20, 5, 9, 0});
	is(admitted(100), " 0:20 1:5", "while there are places");
	engine = small_engine();
	engine.long_prefill_token_threshold = 6;
	wait_for((uint32_t[]){20, 5, 0});
	is(admitted(100), " 0:6 1:5", "no more of a prompt than its share");
}

static void blocks(void)
{
	engine = small_engine();
	engine.num_gpu_blocks = 7;
	wait_for((uint32_t[]){20, 9, 4, 0});
	is(admitted(100), " 0:20", "nobody overtakes one without room");
	ok(s->kv.pool.used == 5, "whose blocks were not taken");
	engine.num_gpu_blocks = 8;
	wait_for((uint32_t[]){20, 9, 0});
	is(admitted(100), " 0:20 1:9", "just enough blocks");
	engine.watermark_blocks = 1;
	wait_for((uint32_t[]){20, 9, 0});
	is(admitted(100), " 0:20", "some are left over once a request runs");
	wait_for((uint32_t[]){32, 0});
	is(admitted(100), " 0:32", "not for the first one");
	engine.watermark_blocks = 0;
	wait_for((uint32_t[]){20, 13, 0});
	is(admitted(24), " 0:20 1:4", "a chunk needs blocks for itself");
	engine.reserves_whole_prompt = 1;
	wait_for((uint32_t[]){20, 13, 0});
	is(admitted(24), " 0:20", "or for the whole prompt");
}

static void deferring(void)
{
	engine = small_engine();
	wait_for((uint32_t[]){1, 20, 0});
	v->is_deferring = 1;
	is(admitted(100), " 0:1", "prompts wait, single tokens do not");
	ok(!v->has_emptied && s->waiting.n == 1, "and this is not forgotten");
	v->is_deferring = 0;
	is(admitted(100), " 1:20", "later they come");
	ok(v->has_emptied, "all of them");
}

static void padding(void)
{
	engine = small_engine();
	engine.pads_admissions = 1;
	engine.speculation.drafts = 3;
	wait_for((uint32_t[]){1, 0});
	is(admitted(100), " 0:1", "an empty step is not padded");
	start(&policy_vllm);
	v = (struct vllm *)(uintptr_t)s;
	come(9, 3, 0);
	is(admitted(100), " 0:9", "a prompt");
	v->batch = b;
	come(1, 3, 0);
	b->member[0].is_prefill = 0;
	v->budget = 100;
	vllm_admit(v);
	ok(b->n_members == 2 && b->member[1].new_tokens == 4 &&
	       b->member[1].drafts == 3 && b->member[1].is_padded,
	   "beside decodes a token becomes as long as they are");
	come(1, 3, 0);
	b->member[1].is_prefill = 0;
	v->budget = 3;
	vllm_admit(v);
	ok(b->n_members == 2 && s->waiting.n == 1,
	   "which the budget must hold");
}

int main(void)
{
	limits();
	blocks();
	deferring();
	padding();
	stop();
	return done();
}
