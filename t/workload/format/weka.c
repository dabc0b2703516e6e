/* Coding sessions of agents in Weka's form. */
#include "trace_read.h"

#define SESSION(more, requests)                                                \
	"{\"id\":\"x\",\"models\":[\"m\"],\"block_size\":64" more              \
	",\"requests\":[\n" requests "]}\n"
#define REQUEST(t, in, more)                                                   \
	"{\"t\":" t ",\"type\":\"n\",\"in\":" in ",\"out\":3" more "}"
#define AGENT(requests)                                                        \
	"{\"t\":1,\"type\":\"subagent\",\"agent_id\":\"a\",\"requests\":"      \
	"[" requests "]}"
#define TIMES(api, think) ",\"api_time\":" api ",\"think_time\":" think

static void timing(void)
{
	file("trace",
	     SESSION("",
		     REQUEST("5", "10", TIMES("2", "0")) ",\n" REQUEST(
			 "8", "20",
			 TIMES("4", "0.5")) ",\n" REQUEST("20.25", "30", "")));
	is(in_turn(""), "10@0 20@100.5 30@212.75",
	   "think time, and the difference where there is none");
	is(in_turn("timing_strategy=original"), "10@0 20@103 30@215.25",
	   "the differences");
	is(in_turn("timing_strategy=api-scaled api_time_scale=10"),
	   "10@0 20@120.5 30@232.75", "the server's time, scaled");
	is(in_turn("concurrency=1 num_requests=2"), "10@0 20@100.5",
	   "in a closed loop, cut");
	file(
	    "trace",
	    SESSION("", REQUEST("0", "10", "") "," REQUEST(
			    "5", "20",
			    TIMES("1", "-3")) "," REQUEST("4", "30",
							  TIMES("1", "null"))));
	is(in_turn(""), "10@0 20@100 30@200",
	   "a time before 0, and one that goes back");
	is(in_turn("timing_strategy=api-scaled"), "10@0 20@105 30@205",
	   "without the server's time: the difference");
}

static void agents(void)
{
	file(
	    "trace",
	    SESSION(
		"",
		REQUEST("0", "10", TIMES("1", "0")) "," AGENT(
		    REQUEST("1", "21", TIMES("1", "2")) "," REQUEST(
			"2", "22",
			TIMES(
			    "1",
			    "1"))) "," AGENT(REQUEST("1", "31",
						     TIMES(
							 "1",
							 "9"))) "," AGENT("") "," REQUEST("9",
											  "40",
											  TIMES(
											      "1",
											      "4"))));
	is(in_turn(""), "10@0 21@102 31@102 22@203 40@307",
	   "sub-agents start together, and the agent waits for both");
	file("trace",
	     SESSION("", AGENT(AGENT(REQUEST("3", "11", "")) "," REQUEST(
			     "4", "12",
			     "")) "," AGENT("") "," REQUEST("5", "13", "")));
	is(in_turn(""), "11@0 12@101 13@202", "agents of agents come first");
	file("trace", SESSION("", REQUEST("0", "10", "") "," AGENT(
				      REQUEST("1", "21", ""))));
	is(in_turn(""), "10@0 21@101", "an agent that ends with another");
}

static void prefixes(void)
{
	reads("several sessions, in lines or not",
	      SESSION("", REQUEST("0", "130", ",\"hash_ids\":[1,2]"))
		  SESSION("", REQUEST("2", "130", ",\"hash_ids\":[1,2,3]")),
	      "", "0:130+3 2000000:130+3");
	is(segments("trace", ""), "|+64 +64 |+64 +64 +2 ",
	   "ids belong to their session");
	file("trace",
	     SESSION(",\"hash_id_scope\":\"global\"",
		     REQUEST("0", "130", ",\"hash_ids\":[1,2]"))
		 SESSION(",\"hash_id_scope\":\"global\"",
			 REQUEST("2", "130", ",\"hash_ids\":[1,2,3]")));
	is(segments("trace", ""), "|+64 +64 |64 64 +2 ", "unless they do not");
	file("trace",
	     SESSION("", REQUEST("0", "0", "") "," REQUEST("1", "9", "")));
	is(note("trace", "", 0),
	   "trace: 1 failed requests (0 tokens) dropped, 1 kept",
	   "nobody waits for a failed one");
}

