/* What `trace info` says of a trace. */
#include "workload/trace/trace_summary.h"
#include "scratch.h"

static struct problem p;
static struct trace_summary s;

static int take(const char *text, uint64_t limit)
{
	const struct trace_options o = {.format = "auto"};
	p = (struct problem){0};
	struct trace *t = trace_open(scratch_file("trace", text), &o, &p);
	if (!t)
		bail_out(p.text);
	int rc = trace_summary_take(&s, t, limit, &p);
	trace_free(t);
	return rc;
}

#define HEAD "arrival_us,input_tokens,output_tokens\n"

static void cancels(void)
{
	ok(take("arrival_us,input_tokens,output_tokens,cancel_us\n"
		"0,10,1,\n1,40,1,500\n2,20,1,3\n",
		0) == 0 &&
	       s.requests == 3 && s.cancelled == 2,
	   "clients that give up: %s", p.text);
	trace_summary_free(&s);
}

static void lengths(void)
{
	ok(take(HEAD "0,10,1\n1,40,1\n2,20,1\n3,30,1\n3,40,3\n", 0) == 0, "%s",
	   p.text);
	ok(s.requests == 5 && s.input.n == 5 && s.input.sum == 140 &&
	       s.output.sum == 7,
	   "requests and tokens");
	ok(counts_percentile(&s.input, 0) == 10 &&
	       counts_percentile(&s.input, 25) == 20 &&
	       counts_percentile(&s.input, 50) == 30 &&
	       counts_percentile(&s.input, 100) == 40,
	   "percentiles at values, with their counts");
	ok(s.cancelled == 0, "no client gives up");
	near(counts_percentile(&s.input, 10), 14, 1e-12, "and between them");
	near(counts_percentile(&s.output, 90), 2.2, 1e-12, "as numpy's");
	near(counts_mean(&s.input), 28, 1e-15, "mean");
	near(counts_std(&s.input), sqrt(136), 1e-12,
	     "deviation of the population");
	trace_summary_free(&s);
}

static void gaps(void)
{
	take(HEAD "0,1,1\n1000,1,1\n1000,1,1\n4000,1,1\n", 0);
	ok(s.span_ns == 4000000 && s.gap_max_ns == 3000000 &&
	       s.zero_gaps == 1 && s.inversion == 0,
	   "span, longest gap, gaps of nothing");
	near(trace_summary_rate(&s), 750, 1e-12, "rate after the first");
	near(trace_summary_gap_cv(&s),
	     sqrt((1. / 9 + 16. / 9 + 25. / 9) / 3) / (4. / 3), 1e-12,
	     "coefficient of variation of the gaps");
	trace_summary_free(&s);
	take(HEAD "4000,1,1\n0,1,1\n1000,1,1\n1000,1,1\n", 0);
	ok(s.inversion == 3 && s.span_ns == 4000000 &&
	       s.gap_max_ns == 3000000 && s.zero_gaps == 1,
	   "rows out of order: the same, by time; the line is told");
	trace_summary_free(&s);
	take(HEAD "4000,1,1\n0,1,1\n1000,1,1\n", 1);
	ok(s.requests == 1 && s.inversion == 0 &&
	       isnan(trace_summary_rate(&s)) && isnan(trace_summary_gap_cv(&s)),
	   "one request has neither rate nor gap");
	trace_summary_free(&s);
}

static void shares(void)
{
	take("{\"timestamp\": 0, \"input_length\": 600, \"output_length\": 1, "
	     "\"hash_ids\": [7, 8]}\n"
	     "{\"timestamp\": 5, \"input_length\": 1025, \"output_length\": 9, "
	     "\"hash_ids\": [7, 9, 8]}\n",
	     0);
	ok(s.hash_ids == 5 && s.hash_hits == 2 && s.blocks.n == 3,
	   "hash ids, those seen before, different ones");
	trace_summary_free(&s);
}

static void faults(void)
{
	ok(take(HEAD, 0) < 0 && p.code == EXIT_INPUT &&
	       strstr(p.text, "no requests"),
	   "an empty trace: %s", p.text);
	trace_summary_free(&s);
	ok(take(HEAD "0,1,1\n1,x,1\n", 0) < 0 && strstr(p.text, "trace:3: "),
	   "a bad row: %s", p.text);
	trace_summary_free(&s);
}

static void sessions(void)
{
	ok(take("arrival_us,input_tokens,output_tokens,session_id\n"
		"5,1,1,a\n4,1,1,b\n3,1,1,a\n6,1,1,\n",
		0) == 0 &&
	       s.sessions.n == 2 && s.inversion == 3,
	   "sessions, and the first of two rows that go back");
	trace_summary_free(&s);
	ok(take("{\"request_id\":\"a\",\"input_tokens\":9,\"output_tokens\":5,"
		"\"arrival_us\":7}\n"
		"{\"request_id\":\"b\",\"input_tokens\":9,\"output_tokens\":5,"
		"\"after\":[\"a\"]}\n"
		"{\"request_id\":\"c\",\"input_tokens\":9,\"output_tokens\":5,"
		"\"arrival_us\":2}\n",
		0) == 0 &&
	       s.requests == 3 && s.timed == 2 && s.span_ns == 5000,
	   "rows that come after others have no gap");
	trace_summary_free(&s);
}

int main(void)
{
	scratch_open();
	lengths();
	cancels();
	gaps();
	shares();
	faults();
	sessions();
	return done();
}
