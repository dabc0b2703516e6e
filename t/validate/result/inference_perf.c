/* Reads lifecycle metrics of inference-perf. */
#include "results_read.h"

static void inference_perf(void)
{
	ok(read_text("{'load_summary': {'requested_rate': 4,"
		     " 'achieved_rate': 3}, 'successes': {'count': 9,"
		     " 'prompt_len': {'mean': 100}, 'output_len': {'mean': 7},"
		     " 'latency': {'request_latency': {'mean': 1.5,"
		     " 'median': 1.25, 'p90': 2, 'p99': 3},"
		     " 'time_per_output_token': {'mean': 0.01}}}}") == 0,
	   "a stage of inference-perf: %s", p.text);
	ok(m.row[0].request_rate == 4 && m.row[0].num_requests == 9 &&
	       m.row[0].input_tokens == 100 && m.row[0].output_tokens == 7,
	   "its load");
	ok(time_of(RUN_E2EL, STATISTIC_P50) == 1250 &&
	       time_of(RUN_E2EL, STATISTIC_P99) == 3000 &&
	       time_of(RUN_TPOT, STATISTIC_MEAN) == 10 &&
	       isnan(time_of(RUN_TTFT, STATISTIC_MEAN)),
	   "its times in ms");
	is(m.row[0].id, "r.json", "the file is its name");
}

int main(void)
{
	inference_perf();
	refused("{'load_summary': {'x': 1}, 'successes': {'count': 3}}",
		"r.json:1: no latency was measured");
	measured_free(&m);
	return done();
}
