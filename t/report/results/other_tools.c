/* A run in the forms of other tools: requests in the order of their rows, those
 * that failed, and the counts of a page. */
#include "report/results/other_tools.h"
#include <stdlib.h>
#include <string.h>
#include "config_of.h"
#include "record/recorder.h"
#include "tap.h"

static struct config c;
static struct arm_record record = {
    .plugin = "const_step",
    .version = "2",
    .outcome = {.last_token_ns = 2000000000,
		.requests = 3,
		.completed = 2,
		.rejected = 1,
		.total_input_tokens = 30,
		.total_output_tokens = 6,
		.replicas = 2,
		.n_pools = 1,
		.kv_blocks = 9,
		.ttft = {.n = 2, .mean = 2500000, .p50 = 2000000}}};

/* The document without spaces; the caller frees it. */
static char *written(int format)
{
	struct arm_result arm = {.name = "a", .record = &record};
	const struct results r = {.config = &c, .arm = &arm, .n = 1};
	char *text = NULL;
	size_t n, k = 0;
	struct problem p;
	char *requests = NULL;
	size_t n_requests;
	FILE *in = open_memstream(&requests, &n_requests);
	FILE *to = open_memstream(&text, &n);
	if (!in || !to)
		bail_out("no memory");
	recorder_requests_head(in);
	fputs("a,2,,0,0,0,0,1,completed,20,4,4,8,0,1500000000,1500000000,"
	      "1600000000,1900000000,100,100,400,1,0,0,\n"
	      "a,1,,0,0,0,0,0,rejected,99,4,0,0,0,500000000,,,,,,,,0,0,\n"
	      "a,0,,0,0,0,0,0,completed,10,2,2,0,3,0,1000,2000000,3000000,2.5,"
	      "1,3.25,1,0,0,\n",
	      in);
	fclose(in);
	int rc =
	    results_for_other_tools(&r, format, requests, n_requests, to, &p);
	free(requests);
	fclose(to);
	for (size_t i = 0; i < n; i++)
		if (text[i] != ' ' && text[i] != '\n')
			text[k++] = text[i];
	text[k] = '\0';
	if (rc < 0)
		bail_out(p.text);
	return text;
}

static void has(int format, const char *want, const char *what)
{
	char *text = written(format);
	if (!ok(strstr(text, want) != NULL, "%s", what))
		printf("# no %s in %s\n", want, text);
	free(text);
}

int main(void)
{
	scratch_open();
	config_good(&c, CONFIG_SETUP CONFIG_ONE_BY_ONE CONFIG_ARM("a", "5"));
	ok(is_format_of_other_tools(FORMAT_VLLM) &&
	       !is_format_of_other_tools(FORMAT_CSV),
	   "which formats these are");
	has(FORMAT_VLLM,
	    "\"input_lens\":[10,99,20],\"output_lens\":[2,0,4],\"start_"
	    "times\":[0,0.5,1.5],\"ttfts\":[0.0025,0,0.1],\"latencies\":["
	    "0.00325,0,0.4],\"errors\":[\"\",\"rejected\",\"\"]",
	    "vLLM's lists: in the order of the rows");
	has(FORMAT_VLLM, "\"completed\":2,\"failed\":1,", "vLLM's counts");
	has(FORMAT_VLLM, "\"mean_ttft_ms\":2.5,\"median_ttft_ms\":2,",
	    "vLLM's names");
	has(FORMAT_REPORT,
	    "\"requests\":{\"total\":3,\"failures\":1,\"incomplete\":0,\"input_"
	    "length\":{\"units\":\"count\",\"mean\":15,\"min\":10,\"max\":20},",
	    "a report's counts: lengths of those that completed");
	has(FORMAT_REPORT, "\"output_seq_len\":{\"distribution\":\"other\",",
	    "a report's load");
	has(FORMAT_REPORT, "\"start_times\":[0,1.5]",
	    "a report's requests: those that completed");
	has(FORMAT_REPORT, "\"keywords\":[\"simulated\",\"stepcost\"]",
	    "a report is marked");
	has(FORMAT_PROMETHEUS,
	    "vllm:prompt_tokens_cached_total{engine=\"1\",model_name=\"",
	    "a page has an engine a replica");
	has(FORMAT_PROMETHEUS,
	    "vllm:time_to_first_token_seconds_bucket{engine=\"0\",le=\"0."
	    "005\",",
	    "and its histograms");
	config_free(&c);
	scratch_close();
	return done();
}
