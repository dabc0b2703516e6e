/* Measured runs and requests from CSV: columns, units, refusals. */
#include "validate/measured/measured_read.h"
#include "scratch.h"
#include "validate/measured/measured_requests.h"

static struct problem p;
static struct measured m;
static struct ini aliases;

static int read_text(const char *text)
{
	measured_free(&m);
	p = (struct problem){0};
	return measured_read(&m, scratch_file("file", text), &aliases, &p);
}

static void refused(const char *text, const char *why)
{
	ok(read_text(text) < 0 && p.code == EXIT_INPUT, "refused");
	if (!ok(strstr(p.text, why) != NULL, "%s", why))
		printf("# got: %s\n", p.text);
}

#define RUNS "id,model,gpu,mean_e2el_ms,tp,request_rate,flags\n"

static void runs(void)
{
	ok(read_text(RUNS "a,llama,H100,100,2,0.5 (nominal),A|BURST_3\n"
			  "b,llama,H100,,,,\n") == 0,
	   "%s", p.text);
	const struct measured_row *r = m.row;
	ok(m.n == 2 && m.n_paths == 1 && r[0].line == 2 && r[1].line == 3 &&
	       !strcmp(r[0].file, m.path[0]),
	   "a row per run, each with its line");
	ok(r[0].time[RUN_E2EL].of[STATISTIC_MEAN] == 100 &&
	       r[0].tensor_parallel_size == 2 && r[0].request_rate == 0.5,
	   "columns by name or alias; a remark behind a number");
	ok(isnan(r[1].time[RUN_E2EL].of[STATISTIC_MEAN]) &&
	       isnan(r[1].request_rate) && !r[1].flags &&
	       isnan(r[0].block_size) && !r[0].trace,
	   "what is not said is unknown");
	ok(measured_has_flag(&r[0], "BURST_") &&
	       measured_has_flag(&r[0], "A") &&
	       !measured_has_flag(&r[0], "URST") &&
	       !measured_has_flag(&r[1], "A"),
	   "flags by how they begin");
	ok(measured_read(&m, scratch_file("second", RUNS "c,l,H,1,1,1,\n"),
			 &aliases, &p) == 0 &&
	       m.n == 3 && m.n_paths == 2 && m.row[2].file == m.path[1],
	   "another file is appended");
	refused(RUNS "a,llama,,100,2,1,\n", "file:2: a measured run needs");
	refused(RUNS "a,llama,H,-1,2,1,\n", "not positive: the mean of e2el");
	refused(RUNS "a,llama,H,x,2,1,\n",
		"file:2: not a number: mean_e2el_ms");
	refused("id,tp,tensor_parallel_size,mean_e2el_ms\na,1,1,1\n",
		"two columns tensor_parallel_size");
	refused("id,model\na,b\n", "file:1: is neither a file of runs");
	refused(RUNS, "file:1: no runs");
}

static void steady_states(void)
{
	char assumed[] = "300", chat[] = "chat", section[] = "input_tokens";
	ok(ini_put(&aliases, section, chat, assumed, "", &p) == 0 &&
	       read_text("id,model,gpu,workload,running,output_throughput\n"
			 "a,l,H,chat,7.6,380\nb,l,H,other,7.6,\n") == 0,
	   "%s", p.text);
	const struct measured_row *r = m.row;
	ok(r->concurrency == 8, "as many clients as requests run");
	near(r->time[RUN_TPOT].of[STATISTIC_MEAN], 20, 1e-12,
	     "a token by Little's law");
	ok(measured_tpot_has_first_token(r) && r->input_tokens == 300,
	   "its first token counts; prompts by the aliases");
	ok(isnan(r[1].input_tokens) &&
	       isnan(r[1].time[RUN_TPOT].of[STATISTIC_MEAN]),
	   "nothing is made up");
}

#define REQUESTS "arrival_s,input_tokens,output_tokens,ttft_ms,e2el_ms,stage\n"

static void requests(void)
{
	ok(read_text(REQUESTS "0,10,1,50,50,0\n1.5,20,11,40,140,1\n") == 0,
	   "%s", p.text);
	const struct measured_row *r = m.row;
	ok(m.n == 1 && r->n_requests == 2 &&
	       r->request[1].arrival_ns == 1500000000 &&
	       r->request[1].output_tokens == 11,
	   "requests are one run");
	ok(r->time[RUN_TTFT].of[STATISTIC_MEAN] == 45 &&
	       r->time[RUN_TPOT].of[STATISTIC_MEAN] == 10 &&
	       r->time[RUN_TPOT].of[STATISTIC_P99] == 10,
	   "TPOT of those that have more than a token");
	near(r->time[RUN_E2EL].of[STATISTIC_P90], 131, 1e-12,
	     "percentiles as numpy's");
	refused(REQUESTS "1,10,1,50,50,0\n0,20,11,40,140,1\n",
		"file:3: arrives before the request above it");
	refused(REQUESTS "1,0,1,50,50,0\n",
		"file:2: missing or out of range: input_tokens");
	refused(REQUESTS "1,1,1,,50,0\n",
		"file:2: missing or out of range: ttft_ms");
	refused("arrival_s,arrival_s\n1,1\n", "two columns arrival_s");
	refused("arrival_s,input_tokens,output_tokens\n1,1,1\n",
		"measured requests need ttft_ms and e2el_ms");
	refused(REQUESTS, "no requests");
}

