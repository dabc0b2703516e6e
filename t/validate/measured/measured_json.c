/* Reads the results that two benchmark programs save as JSON. */
#include "validate/measured/measured_json.h"
#include "tap.h"

static struct measured m;
static struct problem p;

/* Single quotes stand for double ones. */
static int read_text(const char *text)
{
	char copy[2000];
	snprintf(copy, sizeof copy, "%s", text);
	for (char *s = copy; *s; s++)
		*s = *s == '\'' ? '"' : *s;
	measured_free(&m);
	p = (struct problem){0};
	FILE *f = fmemopen(copy, strlen(copy), "r");
	if (!f || measured_add_file(&m, "r.json", &p) < 0)
		bail_out("fmemopen");
	int rc = measured_read_json(&m, f, &p);
	fclose(f);
	return rc;
}

static void refused(const char *text, const char *want)
{
	if (!ok(read_text(text) < 0 && p.code == EXIT_INPUT &&
		    !strncmp(p.text, want, strlen(want)),
		"%s", want))
		printf("# got %s\n", p.text);
}

static double time_of(enum run_latency k, enum statistic i)
{
	return m.row[0].time[k].of[i];
}

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
	       strstr(p.text, ":1: mean_ttft_ms is no time in ms"),
	   "a mean that is a word: %s", p.text);
	ok(read_text("{'mean_ttft_ms': 5, 'p99_itl_ms': 'inf',"
		     "'mean_tpot_ms': null, 'completed': 2}") == 0,
	   "no mean, and one without an end");
}

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

static void several(void)
{
	ok(read_text("\n\n{'mean_ttft_ms': 1, 'completed': 1}\r\n\t"
		     "{'mean_ttft_ms': 2, 'completed': 1}"
		     "[{'mean_ttft_ms': 3, 'completed': 1},"
		     " {'mean_e2el_ms': 4, 'completed': 1}]\n") == 0 &&
	       m.n == 4,
	   "objects and arrays, one after another: %s", p.text);
	ok(m.row[0].line == 3 && m.row[1].line == 4 && m.row[3].line == 4,
	   "each with the line that it begins on");
}

static void wrong(void)
{
	refused("", "r.json:1: no runs");
	refused("[]", "r.json:1: no runs");
	refused("{'a': 1}", "r.json:1: neither a result of vllm bench serve");
	refused("[1]", "r.json:1: neither a result of vllm bench serve");
	refused("{'mean_ttft_ms': 1}", "r.json:1: no request was completed");
	refused("{'mean_ttft_ms': 1, 'completed': 0}",
		"r.json:1: no request was completed");
	refused("{'load_summary': {'x': 1}, 'successes': {'count': 0}}",
		"r.json:1: no request succeeded");
	refused("{'mean_ttft_ms': 1, 'completed': 1}\n{'a':\n}", "r.json:3: ");
	ok(m.n == 1, "the results before it were read");
}

int main(void)
{
	summary();
	details();
	inference_perf();
	several();
	wrong();
	measured_free(&m);
	return done();
}
