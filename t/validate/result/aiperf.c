/* Reads what AIPerf exports. */
#include "results_read.h"

static void json(void)
{
	ok(read_text("{'input_config': {'endpoint': {'model_names': ['m/x']},"
		     "'loadgen': {'concurrency': 8}},"
		     "'request_count': {'unit': 'requests', 'avg': 30},"
		     "'error_request_count': null,"
		     "'time_to_first_token': {'unit': 'ms', 'avg': 40,"
		     "'p50': 30, 'p90': 60, 'p99': 80},"
		     "'request_latency': {'unit': 'sec', 'avg': 2},"
		     "'inter_token_latency': {'unit': 'ms', 'avg': 5},"
		     "'output_token_throughput': {'unit': 't', 'avg': 700},"
		     "'input_sequence_length': {'unit': 'tokens', 'avg': 100},"
		     "'output_sequence_length': {'unit': 'tokens',"
		     " 'avg': 20}}") == 0,
	   "profile_export_aiperf.json: %s", p.text);
	is(m.row[0].model, "m/x", "its model");
	ok(m.row[0].concurrency == 8 && m.row[0].num_requests == 30 &&
	       m.row[0].input_tokens == 100 && m.row[0].output_tokens == 20 &&
	       m.row[0].output_throughput == 700 && m.row[0].is_summary &&
	       !m.row[0].n_failed,
	   "its load");
	ok(time_of(RUN_TTFT, STATISTIC_P50) == 30 &&
	       time_of(RUN_TTFT, STATISTIC_P99) == 80 &&
	       time_of(RUN_E2EL, STATISTIC_MEAN) == 2000 &&
	       time_of(RUN_TPOT, STATISTIC_MEAN) == 5,
	   "its times");
}

static void other_versions(void)
{
	ok(read_text("{'records': {'ttft': {'unit': 'ms', 'avg': 40},"
		     "'request_count': {'unit': 'requests', 'avg': 9},"
		     "'error_request_count': {'unit': 'requests', 'avg': 2},"
		     "'request_latency': {'unit': 'ms', 'avg': 90}},"
		     "'input_config': {'loadgen': {'concurrency': 7}}}") == 0 &&
	       time_of(RUN_TTFT, STATISTIC_MEAN) == 40 &&
	       m.row[0].n_failed == 2 && m.row[0].concurrency == 7,
	   "figures in `records`: %s", p.text);
	ok(read_text("{'request_count': {'avg': 9},"
		     "'benchmark_duration': {'unit': 'sec', 'avg': 44},"
		     "'request_latency': {'unit': 'ms', 'avg': 90},"
		     "'input_config': {'phases': ["
		     "{'name': 'warmup', 'concurrency': 3},"
		     "{'name': 'profiling', 'concurrency': 16}]}}") == 0 &&
	       m.row[0].concurrency == 16 && m.row[0].duration_s == 44,
	   "the load of the phase that was measured, not of the warmup");
	ok(read_text("{'metadata': {'timestamp_ns': 5000000000,"
		     "'credit_phase': 'profiling'}, 'metrics': {"
		     "'ttft': {'value': 3, 'unit': 'ms'},"
		     "'request_latency': {'value': 7, 'unit': 'ms'},"
		     "'input_sequence_length': {'value': 10},"
		     "'output_sequence_length': {'value': 2}}}") == 0 &&
	       m.row[0].n_requests == 1 &&
	       time_of(RUN_TTFT, STATISTIC_MEAN) == 3,
	   "a record by the older names: %s", p.text);
}

