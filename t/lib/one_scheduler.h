/* one_scheduler.h -- the scheduler of one replica, a step at a time, as text:
 * for tests of policies. */
#ifndef T_ONE_SCHEDULER_H
#define T_ONE_SCHEDULER_H
#include "cost/cost.h"
#include "sim/scheduler.h"
#include "tap.h"

enum { MOST = 64, BATCHES = 2 };
static struct engine engine;
static struct sequence_pool pool;
static struct scheduler *s;
static struct batch batches[BATCHES];
static uint32_t n_formed, n_processed;
static int64_t clock_ns;
static uint32_t column[7][MOST];
static uint64_t ids[3][MOST];
static sc_step ahead[COST_BATCH];
static uint32_t ahead_ctx[COST_BATCH * MOST];
static const struct step_columns columns = {
    .prefill_new = column[0],
    .prefill_ctx = column[1],
    .prefill_last = column[2],
    .prefill_prompt = column[6],
    .prefill_id = ids[0],
    .decode_ctx = column[3],
    .decode_new = column[5],
    .decode_id = ids[1],
    .ahead = ahead,
    .ahead_ctx = ahead_ctx,
    .ctx = column[4],
    .id = ids[2],
};

static void stop(void)
{
	scheduler_free(s);
	pool_free(&pool);
	for (int i = 0; i < BATCHES; i++)
		batch_free(&batches[i]);
}

static void start(const struct policy *policy)
{
	stop();
	pool_init(&pool);
	n_formed = n_processed = 0;
	clock_ns = 0;
	for (int i = 0; i < BATCHES; i++)
		if (batch_make(&batches[i], MOST))
			bail_out("out of memory");
	s = scheduler_new(policy, &engine, &pool, &columns, 0);
	if (!s)
		bail_out("out of memory");
}

static struct engine small_engine(void)
{
	return (struct engine){.max_num_seqs = 8,
			       .max_num_batched_tokens = 100,
			       .block_size = 4,
			       .num_gpu_blocks = ENGINE_UNLIMITED,
			       .graph_max_tokens = 10};
}

/* A request that begins with n segments. */
static void come_with(uint32_t input, uint32_t output, int32_t priority,
		      const struct segment *segment, uint32_t n)
{
	uint32_t i = pool_take(&pool);
	struct sequence *q = &pool.item[i];
	const struct request r = {.row = i,
				  .input_tokens = input,
				  .output_tokens = output,
				  .priority = priority,
				  .n_segments = n,
				  .segment = segment};
	if (sequence_begin(q, &r, 0, (int)engine.prefix_caching))
		bail_out("out of memory");
	q->quota = output;
	q->order = i;
	scheduler_enqueue(s, i);
}

/* A request with the segment of `shared` tokens that all have. */
static void come_sharing(uint32_t input, uint32_t output, int32_t priority,
			 uint32_t shared)
{
	const struct segment common = {1, shared};
	come_with(input, output, priority, &common, shared != 0);
}

static void come(uint32_t input, uint32_t output, int32_t priority)
{
	come_sharing(input, output, priority, 0);
}

/* The next step as text, carried out. */
__attribute__((unused)) static const char *form(void)
{
	static char text[300];
	struct batch *b = &batches[n_formed % BATCHES];
	sc_step x = {.size = sizeof x};
	int n = 0;
	text[0] = '\0';
	if (!s->policy->choose(s, b, &x))
		return s->n_preempted ? "preempted" : "";
	for (uint32_t i = 0; i < x.n_decode; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, " d%d@%u",
			      (int)x.decode_id[i], x.decode_ctx[i]);
	for (uint32_t i = 0; i < x.n_prefill; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, " p%d@%u+%u%s",
			      (int)x.prefill_id[i], x.prefill_ctx[i],
			      x.prefill_new[i], x.prefill_last[i] ? "!" : "");
	snprintf(text + n, sizeof text - (size_t)n, "%s%s",
		 x.flags & SC_STEP_GRAPH ? " graph" : "",
		 s->n_preempted ? " preempted" : "");
	b->end_ns = clock_ns += 1000;
	s->policy->commit(s, b);
	s->last_end_ns = b->end_ns;
	n_formed++;
	return text;
}

/* The results of the oldest step; requests with their last token have left. */
__attribute__((unused)) static const struct batch *results(void)
{
	struct batch *b = &batches[n_processed++ % BATCHES];
	s->policy->process(s, b, b->end_ns);
	return b;
}
#endif
