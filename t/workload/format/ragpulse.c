/* RAGPulse's traces, with and without the lengths of their hash ids. */
#include <sys/stat.h>
#include "trace_read.h"

static void ragpulse(void)
{
	const char *rows =
	    "{\"timestamp\": \"82\", \"input_length\": 312, \"output_length\": "
	    "19, \"hash_ids\": {\"sys_prompt\": [1, 2], \"passages_ids\": [], "
	    "\"history\": [3], \"web_search\": [], \"user_input\": [4]}, "
	    "\"session_id\": \"17-a\"}\n"
	    "{\"timestamp\": \"90\", \"input_length\": 112, \"output_length\": "
	    "9, \"hash_ids\": {\"sys_prompt\": [1, 2], \"passages_ids\": [9], "
	    "\"history\": [], \"web_search\": [], \"user_input\": [4]}}\n"
	    "{\"timestamp\": \"0\", \"input_length\": 50, \"output_length\": "
	    "8, \"hash_ids\": {\"sys_prompt\": [1], \"passages_ids\": [], "
	    "\"history\": [], \"web_search\": [], \"user_input\": []}}\n\n";
	reads("RAGPulse: seconds as text, a clock that starts again", rows, "",
	      "0:50+8 82000000:312+19 90000000:112+9");
	is(note("trace", "", 1),
	   "trace:3: earlier than the row before; rows are sorted by "
	   "time",
	   "which is said with the line");
	is(segments("trace", ""), "|||", "no lengths of hash ids, no prefix");
	file("1_sys_prompt.jsonl",
	     "{\"sys_prompt_id\": 1, \"token_length\": 60}\n"
	     "{\"sys_prompt_id\": 2, \"token_length\": 30}\n");
	file("3_history.jsonl", "{\"history_id\": 3, \"token_length\": 7}\n");
	is(segments("trace", ""), "|+50 |60 +30 +7 |60 30 ",
	   "up to the first id of unknown length, and to the prompt's end");
	unlink(path("1_sys_prompt.jsonl")), unlink(path("3_history.jsonl"));
}

static void spoilt(void)
{
	survives("rows",
		 "{\"timestamp\":\"82\",\"input_length\":312,\"output_length\":"
		 "19,\"hash_ids\":{\"sys_prompt\":[1,2],\"history\":[3]},"
		 "\"session_id\":\"17-a\"}\n"
		 "{\"timestamp\":90,\"input_length\":3,\"output_length\":9,"
		 "\"hash_ids\":{}}\n",
		 "format=ragpulse");
}

/* Lengths that are none are left out. */
static void wrong_lengths(void)
{
	file("trace",
	     "{\"timestamp\": \"82\", \"input_length\": 312, "
	     "\"output_length\": 19, \"hash_ids\": {\"a\": [1, 2]}}\n");
	file("1_sys_prompt.jsonl",
	     "{\"sys_prompt_id\": 1, \"token_length\": 60}\n"
	     "{\"sys_prompt_id\": -2, \"token_length\": 30}\n"
	     "{\"sys_prompt_id\": 2}\n"
	     "{\"sys_prompt_id\": 2, \"token_length\": 2147483647}\n"
	     "{\"sys_prompt_id\": 2, \"token_length\": \"x\"}\n");
	is(segments("trace", ""), "|+60 ", "the first id has a length");
	file("trace", "{\"timestamp\": \"82\", \"input_length\": 40, "
		      "\"output_length\": 9, \"hash_ids\": {\"a\": [1, 1]}}\n");
	is(segments("trace", ""), "|+40 ", "no more ids than the prompt has");
	unlink(path("1_sys_prompt.jsonl"));
}

/* Lengths that are there are not taken for missing ones. */
static void unread_lengths(void)
{
	mkdir(path("1_sys_prompt.jsonl"), 0777);
	const char *got = requests("trace", "");
	ok(!strncmp(got, "!3 trace:1: ", 12) &&
	       strstr(got, "/1_sys_prompt.jsonl: Is a directory"),
	   "%s", got);
	rmdir(path("1_sys_prompt.jsonl"));
}

int main(void)
{
	begin_traces();
	spoilt();
	ragpulse();
	wrong_lengths();
	unread_lengths();
	return end_traces();
}