static void csv(void)
{
	ok(read_text("Metric,avg,min,max,p50,p90,p99,std\r\n"
		     "Inter Token Latency (ms),2.81,2,3,2.8,2.9,3,0.1\r\n"
		     "Time to First Token (ms),'1,049.87',17,99,49,60,92,9\r\n"
		     "Request Latency (ms),1652.30,1,2,,1500,1600,7\r\n"
		     "Output Sequence Length (tokens),498.06,1,2,3,4,5,6\r\n"
		     "Input Sequence Length (tokens),300.00,1,2,3,4,5,6\r\n"
		     "\r\n"
		     "Metric,Value\r\n"
		     "Output Token Throughput (tokens/sec),598.78\r\n"
		     "Request Count,50.00\r\n"
		     "\r\n"
		     "Endpoint,GPU,Metric,avg\r\n"
		     "h,0,Power (W),700\r\n") == 0 &&
	       m.n == 1,
	   "profile_export_aiperf.csv: %s", p.text);
	ok(time_of(RUN_TTFT, STATISTIC_MEAN) == 1049.87 &&
	       time_of(RUN_TTFT, STATISTIC_P99) == 92 &&
	       time_of(RUN_E2EL, STATISTIC_MEAN) == 1652.3 &&
	       isnan(time_of(RUN_E2EL, STATISTIC_P50)) &&
	       time_of(RUN_TPOT, STATISTIC_P90) == 2.9,
	   "its times, without the commas between thousands");
	ok(m.row[0].num_requests == 50 && m.row[0].input_tokens == 300 &&
	       m.row[0].output_throughput == 598.78,
	   "its load");
	refused("Metric,avg\nRequest Count,1\nRequest Count,2\n",
		"r.json:3: request_count is there twice");
	refused("Metric,avg\nRequest Count,1,2\n",
		"r.json:2: more cells than the header");
	ok(read_text("Metric,avg\nRequest Latency (ms),5,,\n"
		     "Request Count,3,\n") == 0 &&
	       time_of(RUN_E2EL, STATISTIC_MEAN) == 5,
	   "empty cells behind them are none: %s", p.text);
	char text[400] = "Metric";
	for (int i = 0; i < 30; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
			 ",p%d", i);
	refused(text, "r.json:1: more than 30 columns");
	ok(read_text("Metric,avg\nRequest Count,3\n (x),1\n"
		     "A Name That Is Longer Than Any Metric Of AIPerf Has "
		     "Because Somebody Wrote A Sentence There And Another One "
		     "(ms),1\nRequest Latency (ms),5\n") == 0 &&
	       time_of(RUN_E2EL, STATISTIC_MEAN) == 5,
	   "names of no metric are left, short or long: %s", p.text);
	refused("Metric,avg,p50,avg\n", "r.json:1: a column is there twice");
	refused("Metric,avg\nTime to First Token (ms),1\n",
		"r.json:1: it names no completed requests");
	refused("Metric,avg\nTime to First Token,1\n",
		"r.json:1: time_to_first_token: unit must be ns, us, ms or s, "
		"not missing");
}

#define RECORD(start, more, metrics)                                           \
	"{'metadata': {'request_start_ns': " start                             \
	", 'benchmark_phase': 'profiling'" more "}, 'metrics': {" metrics      \
	"}, 'error': null}\n"
#define METRICS(in, out, ttft, latency)                                        \
	"'input_sequence_length': {'value': " in ", 'unit': 'tokens'},"        \
	"'output_sequence_length': {'value': " out ", 'unit': 'tokens'},"      \
	"'time_to_first_token': {'value': " ttft ", 'unit': 'ms'},"            \
	"'request_latency': {'value': " latency ", 'unit': 'ms'}"

static void records(void)
{
	ok(read_text(
	       RECORD("1759813207532900363", "",
		      METRICS("550", "9", "5",
			      "45")) RECORD("1759813206532900363", "",
					    METRICS("50", "3", "7", "27"))
		   RECORD("1759813207000000000", ", 'was_cancelled': true",
			  "") "{'metadata': {'request_start_ns': 1,"
			      "'benchmark_phase': 'warmup'}, 'metrics': {}}") ==
		   0 &&
	       m.n == 1 && m.row[0].n_requests == 2 && m.row[0].n_failed == 1,
	   "records of requests are one run: %s", p.text);
	ok(m.row[0].request[0].input_tokens == 50 &&
	       m.row[0].request[0].arrival_ns == 0 &&
	       m.row[0].request[1].arrival_ns == 1000000000,
	   "in order, to the ns");
	near(time_of(RUN_TPOT, STATISTIC_MEAN), 7.5, 1e-12, "TPOT of each");
	refused(RECORD("12", "",
		       "'request_latency': {'value': 3,"
		       "'unit': 's'}"),
		"r.json:1: metrics.request_latency is not in ms");
	refused("\n" RECORD("12", "", METRICS("0", "9", "5", "45")),
		"r.json:2: missing or out of range: input_tokens");
	refused(
	    RECORD("-12", "", METRICS("1", "9", "5", "45")),
	    "r.json:1: metadata.request_start_ns must be a whole number of ns");
	refused(RECORD("5000000000000000000", "", METRICS("1", "9", "5", "45")),
		"r.json:1: metadata.request_start_ns must be a whole number "
		"of ns");
	refused("{'metadata': {'request_start_ns': 12}, 'metrics': {},"
		"'error': {'code': 500}}",
		"r.json:1: no request succeeded");
	refused(RECORD("12", ", 'was_cancelled': true", ""),
		"r.json:1: no request succeeded");
}

int main(void)
{
	json();
	other_versions();
	csv();
	records();
	measured_free(&m);
	return done();
}
