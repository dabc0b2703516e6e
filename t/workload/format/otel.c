/* OpenTelemetry spans as sessions: which call waits for which, what its prompt
 * shares, and files that are refused. */
#include "trace_read.h"

#define OTLP(spans)                                                            \
	"{\"resourceSpans\":[{\"resource\":{\"attributes\":[]},"               \
	"\"scopeSpans\":[{\"scope\":{},\"spans\":[" spans "]}]}]}\n"
#define SPAN(id, parent, from, to, attributes)                                 \
	"{\"traceId\":\"t\",\"spanId\":\"" id "\",\"parentSpanId\":\"" parent  \
	"\",\"name\":\"n" id "\",\"startTimeUnixNano\":\"" from                \
	"000000000\",\"endTimeUnixNano\":" to                                  \
	"000000000,\"attributes\":[" attributes "]}"
#define TEXT(key, value)                                                       \
	"{\"key\":\"" key "\",\"value\":{\"stringValue\":\"" value "\"}}"
#define WHOLE(key, value)                                                      \
	"{\"key\":\"" key "\",\"value\":{\"intValue\":" value "}}"
#define USAGE(in, out)                                                         \
	WHOLE("gen_ai.usage.input_tokens", "\"" in "\"")                       \
	"," WHOLE("gen_ai.usage.output_tokens", out)
#define CHAT(id, parent, from, to, in, out)                                    \
	SPAN(id, parent, from, to,                                             \
	     TEXT("gen_ai.operation.name", "chat") "," USAGE(in, out))
#define AGENT(id, parent, from, to)                                            \
	SPAN(id, parent, from, to,                                             \
	     TEXT("gen_ai.operation.name", "invoke_agent") "," USAGE("9999",   \
								     "9999"))

static void plays(const char *what, const char *text, const char *want)
{
	file("trace", text);
	is(in_turn(""), want, "%s", what);
}

static void waits(void)
{
	plays("a tool's time between two calls",
	      OTLP(CHAT("a", "", "10", "12", "5",
			"1") "," CHAT("b", "", "13", "14", "6", "1")),
	      "5@0 6@101");
	plays("lines and spans in any order",
	      OTLP(CHAT("c", "", "20", "21", "7", "1") "," CHAT("b", "", "13",
								"16", "6", "1"))
		  OTLP(CHAT("a", "", "10", "12", "5", "1")),
	      "5@0 6@101 7@205");
	plays(
	    "agents side by side, that end before their calls",
	    OTLP(CHAT("a", "r", "10", "12", "5", "1") "," AGENT("x", "r", "12", "13") "," AGENT(
		"y", "r", "12",
		"13") "," CHAT("x1", "x", "13", "20", "6",
			       "1") "," CHAT("x2", "x", "21", "30", "7",
					     "1") "," CHAT("y1", "y", "14",
							   "18", "8",
							   "1") "," CHAT("b",
									 "r",
									 "33",
									 "34",
									 "9",
									 "1") "," AGENT("r",
											"missing",
											"10",
											"34")),
	    "5@0 6@101 8@102 7@202 9@305");
	plays("one beside two",
	      OTLP(CHAT("a", "", "10", "20", "5", "1") "," CHAT(
		  "b", "", "12", "15", "6",
		  "1") "," CHAT("c", "", "16", "18", "7",
				"1") "," CHAT("d", "", "21", "22", "8", "1")),
	      "5@0 6@2 7@103 8@204");
}

static void counts_once(void)
{
	plays(
	    "the inner of two spans of one call, in former names",
	    OTLP(SPAN(
		"w", "", "1", "9",
		TEXT("openinference.span.kind", "LLM") "," WHOLE(
		    "llm.token_count.prompt",
		    "50") "," WHOLE("llm.token_count.completion",
				    "2")) "," SPAN("i", "w", "2", "8",
						   WHOLE(
						       "gen_ai.usage.prompt_"
						       "tokens",
						       "51") "," WHOLE("gen_ai."
								       "usage."
								       "complet"
								       "ion_"
								       "tokens",
								       "3"))),
	    "51@0");
	plays("a span that was sent twice",
	      OTLP(CHAT("a", "", "10", "12", "5",
			"1") "," CHAT("a", "", "10", "12", "5", "1")),
	      "5@0");
}

