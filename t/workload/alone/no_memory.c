/* Each allocation of a workload fails once, in turn: its trace, its lengths and
 * its arrivals are refused with a message, or they are the same. */
#include <inttypes.h>
#include "no_memory.h"
#include "trace_read.h"
#include "workload/trace/trace_summary.h"
#include "workload/trace/traces.h"

/* Returns how many requests the workload has, their tokens and their hash. */
static const char *drained(struct workload *w)
{
	static char text[200];
	struct request r;
	int64_t ns;
	uint64_t n = 0, tokens = 0, shared = 0;
	int got = w ? 1 : -1;
	while (w && (got = workload_peek(w, &ns, &p)) == 1 &&
	       (got = workload_pop(w, &r, &p)) == 0) {
		n++;
		tokens += r.input_tokens + r.output_tokens;
		for (uint32_t i = 0; i < r.n_segments; i++)
			shared += r.segment[i].id ^ r.segment[i].tokens;
		workload_finished(w, r.row, ns + 1000000);
	}
	snprintf(text, sizeof text,
		 "%" PRIu64 " requests, %" PRIu64 " tokens, %016" PRIx64
		 ", %016" PRIx64,
		 n, tokens, shared, w ? workload_hash(w) : 0);
	workload_free(w);
	return got < 0 ? p.text : text;
}

static const char *of_trace(const char *keys)
{
	return drained(with("trace", keys));
}

static const char *of_file(const char *name)
{
	return drained(with(name, ""));
}

static const char *twice(const char *keys)
{
	struct workload *w = with("trace", keys);
	if (w && workload_repeat(w, 2, &p) < 0) {
		workload_free(w);
		return p.text;
	}
	return drained(w);
}

static const char *kept(const char *keys)
{
	struct traces all = {0};
	struct workload_keys k;
	struct ini c;
	uint64_t hash = 0;
	char set[300];
	const char *text = p.text;
	snprintf(set, sizeof set, "trace=%s %s", path("trace"), keys);
	if (workload_of(&k, &c, set, &p) == 0 &&
	    workload_read_trace(&all, &k, &c, &hash, &p) == 0)
		text = drained(workload_open_with(&k, &c, &all, &p));
	ini_free(&c);
	traces_free(&all);
	return text;
}

static const char *summary(const char *format)
{
	static char text[200];
	const struct trace_options o = {.format = format, .chars_per_token = 4};
	struct trace_summary s = {0};
	struct trace *t = trace_open(path("trace"), &o, &p);
	int rc = t ? trace_summary_take(&s, t, 0, &p) : -1;
	if (rc == 0)
		snprintf(text, sizeof text,
			 "%" PRIu64 " requests, %g + %g tokens, %zu sessions, "
			 "%" PRIu64 " hits",
			 s.requests, counts_mean(&s.input),
			 counts_mean(&s.output), s.sessions.n, s.hash_hits);
	trace_summary_free(&s);
	trace_free(t);
	return rc < 0 ? p.text : text;
}

static const char *made(const char *keys)
{
	struct workload_keys k;
	struct ini c;
	struct workload *w = NULL;
	if (workload_of(&k, &c, keys, &p) == 0)
		w = workload_open(&k, &c, &p);
	const char *text = drained(w);
	ini_free(&c);
	return text;
}

#define OWN                                                                    \
	"arrival_us,input_tokens,output_tokens,request_id,session_id,turn,"    \
	"prefix_group,prefix_tokens,mm_items\n"                                \
	"9,100,5,a,,,g,40,0:9:x;9:5:y\n1,50,7,bcd,s,1,g,40,\n"                 \
	"2,100,5,a longer name than those before,s,2,g,40,0:3:x;3:5:y;8:2:z\n" \
	"3,60,9,,s,3,,,\n"
#define SPAN(trace, id, parent, from, to, in)                                  \
	"{\"traceId\":\"" trace "\",\"spanId\":\"" id                          \
	"\",\"parentSpanId\":\"" parent "\",\"startTimeUnixNano\":" from       \
	"000000000,\"endTimeUnixNano\":" to "000000000,\"attributes\":{"       \
	"\"gen_ai.operation.name\":\"chat\","                                  \
	"\"gen_ai.usage.input_tokens\":" in                                    \
	",\"gen_ai.usage.output_tokens\":2}}\n"
