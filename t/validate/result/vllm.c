/* Reads results of vllm bench serve, and of SGLang's bench_serving. */
#include "results_read.h"

static void summary(void)
{
	int rc = read_text(
	    "{'mean_ttft_ms': 5, 'median_ttft_ms': 4, 'p99_ttft_ms': 9,"
	    " 'mean_tpot_ms': 2, 'p50_tpot_ms': 1, 'median_tpot_ms': 7,"
	    " 'completed': 4, 'total_input_tokens': 40,"
	    " 'total_output_tokens': 8, 'request_rate': 2.5,"
	    " 'max_concurrency': null, 'duration': 3, 'model_id': 'm'}");
	ok(rc == 0 && m.n == 1, "a summary of vllm bench serve: %s", p.text);
	is(m.row[0].model, "m", "its model");
	is(m.row[0].id, "r.json:1", "its file and line are its name");
	ok(m.row[0].request_rate == 2.5 && m.row[0].duration_s == 3 &&
	       m.row[0].num_requests == 4 && isnan(m.row[0].concurrency),
	   "its load");
	ok(m.row[0].input_tokens == 10 && m.row[0].output_tokens == 2,
	   "means are totals over requests");
	ok(time_of(RUN_TTFT, STATISTIC_P50) == 4 &&
	       time_of(RUN_TPOT, STATISTIC_P50) == 1,
	   "a median is p50, unless there is a p50");
	ok(isnan(time_of(RUN_TTFT, STATISTIC_P90)) &&
	       isnan(time_of(RUN_E2EL, STATISTIC_MEAN)),
	   "a figure that is absent is unknown");
}

#define DETAIL                                                                 \
	"{'mean_ttft_ms': 50, 'completed': 2, 'input_lens': [10, 20, 30],"     \
	"'output_lens': [5, 1, 9], 'start_times': [101, 100.5, 99],"           \
	"'ttfts': [0.1, 0.2, 0.3],"

static void details(void)
{
	ok(read_text(DETAIL "'latencies': [0.5, 0.2, 1],"
			    "'errors': ['', null, 'timeout']}") == 0 &&
	       m.row[0].n_requests == 2,
	   "a request that failed is left out: %s", p.text);
	const struct planned_request *q = m.row[0].request;
	ok(q[0].arrival_ns == 0 && q[0].input_tokens == 20 &&
	       q[1].arrival_ns == 500000000 && q[1].output_tokens == 5,
	   "the others are in order, from the first on");
	near(time_of(RUN_TPOT, STATISTIC_MEAN), 100, 1e-12,
	     "TPOT of those with more than a token");
	near(time_of(RUN_E2EL, STATISTIC_MEAN), 350, 1e-12,
	     "latencies are in s");
	ok(time_of(RUN_TTFT, STATISTIC_MEAN) == 50,
	   "a figure of the summary goes before one of the details");
	ok(read_text(DETAIL "'itls': [[0.1, 0.1, 0.1, 0.1], [], []],"
			    "'errors': ['', '', '']}") == 0,
	   "without latencies");
	near(time_of(RUN_E2EL, STATISTIC_P50), 300, 1e-12,
	     "they are sums of the gaps");
	ok(read_text("{'mean_ttft_ms': 50, 'completed': 2,"
		     "'input_lens': [10, 20], 'output_lens': [5]}") < 0 &&
	       strstr(p.text, "output_lens has 1 values, but input_lens 2"),
	   "lists of different lengths: %s", p.text);
	ok(read_text(DETAIL "'itls': [[0.1], [-0.5], []],"
			    "'errors': ['', '', '']}") < 0 &&
	       strstr(p.text, "itls has the negative time -0.5, of request 1"),
	   "a negative time: %s", p.text);
	ok(read_text("{'mean_ttft_ms': 'fast', 'completed': 2}") < 0 &&
	       strstr(p.text,
		      ":1: mean_ttft_ms must be a number of ms, at least 0"),
	   "a mean that is a word: %s", p.text);
	ok(read_text("{'mean_ttft_ms': 5, 'p99_tpot_ms': 'inf',"
		     "'mean_tpot_ms': null, 'completed': 2}") == 0 &&
	       isnan(time_of(RUN_TPOT, STATISTIC_P99)),
	   "no mean, and one without an end: %s", p.text);
	refused("{'mean_ttft_ms': 50, 'completed': 1, 'input_lens': [10],"
		"'output_lens': [5], 'ttfts': 0.1}",
		"r.json:1: ttfts must be a list");
	refused(DETAIL "'errors': ['timeout']}",
		"r.json:1: errors has 1 values, but input_lens 3");
	ok(read_text("{'mean_ttft_ms': 50, 'completed': 1, 'input_lens': [10],"
		     "'output_lens': [5], 'start_times': [], 'ttfts': []}") ==
		   0 &&
	       m.row[0].n_lengths == 1 && !m.row[0].n_requests,
	   "an empty list says as much as none: %s", p.text);
	ok(read_text("{'mean_ttft_ms': 50, 'completed': 1, 'input_lens': [10],"
		     "'output_lens': [0]}") == 0 &&
	       m.row[0].is_summary && m.row[0].n_failed == 1,
	   "no request of the lists succeeded: %s", p.text);
}

#define SGLANG                                                                 \
	"{'backend': 'sglang', 'request_rate': Infinity, 'completed': 2,"      \
	"'max_concurrency': 8, 'total_input_tokens': 30,"                      \
	"'total_output_tokens': 7, 'mean_e2e_latency_ms': 400,"                \
	"'median_e2e_latency_ms': 390, 'p99_e2e_latency_ms': 600,"             \
	"'mean_ttft_ms': 50"

static void sglang(void)
{
	ok(read_text(SGLANG ", 'server_info': {'tp_size': 4, 'dp_size': 1,"
			    "'version': '0.5.6', 'model_path': 'm/x'}}") == 0 &&
	       m.row[0].is_summary,
	   "a summary of SGLang's bench_serving: %s", p.text);
	ok(time_of(RUN_E2EL, STATISTIC_MEAN) == 400 &&
	       time_of(RUN_E2EL, STATISTIC_P50) == 390 &&
	       time_of(RUN_E2EL, STATISTIC_P99) == 600,
	   "its name of E2E latency");
	is(m.row[0].model, "m/x", "the model of its server");
	ok(!strcmp(m.row[0].engine, "sglang") &&
	       !strcmp(m.row[0].engine_version, "0.5.6") &&
	       m.row[0].tensor_parallel_size == 4 && m.row[0].concurrency == 8,
	   "the server");
	ok(read_text(SGLANG ", 'input_lens': [10, 20, 30],"
			    "'output_lens': [5, 2, 0], 'ttfts': [0.1, 0.2, 0],"
			    "'itls': [[0.1, 0.1, 0.1, 0.1], [0.3], []],"
			    "'errors': ['', '', 'cut']}") == 0 &&
	       m.row[0].n_lengths == 2 && !m.row[0].n_requests &&
	       m.row[0].n_failed == 1 && !m.row[0].is_summary,
	   "details without arrivals are samples of lengths: %s", p.text);
	ok(m.row[0].length[0].input_tokens == 10 &&
	       m.row[0].length[1].output_tokens == 2,
	   "the lengths");
	near(time_of(RUN_TPOT, STATISTIC_P90), 280, 1e-9,
	     "and figures that the summary lacks");
}

int main(void)
{
	summary();
	details();
	sglang();
	measured_free(&m);
	return done();
}
