/* Replicas over time, by hand: twelve bins of 10 us. */
#include "record/replica_series.h"
#include "logged.h"

static struct request_event event(uint64_t row, uint32_t replica, int64_t came)
{
	return (struct request_event){
	    .request = {.row = row,
			.arrival_ns = 1000 * came,
			.input_tokens = 100,
			.output_tokens = 1},
	    .ending = REQUEST_ENDED,
	    .seen_ns = 1000 * came,
	    .last_token_ns = 120000,
	    .n_visits = 1,
	    .visit = {{replica, 1000 * came, 120000}}};
}

int main(void)
{
	const struct made m[] = {
	    {.start_us = 15, .end_us = 30, .part = {{0, 40, 60, 1}}},
	    {.start_us = 30, .end_us = 35, .part = {{0, 100, 1, 0}}},
	    {.replica = 1,
	     .start_us = 110,
	     .end_us = 120,
	     .part = {{1, 0, 100, 1}, {7, 0, 5, 1}}},
	};
	const struct request_event q[] = {event(0, 0, 0), event(1, 1, 110)};
	struct steplog steps = LOGGED(m), l;
	struct replica_series x;
	FILE *f = tmpfile();
	if (!f)
		bail_out("no temporary file");
	steplog_write_request(f, &q[0]);
	steplog_write_request(f, &q[1]);
	fflush(f);
	if (steplog_map(&l, f, &p) < 0 ||
	    replica_series_read(&x, 2, &steps, &l, &p) < 0)
		bail_out(p.text);
	fclose(f);
	ok(x.from_ns == 0 && x.to_ns == 120000, "from arrival to last token");
	const struct replica_bin *one = x.bin, *two = x.bin + REPLICA_BINS;
	near(one[0].waiting, 1, 1e-12, "one waits in the first bin");
	near(one[1].waiting, 0.5, 1e-12, "and in half of the second");
	ok(one[2].waiting == 0 && two[11].waiting == 0, "nobody waits");
	near(one[1].kv_tokens, 50, 1e-12, "its step has 100 tokens");
	near(one[2].kv_tokens, 100, 1e-12, "all the time");
	near(one[3].kv_tokens, 50, 1e-12, "then it decodes");
	near(two[11].kv_tokens, 105, 1e-12, "also of others");
	ok(one[1].prompt_tokens == 100 && one[1].hit_tokens == 40,
	   "40 tokens were there");
	ok(two[11].prompt_tokens == 100 && two[11].hit_tokens == 0,
	   "none was, and a request that did not end is not counted");
	ok(x.computing[14] == 0 && x.computing[15] == 1 &&
	       x.computing[34] == 1 && x.computing[36] == 0 &&
	       x.computing[119] == 1,
	   "replicas that compute");
	replica_series_free(&x);
	steplog_unmap(&l);
	l = (struct steplog){0};
	if (replica_series_read(&x, 2, &l, &l, &p) < 0)
		bail_out(p.text);
	ok(x.bin[0].waiting == 0 && x.computing[0] == 0, "an empty run");
	replica_series_free(&x);
	steplog_unmap(&steps);
	return done();
}
