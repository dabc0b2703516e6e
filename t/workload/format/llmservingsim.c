/* LLMServingSim's traces, with and without tokens. */
#include "trace_read.h"

static void llmservingsim(void)
{
	reads("LLMServingSim: ns beyond 2^53",
	      "{\"input_toks\": 3, \"output_toks\": 2, \"arrival_time_ns\": "
	      "1759813207532900363, \"input_tok_ids\": [1, 2, 3], "
	      "\"output_tok_ids\": [4, 5]}\n"
	      "{\"input_toks\": 18, \"output_toks\": 2, \"arrival_time_ns\": "
	      "1759813207532903363}\n",
	      "", "0:3+2 3:18+2");
	reads("and tokens, from which prefixes are known",
	      "{\"input_toks\": 5, \"output_toks\": 1, \"arrival_time_ns\": 0, "
	      "\"input_tok_ids\": [1, 2, 3, 4, 5]}\n"
	      "{\"input_toks\": 6, \"output_toks\": 1, \"arrival_time_ns\": 0, "
	      "\"input_tok_ids\": [1, 2, 3, 4, 9, 9]}\n",
	      "hash_block_tokens=2", "0:5+1 0:6+1");
	is(segments("trace", "hash_block_tokens=2"), "|+2 +2 +1 |2 2 +2 ",
	   "in blocks");
	refuses("other lengths than tokens",
		"{\"input_toks\": 6, \"output_toks\": 1, \"arrival_time_ns\": "
		"0, \"input_tok_ids\": [1]}\n",
		"", "!3 trace:1: input_toks = 6, but 1 input_tok_ids");
	refuses("agentic rows", "{\"sub_requests\": [{\"input_toks\": 6}]}\n",
		"format=llmservingsim", "!3 trace:1: sub_requests");
}

static void spoilt(void)
{
	survives("tokens",
		 "{\"input_toks\":5,\"output_toks\":1,\"arrival_time_ns\":0,"
		 "\"input_tok_ids\":[1,2,3,4,5],\"output_tok_ids\":[1]}\n",
		 "format=llmservingsim hash_block_tokens=2");
}

static void both_times(void)
{
	refuses("both times",
		"{\"input_toks\": 6, \"output_toks\": 1, \"arrival_time_ns\": "
		"0, \"arrival_time\": 0}\n",
		"",
		"!3 trace:1: one of arrival_time_ns and arrival_time is "
		"needed");
	refuses("a token that is none",
		"{\"input_toks\": 6, \"output_toks\": 1, \"arrival_time\": "
		"0, \"input_tok_ids\": [1, \"x\"]}\n",
		"", "!3 trace:1: a number expected");
	refuses("neither", "{\"input_toks\": 6, \"output_toks\": 1}\n", "",
		"!3 trace:1: one of arrival_time_ns and arrival_time is "
		"needed");
	reads("seconds, and a name",
	      "{\"input_toks\": 6, \"output_toks\": 1, \"arrival_time\": 0.5, "
	      "\"request_id\": [1]}\n",
	      "", "0:6+1");
}

int main(void)
{
	begin_traces();
	spoilt();
	llmservingsim();
	both_times();
	return end_traces();
}
