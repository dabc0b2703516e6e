/* Mooncake's and Qwen's traces, which only their blocks tell apart. */
#include "trace_read.h"

#define MOON(time, in, ids)                                                    \
	"{\"timestamp\": " time ", \"input_length\": " in                      \
	", \"output_length\": 5, \"hash_ids\": [" ids "]}\n"
#define QWEN(chat, parent, time, in, ids)                                      \
	"{\"chat_id\": " chat ", \"parent_chat_id\": " parent                  \
	", \"timestamp\": " time ", \"input_length\": " in                     \
	", \"output_length\": 5, \"type\": \"text\", \"turn\": 1, "            \
	"\"hash_ids\": [" ids "]}\n"

static void mooncake_and_qwen(void)
{
	reads("Mooncake: ms, told by its blocks",
	      MOON("0", "600", "0, 1") MOON("3000", "1024", "0, 2"), "",
	      "0:600+5 3000000:1024+5");
	is(segments("trace", ""), "|+512 +88 |512 +512 ",
	   "hash ids as segments of 512, the last shorter");
	reads("a blank line between, two at the end, ids beyond 64 bits",
	      MOON("0", "600", "99999999999999999999, 1") "\n" MOON(
		  "1", "600", "99999999999999999999, 2") "\n\n",
	      "", "0:600+5 1000:600+5");
	is(segments("trace", ""), "|+512 +88 |512 +88 ", "the same id");
	reads("Qwen: s, told by its blocks",
	      QWEN("1", "-1", "0.5", "40", "1,2,3")
		  QWEN("2", "1", "61.114", "50", "1,2,4"),
	      "", "0:40+5 60614000:50+5");
	is(segments("trace", ""), "|+16 +16 +8 |16 16 +16 ",
	   "blocks of 16; a part of a block may be left out");
	reads("made up: 0, 1, 2, 3",
	      MOON("0", "600", "0, 1") MOON("1", "600", "0, 2")
		  MOON("2", "600", "0, 1") MOON("3", "600", "0, 1"),
	      "", "0:600+5 1000:600+5 2000:600+5 3000:600+5");
	is(note("trace", "", 0),
	   "trace: its requests are exactly evenly spaced; measured requests "
	   "are not",
	   "is remarked");
	refuses("either of them", MOON("0", "10", "1") MOON("1", "12", "2"), "",
		"!3 trace:1: it could be Mooncake's");
	refuses("Mooncake's keys without hash ids",
		"{\"timestamp\": 0, \"input_length\": 3, \"output_length\": "
		"1}\n",
		"", "!3 trace:1: it could be Mooncake's");
	reads("unless it is said",
	      "{\"timestamp\": 5, \"input_length\": 3, \"output_length\": 1}\n"
	      "{\"timestamp\": 9, \"input_length\": 3, \"output_length\": 1}\n",
	      "format=mooncake", "0:3+1 4000:3+1");
	refuses("Qwen's seconds as Mooncake's ms",
		QWEN("1", "-1", "0.5", "40", "1"), "format=mooncake",
		"!3 trace:1: timestamp = 0.5: Mooncake's are whole ms");
	refuses("blocks of another size", MOON("0", "600", "0, 1, 2"),
		"format=mooncake",
		"!3 trace:1: 3 hash_ids, but 600 tokens are 2 blocks of 512");
	reads("unless that is said", MOON("0", "600", "0, 1, 2"),
	      "format=mooncake hash_block_tokens=256", "0:600+5");
	refuses("a README's dots", MOON("0", "600", "0, ..., 1"),
		"format=mooncake", "!3 trace:1: ");
	refuses("a comment", MOON("0", "600", "0, 1") "// more\n", "",
		"!3 trace:2: '{' expected");
	refuses("a truncated last line",
		MOON("0", "600", "0, 1") "{\"timestamp\": 7, \"input_le", "",
		"!3 trace:2: not JSON: it is cut short");
	refuses("an object of lists as a list",
		"{\"timestamp\": 0, \"input_length\": 3, \"output_length\": 1, "
		"\"hash_ids\": {}}\n",
		"format=mooncake", "!3 trace:1: '[' expected");
	refuses("a key twice",
		"{\"timestamp\": 0, \"timestamp\": 1, \"input_length\": 3, "
		"\"output_length\": 1}\n",
		"format=mooncake", "!3 trace:1: key timestamp comes twice");
}

static void spoilt(void)
{
	survives("Mooncake",
		 "{\"timestamp\":0,\"input_length\":600,\"output_length\":5,"
		 "\"hash_ids\":[0,1]}\n"
		 "{\"timestamp\":3,\"input_length\":9,\"output_length\":5,"
		 "\"hash_ids\":[]}\n",
		 "format=mooncake");
	survives("Qwen",
		 "{\"chat_id\":1,\"parent_chat_id\":-1,\"timestamp\":0.5,"
		 "\"input_length\":40,\"output_length\":5,\"type\":\"text\","
		 "\"turn\":1,\"hash_ids\":[1,2,3]}\n"
		 "{\"chat_id\":2,\"parent_chat_id\":1,\"timestamp\":1,\"input_"
		 "length\":50,\"output_length\":5,\"type\":\"text\",\"turn\":2,"
		 "\"hash_ids\":[1,2,4]}\n",
		 "format=qwen");
}

static void sessions(void)
{
#define OF(session, time)                                                      \
	"{\"session_id\": " session ", \"timestamp\": " time                   \
	", \"input_length\": 600, \"output_length\": 5, \"hash_ids\": [1, 2]}" \
	"\n"
	reads("sessions by text or number, whose rows have times",
	      OF("\"a\"", "0") OF("7", "1"), "", "0:600+5 1000:600+5");
	refuses("a session of another kind", OF("{}", "0"), "format=mooncake",
		"!3 trace:1: a number expected");
	refuses("cut in the session", "{\"timestamp\": 0, \"session_id\": \"a",
		"format=mooncake", "!3 trace:1: ");
	/* The format is told from 64 KiB; a turn comes behind them. */
	FILE *f = fopen(path("trace"), "w");
	for (int i = 0; f && i < 2000; i++)
		fputs(OF("7", "1"), f);
	if (!f ||
	    fputs("{\"delay\": 1, \"timestamp\": 1, \"input_length\": 1}", f) <
		0 ||
	    fclose(f))
		bail_out("cannot write a fixture");
	const char *got = requests("trace", "");
	ok(!strncmp(got, "!3 trace:2001: delay: for turns that wait", 40), "%s",
	   got);
	refuses("CSV", "a,b\n1,2\n", "format=mooncake",
		"!3 trace:1: '{' expected");
}

int main(void)
{
	begin_traces();
	spoilt();
	mooncake_and_qwen();
	sessions();
	return end_traces();
}
