/* The pool of sequences, and the queues in which they wait. */
#include "sim/sequence.h"
#include "tap.h"

static struct sequence_pool pool;

static void taking(void)
{
	uint32_t seen = 0;
	pool_init(&pool);
	for (uint32_t i = 0; i < 1000; i++)
		seen += pool_take(&pool) == i;
	ok(seen == 1000 && pool.in_use == 1000, "a thousand, numbered");
	pool.item[7].quota = 5;
	pool_give_back(&pool, 7);
	pool_give_back(&pool, 900);
	ok(pool.in_use == 998, "two given back");
	ok(pool_take(&pool) == 900 && pool_take(&pool) == 7,
	   "are the next to be taken");
	const struct sequence *q = &pool.item[7];
	ok(q->quota == 0 && q->scheduled_ns == -1 && q->first_token_ns == -1 &&
	       q->in_use && !q->name && !q->kv.content,
	   "as if new");
	ok(pool_take(&pool) == 1000, "then the pool grows again");
}

static void beginning(void)
{
	const struct segment s = {5, 8};
	const struct request r = {.row = 9,
				  .input_tokens = 8,
				  .output_tokens = 3,
				  .priority = 4,
				  .n_segments = 1,
				  .segment = &s,
				  .name = "a request"};
	uint32_t plain = pool_take(&pool), full = pool_take(&pool);
	struct sequence *q = &pool.item[plain];
	ok(sequence_begin(q, &r, 0, 0) == 0 && q->request.row == 9 &&
	       q->request.output_tokens == 3 && q->request.priority == 4,
	   "a sequence has what its request has");
	ok(!q->request.name && !q->request.segment && !q->request.n_segments &&
	       !q->kv.content,
	   "but nothing of what is the workload's");
	q = &pool.item[full];
	ok(sequence_begin(q, &r, 1, 1) == 0 && q->request.name != r.name,
	   "if asked for,");
	is(q->request.name, "a request", "a copy of its name");
	ok(q->kv.content && q->kv.content->n == 2 &&
	       q->kv.content->shared_tokens == 8,
	   "and what its blocks are found by");
	sequence_enter(q, 2, 70);
	sequence_leave(q, 90);
	sequence_enter(q, 3, 95);
	ok(q->n_visits == 2 && q->visit[0].replica == 2 &&
	       q->visit[0].from_ns == 70 && q->visit[0].to_ns == 90 &&
	       q->visit[1].replica == 3 && q->visit[1].to_ns < 0,
	   "where it was, and is");
	for (int i = 0; i < 9; i++)
		sequence_enter(q, 4, 100);
	ok(q->n_visits == REQUEST_VISITS,
	   "no more stays than there is room for");
	pool_give_back(&pool, full);
	ok(!pool.item[full].kv.content && !pool.item[full].name,
	   "which it gives back");
	pool_free(&pool);
}

/* The rows of a queue, from its first to its last. */
static const char *drained(struct queue *q)
{
	static char text[200];
	size_t n = 0;
	text[0] = '\0';
	while (q->n) {
		n += (size_t)snprintf(
		    text + n, sizeof text - n, "%d",
		    (int)pool.item[queue_first(q)].request.row);
		queue_pop(q, &pool);
	}
	queue_free(q);
	*q = (struct queue){.before = q->before};
	return text;
}

static void fill(struct queue *q, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (queue_push(q, &pool, i))
			bail_out("out of memory");
}

static void queues(void)
{
	static const struct {
		int32_t priority;
		int64_t arrival_ns, seen_ns;
	} of[] = {
	    {1, 0, 50}, {0, 20, 40}, {0, 10, 40}, {1, 0, 30}, {-3, 99, 5}};
	enum { N = sizeof of / sizeof *of };
	struct queue fifo = {0}, priority = {.before = by_priority},
		     seen = {.before = by_time_seen};
	pool_init(&pool);
	for (uint32_t i = 0; i < N; i++) {
		uint32_t at = pool_take(&pool);
		struct sequence *q = &pool.item[at];
		q->request.row = i;
		q->request.priority = of[i].priority;
		q->request.arrival_ns = of[i].arrival_ns;
		q->seen_ns = of[i].seen_ns;
	}
	ok(queue_first(&fifo) == NO_SEQUENCE, "an empty queue has no first");
	fill(&fifo, N);
	is(drained(&fifo), "01234", "first in, first out");
	fill(&fifo, 3);
	queue_pop(&fifo, &pool);
	queue_push_back(&fifo, &pool, 4);
	queue_push_back(&fifo, &pool, 3);
	is(drained(&fifo), "3412", "pushed back: to the front");
	fill(&priority, N);
	is(drained(&priority), "42103",
	   "by priority, then by arrival, then by row");
	fill(&priority, 4);
	queue_push_back(&priority, &pool, 4);
	is(drained(&priority), "42103", "pushed back: where its rank says");
	fill(&seen, N);
	is(drained(&seen), "43120", "by the time seen, then by row");
	pool_free(&pool);
}

static void many(void)
{
	struct queue fifo = {0}, heap = {.before = by_time_seen};
	int wrong = 0;
	pool_init(&pool);
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t at = pool_take(&pool);
		pool.item[at].seen_ns = i * 7919 % 1000;
	}
	fill(&heap, 1000);
	for (int64_t i = 0; i < 1000; i++, queue_pop(&heap, &pool))
		wrong += pool.item[queue_first(&heap)].seen_ns != i;
	ok(!wrong && heap.n == 0, "a heap of 1,000 is in order");
	for (uint32_t in = 0, taken = 0; taken < 1000; taken++) {
		for (int k = 0; k < 3 && in < 1000; k++)
			queue_push(&fifo, &pool, in++);
		wrong += queue_first(&fifo) != taken;
		queue_pop(&fifo, &pool);
	}
	ok(!wrong && fifo.n == 0, "so is a ring that grows as it turns");
	queue_free(&heap);
	queue_free(&fifo);
	pool_free(&pool);
}

int main(void)
{
	taking();
	beginning();
	queues();
	many();
	return done();
}
