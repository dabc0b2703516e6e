/* Reads benchmarks.csv of GuideLLM. */
#include "results_read.h"

#define HEAD                                                                   \
	"Run Info,Run Info,Benchmark,Request Counts,Request Counts,"           \
	"Request Latency,Request Latency,Request Latency,"                     \
	"Time to First Token,Token Metrics,Token Throughput\r\n"               \
	"Profile,Backend,Strategy,Successful,Errored,"                         \
	"Successful Sec,Successful Sec,Successful Sec,"                        \
	"Successful ms,Successful Output Tokens,"                              \
	"Successful Output Tokens/Sec\r\n"                                     \
	",,,,,Mean,Median,Percentiles,Mean,Mean,Mean\r\n"
#define PROFILE "'{''kind'': ''concurrent'', ''streams'': [2, 8]}',"
#define RUN(times)                                                             \
	PROFILE "'{''model'': ''m/x''}',concurrent,30,2," times ",50,20,"      \
		"700\r\n"

static void csv(void)
{
	ok(read_text(HEAD RUN("2,1.5,'[1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6]'")
			 RUN("4,,")) == 0 &&
	       m.n == 2,
	   "benchmarks.csv: %s", p.text);
	ok(time_of(RUN_E2EL, STATISTIC_MEAN) == 2000 &&
	       time_of(RUN_E2EL, STATISTIC_P50) == 1500 &&
	       time_of(RUN_E2EL, STATISTIC_P90) == 3000 &&
	       time_of(RUN_E2EL, STATISTIC_P99) == 5000 &&
	       time_of(RUN_TTFT, STATISTIC_MEAN) == 50,
	   "its times");
	is(m.row[0].model, "m/x", "its model");
	is(m.row[1].id, "r.json:5", "its line");
	ok(m.row[0].concurrency == 2 && m.row[1].concurrency == 8 &&
	       m.row[0].num_requests == 30 && m.row[0].n_failed == 2 &&
	       m.row[0].output_tokens == 20 &&
	       m.row[0].output_throughput == 700 && m.row[0].is_summary,
	   "its load, by its place in the profile");
	refused(HEAD RUN("2,1,'[1, 2]'"),
		"r.json:4: metrics.request_latency.successful: p90 must be a "
		"number, at least 0");
	refused(HEAD RUN("-2,1,"),
		"r.json:4: metrics.request_latency.successful: mean must be a "
		"number, at least 0");
	ok(read_text("Run Info,Request Counts,Request Latency,Request Latency\n"
		     "x,Successful,Successful Sec,Successful Sec\n"
		     ",,Mean,Std Dev\n-,3,2,70\n") == 0 &&
	       time_of(RUN_E2EL, STATISTIC_MEAN) == 2000 &&
	       isnan(time_of(RUN_E2EL, STATISTIC_P50)),
	   "a statistic that no figure has is left: %s", p.text);
	refused(HEAD "x\r\n", "r.json:4: fewer cells than the header");
	refused(HEAD, "r.json:1: no runs");
}

int main(void)
{
	csv();
	measured_free(&m);
	return done();
}
