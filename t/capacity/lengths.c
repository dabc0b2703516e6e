/* The share of requests that are too long, counted without a simulation. */
#include "capacity/lengths.h"
#include "millisecond.h"

static struct capacity_lengths of(const char *keys)
{
	struct capacity_lengths l;
	struct capacity_task t = task("ttft_mean_ms=2");
	ini_free(&c);
	if (workload_of(&k, &c, keys, &p) < 0 || capacity_lengths(&t, &l, &p))
		bail_out(p.text);
	return l;
}

int main(void)
{
	e.max_model_len = 100;
	struct capacity_lengths l = of("num_requests=10 request_rate=1 "
				       "input_tokens=uniform:1,1000 "
				       "output_tokens=constant:1");
	near(l.rejected_share, 0.901, 0.01, "prompts above 99 of 1 to 1000");
	ok(l.drawn == LENGTHS_DRAWN && lengths_refuse(&l),
	   "however few requests are configured");
	l = of("num_requests=10 stages=1:5,2:5 input_tokens=constant:10 "
	       "output_tokens=uniform:1,89");
	near(l.output_tokens, 45, 0.01, "the mean of those that are served");
	ok(l.rejected == 0 && l.drawn == LENGTHS_DRAWN,
	   "stages do not say how many are drawn");
	l = of("num_requests=10 concurrency=3 input_tokens=constant:10 "
	       "output_tokens=constant:5");
	ok(l.drawn == LENGTHS_DRAWN && l.output_tokens == 5,
	   "nor does a closed loop");
	l = of(
	    "num_requests=12 request_rate=1 turns=3 input_tokens=constant:30 "
	    "output_tokens=constant:5");
	near(l.rejected_share, 1.0 / 3, 0.01,
	     "the third turn of a conversation is too long");
	ini_free(&c);
	return done();
}