#define IN_TALK(trace, from, to, in)                                           \
	"{\"trace_id\":\"" trace "\",\"span_id\":1,\"start_time\":"            \
	"\"2026-01-01T00:" from "Z\",\"end_time\":\"2026-01-01T00:" to         \
	"Z\",\"attributes\":{\"gen_ai.conversation.id\":\"c\","                \
	"\"gen_ai.usage.input_tokens\":" in                                    \
	",\"gen_ai.usage.output_tokens\":2}}"

static void sessions(void)
{
	plays("two traces of a conversation; dates, plain attributes",
	      "{\"spans\":[" IN_TALK("t1", "00:00", "00:02", "5") "," IN_TALK(
		  "t2", "01:02", "01:03", "9") "]}",
	      "5@0 9@160");
	plays(
	    "texts without counts, as the SDK prints spans",
	    "[{\"context\":{\"trace_id\":\"a\",\"span_id\":\"1\"},"
	    "\"start_time\":\"2026-01-01T00:00:00Z\","
	    "\"end_time\":\"2026-01-01T00:00:01Z\",\"attributes\":{"
	    "\"gen_ai.operation.name\":\"chat\","
	    "\"gen_ai.prompt\":\"12345678\",\"gen_ai.completion\":\"1234\"}}]",
	    "2@0");
#define TALK TEXT("gen_ai.conversation.id", "c") ","
	plays("a trace that names its conversation in each call",
	      OTLP(SPAN("a", "", "10", "12", TALK USAGE("5", "1")) "," SPAN(
		  "b", "", "13", "14", TALK USAGE("6", "1"))),
	      "5@0 6@101");
	plays("calls that begin together, the one that ends first before",
	      OTLP(CHAT("a", "", "10", "12", "5",
			"1") "," CHAT("b", "", "10", "20", "6", "1")),
	      "5@0 6@0");
	file("trace",
	     OTLP(CHAT("a", "", "10", "12", "5", "3") "," CHAT(
		 "b", "", "13", "14", "20",
		 "4") "," CHAT("c", "", "15", "16", "10",
			       "1") "," CHAT("d", "", "17", "18", "21", "1")));
	is(segments("trace", ""), "|+5 +3 |5 3 |5 3 +2 +1 |5 3 2 1 ",
	   "prompts begin with the one before and its answer");
	file("trace",
	     OTLP(CHAT("a", "", "10", "12", "5", "1") "," SPAN(
		 "b", "", "13", "14",
		 TEXT("gen_ai.operation.name",
		      "chat")) "," CHAT("c", "", "15", "16", "6", "1")));
	is(note("trace", "", 1),
	   "trace: 1 failed requests (0 tokens) dropped, 2 kept",
	   "a call that failed");
	is(in_turn(""), "5@0 6@103", "nobody waits for it");
}

