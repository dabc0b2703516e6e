/* News of requests come in the order of time. */
#include "sim/route/tickets.h"
#include "math/rng.h"
#include "tap.h"

int main(void)
{
	struct tickets t;
	struct ticket_event event, last = {0};
	struct rng r = rng_stream(3, RNG_SAMPLE, 0);
	int wrong = 0, n = 0;
	tickets_init(&t);
	for (uint32_t i = 0; i < 200; i++)
		wrong += tickets_take(&t) != i;
	tickets_give_back(&t, 7);
	t.item[7].node = 5;
	ok(!wrong && tickets_take(&t) == 7 && t.item[7].node == 0,
	   "tickets are numbered, and used again");
	for (uint32_t i = 0; i < 200; i++)
		for (uint32_t over = 2; over-- > 0;)
			wrong += tickets_await(
			    &t, (struct ticket_event){
				    (int64_t)rng_below(&r, 50), i, over});
	for (int64_t now = 0; now < 49; now += 7)
		while (tickets_next_event(&t, now, &event)) {
			wrong += event.at_ns > now || event.at_ns < last.at_ns;
			wrong += event.at_ns == last.at_ns &&
				 event.is_over < last.is_over;
			last = event;
			n++;
		}
	ok(!wrong && n > 300 && n < 400, "what is due, first tokens first");
	while (tickets_next_event(&t, 49, &event))
		n++;
	ok(n == 400, "and in the end all");
	tickets_free(&t);
	return done();
}