static void traces(void)
{
	struct planned_request *q = NULL;
	uint64_t n;
	const char *path = scratch_file(
	    "trace", REQUESTS "0,10,1,50,50,0\n1,20,2,1,1,1\n2,30,3,1,1,1\n");
	ok(measured_trace(path, &aliases, 1, &q, &n, &p) == 0 && n == 2 &&
	       q[0].input_tokens == 20,
	   "one stage of a trace");
	free(q);
	ok(measured_trace(path, &aliases, NAN, &q, &n, &p) == 0 && n == 3,
	   "or all of it");
	free(q);
	ok(measured_trace(path, &aliases, 7, &q, &n, &p) < 0 && !q &&
	       strstr(p.text, "no requests of stage 7"),
	   "%s", p.text);
	ok(measured_trace(scratch_path("none"), &aliases, 7, &q, &n, &p) < 0 &&
	       p.code == EXIT_USAGE,
	   "%s", p.text);
}

static void json(void)
{
	ok(read_text("\r\n\t[{\"mean_e2el_ms\": 7, \"completed\": 1}]") == 0,
	   "blanks of any kind before it: %s", p.text);
	ok(read_text("Metric,avg\nRequest Count,3\n"
		     "Request Latency (ms),5\n") == 0 &&
	       m.row[0].time[RUN_E2EL].of[STATISTIC_MEAN] == 5,
	   "CSV of a benchmark program: %s", p.text);
	refused("version: 0.2\nrun: x\n",
		"file:1: is no result of a program that is known: ");
	ok(read_text("\n {\"mean_ttft_ms\": 5, \"completed\": 4, "
		     "\"total_input_tokens\": 40, \"total_output_tokens\": 8, "
		     "\"request_rate\": \"inf\", \"model_id\": \"m\"}\n"
		     "[{\"mean_e2el_ms\": 7, \"completed\": 1}]\n") == 0,
	   "%s", p.text);
	ok(m.n == 2 && m.row[0].line == 2 && m.row[1].line == 3,
	   "results one after another, and an array of them");
	ok(m.row[0].input_tokens == 10 && m.row[0].output_tokens == 2 &&
	       isnan(m.row[0].request_rate) &&
	       m.row[0].time[RUN_TTFT].of[STATISTIC_MEAN] == 5,
	   "means of what vLLM totals");
	ok(read_text("{\"mean_ttft_ms\": 5, \"completed\": 2, "
		     "\"input_lens\": [10, 20], \"output_lens\": [3, 1], "
		     "\"start_times\": [100.5, 100], \"ttfts\": [0.01, 0.02], "
		     "\"itls\": [[0.1, 0.3], []], \"errors\": [\"\", \"\"]}") ==
		   0 &&
	       m.row[0].n_requests == 2 &&
	       m.row[0].request[0].input_tokens == 20 &&
	       m.row[0].request[1].arrival_ns == 500000000,
	   "requests one by one, in order of their starts: %s", p.text);
	near(m.row[0].time[RUN_TPOT].of[STATISTIC_MEAN], 200, 1e-12,
	     "their gaps where no latency is told");
	ok(read_text("{\"load_summary\": {\"achieved_rate\": 3}, "
		     "\"successes\": {\"count\": 9, \"latency\": "
		     "{\"request_latency\": {\"mean\": 1.5}}}}") == 0 &&
	       m.row[0].request_rate == 3 &&
	       m.row[0].time[RUN_E2EL].of[STATISTIC_MEAN] == 1500,
	   "inference-perf, in ms: %s", p.text);
	refused("{\"a\": 1}",
		"file:1: is no result of a program that is known: ");
	refused("{\"mean_ttft_ms\": 5, \"completed\": 0}",
		"it names no completed requests");
	refused("{\"mean_ttft_ms\": ", "file:1: ");
	refused("[]", "no runs");
}

int main(void)
{
	static const char text[] = "[column]\ntp = tensor_parallel_size\n";
	if (ini_read(&aliases, text, strlen(text), &p) < 0)
		bail_out(p.text);
	scratch_open();
	runs();
	steady_states();
	requests();
	traces();
	json();
	ok(measured_read(&m, scratch_path("none"), &aliases, &p) < 0 &&
	       p.code == EXIT_USAGE,
	   "%s", p.text);
	measured_free(&m);
	ini_free(&aliases);
	return done();
}
