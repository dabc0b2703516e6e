/* AIPerf's inputs and Mooncake's rows with turns. */
#include "trace_read.h"

#define OF_S(more) "{\"session_id\":\"s\"," more "}\n"
#define LENGTHS(in, out) "\"input_length\":" in ",\"output_length\":" out

#define RATE "request_rate=1 arrival=constant output_tokens=7"

static void plays(const char *what, const char *text, const char *want)
{
	file("trace", text);
	is(in_turn(""), want, "%s", what);
}

static void shares(const char *what, const char *text, const char *keys,
		   const char *want)
{
	file("trace", text);
	is(segments("trace", keys), want, "%s", what);
}

static void turns(void)
{
	plays("turns add to the conversation, delay ms after the answer",
	      OF_S(LENGTHS("10", "2") ",\"timestamp\":5.0,\"group_id\":1")
		  OF_S(LENGTHS("4", "3") ",\"delay\":1500.0")
		      OF_S(LENGTHS("5", "1") ",\"delay\":0"),
	      "10@0 16@101.5 24@201.5");
	plays("sessions side by side, and rows without one",
	      OF_S(LENGTHS(
		  "10",
		  "2") ",\"timestamp\":5") "{"
					   "\"timestamp\":1005," LENGTHS(
					       "3",
					       "1") "}\n"
						    "{\"session_id\":7,"
						    "\"timestamp\":"
						    "2005," LENGTHS("8", "1") "}\n" OF_S(
							LENGTHS("4",
								"3") ",\"delay"
								     "\":1"),
	      "10@0 3@1 8@2 16@100.001");
	plays("nobody waits for a turn that failed",
	      OF_S(LENGTHS("10", "2") ",\"timestamp\":5")
		  OF_S(LENGTHS("4", "0") ",\"delay\":1")
		      OF_S(LENGTHS("4", "1") ",\"delay\":2"),
	      "10@0 16@100.002");
	plays("a mode for the session",
	      OF_S("\"context_mode\":\"message_array_with_responses\"," LENGTHS(
		  "10", "2") ",\"timestamp\":0")
		  OF_S("\"context_mode\":\"message_array_with_"
		       "responses\"," LENGTHS("14", "2") ",\"delay\":0"),
	      "10@0 14@100");
	plays("the answer is in the row",
	      OF_S(LENGTHS("10", "2") ",\"timestamp\":0")
		  OF_S("\"context_mode\":\"deltas_with_responses\"," LENGTHS(
		      "14", "2") ",\"delay\":0"),
	      "10@0 24@100");
}

static void prefixes(void)
{
	shares(
	    "ids of what a turn adds",
	    OF_S(LENGTHS("10", "3") ",\"timestamp\":0,\"hash_ids\":[1,2,3]")
		OF_S(LENGTHS(
		    "6",
		    "1") ",\"delay\":1,\"hash_ids\":[8,9]") "{\"timestamp\":9,"
							    "\"hash_ids\":[1,2,"
							    "5]," LENGTHS(
								"12", "1") "}",
	    "hash_block_tokens=4", "|+4 +4 +2 +3 |4 4 2 3 +4 +2 |4 4 +4 ");
	shares("ids of the whole prompt",
	       OF_S(LENGTHS("9", "3") ",\"timestamp\":0,\"hash_ids\":[1,2,3]")
		   OF_S(LENGTHS("16", "1") ",\"delay\":1,"
					   "\"hash_ids\":[1,2,4,5]"),
	       "hash_block_tokens=4", "|+4 +4 +1 |4 4 +4 +4 ");
	shares("texts",
	       "{\"session_id\":\"s\",\"turns\":[{\"text\":\"12345678\"},"
	       "{\"texts\":[\"1234\",{\"name\":\"n\",\"contents\":[\"1234\"]}]"
	       "}]}\n",
	       RATE, "|+2 +7 |2 7 ");
	shares("turns without a name are no session of others",
	       "{\"turns\":[{\"text\":\"12345678\"}]}\n"
	       "{\"turns\":[{\"text\":\"12345678\"}]}\n",
	       RATE, "||");
}

