/* Copies between GPU and host: when they run, and when they are noticed. */
#include "sim/offload/offload.h"
#include <stdlib.h>
#include "tap.h"

static const struct offload_rules rules = {
    .chunks = 4, .blocks_per_chunk = 1, .bytes_per_ns = 1, .latency_ns = 5};
static const uint64_t key[] = {11, 12, 13, 14, 15, 16};
static const struct kv_groups one = {
    .n_kinds = 1,
    .kind = {{.block_size = 1, .n_layers = 1, .n_groups = 1}},
    .page_bytes = 100};
static const struct kv_groups window_and_full = {
    .n_kinds = 2,
    .kind = {{.window = 2, .block_size = 1, .n_layers = 1, .n_groups = 1},
	     {.block_size = 1, .n_layers = 3, .n_groups = 1}},
    .page_bytes = 100};
static struct blocks pool;
static struct offload *o;
static struct offloaded *of;
static struct transfer_event told[8];
static uint32_t n_told;

static void tell(void *ctx, const struct transfer_event *e)
{
	(void)ctx;
	told[n_told++] = *e;
}

/* Block k is the k-th of a group; others follow in the next group. */
static void give(void)
{
	for (uint32_t g = 0; g < of->n_groups; g++) {
		struct offloaded_group *x = &of->group[g];
		x->n_given = x->cap_given = 6;
		x->given = calloc(6, sizeof *x->given);
		for (uint32_t k = 0; x->given && k < 6; k++)
			x->given[k] = (struct given_block){6 * g + k, 1};
	}
}

static void begin_groups(const struct offload_rules *r,
			 const struct kv_groups *g)
{
	uint32_t taken[12];
	blocks_init(&pool, 12, BLOCKS_LRU);
	o = offload_new(r, g, 1);
	of = offloaded_new(0, kv_groups_count(g));
	if (!o || !of || blocks_take(&pool, taken, 12))
		bail_out("no memory");
	give();
	o->tell = tell;
	n_told = 0;
}

static void begin(const struct offload_rules *r)
{
	begin_groups(r, &one);
}

static const struct offload_text three = {.known = 3, .key = key};

/* Stores the first `tokens` of three tokens. */
static void store(uint32_t tokens, int64_t now)
{
	const struct offload_reach reach = {.text = three, .tokens = tokens};
	offload_store(o, of, &reach, &pool, now);
}

static void end(void)
{
	offload_free(o);
	offloaded_free(of);
	blocks_free(&pool);
}

/* The next call goes to the worker. */
static int64_t pass(int64_t now, int64_t gpu_ns)
{
	int64_t w = offload_pass(o, now, gpu_ns, &pool);
	pool.call++;
	return w;
}

static void stores(void)
{
	begin(&rules);
	pool.call = 1;
	store(2, 0);
	ok(offload_is_busy(o) && of->group[0].stored == 2 && o->chunks.n == 2,
	   "chunks are stored");
	ok(pass(10, 0) == 10, "in the call after");
	ok(pass(500, 700) == 500, "which does not wait for it");
	ok(pass(904, 700) == 904, "begins behind the steps on the GPU");
	offload_notice(o, 3, 1000);
	ok(n_told == 0, "and is not over yet");
	pass(905, 700);
	offload_notice(o, 4, 1100);
	ok(n_told == 1 && told[0].start_ns == 700 && told[0].end_ns == 905 &&
	       told[0].seen_ns == 1100 && told[0].blocks == 2 &&
	       told[0].is_store && !offload_is_busy(o),
	   "bytes / bandwidth + latency later it is");
	store(2, 0);
	ok(!offload_is_busy(o), "nothing is stored twice");
	end();
}

static void loads(void)
{
	begin(&rules);
	pool.call = 1;
	store(3, 0);
	pass(0, 0);
	pass(0, 0);
	pass(305, 0);
	offload_notice(o, 3, 310);
	offload_load(o, of, &three, 0, 2, 320);
	ok(of->load == LOAD_UNDER_WAY && o->chunks.chunk[0].loads == 1,
	   "a load holds its chunks");
	ok(pass(320, 1000) == 320 && pass(525, 1000) == 525,
	   "it waits for no step");
	offload_notice(o, 5, 600);
	ok(of->load == LOAD_DONE && o->chunks.chunk[0].loads == 0 &&
	       told[1].start_ns == 320 && told[1].end_ns == 525,
	   "and is noticed with a later batch");
	ok(o->figures.loads == 1 && o->figures.load_bytes == 200 &&
	       o->figures.load_ns == 205,
	   "copies are counted");
	end();
}

