/* Requests are told apart by their hash. */
#include "workload/request.h"
#include "tap.h"

static void hashes(void)
{
	const struct segment s = {7, 9};
	const struct request r = {
	    .row = 1, .arrival_ns = 5, .input_tokens = 9, .output_tokens = 2};
	struct request q = r;
	ok(request_hash(&r, 1) == request_hash(&q, 1), "equal requests");
	q.arrival_ns = 6;
	ok(request_hash(&r, 1) != request_hash(&q, 1) &&
	       request_hash(&r, 0) == request_hash(&q, 0),
	   "another arrival, which may be left out");
	q = r;
	q.slo_class = 1;
	ok(request_hash(&r, 0) != request_hash(&q, 0), "another class");
	q = r;
	q.n_segments = 1;
	q.segment = &s;
	ok(request_hash(&r, 0) != request_hash(&q, 0), "another prompt");
}

int main(void)
{
	hashes();
	return done();
}