static void others(void)
{
	reads("inputs.json",
	      "{\"data\":[{\"session_id\":\"a\",\"payloads\":[{\"messages\":["
	      "{\"role\":\"user\",\"content\":\"12345678\"}],\"model\":\"m\","
	      "\"max_completion_tokens\":3}]},\n{\"session_id\":\"b\","
	      "\"payloads\":[{\"prompt\":\"1234\",\"max_tokens\":2}]}]}",
	      "request_rate=1 arrival=constant", "0:2+3 1000000:1+2");
	reads("prompts", "{\"text\": \"12345678\"}\n{\"text\": \"1234\"}\n",
	      RATE, "0:2+7 1000000:1+7");
	reads("Mooncake's with a text",
	      "{\"text_input\": \"12345678\", \"output_length\": 20}\n",
	      "format=mooncake request_rate=1 arrival=constant", "0:2+20");
	reads("a payload of a row",
	      "{\"timestamp\":3,\"payload\":{\"prompt\":\"1234\"},"
	      "\"output_length\":5}\n",
	      "format=aiperf", "0:1+5");
}

static void refusals(void)
{
	refuses("no length", "{\"text\": \"1\"}\n", "request_rate=1",
		"!3 trace:1: no output_length; give [workload] output_tokens "
		"for all rows");
	refuses("no time", OF_S(LENGTHS("1", "1")), "", "!2 ");
	refuses("a time for some",
		OF_S("\"timestamp\":1," LENGTHS("1", "1")) "{" LENGTHS("1",
								       "1") "}",
		"format=aiperf",
		"!3 trace:2: some sessions have a timestamp, and others not");
	refuses("no prompt", OF_S("\"output_length\":1"), "format=aiperf",
		"!3 trace:1: neither input_length nor a text");
	refuses("a mode", OF_S("\"context_mode\":\"x\"," LENGTHS("1", "1")),
		"format=aiperf", "!3 trace:1: context_mode = x: not known");
	refuses("branches", OF_S("\"turns\":[\n{\"forks\":[\"b\"]}]"), "",
		"!3 trace:2: forks: sessions that start others are not read");
	refuses("too many ids",
		OF_S(LENGTHS("5", "1") ",\"delay\":0,\"timestamp\":1,"
				       "\"hash_ids\":[1,2]"),
		"", "!3 trace:1: 2 hash_ids, but 5 tokens are 1 blocks of 512");
	refuses("turns in turns",
		"{\"turns\":[{\"turns\":[{\"turns\":[\n{\"turns\":[]}]}]}]}",
		"", "!3 trace:1: turns or payloads inside each other");
	refuses("over the limit",
		OF_S("\"timestamp\":1," LENGTHS("2147483000", "1"))
		    OF_S("\"delay\":1," LENGTHS("2147483000", "1")),
		"",
		"!3 trace:2: 4294966001 input and 1 output tokens are over "
		"2147483647");
	refuses("cut short",
		OF_S(LENGTHS("5", "1") ",\"delay\":0,\"timestamp\""
				       ":1") "{\"input_l",
		"", "!3 trace:2: ");
}

static void spoilt(void)
{
	survives("sessions",
		 "{\"session_id\":\"s\",\"timestamp\":5,\"input_length\":10,"
		 "\"output_length\":2,\"hash_ids\":[1,2],\"context_mode\":"
		 "\"deltas_without_responses\"}\n"
		 "{\"session_id\":\"s\",\"delay\":7,\"input_length\":900,"
		 "\"output_length\":2,\"hash_ids\":[1,2]}\n"
		 "{\"session_id\":\"u\",\"timestamp\":9,\"turns\":[{\"text\":"
		 "\"1234\",\"max_tokens\":3},{\"texts\":[\"1\",{\"contents\":["
		 "\"2\"]}],\"output_length\":2}]}\n",
		 "format=aiperf hash_block_tokens=8");
	survives("bodies",
		 "{\"data\":[{\"session_id\":1,\"payloads\":[{\"messages\":[{"
		 "\"role\":\"user\",\"content\":\"1234\"}],\"max_completion_"
		 "tokens\":3,\"stream\":true}]}]}\n",
		 "format=aiperf request_rate=1");
}

