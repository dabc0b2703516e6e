/* Reads results of GuideLLM. */
#include "results_read.h"

#define METRIC(mean, p99)                                                      \
	"{'successful': {'mean': " mean ", 'median': 2, 'count': 2,"           \
	"'percentiles': {'p50': 1, 'p90': 3, 'p99': " p99 "}},"                \
	"'errored': {'mean': 0.0}}"
#define METRICS                                                                \
	"'metrics': {'request_totals': {'successful': 2, 'errored': 1,"        \
	"'incomplete': 3}, 'request_latency': " METRIC(                        \
	    "0.5",                                                             \
	    "0.9") ","                                                         \
		   "'time_to_first_token_ms': " METRIC(                        \
		       "40",                                                   \
		       "80") ","                                               \
			     "'time_per_output_token_ms': " METRIC(            \
				 "20",                                         \
				 "21") ","                                     \
				       "'inter_token_latency_ms': " METRIC(    \
					   "10",                               \
					   "11") ","                           \
						 "'prompt_token_count':"       \
						 " " METRIC(                   \
						     "64",                     \
						     "70") ","                 \
							   "'output_token_"    \
							   "count': " METRIC(  \
							       "8",            \
							       "9") "}, "      \
								    "'duratio" \
								    "n': 12.5"
#define REQUEST(start, in, out, ttft, latency)                                 \
	"{'request_start_time': " start ", 'prompt_tokens': " in ","           \
	"'output_tokens': " out ", 'time_to_first_token_ms': " ttft ","        \
	"'request_latency': " latency "}"

static void summary(void)
{
	ok(read_text("{'args': {'model': 'm/x'}, 'benchmarks': [{" METRICS ","
		     "'config': {'strategy': {'type_': 'concurrent',"
		     "'streams': 16}}}, {" METRICS ", 'args': {'strategy':"
		     "{'type_': 'constant', 'rate': 2.5}}}]}") == 0 &&
	       m.n == 2,
	   "two benchmarks: %s", p.text);
	is(m.row[0].id, "r.json:1:1", "the number of each is in its name");
	is(m.row[0].model, "m/x", "the model");
	ok(m.row[0].concurrency == 16 && isnan(m.row[0].request_rate) &&
	       m.row[1].request_rate == 2.5 && m.row[0].num_requests == 2 &&
	       m.row[0].n_failed == 4 && m.row[0].input_tokens == 64 &&
	       m.row[0].output_tokens == 8 && m.row[0].is_summary,
	   "their loads");
	ok(time_of(RUN_TTFT, STATISTIC_MEAN) == 40 &&
	       time_of(RUN_TTFT, STATISTIC_P50) == 2 &&
	       time_of(RUN_TTFT, STATISTIC_P90) == 3 &&
	       time_of(RUN_TTFT, STATISTIC_P99) == 80 &&
	       time_of(RUN_E2EL, STATISTIC_MEAN) == 500,
	   "times");
	ok(time_of(RUN_TPOT, STATISTIC_MEAN) == 10,
	   "TPOT without the first token");
}

static double clients, rate_rps;

static int load_of(const char *strategy)
{
	char text[4000];
	snprintf(text, sizeof text,
		 "{'benchmarks': [{" METRICS
		 ", 'config': {'strategy': {'type_': %s}}}]}",
		 strategy);
	if (read_text(text) < 0)
		bail_out(p.text);
	clients = m.row[0].concurrency;
	rate_rps = m.row[0].request_rate;
	return m.row[0].load_is_unknown;
}

static void loads(void)
{
	ok(!load_of("'synchronous'") && clients == 1 && isnan(rate_rps),
	   "one request after another is one client");
	ok(!load_of("'throughput', 'max_concurrency': 64") && clients == 64,
	   "as many as the server takes have a limit");
	ok(!load_of("'throughput'") && isnan(clients), "or none");
	ok(!load_of("'poisson', 'rate': 3") && rate_rps == 3 && isnan(clients),
	   "a rate");
	ok(load_of("'poisson'") && load_of("null"), "a load that is not said");
}

static void requests(void)
{
	ok(read_text(
	       "{'benchmarks': [{" METRICS ", 'requests': {'successful':"
	       "[" REQUEST("1786678150.5", "70", "9", "40", "0.2") "," REQUEST(
		   "1786678148.0", "58", "1", "30", "0.03") "]}}]}") == 0 &&
	       m.row[0].n_requests == 2 && !m.row[0].is_summary,
	   "requests one by one: %s", p.text);
	ok(m.row[0].request[0].arrival_ns == 0 &&
	       m.row[0].request[0].input_tokens == 58 &&
	       m.row[0].request[1].arrival_ns == 2500000000,
	   "in order of their starts");
	near(time_of(RUN_TPOT, STATISTIC_MEAN), 20, 1e-12,
	     "TPOT of each request");
	ok(read_text("{'benchmarks': [{" METRICS ", 'requests': {'successful':"
		     "[" REQUEST("1", "70", "9", "40", "0.2") "]}}]}") == 0 &&
	       m.row[0].is_summary,
	   "a sample of the requests is none of the arrivals: %s", p.text);
}

int main(void)
{
	summary();
	loads();
	requests();
	refused("{'benchmarks': []}", "r.json:1: has no benchmarks");
	refused("{'benchmarks': [{'metrics': {'request_totals': "
		"{'successful': 0}}}]}",
		"r.json:1: it names no completed requests");
	refused("{'benchmarks': [{'metrics': {'request_totals': {'successful':"
		"1}, 'request_latency': {'successful': {'mean': 'x'}}}}]}",
		"r.json:1: metrics.request_latency.successful: mean must "
		"be a number, at least 0");
	measured_free(&m);
	return done();
}