static void refusals(void)
{
	refuses("a type", SESSION("", "{\"t\":0,\"type\":\"x\"}"), "",
		"!3 trace:2: type = x: is n, s or subagent");
	refuses("no type", SESSION("", "\n{\"t\":0}"), "",
		"!3 trace:3: no type, which a weka request has");
	refuses("no out", SESSION("", "{\"t\":0,\"type\":\"s\",\"in\":1}"), "",
		"!3 trace:2: no out, which a weka request has");
	refuses("no requests in an agent",
		SESSION("", "{\"type\":\"subagent\"}"), "",
		"!3 trace:2: no requests, which a weka sub-agent has");
	refuses("no requests", "{\"block_size\":64}", "",
		"!3 trace:1: no requests, which a weka session has");
	refuses("a size", "{\"block_size\":0}", "",
		"!3 trace:1: block_size = 0: 1 to 1048576");
	refuses("a scope", "{\"hash_id_scope\":\"here\"}", "",
		"!3 trace:1: hash_id_scope = here: local or global");
	refuses("a time", SESSION("", REQUEST("1e30", "1", "")), "",
		"!3 trace:2: t = 1e30: not a time in s");
	refuses("too many ids",
		SESSION("", REQUEST("0", "1", ",\"hash_ids\":[1,2]")), "",
		"!3 trace:2: 2 hash_ids, but 1 tokens are 1 blocks of 64");
	refuses("ids of another kind",
		SESSION("", REQUEST("0", "99", ",\"hash_ids\":[1,\"a\"]")), "",
		"!3 trace:2: ");
	refuses("cut short", SESSION("", REQUEST("0", "1", "")) "{\"id\":", "",
		"!3 trace:3: ");
	refuses("a list", "[]", "format=weka", "!3 trace:1: '{' expected");
}

static void spoilt(void)
{
	survives("a session",
		 "{\"id\":\"x\",\"block_size\":64,\"hash_id_scope\":\"local\","
		 "\"requests\":[\n"
		 "{\"t\":0,\"type\":\"n\",\"in\":70,\"out\":3,\"hash_ids\":[1,"
		 "2],\"api_time\":1.5,\"think_time\":0.5},\n"
		 "{\"t\":1,\"type\":\"subagent\",\"requests\":[{\"t\":2,"
		 "\"type\":\"s\",\"in\":10,\"out\":1}]},\n"
		 "{\"t\":5,\"type\":\"n\",\"in\":11,\"out\":2}]}\n",
		 "format=weka");
}

static void joins(void)
{
	file("trace",
	     SESSION("", AGENT(REQUEST("1", "21", "")) "," AGENT(REQUEST(
			     "3", "31", "")) "," REQUEST("9", "40", "")));
	is(in_turn("timing_strategy=original"), "21@0 31@2 40@108",
	   "an agent waits for both, and for the later one's time");
	file("trace",
	     SESSION("", REQUEST("0", "10", TIMES("4e9", "0")) "," REQUEST(
			     "5", "20", TIMES("1", "1"))));
	is(in_turn("timing_strategy=api-scaled api_time_scale=1e6"),
	   "10@0 20@4.61169e+09", "a delay ends where the clock does");
	file("trace",
	     SESSION("", "{\"t\":0,\"type\":\"n\",\"in\":3,\"out\":0}," REQUEST(
			     "1", "9", "")));
	is(note("trace", "", 0),
	   "trace: 1 failed requests (0 tokens) dropped, 1 kept",
	   "a request without an answer failed");
}

static void more_refusals(void)
{
#define LONG "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff"
	refuses("no time", SESSION("", "{\"type\":\"n\",\"in\":1,\"out\":1}"),
		"", "!3 trace:2: no t, which a weka request has");
	refuses("no prompt", SESSION("", "{\"type\":\"n\",\"t\":1,\"out\":1}"),
		"", "!3 trace:2: no in, which a weka request has");
	refuses("a long type", SESSION("", "{\"type\":\"" LONG "g\"}"), "",
		"!3 trace:2: type = " LONG ": is n, s or subagent");
	refuses("a long scope", "{\"hash_id_scope\":\"" LONG "g\"}", "",
		"!3 trace:1: hash_id_scope = " LONG ": local or global");
	refuses("a long time",
		SESSION("", REQUEST("1000000000000000000000000000000000000000"
				    "0000000000000000000000000000",
				    "1", "")),
		"", "!3 trace:2: t = 1000000");
	refuses("a time where the clock ends",
		SESSION("", REQUEST("4611686019", "1", "")), "",
		"!3 trace:2: t = 4611686019: not a time in s");
	refuses("no value", SESSION("", REQUEST("0", "1", ",\"a\":nul")), "",
		"!3 trace:2: ");
	char deep[3000] = "{\"id\":\"x\",\"requests\":[";
	size_t n = strlen(deep);
	for (int i = 0; i < 33; i++)
		n += (size_t)sprintf(deep + n, "{\"type\":\"subagent\","
					       "\"requests\":[");
	n += (size_t)sprintf(deep + n, "%s", REQUEST("0", "1", ""));
	for (int i = 0; i < 33; i++)
		n += (size_t)sprintf(deep + n, "]}");
	sprintf(deep + n, "]}\n");
	refuses("33 deep", deep, "format=weka",
		"!3 trace:1: sub-agents inside each other more than 32 deep");
	refuses("a large size", "{\"block_size\":1048577}", "",
		"!3 trace:1: block_size = 1048577: 1 to 1048576");
	refuses("requests of another kind",
		SESSION("", "{\"type\":\"subagent\",\"requests\":7}"), "",
		"!3 trace:2: no requests, which a weka sub-agent has");
}

int main(void)
{
	begin_traces();
	spoilt();
	timing();
	agents();
	prefixes();
	refusals();
	joins();
	more_refusals();
	return end_traces();
}
