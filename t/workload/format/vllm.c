/* vLLM's prompts, and its results as traces. */
#include "trace_read.h"

static void prompts(void)
{
	reads("vLLM prompts",
	      "{\"prompt\": \"12345678\", \"output_tokens\": 7}\n"
	      "{\"prompt\": \"1\", \"output_tokens\": 9}\n",
	      "interarrival_us=10", "0:2+7 10:1+9");
	reads("vLLM prompts without lengths of answers",
	      "{\"prompt\": \"12345678\"}\n",
	      "interarrival_us=10 output_tokens=3", "0:2+3");
	refuses("and none given", "{\"prompt\": \"12345678\"}\n",
		"interarrival_us=10", "!3 trace:1: no output_tokens");
}

static void results(void)
{
	reads("vLLM's result: NaN, errors, start times",
	      "{\"duration\": 1.5, \"request_throughput\": NaN, \"input_lens\":"
	      " [10, 20, 30], \"output_lens\": [1, 0, 3], \"itls\": [[0.1], "
	      "[]], \"start_times\": [100.25, 100.5, 101.000001], \"errors\": "
	      "[\"\", \"timeout\", \"\"], \"request_rate\": Infinity}",
	      "", "0:10+1 750001:30+3");
	reads("two of them, without start times",
	      "{\"input_lens\": [10], \"output_lens\": [1]}\n"
	      "{\"input_lens\": [11], \"output_lens\": [2]}",
	      "interarrival_us=10", "0:10+1 10:11+2");
#define STARTED                                                                \
	"{\"input_lens\": [10], \"output_lens\": [1], "                        \
	"\"start_times\": [100.25]}\n"
	reads("two with start times have two clocks, so it has none",
	      STARTED STARTED, "interarrival_us=10", "0:10+1 10:10+1");
	refuses("without detail",
		"{\"duration\": 1.5,\n \"request_throughput\": 3}\n", "",
		"!3 trace:2: has no input_lens and output_lens");
	refuses("ragged", "{\"input_lens\": [10, 20], \"output_lens\": [1]}\n",
		"interarrival_us=10",
		"!3 trace:1: output_lens has 1 items, not 2");
}

static void spoilt(void)
{
	survives("a result",
		 "{\"request_throughput\":NaN,\"input_lens\":[10,20],\"output_"
		 "lens\":[1,0],\"start_times\":[100.25,100.5],\"errors\":[\"\","
		 "\"timeout\"]}\n",
		 "format=vllm");
	survives("prompts",
		 "{\"prompt\":\"12345678\",\"output_tokens\":7}\n"
		 "{\"prompt\":\"1\",\"output_len\":9,\"prompt_len\":3}\n",
		 "format=vllm request_rate=1");
}

int main(void)
{
	begin_traces();
	spoilt();
	prompts();
	results();
	return end_traces();
}
