/* BurstGPT's versions 1 and 3, with failed requests. */
#include "trace_read.h"

static void burstgpt(void)
{
	reads("BurstGPT v1",
	      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log "
	      "Type\n5,ChatGPT,472,18,490,Conversation log\n"
	      "45,GPT-4,10,0,10,API log\n45,GPT-4,0,0,0,API log\n"
	      "118,GPT-4,20,7,27,API log\n",
	      "", "0:472+18 113000000:20+7");
	is(note("trace", "", 0),
	   "trace: 2 failed requests (0 tokens) dropped, 2 kept",
	   "failed ones are counted");
	refuses(
	    "or refused",
	    "Timestamp,Model,Request tokens,Response tokens,"
	    "Total tokens,Log Type\n45,GPT-4,10,0,10,API\n",
	    "failed=error",
	    "!3 trace:2: 10 input and 0 output tokens: both must be at least "
	    "1");
	refuses("nothing but failed ones",
		"Timestamp,Model,Request tokens,Response tokens,Total tokens,"
		"Log Type\n45,GPT-4,10,0,10,API\n",
		"", "!3 trace:2: all requests failed");
	reads("v3: columns in front, times as 19440110.0",
	      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response "
	      "tokens,Total tokens,Log Type\n"
	      "19440110.0,,3.5,GPT-4,20,7,27,API log\n"
	      "19440112.0,77,3.5,GPT-4,21,8,29,Conversation log\n",
	      "", "0:20+7 2000000:21+8");
}

static void wrong_cells(void)
{
	refuses("a time", "Timestamp,Request tokens,Response tokens\nx,1,1\n",
		"", "!3 trace:2: Timestamp = x: not a time");
	refuses("a prompt", "Timestamp,Request tokens,Response tokens\n1,x,1\n",
		"", "!3 trace:2: Request tokens = x: not a whole number");
}

int main(void)
{
	begin_traces();
	burstgpt();
	wrong_cells();
	return end_traces();
}
