/* KV of policy vllm on the host: storing, finding and loading it, and the time
 * when blocks are free. */
#include "sim/policy/vllm/vllm_offload.h"
#include "sim/policy/vllm/vllm.h"
#include "one_scheduler.h"

static struct vllm *v;

static void begin(uint32_t per_chunk, uint32_t prompt_only)
{
	engine = small_engine();
	engine.preset = PRESET_VLLM_2026_07;
	engine.num_gpu_blocks = 20;
	engine.prefix_caching = 1;
	engine.offload = (struct offload_rules){.chunks = 8,
						.blocks_per_chunk = per_chunk,
						.prompt_only = prompt_only,
						.bytes_per_ns = 1};
	start(&policy_vllm);
	v = (struct vllm *)(uintptr_t)s;
}

/* The copies are done, and noticed with the last batch. */
static void copy(void)
{
	for (int i = 0; i < 3; i++) {
		s->kv.pool.call = v->calls + 1000u + n_formed++;
		offload_pass(s->offload, clock_ns += 100000, 0, &s->kv.pool);
		offload_notice(s->offload, s->kv.pool.call, clock_ns);
	}
	n_formed -= 3;
}

static void stored(void)
{
	begin(2, 1);
	come_sharing(19, 6, 0, 19);
	is(form(), " p0@0+19!", "a prompt of two chunks and a bit");
	ok(s->offload->chunks.n == 2 &&
	       pool.item[0].offload->group[0].stored == 2,
	   "is stored as it is computed");
	results();
	form();
	results();
	ok(s->offload->chunks.n == 2, "its answer is not");
	begin(1, 0);
	come_sharing(19, 6, 0, 19);
	form();
	results();
	ok(s->offload->chunks.n == 4, "full blocks alone");
	form();
	ok(s->offload->chunks.n == 5, "or all that is computed");
}

/* The prompt was computed, and its blocks were taken by others. */
static void lose_blocks(void)
{
	begin(1, 1);
	come_sharing(16, 1, 0, 16);
	form();
	results();
	copy();
	come(79, 1, 0);
	is(form(), " p1@0+79!", "another takes all blocks");
	results();
	copy();
}

static void loaded(void)
{
	uint32_t more;
	lose_blocks();
	come_sharing(18, 2, 0, 16);
	struct sequence *q = &pool.item[2];
	vllm_offload_meet(v, q);
	ok(kv_find(&s->kv, &q->kv, 17) == 0 &&
	       vllm_offload_find(v, q, 0, &more) && more == 16,
	   "the host has the prompt's first 16 tokens");
	ok(vllm_offload_find(v, q, 12, &more) && more == 4,
	   "of them one block behind those on the GPU");
	ok(vllm_offload_find(v, q, 16, &more) && more == 0, "and no more");
	is(form(), "", "it waits for its load");
	ok(q->offload->load == LOAD_UNDER_WAY && s->passed.n == 1 &&
	       v->n == 0 && s->kv.pool.used == 4 && q->loaded_tokens == 16,
	   "in front of others, with blocks");
	copy();
	ok(q->offload->load == LOAD_DONE, "the load is over");
	is(form(), " p2@16+2! graph", "then it begins behind what was loaded");
	ok(v->n_loading == 0 && s->offload->figures.hits == 16,
	   "which is counted");
}

static void late(void)
{
	begin(1, 1);
	engine.async_scheduling = 1;
	come_sharing(16, 9, 0, 16);
	form();
	struct sequence *q = &pool.item[0];
	vllm_offload_give_back(v, q, 0);
	ok(v->n_late == 1 && s->kv.pool.used == 4 && q->kv.covered == 0,
	   "blocks that a step in flight reads are kept");
	v->fast_decodes.processed = v->fast_decodes.formed;
	vllm_offload_processed(v);
	ok(v->n_late == 0 && s->kv.pool.used == 0,
	   "until it has been processed");
	ok(kv_find(&s->kv, &q->kv, 15) == 12, "and can be found again");
	q->progress.is_preempted = 1;
	q->progress.in_flight = 0;
}

/* A model with a window of two blocks beside full attention. */
static void with_windows(void)
{
	begin(1, 1);
	engine.kv_groups = (struct kv_groups){
	    .n_kinds = 2,
	    .kind = {{.window = 8, .block_size = 4, .n_groups = 1},
		     {.block_size = 4, .n_groups = 1}},
	    .hit_unit = 4,
	    .key_unit = 4};
	start(&policy_vllm);
	v = (struct vllm *)(uintptr_t)s;
	come_sharing(17, 2, 0, 17);
	form();
	ok(s->offload->chunks.n == 8, "both groups are stored");
	const struct sequence *q = &pool.item[0];
	ok(q->offload->group[0].n_given == 5 &&
	       q->offload->group[1].n_given == 5,
	   "of the blocks that it was given");
	results();
	copy();
	form();
	results();
	copy();
	come(38, 1, 0);
	is(form(), " p1@0+38!", "another takes all blocks");
	results();
	copy();
	come_sharing(17, 1, 0, 17);
	is(form(), "", "the prompt is loaded");
	q = &pool.item[2];
	ok(q->loaded_tokens == 16 && s->kv.pool.used == 6,
	   "without what is before the window");
	copy();
	is(form(), " p2@16+1! graph", "then it begins behind that");
	results();
	ok(s->kv.pool.used == 0, "and gives everything back");
	copy();
}

int main(void)
{
	stored();
	loaded();
	late();
	with_windows();
	stop();
	return done();
}