static void refusals(void)
{
	refuses("no call", OTLP(AGENT("a", "", "1", "2")), "",
		"!3 trace:1: none of its 1 spans is a call of a model: no "
		"gen_ai.usage.input_tokens and output_tokens, and no "
		"gen_ai.operation.name = chat");
	refuses("a circle",
		OTLP(CHAT("a", "b", "1", "2", "1", "1"))
		    OTLP(CHAT("b", "a", "1", "2", "1", "1")),
		"", "!3 trace:1: it is inside itself");
	refuses("a call without an end",
		"{\"resourceSpans\":[\n{\"start_time\":1,\"attributes\":{"
		"\"gen_ai.usage.input_tokens\":1,\"gen_ai.usage.output_"
		"tokens\":1}}]}",
		"", "!3 trace:2: a call without the time of its end");
	refuses("an end before", OTLP(CHAT("a", "", "3", "2", "1", "1")), "",
		"!3 trace:1: a call that ends before it begins");
	refuses("a time", OTLP(CHAT("a", "", "-3", "2", "1", "1")), "",
		"!3 trace:1: startTimeUnixNano = -3000000000: not a time");
	refuses("tokens", OTLP(CHAT("a", "", "1", "2", "x", "1")), "",
		"!3 trace:1: gen_ai.usage.input_tokens = x: ");
	refuses("cut short", "{\"resourceSpans\":[\n{\"scopeSpans\":[", "",
		"!3 trace:2: ");
	refuses("deep",
		"{\"resourceSpans\":{\"spans\":{\"spans\":{\"spans\":{"
		"\"spans\":{\"spans\":{\"spans\":{\"spans\":{\"spans\":{"
		"\"spans\":{\"spans\":{\"spans\":{\"spans\":{\"spans\":{"
		"\"spans\":{\"spans\":{\"spans\":{\"spans\":1}}}}}}}}}}}}}}"
		"}}}}",
		"", "!3 trace:1: spans in objects more than 16 deep");
}

static void spoilt(void)
{
	survives("spans",
		 "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{"
		 "\"traceId\":\"t\",\"spanId\":\"a\",\"parentSpanId\":\"r\","
		 "\"startTimeUnixNano\":\"1000\",\"endTimeUnixNano\":2000,"
		 "\"attributes\":[{\"key\":\"gen_ai.operation.name\",\"value\":"
		 "{\"stringValue\":\"chat\"}},{\"key\":\"gen_ai.usage.input_"
		 "tokens\",\"value\":{\"intValue\":\"5\"}},{\"key\":\"gen_ai."
		 "usage.output_tokens\",\"value\":{\"intValue\":1}}]}]}]}]}\n"
		 "{\"context\":{\"trace_id\":\"t\",\"span_id\":\"b\"},\"parent_"
		 "id\":null,\"start_time\":\"2026-01-01T00:00:00Z\",\"end_"
		 "time\":\"2026-01-01T00:00:01Z\",\"attributes\":{\"gen_ai."
		 "prompt\":\"12345678\",\"gen_ai.completion\":\"1234\",\"gen_"
		 "ai.conversation.id\":\"c\"}}\n",
		 "format=otel");
}

#define STEP(id, parent, from, to)                                             \
	SPAN(id, parent, from, to, TEXT("gen_ai.operation.name", "workflow"))
#define FAILED(id, parent, from, to)                                           \
	SPAN(id, parent, from, to, TEXT("gen_ai.operation.name", "chat"))