/* A turn of session s, of 8 tokens and blocks of 4. */
#define TURN(in, more) OF_S(LENGTHS(in, "1") ",\"timestamp\":0" more)
static void plays_as(const char *what, const char *text, const char *want)
{
	file("trace", text);
	is(in_turn("format=aiperf"), want, "%s", what);
}

static void whole_prompts(void)
{
	const char *keys = "format=aiperf hash_block_tokens=4";
	shares("ids behind a turn without ids belong to what is added",
	       TURN("8", "") TURN("8", ",\"hash_ids\":[1,2]"), keys,
	       "|+8 +1 |8 1 +4 +4 ");
	shares("ids behind a prompt of no full block",
	       TURN("3", ",\"hash_ids\":[1]") TURN("8", ",\"hash_ids\":[1,2]"),
	       keys, "|+3 +1 |3 1 4 +4 ");
	shares("fewer ids than the prompt before has blocks",
	       TURN("8", ",\"hash_ids\":[1,2]") TURN("4", ",\"hash_ids\":[1]"),
	       keys, "|+4 +4 +1 |4 4 1 4 ");
	plays_as(
	    "a text alone holds nothing before it",
	    OF_S("\"timestamp\":0,\"text\":\"12345678\",\"output_length\":1")
		OF_S("\"delay\":1,\"text\":\"1234\",\"output_length\":1"),
	    "2@0 1@100.001");
	plays_as("a time and a delay: the delay counts",
		 TURN("8", "") TURN("8", ",\"delay\":1000"), "8@0 17@101");
	plays_as("a time alone: it comes then",
		 TURN("8", "") OF_S(LENGTHS("8", "1") ",\"timestamp\":2000"),
		 "8@0 17@2");
	plays_as("a turn without a prompt failed",
		 TURN("0", "") TURN("8", ",\"delay\":1"), "8@0");
}

static void more_refusals(void)
{
	char deep[200] = "{\"timestamp\":0,\"output_length\":1,\"texts\":";
	for (int i = 0; i < 18; i++)
		strcat(deep, "[");
	refuses("deep", deep, "format=aiperf",
		"!3 trace:1: texts in objects more than 16 deep");
	refuses("a conversation over the limit",
		TURN("2147483646", "") OF_S(LENGTHS("2147483648", "1"))
		    OF_S(LENGTHS("5", "1")),
		"format=aiperf",
		"!3 trace:2: its conversation is over 2147483647 tokens");
	refuses("after an answer, too",
		OF_S(LENGTHS("2147483640", "20") ",\"timestamp\":0")
		    OF_S(LENGTHS("1", "1")),
		"format=aiperf",
		"!3 trace:2: its conversation is over 2147483647 tokens");
	refuses("a text with an escape that is none",
		"{\"timestamp\":0,\"output_length\":1,\"text\":\"\\x\"}\n",
		"format=aiperf", "!3 trace:1: ");
	refuses("no value",
		"{\"timestamp\":0,\"output_length\":1,\"more\":nul}\n",
		"format=aiperf", "!3 trace:1: ");
	refuses("turns that are none", OF_S("\"turns\":7"), "format=aiperf",
		"!3 trace:1: turns, payloads and data are arrays");
	refuses("of a long mode 60 characters are shown",
		OF_S("\"context_mode\":\"aaaaaaaaaabbbbbbbbbbccccccccccdddddddd"
		     "ddeeeeeeeeeeffffffffffgggg\"," LENGTHS("1", "1")),
		"format=aiperf",
		"!3 trace:1: context_mode = aaaaaaaaaabbbbbbbbbbccccccccccdddd"
		"ddddddeeeeeeeeeeffffffffff: not known");
}

int main(void)
{
	begin_traces();
	spoilt();
	turns();
	prefixes();
	others();
	refusals();
	whole_prompts();
	more_refusals();
	return end_traces();
}
