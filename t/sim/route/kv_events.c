/* Events that reach a router at once, or late. */
#include "sim/route/kv_events.h"
#include "tap.h"

static struct kv_events e;

static int knows(uint64_t key)
{
	return holders_find(&e.index, key) != NULL;
}

static void begin(int64_t delay_ns)
{
	kv_events_free(&e);
	e = (struct kv_events){.index.n_words = 1, .delay_ns = delay_ns};
}

int main(void)
{
	begin(0);
	kv_events_publish(&e, 1, 5, 1, 100);
	ok(knows(5), "a block has come");
	kv_events_publish(&e, 1, 5, 0, 100);
	ok(!knows(5), "and is gone");
	begin(50);
	for (uint64_t k = 1; k <= 3000; k++)
		kv_events_publish(&e, 0, k, 1, (int64_t)k);
	kv_events_publish(&e, 0, 1, 0, 3000);
	kv_events_deliver(&e, 1049);
	ok(knows(1) && knows(999) && !knows(1000), "those of 50 before");
	kv_events_deliver(&e, 1050);
	ok(knows(1000) && !knows(1001), "at the very time");
	for (uint64_t k = 4001; k <= 9000; k++)
		kv_events_publish(&e, 0, k, 1, (int64_t)k);
	kv_events_deliver(&e, 3049);
	ok(knows(1), "not yet gone");
	kv_events_deliver(&e, 9050);
	ok(!knows(1) && knows(9000) && e.n == 0, "all in order");
	kv_events_free(&e);
	return done();
}
