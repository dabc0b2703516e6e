/* ShareGPT's conversations: text without times. */
#include "trace_read.h"

static void conversations(void)
{
	const char *chats =
	    "[{\"id\": \"a\", \"conversations\": [{\"from\": \"human\", "
	    "\"value\": \"\\u00e9\\u00e9\xc3\xa9 45678\"}, {\"from\": \"gpt\", "
	    "\"value\": \"12\\\"4\"}]},\n"
	    "{\"id\": \"b\", \"conversations\": [{\"from\": \"human\", "
	    "\"value\": \"x\"}]},\n"
	    "{\"id\": \"c\", \"conversations\": [{\"from\": \"human\", "
	    "\"value\": \"12345678\"}, {\"from\": \"gpt\", \"value\": "
	    "\"\"}]}]\n";
	reads("ShareGPT: characters, two turns, no times", chats,
	      "interarrival_us=10", "0:3+1");
	is(note("trace", "interarrival_us=10", 0),
	   "trace: holds text: its lengths are estimated, 4 characters a token "
	   "(chars_per_token)",
	   "which is said");
	refuses("no times, no rate", chats, "",
		"!2 <text>: [workload] needs request_rate");
	refuses("cut short", "[{\"conversations\": [\n{\"value\": \"x\"}, ", "",
		"!3 trace:2: not JSON: it is cut short");
}

static void spoilt(void)
{
	survives("conversations",
		 "[{\"id\":\"a\",\"conversations\":[{\"from\":\"human\","
		 "\"value\":\"12345678\"},{\"from\":\"gpt\",\"value\":\"1234\"}"
		 ",{\"from\":\"human\",\"value\":\"1\"}]},\n"
		 "{\"id\":\"b\",\"conversations\":[]}]\n",
		 "format=sharegpt request_rate=1");
}

int main(void)
{
	begin_traces();
	spoilt();
	conversations();
	return end_traces();
}
