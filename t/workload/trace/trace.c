/* Traces of whichever format: how one is told from another, and those of none.
 * t/workload/format has the formats. */
#include "trace_read.h"
#include "workload/workload_private.h"

/* What a file is told from ends in the middle of a line. */
static void long_files(void)
{
	static const struct {
		const char *format, *row;
	} kind[] = {
	    {"mooncake", "{\"timestamp\": 7, \"input_length\": 600, "
			 "\"output_length\": 5, \"hash_ids\": [1, 2]}\n"},
	    {"qwen", "{\"chat_id\": 1, \"parent_chat_id\": -1, \"timestamp\": "
		     "7, \"input_length\": 40, \"output_length\": 5, \"type\": "
		     "\"text\", \"turn\": 1, \"hash_ids\": [1,2,3]}\n"},
	    {"ragpulse", "{\"timestamp\": \"7\", \"input_length\": 3, "
			 "\"output_length\": 1, \"hash_ids\": {\"history\": "
			 "[1]}}\n"}};
	for (int i = 0; i < 3; i++) {
		FILE *f = fopen(path("trace"), "w");
		for (int k = 0; f && k < 2000; k++)
			fputs(kind[i].row, f);
		if (!f || fclose(f))
			bail_out("cannot write a fixture");
		struct workload *w = with("trace", "");
		is(w ? trace_format_name(w->replay.trace) : p.text,
		   kind[i].format, "a long file of %s", kind[i].format);
		ok(w && workload_total(w) == 2000, "all of it");
		workload_free(w);
	}
}

static void of_no_format(void)
{
	refuses("CSV of nobody's", "a,b\n1,2\n", "",
		"!3 trace:1: its columns are not those of a known format");
	refuses("JSON of nobody's", "{\"a\": 1}\n", "",
		"!3 trace:1: it is JSON, or an INI, and no known record");
	refuses("a folder for a file", "", "trace=/tmp",
		"!2 --set: trace: /tmp: Is a directory");
}

int main(void)
{
	begin_traces();
	long_files();
	of_no_format();
	return end_traces();
}