static void around(void)
{
	plays("a span that says it is inside itself is in none",
	      OTLP(CHAT("a", "a", "10", "12", "5", "1")), "5@0");
	plays("a step without a call, and a trace without any",
	      OTLP(CHAT("a", "", "10", "12", "5", "1") "," STEP(
		  "s", "", "1", "2")) OTLP("{\"traceId\":\"u\",\"spanId\":"
					   "\"a\",\"startTimeUnixNano\":1,"
					   "\"attributes\":[]}"),
	      "5@0");
	plays("two calls in one span of a library",
	      OTLP(CHAT("w", "", "1", "30", "9", "9") "," CHAT(
		  "a", "w", "10", "12", "5", "1") "," CHAT("b", "w", "13", "14",
							   "6", "1")),
	      "5@0 6@101");
	plays(
	    "a failed call inside a call",
	    OTLP(CHAT("a", "", "10", "20", "5", "1") "," FAILED(
		"f", "a", "12", "13") "," CHAT("b", "", "21", "22", "6", "1")),
	    "5@0 6@101");
	plays("that is longer than the one around it",
	      OTLP(CHAT("a", "", "10", "20", "5", "1") "," FAILED(
		  "f", "a", "9", "30") "," CHAT("b", "", "31", "32", "6", "1")),
	      "5@0 6@111");
	plays("two calls at once",
	      OTLP(CHAT("a", "", "10", "13", "5", "1") "," CHAT(
		  "b", "", "10", "12", "6",
		  "1") "," CHAT("c", "", "10", "12", "7",
				"1") "," CHAT("d", "", "14", "15", "8", "1")),
	      "6@0 7@0 5@0 8@101");
	plays("spans without the id of a trace",
	      "{\"spans\":[{\"span_id\":1,\"start_time\":1000,\"end_time\":"
	      "2000,\"attributes\":{\"gen_ai.usage.input_tokens\":5,"
	      "\"gen_ai.usage.output_tokens\":1}}]}",
	      "5@0");
	refuses("a circle beside a call",
		OTLP(CHAT("z", "", "1", "2", "1", "1"))
		    OTLP(CHAT("a", "b", "1", "2", "1", "1"))
			OTLP(CHAT("b", "a", "1", "2", "1", "1")),
		"", "!3 trace:2: it is inside itself");
	refuses("a time of another century",
		OTLP(CHAT("a", "", "9000000000", "9000000001", "1", "1")), "",
		"!3 trace:1: startTimeUnixNano = 9000000000000000000: after "
		"the year 2116");
	refuses("a date before 1970",
		"{\"spans\":[{\"start_time\":\"1969-01-01T00:00:00Z\"}]}",
		"format=otel", "!3 trace:1: start_time = 1969-01-01T00:00:00Z");
	refuses("a long time",
		"{\"spans\":[{\"start_time\":"
		"\"1970-01-01T00:00:00.000000000000000000000000000000Z\"}]}",
		"format=otel", "!3 trace:1: start_time = 1970-01-01");
}

/* Calls one after the other: 70 that grow, and a short one, which has no prompt
 * before it within 64 steps. */
static void many_steps(void)
{
	char text[40000];
	size_t n = (size_t)sprintf(text, "{\"spans\":[");
	for (int i = 0; i < 71; i++)
		n += (size_t)sprintf(
		    text + n,
		    "%s{\"span_id\":%d,\"trace_id\":1,\"start_time\":%d,"
		    "\"end_time\":%d,\"attributes\":{"
		    "\"gen_ai.usage.input_tokens\":%d,"
		    "\"gen_ai.usage.output_tokens\":1}}",
		    i ? "," : "", i + 1, 10 * i, 10 * i + 5,
		    i < 70 ? 10 + i : 9);
	sprintf(text + n, "]}");
	file("trace", text);
	const char *got = segments("trace", "");
	ok(!strcmp(got + strlen(got) - 3, "1 |"),
	   "a short prompt begins with none before it");
}

/* Agents inside each other, each with a call of its own. */
static void deep_agents(void)
{
	static char text[200000];
	size_t n = (size_t)sprintf(text, "{\"spans\":[");
	for (int i = 0; i < 220; i++)
		n += (size_t)sprintf(
		    text + n,
		    "%s{\"span_id\":\"g%d\",\"parent_id\":\"g%d\",\"start_"
		    "time\":%d,\"end_time\":9999,\"attributes\":{\"gen_ai."
		    "operation.name\":\"invoke_agent\"}},{\"span_id\":\"c%d\","
		    "\"parent_id\":\"g%d\",\"start_time\":%d,\"end_time\":%d,"
		    "\"attributes\":{\"gen_ai.usage.input_tokens\":5,"
		    "\"gen_ai.usage.output_tokens\":1}}",
		    i ? "," : "", i, i - 1, i, i, i, i, 9000 - i);
	sprintf(text + n, "]}");
	refuses("deep", text, "",
		"!3 trace:1: agents inside each other more than 200 deep");
}

int main(void)
{
	begin_traces();
	spoilt();
	waits();
	counts_once();
	sessions();
	refusals();
	around();
	many_steps();
	deep_agents();
	return end_traces();
}
