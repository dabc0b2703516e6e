/* How uneven the queues were while a request waited. */
#include "record/queues.h"
#include "logged.h"

static struct request_event event(uint64_t row, uint32_t replica, int64_t came)
{
	return (struct request_event){
	    .request = {.row = row, .input_tokens = 5, .output_tokens = 1},
	    .ending = REQUEST_ENDED,
	    .seen_ns = 1000 * came,
	    .last_token_ns = 90000,
	    .n_visits = 1,
	    .visit = {{replica, 1000 * came, 90000}}};
}

static struct steplog requests(const struct request_event *q, size_t n)
{
	struct steplog l;
	FILE *f = tmpfile();
	if (!f)
		bail_out("no temporary file");
	for (size_t i = 0; i < n; i++)
		steplog_write_request(f, &q[i]);
	fflush(f);
	if (steplog_map(&l, f, &p) < 0)
		bail_out(p.text);
	fclose(f);
	return l;
}

int main(void)
{
	struct engine e = {.replicas = 2, .ranks = 1, .lockstep_ranks = 1};
	const struct made m[] = {
	    {.start_us = 10, .end_us = 30, .part = {{0, 0, 5, 1}}},
	    {.start_us = 30,
	     .end_us = 40,
	     .part = {{1, 0, 5, 1}, {4, 0, 5, 1}}},
	    {.replica = 1,
	     .start_us = 25,
	     .end_us = 50,
	     .part = {{2, 0, 5, 1}}},
	    {.replica = 1,
	     .start_us = 60,
	     .end_us = 90,
	     .part = {{3, 0, 5, 1}}},
	};
	/* replica 0 has a queue in [0, 10) and [15, 30), of two from 20 on;
	 * replica 1 in [5, 25) and never again: request 3 starts at once */
	const struct request_event q[] = {event(0, 0, 0), event(1, 0, 15),
					  event(2, 1, 5), event(3, 1, 60),
					  event(4, 0, 20)};
	struct steplog steps = LOGGED(m), l = requests(q, 5);
	struct queues x;
	if (queues_read(&x, &e, &steps, &l, &p) < 0)
		bail_out(p.text);
	/* half of [0, 5); then the other replica has one too */
	ok(queues_uneven(&x, 0, 10000) == 2500, "until both have one");
	ok(queues_uneven(&x, 0, 4000) == 1000, "a part of it");
	/* [20, 25): 2 of 3 in all, so 1/4; [25, 30): 2 of 2, so 1/2 */
	ok(queues_uneven(&x, 1, 15000) == 1250 + 2500, "a longer queue");
	ok(queues_uneven(&x, 4, 10000) == 1250 + 2500, "for both of it");
	/* [10, 15): the only one */
	ok(queues_uneven(&x, 2, 20000) == 2500, "the shorter one is not");
	ok(queues_uneven(&x, 3, 1000) == 0, "no wait");
	ok(queues_uneven(&x, 77, 1000) == 0, "it did not end");
	queues_free(&x);
	e.prefill_replicas = 1;
	if (queues_read(&x, &e, &steps, &l, &p) < 0)
		bail_out(p.text);
	ok(queues_uneven(&x, 0, 10000) == 0, "a pool of one");
	queues_free(&x);
	e.prefill_replicas = 0;
	e.fleet.dies = 1;
	if (queues_read(&x, &e, &steps, &l, &p) < 0)
		bail_out(p.text);
	ok(queues_uneven(&x, 0, 10000) == 0, "replicas that come and go");
	queues_free(&x);
	steplog_unmap(&steps);
	steplog_unmap(&l);
	return done();
}
