/* GuideLLM's data sets and its trace_synthetic. */
#include "trace_read.h"

int main(void)
{
	begin_traces();
	reads("counts of tokens",
	      "{\"prompt\": \"12345678\", \"output_tokens_count\": 5}\n"
	      "{\"prompt\": \"1\", \"prompt_tokens_count\": 9, "
	      "\"output_tokens_count\": 3, \"more\": 1}\n"
	      "{\"input_tokens_count\": 8, \"output_tokens_count\": 4, "
	      "\"prompt\": \"1\"}\n",
	      "request_rate=1 arrival=constant",
	      "0:2+5 1000000:9+3 2000000:8+4");
	reads("seconds",
	      "{\"timestamp\": 1.5, \"input_length\": 8, "
	      "\"output_length\": 2}\n"
	      "{\"timestamp\": 2, \"input_length\": 9, \"output_length\": 1}\n",
	      "format=guidellm", "0:8+2 500000:9+1");
	refuses("without the format, ms or s",
		"{\"timestamp\": 1.5, \"input_length\": 8, "
		"\"output_length\": 2}\n",
		"",
		"!3 trace:1: it could be Mooncake's (ms, hash ids of 512 "
		"tokens) or Qwen's (s, 16 tokens), and its hash_ids fit both, "
		"or GuideLLM's (s): give format = mooncake, qwen or guidellm");
	refuses("no prompt", "{\"output_tokens_count\": 5}\n", "request_rate=1",
		"!3 trace:1: neither prompt nor prompt_tokens_count");
	refuses("a text for a number",
		"{\"prompt\": \"1\", \"output_tokens_count\": \"5\"}\n",
		"format=guidellm request_rate=1",
		"!3 trace:1: a number expected");
	refuses("turns",
		"{\"prompt_0\": \"1\", \"prompt_1\": \"2\", "
		"\"output_tokens_count\": 5}\n",
		"request_rate=1",
		"!3 trace:1: prompt_1: rows of several turns are not read");
	refuses("a text for a length",
		"{\"timestamp\": 1.5, \"input_length\": \"8\", "
		"\"output_length\": 2}\n",
		"format=guidellm", "!3 trace:1: a number expected");
	return end_traces();
}
