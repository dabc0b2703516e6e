/* Hostile results of each program: every member in turn is of another type,
 * huge, negative, no number, deeply nested, absent or there twice; and the file
 * ends at each byte.  A file is refused with its name and line, or each figure
 * is as it was, unknown, or what the member says. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "results_read.h"

static const char *const good[] = {
    "{'mean_ttft_ms':5,'p50_ttft_ms':4,'p99_ttft_ms':9,'mean_tpot_ms':2,"
    "'completed':4,'total_input_tokens':40,'total_output_tokens':8,"
    "'request_rate':2.5,'max_concurrency':6,'duration':3,'model_id':'m',"
    "'output_throughput':70,"
    "'server_info':{'tp_size':4,'dp_size':2,'version':'0.5.6'}}",
    "{'mean_ttft_ms':5,'completed':2,'total_input_tokens':30,"
    "'total_output_tokens':6,'input_lens':[10,20],'output_lens':[5,1],"
    "'start_times':[101,100.5],'ttfts':[0.1,0.2],'latencies':[0.5,0.2],"
    "'itls':[[0.1,0.1,0.1,0.1],[]]}",
    "{'input_config':{'endpoint':{'model_names':['m/x']},'phases':"
    "[{'name':'warmup','concurrency':1},{'name':'profiling','rate':3,"
    "'concurrency':8}]},'request_count':{'avg':30},"
    "'benchmark_duration':{'avg':9},'error_request_count':{'avg':2},"
    "'time_to_first_token':{'unit':'ms','avg':40,'p50':30,'p95':70},"
    "'request_latency':{'unit':'sec','avg':2},"
    "'output_token_throughput':{'avg':700},"
    "'input_sequence_length':{'avg':100},"
    "'output_sequence_length':{'avg':20}}",
    "{'metadata':{'request_start_ns':5000000000,"
    "'benchmark_phase':'profiling'},'metrics':{"
    "'time_to_first_token':{'value':3,'unit':'ms'},"
    "'request_latency':{'value':7,'unit':'ms'},"
    "'input_sequence_length':{'value':10,'unit':'tokens'},"
    "'output_sequence_length':{'value':2,'unit':'tokens'}}}",
    "{'benchmarks':[{'config':{'strategy':{'type_':'concurrent',"
    "'streams':8},'backend':{'model':'m/x'}},'duration':60,'metrics':{"
    "'request_totals':{'successful':2,'errored':1,'incomplete':1},"
    "'time_to_first_token_ms':{'successful':{'mean':50,'median':40,"
    "'percentiles':{'p90':60,'p99':90}}},"
    "'request_latency':{'successful':{'mean':2}},"
    "'prompt_token_count':{'successful':{'mean':256}},"
    "'output_tokens_per_second':{'successful':{'mean':700}}},"
    "'requests':{'successful':[{'request_start_time':9,'prompt_tokens':4,"
    "'output_tokens':3,'time_to_first_token_ms':5,'request_latency':1},"
    "{'request_start_time':8,'prompt_tokens':4,'output_tokens':3,"
    "'time_to_first_token_ms':5,'request_latency':1}]}}]}",
    "{'load_summary':{'requested_rate':2},'successes':{'count':9,"
    "'prompt_len':{'mean':100},'output_len':{'mean':20},'latency':{"
    "'time_to_first_token':{'mean':1,'p90':2},"
    "'request_latency':{'mean':3}}}}",
    "{'hw':'h200-cw_3','conc':4,'image':'vllm/vllm-openai:v0.11.0',"
    "'model':'m/x','framework':'dynamo-vllm','precision':'fp8',"
    "'disagg':false,'isl':1024,'osl':512,'tp':8,'ep':1,'duration':9,"
    "'mean_ttft':0.06,'p99_ttft':0.2,'mean_e2el':4.5,"
    "'output_throughput':9}",
    "{'hardware':'gb200_nvl72','conc':512,'disagg':true,'pp':2,"
    "'framework':'dynamo-trt','num_prefill_gpu':8,'num_decode_gpu':16,"
    "'prefill_tp':4,'prefill_ep':4,'prefill_num_workers':2,'decode_tp':16,"
    "'decode_ep':16,'decode_num_workers':1,'decode_dp_attention':'true',"
    "'spec_method':'','total_input_tokens':90,'total_output_tokens':30,"
    "'completed':3,'metrics':{'median_ttft':2,'p99_tpot':0.1}}",
    "{'version':'0.2','run':{'time':{'duration':'PT9S'}},'scenario':{"
    "'load':{'standardized':{'rate_qps':2.5,'concurrency':3,'stage':1}},"
    "'stack':[{'standardized':{'kind':'inference_engine','tool':'vllm',"
    "'tool_version':'x:v0.11','role':'decode','replicas':2,"
    "'model':{'name':'m'},'accelerator':{'model':'H100','count':4,"
    "'parallelism':{'tp':2,'dp':2,'dp_local':1}}},"
    "'native':{'args':{'--max-num-seqs':64}}}]},"
    "'results':{'request_performance':{'aggregate':{"
    "'requests':{'total':50,'failures':2,'incomplete':1,"
    "'input_length':{'mean':300}},"
    "'throughput':{'output_token_rate':{'mean':90}},"
    "'latency':{'time_to_first_token':{'units':'s','mean':0.5,'p95':1},"
    "'request_latency':{'units':'s','mean':2}}}}}}"};
enum { N_GOOD = sizeof good / sizeof *good };

static const char *const bad[] = {
    "null",      "true",       "'x'",
    "[]",        "{}",         "[['x']]",
    "-1",        "-1e300",     "1e18",
    "1e308",     "-0.5",       "1e400",
    "NaN",       "Infinity",   "'1e999'",
    "'-inf'",    "'0x1p9999'", "123456789012345678901234567890",
    "'\\u0000'", "DEEP"};
enum { N_BAD = sizeof bad / sizeof *bad };

/* ---- a row ---- */