static void waiting(void)
{
	begin(&rules);
	pool.call = 1;
	store(1, 0);
	of->preempted_in = 1;
	ok(pass(10, 50) == 155 && o->figures.waited_ns == 145,
	   "a step waits for the stores of a request that is preempted");
	offload_notice(o, 1, 200);
	ok(n_told == 1, "which are then over");
	pool.block[1].taken_in = 3;
	store(2, 0);
	of->is_over = 1;
	ok(pass(200, 0) == 200, "nobody took a block of an ended request");
	ok(pass(200, 0) == 305, "the step that does waits");
	of = NULL; /* goes with its last job */
	offload_notice(o, 3, 400);
	ok(!offload_is_busy(o), "all is noticed");
	end();
}

static void thresholds(void)
{
	struct offload_rules r = rules;
	r.store_threshold = 2;
	r.chunks = 1;
	begin(&r);
	offload_count(o, key[0]);
	store(1, 0);
	ok(!offload_is_busy(o) && of->group[0].stored == 1,
	   "asked for once is not enough");
	of->group[0].stored = 0;
	offload_count(o, key[0]);
	store(1, 0);
	ok(offload_is_busy(o), "twice is");
	offload_count(o, key[1]);
	offload_count(o, key[1]);
	store(2, 0);
	ok(o->figures.refused == 1 && of->group[0].stored == 1,
	   "without room it is tried again");
	end();
}

static void last_ones(void)
{
	const struct offload_reach reach = {.text = three, .tokens = 2};
	begin(&rules);
	store(1, 0);
	pool.call = 1;
	pass(0, 0);
	pass(0, 0);
	pass(105, 0);
	offload_end(o, of, &reach);
	ok(o->n_ended == 1, "the last chunks of a request are kept");
	offload_notice(o, 3, 200);
	of = NULL;
	ok(o->n_ended == 0,
	   "but not if its stores are noticed in the turn in which it ends");
	end();
	begin(&rules);
	offload_end(o, of, &reach);
	offload_store_ended(o, &pool, 0);
	of = NULL; /* goes with its job */
	ok(o->n_ended == 0 && o->chunks.n == 2 && o->under_way == 1,
	   "they are stored in the next call");
	end();
	begin(&rules);
	offload_end(o, of, NULL);
	of = NULL;
	ok(o->n_ended == 0, "nothing is kept of a request without chunks");
	end();
}

/* A chunk less than that is stored of a request that drafts. */
static void chunks_less(void)
{
	struct offload_reach reach = {
	    .text = three, .tokens = 3, .chunks_less = 1};
	begin(&rules);
	offload_store(o, of, &reach, &pool, 0);
	ok(o->chunks.n == 2 && of->group[0].stored == 2, "a chunk less");
	reach.tokens = 0;
	offload_store(o, of, &reach, &pool, 0);
	ok(of->group[0].stored == 2, "but never less than before");
	end();
}

static void groups(void)
{
	struct offload_rules r = rules;
	r.chunks = 8;
	begin_groups(&r, &window_and_full);
	pool.call = 2;
	pool.block[1].taken_in = 2;
	store(3, 0);
	ok(o->chunks.n == 5 && of->group[0].stored == 3 &&
	       of->group[1].stored == 3,
	   "a block of a window that another has is not stored");
	pool.block[0].taken_in = 2;
	pass(0, 0);
	ok(pass(0, 0) == 0, "a step waits for no block of the same call");
	pool.block[0].taken_in = pool.call;
	ok(pass(0, 0) == 1105,
	   "but for those of windows of calls before, by layers and blocks");
	offload_notice(o, 4, 1200);
	ok(n_told == 1 && told[0].blocks == 5 && told[0].chunks == 5,
	   "one job has all groups");
	offload_load(o, of, &three, 0, 3, 1200);
	ok(o->loads.n == 1 && o->loads.job[0]->is.blocks == 4 &&
	       o->loads.job[0]->bytes == 1000,
	   "a load leaves out what is before the window");
	end();
}

int main(void)
{
	stores();
	loads();
	waiting();
	thresholds();
	last_ones();
	chunks_less();
	groups();
	return done();
}
