#include "workload/planned.h"
#include "tap.h"

static const struct planned_request three[] = {
    {.arrival_ns = 10,
     .input_tokens = 5,
     .output_tokens = 1,
     .n_segments = 1,
     .segment = {{77, 4}}},
    {.arrival_ns = 10, .input_tokens = 6, .output_tokens = 2},
    {.arrival_ns = 40, .input_tokens = 7, .output_tokens = 3},
};

/* The time of the next request, which is taken; -1: none is known. */
static int64_t next(struct planned *l)
{
	struct request r;
	int64_t ns;
	if (!planned_peek(l, &ns))
		return -1;
	planned_pop(l, &r);
	ok(r.arrival_ns == ns && r.input_tokens == 5 + r.row &&
	       r.output_tokens == 1 + r.row,
	   "request %d at %d ns", (int)r.row, (int)ns);
	return ns;
}

static void open_loop(void)
{
	struct planned l;
	struct request r;
	int64_t ns;
	if (planned_open(&l, three, 3, 0) < 0)
		bail_out("out of memory");
	ok(planned_peek(&l, &ns) == 1 && planned_peek(&l, &ns) == 1 && ns == 10,
	   "looking takes nothing");
	planned_pop(&l, &r);
	ok(r.row == 0 && r.n_segments == 1 && r.segment[0].id == 77,
	   "a request as it was planned");
	ok(next(&l) == 10 && next(&l) == 40 && next(&l) == -1,
	   "each at its time, whoever has finished");
	planned_free(&l);
	if (planned_open(&l, three, 0, 0) < 0)
		bail_out("out of memory");
	ok(next(&l) == -1, "no requests");
	planned_free(&l);
}

static void closed_loop(void)
{
	struct planned l;
	if (planned_open(&l, three, 3, 1) < 0)
		bail_out("out of memory");
	ok(next(&l) == 10 && next(&l) == -1, "one client waits for its answer");
	planned_finished(&l, 25);
	ok(next(&l) == 25 && next(&l) == -1, "and goes on when it has it");
	planned_finished(&l, 30);
	ok(next(&l) == 40 && next(&l) == -1,
	   "but not before the request's time");
	planned_finished(&l, 90);
	ok(next(&l) == -1, "until there are no more");
	planned_free(&l);
	if (planned_open(&l, three, 3, 100) < 0)
		bail_out("out of memory");
	ok(next(&l) == 10 && next(&l) == 10 && next(&l) == 40 && next(&l) == -1,
	   "more clients than requests");
	planned_free(&l);
}

int main(void)
{
	open_loop();
	closed_loop();
	return done();
}