static struct measured_row is_good; /* of the file as it was */

static double number_of(const struct measured_row *r, size_t column)
{
	double v;
	memcpy(&v, (const char *)r + measured_column[column].offset, sizeof v);
	return v;
}

static int is_same(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fabs(b);
}

/* Returns the name of a figure of the row that the file does not have, or NULL.
 */
static const char *untold(const struct measured_row *r, int may_differ)
{
	for (size_t i = 0; i < measured_n_columns; i++) {
		double v = number_of(r, i);
		if (measured_column[i].type != MEASURED_NUMBER || isnan(v))
			continue;
		if (!isfinite(v) || v < 0)
			return measured_column[i].name;
		if (!may_differ && !is_same(v, number_of(&is_good, i)))
			return measured_column[i].name;
	}
	return !may_differ && r->n_failed != is_good.n_failed ? "n_failed"
							      : NULL;
}

/* ---- one file ---- */

static char text[200000];

/* The text of the document, in which "@@" is replaced; `"k":"@@"` by several
 * members too. */
static void write_text(const json_t *document, const char *by)
{
	static char deep[6001];
	char *plain = json_dumps(document, JSON_COMPACT);
	char *at = plain ? strstr(plain, "\"@@\"") : NULL;
	if (!at)
		bail_out("no place for a hostile value");
	memset(deep, '[', 3000);
	memset(deep + 3000, ']', 3000);
	snprintf(text, sizeof text, "%.*s%s%s", (int)(at - plain), plain,
		 strcmp(by, "DEEP") ? by : deep, at + 4);
	for (char *s = text; *s; s++)
		*s = *s == '\'' ? '"' : *s;
	free(plain);
}

/* Returns what is wrong with how the text was read, or NULL. */
static const char *judge(const char *by)
{
	/* true and a word are in the way of a figure; a list, an object and
	 * null are as a file without the figure. */
	int may_differ = strcmp(by, "true") != 0 && strcmp(by, "'x'") != 0;
	if (read_text(text) < 0)
		return p.code == EXIT_INPUT && !strncmp(p.text, "r.json:", 7)
			   ? NULL
			   : p.text;
	for (size_t i = 0; i < m.n; i++) {
		const char *name = untold(&m.row[i], may_differ);
		if (name)
			return name;
	}
	return m.n == 1 ? NULL : "rows";
}

/* ---- all members of a document ---- */

static size_t n_tried, n_wrong;

static void try_all(const json_t *document)
{
	for (int i = 0; i < N_BAD; i++) {
		write_text(document, bad[i]);
		const char *why = judge(bad[i]);
		n_tried++;
		if (why && n_wrong++ < 20)
			printf("# %s\n# %.700s\n", why, text);
	}
}

static void walk(const json_t *document, json_t *in)
{
	const char *key;
	size_t i;
	json_t *v;
	void *next;
	json_array_foreach(in, i, v)
	{
		json_incref(v);
		json_array_set_new(in, i, json_string("@@"));
		try_all(document);
		json_array_set_new(in, i, v);
		walk(document, v);
	}
	json_object_foreach_safe(in, next, key, v)
	{
		json_incref(v);
		json_object_set_new(in, key, json_string("@@"));
		try_all(document);
		/* There twice: `"k": 1, "k": 1`. */
		char twice[300];
		snprintf(twice, sizeof twice, "1,'%s':1", key);
		write_text(document, twice);
		ok(read_text(text) < 0, "%s twice", key);
		json_object_set_new(in, key, v);
		walk(document, v);
	}
}

static void hostile(const char *like)
{
	char plain[4000];
	snprintf(plain, sizeof plain, "%s", like);
	if (!ok(read_text(plain) == 0 && m.n == 1, "%.60s: %s", like, p.text))
		return;
	is_good = m.row[0];
	for (char *s = plain; *s; s++)
		*s = *s == '\'' ? '"' : *s;
	json_t *document = json_loads(plain, 0, NULL);
	n_tried = n_wrong = 0;
	walk(document, document);
	json_decref(document);
	ok(n_tried > 100 && n_wrong == 0, "%zu hostile members, %zu wrong",
	   n_tried, n_wrong);
	size_t read = 0, n = strlen(plain);
	for (size_t i = 1; i < n; i++) {
		snprintf(text, sizeof text, "%.*s", (int)i, plain);
		read += read_text(text) == 0 || p.code != EXIT_INPUT;
	}
	ok(read == 0, "cut at each byte: %zu were taken", read);
}

int main(void)
{
	for (int i = 0; i < N_GOOD; i++)
		hostile(good[i]);
	measured_free(&m);
	return done();
}
