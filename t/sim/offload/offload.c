/* Copies between GPU and host: when they run, and when they are noticed. */
#include "sim/offload/offload.h"
#include <stdlib.h>
#include "tap.h"

static const struct offload_rules rules = {.chunks = 4,
					   .blocks_per_chunk = 1,
					   .block_bytes = 100,
					   .bytes_per_ns = 1,
					   .latency_ns = 5};
static const uint64_t key[] = {11, 12, 13, 14, 15, 16};
static const uint32_t block[] = {0, 1, 2, 3, 4, 5};
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

static void begin(const struct offload_rules *r)
{
	uint32_t taken[6];
	blocks_init(&pool, 6, BLOCKS_LRU);
	o = offload_new(r);
	of = calloc(1, sizeof *of);
	if (!o || !of || blocks_take(&pool, taken, 6))
		bail_out("no memory");
	o->tell = tell;
	n_told = 0;
}

static void end(void)
{
	offload_free(o);
	free(of);
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
	offload_store(o, of, key, 3, block, 2, 0);
	ok(offload_is_busy(o) && of->stored == 2 && o->chunks.n == 2,
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
	offload_store(o, of, key, 3, block, 2, 0);
	ok(!offload_is_busy(o), "nothing is stored twice");
	end();
}

static void loads(void)
{
	begin(&rules);
	pool.call = 1;
	offload_store(o, of, key, 3, block, 3, 0);
	pass(0, 0);
	pass(0, 0);
	pass(305, 0);
	offload_notice(o, 3, 310);
	offload_load(o, of, key, 2, 2, 320);
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
	offload_store(o, of, key, 3, block, 1, 0);
	of->preempted_in = 1;
	ok(pass(10, 50) == 155 && o->figures.waited_ns == 145,
	   "a step waits for the stores of a request that is preempted");
	offload_notice(o, 1, 200);
	ok(n_told == 1, "which are then over");
	pool.block[1].taken_in = 3;
	offload_store(o, of, key, 3, block, 2, 0);
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
	offload_store(o, of, key, 2, block, 1, 0);
	ok(!offload_is_busy(o) && of->stored == 1,
	   "asked for once is not enough");
	of->stored = 0;
	offload_count(o, key[0]);
	offload_store(o, of, key, 2, block, 1, 0);
	ok(offload_is_busy(o), "twice is");
	offload_count(o, key[1]);
	offload_count(o, key[1]);
	offload_store(o, of, key, 2, block, 2, 0);
	ok(o->figures.refused == 1 && of->stored == 1,
	   "without room it is tried again");
	end();
}

static void last_ones(void)
{
	begin(&rules);
	uint64_t *k = malloc(sizeof key);
	uint32_t *b = malloc(sizeof block);
	if (!k || !b)
		bail_out("no memory");
	offload_store(o, of, key, 3, block, 1, 0);
	pool.call = 1;
	pass(0, 0);
	pass(0, 0);
	pass(105, 0);
	offload_end(o, of, k, 3, b, 2);
	ok(o->n_ended == 1, "the last chunks of a request are kept");
	offload_notice(o, 3, 200);
	of = NULL;
	ok(o->n_ended == 0,
	   "but not if its stores are noticed in the turn in which it ends");
	end();
}

int main(void)
{
	stores();
	loads();
	waiting();
	thresholds();
	last_ones();
	return done();
}
