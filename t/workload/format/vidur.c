/* vidur's traces, with and without times. */
#include "trace_read.h"

static void vidur(void)
{
	reads("vidur",
	      "arrived_at,num_prefill_tokens,num_decode_tokens\n"
	      "0.5,10,3\n1.25,0,4\n",
	      "", "0:10+3 750000:1+4");
	is(note("trace", "", 0), "trace: 0 tokens are read as 1, as in vidur",
	   "0 is 1 there");
	reads("vidur's lengths alone",
	      "num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n"
	      "10,3,13,3.33\n",
	      "interarrival_us=10", "0:10+3");
}

static void wrong_cells(void)
{
	refuses("a prompt", "num_prefill_tokens,num_decode_tokens\nx,1\n", "",
		"!3 trace:2: num_prefill_tokens = x: not a whole number");
	refuses("an answer", "num_prefill_tokens,num_decode_tokens\n1,x\n", "",
		"!3 trace:2: num_decode_tokens = x: not a whole number");
}

int main(void)
{
	begin_traces();
	vidur();
	wrong_cells();
	return end_traces();
}