#define TURN(t, in, more)                                                      \
	"{\"t\":" t ",\"type\":\"n\",\"in\":" in ",\"out\":3,"                 \
	"\"hash_ids\":[1,2]" more "}"
#define MOON(time, in, ids)                                                    \
	"{\"timestamp\": " time ", \"input_length\": " in                      \
	", \"output_length\": 5, \"hash_ids\": [" ids "]}\n"
#define QWEN(chat, parent, time, in, ids)                                      \
	"{\"chat_id\": " chat ", \"parent_chat_id\": " parent                  \
	", \"timestamp\": " time ", \"input_length\": " in                     \
	", \"output_length\": 5, \"type\": \"text\", \"turn\": 1, "            \
	"\"hash_ids\": [" ids "]}\n"
#define TREE(id, more)                                                         \
	"{\"request_id\":\"" id "\",\"input_tokens\":100,"                     \
	"\"output_tokens\":5,\"block_tokens\":64,\"hash_ids\":[1,2]" more      \
	"}\n"

/* Formats of traces, and what else their rows use. */
static const struct {
	const char *what, *text, *keys;
} format[] = {
    {"stepcost's own, sorted", OWN, ""},
    {"a closed loop", OWN, "concurrency=2"},
    {"columns by name", "t,in,out\n0,10,1\n2,20,2\n5,30,3\n",
     "columns=time:t,input:in,output:out"},
    {"no column", "t,in,out\n0,10,1\n", "columns=time:t,input:in,output:x"},
    {"unknown columns", "t,in,out\n0,10,1\n", "format=columns"},
    {"lengths drawn", "{\"prompt\": \"12\\u003456\"}\n{\"prompt\": \"1\"}\n",
     "request_rate=1 output_tokens=uniform:1,9"},
    {"Mooncake", MOON("0", "600", "0, 1") MOON("3000", "1024", "0, 2"), ""},
    {"Mooncake's turns",
     "{\"session_id\":\"s\",\"timestamp\":0,\"input_length\":10,"
     "\"output_length\":3,\"hash_ids\":[1,2,3]}\n{\"session_id\":\"s\","
     "\"delay\":1,\"input_length\":6,\"output_length\":1,"
     "\"hash_ids\":[8,9]}\n",
     "hash_block_tokens=4"},
    {"OpenTelemetry",
     SPAN("t", "a", "", "10", "12", "5") SPAN("t", "b", "a", "11", "12", "6")
	 SPAN("t", "c", "", "13", "14", "9") SPAN("u", "d", "", "1", "2", "7"),
     ""},
    {"Weka",
     "{\"id\":\"x\",\"models\":[\"m\"],\"block_size\":64,\"requests\":[" TURN(
	 "1", "70", "") "," TURN("2", "90", "") "]}\n",
     ""},
    {"ShareGPT",
     "[{\"conversations\":[{\"from\":\"human\",\"value\":\"12345678\"},"
     "{\"from\":\"gpt\",\"value\":\"1234\"}]}]",
     "request_rate=1"},
    {"Qwen's turns",
     QWEN("1", "-1", "0.5", "40", "1,2,3")
	 QWEN("2", "1", "61.114", "50", "1,2,4"),
     ""},
    {"items alone",
     "arrival_us,input_tokens,output_tokens,mm_items\n1,9,1,0:2:a\n", ""},
    {"vLLM's results",
     "{\"input_lens\": [10, 20], \"output_lens\": [1, 3], "
     "\"start_times\": [100.25, 100.5], \"errors\": [\"\", \"\"]}\n",
     ""},
    {"LLMServingSim",
     "{\"input_toks\": 5, \"output_toks\": 1, \"arrival_time_ns\": 0, "
     "\"input_tok_ids\": [1, 2, 3, 4, 5]}\n",
     "hash_block_tokens=2"},
    {"trees",
     TREE("a", ",\"arrival_us\":500") TREE("b", ",\"after\":[\"a\"]")
	 TREE("c", ",\"after\":[\"a\",\"b\"],\"delay_us\":20"),
     ""},
    {"a record",
     "{\"stepcost_trace\": 1, \"configuration\": \"x\"}\n"
     "{\"arrival_us\":1,\"request_id\":\"a\",\"input_tokens\":40,"
     "\"output_tokens\":30,\"block_tokens\":16,\"hash_ids\":[1,2,3]}\n"
     "{\"cancel_us\":7,\"request_id\":\"a\"}\n{\"reset_us\":8}\n",
     ""},
};

