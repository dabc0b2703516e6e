/* inference-perf's reports and its shared prefixes. */
#include "trace_read.h"

static void reports(void)
{
	reads("inference-perf's report",
	      "[{\"start_time\": 1000.5, \"end_time\": 1001, \"request\": "
	      "\"{}\", \"info\": {\"input_tokens\": 10, \"output_tokens\": 4, "
	      "\"output_token_times\": [1, 2]}, \"error\": null},\n"
	      " {\"start_time\": 1001.75, \"info\": {\"input_tokens\": 10, "
	      "\"output_tokens\": 4}, \"error\": {\"error_type\": \"x\"}},\n"
	      " {\"start_time\": 1002, \"info\": {\"input_tokens\": 11, "
	      "\"output_tokens\": 5}, \"error\": null}]",
	      "", "0:10+4 1500000:11+5");
	reads("inference-perf's shared prefixes",
	      "{\"timestamp\": 5.5, \"shared_prefix_length\": 100, "
	      "\"tail_input_length\": 20, \"output_length\": 7, "
	      "\"shared_prefix_id\": 3}\n"
	      "{\"timestamp\": 6, \"shared_prefix_length\": 90, "
	      "\"tail_input_length\": 25, \"output_length\": 8, "
	      "\"shared_prefix_id\": 3}\n",
	      "", "0:120+7 500000:115+8");
	is(segments("trace", ""), "|+100 |90 ", "as segments");
	refuses("an id that is no value",
		"{\"timestamp\": 5, \"shared_prefix_id\": nul}\n",
		"format=inference_perf", "!3 trace:1: ");
	refuses("tokens that are no number",
		"[{\"start_time\":1,\"info\":{\"input_tokens\":-}}]\n",
		"format=inference_perf", "!3 trace:1: ");
}

static void spoilt(void)
{
	survives("a report",
		 "[{\"start_time\":1000.5,\"request\":\"{}\",\"info\":{\"input_"
		 "tokens\":10,\"output_tokens\":4,\"output_token_times\":[1,2]}"
		 ",\"error\":null},\n"
		 "{\"start_time\":1002,\"info\":{\"input_tokens\":11,\"output_"
		 "tokens\":5},\"error\":{}}]\n",
		 "format=inference_perf");
	survives("prefixes",
		 "{\"timestamp\":5.5,\"shared_prefix_length\":100,\"tail_input_"
		 "length\":20,\"output_length\":7,\"shared_prefix_id\":3}\n",
		 "format=inference_perf");
}

int main(void)
{
	begin_traces();
	spoilt();
	reports();
	return end_traces();
}