/* The table of traces grows after the last of these. */
static void many_traces(void)
{
	static char text[20000];
	size_t n = 0;
	for (int i = 0; i < 43; i++)
		n += (size_t)snprintf(text + n, sizeof text - n,
				      SPAN("t%d", "a", "", "%d", "%d", "5"), i,
				      10 + i, 11 + i);
	file("trace", text);
	refuse_each("43 traces of OpenTelemetry", of_trace, "");
}

#define WINDOWS "0,0.005,1,Gamma,1,2\n600,0.005,1,Weibull,1,2\n"

static void beside_a_trace(void)
{
	file("trace",
	     "{\"timestamp\": \"82\", \"input_length\": 312, "
	     "\"output_length\": 19, \"hash_ids\": {\"a\": [1, 2]}}\n");
	file("1_sys_prompt.jsonl",
	     "{\"sys_prompt_id\": 1, \"token_length\": 60}\n");
	refuse_each("RAGPulse's lengths", of_trace, "");
	unlink(path("1_sys_prompt.jsonl"));
	file("trace", WINDOWS);
	refuse_each("ServeGen's windows", of_trace,
		    "input_tokens=7 output_tokens=8");
	file("x-trace.csv", WINDOWS);
	file("x-dataset.json",
	     "{\"0\": {\"input_tokens\": \"{100: 0.5, 120: 0.5}\", "
	     "\"output_tokens\": \"{9: 1.0}\"}, \"600\": {\"input_tokens\": "
	     "\"{5: 1}\", \"output_tokens\": \"{9: 1}\"}}");
	refuse_each("and their lengths", of_file, "x-trace.csv");
	unlink(path("x-trace.csv")), unlink(path("x-dataset.json"));
}

static void lengths(void)
{
	char keys[300];
	file("trace", "tokens,weight\n10,1\n20,3\n");
	snprintf(keys, sizeof keys,
		 "request_rate=1 num_requests=4 output_tokens=3 "
		 "input_tokens=empirical:%s",
		 path("trace"));
	refuse_each("lengths of a file", made, keys);
	refuse_each("a histogram", made,
		    "request_rate=1 num_requests=4 output_tokens=3 "
		    "input_tokens=histogram:10=1,20=3,30=1");
	refuse_each("stages", made,
		    "stages=2:1,0:1,3:1 output_tokens=3 input_tokens=9");
	refuse_each("sessions", made,
		    "request_rate=2 num_requests=7 turns=3 input_tokens=100 "
		    "output_tokens=20 shared_prefix_tokens=30");
}

int main(void)
{
	begin_traces();
	for (size_t i = 0; i < sizeof format / sizeof *format; i++) {
		file("trace", format[i].text);
		refuse_each(format[i].what, of_trace, format[i].keys);
		refuse_each("kept in memory", kept, format[i].keys);
	}
	file("trace", OWN);
	refuse_each("rows twice", twice, "");
	refuse_each("a summary", summary, "auto");
	file("trace",
	     TREE("a", ",\"arrival_us\":500") TREE("b", ",\"after\":[\"a\"]")
		 TREE("c", ",\"arrival_us\":900"));
	refuse_each("trees twice", twice, "");
	file("trace", MOON("3000", "600", "0, 1") MOON("0", "1024", "0, 2"));
	refuse_each("a summary of hash ids", summary, "mooncake");
	many_traces();
	beside_a_trace();
	lengths();
	return end_traces();
}
