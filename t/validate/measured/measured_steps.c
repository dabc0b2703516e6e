#include "validate/measured/measured_steps.h"
#include "scratch.h"

static struct problem p;
static struct measured_steps m;
static struct ini aliases;

#define HEAD                                                                   \
	"run,tp,time_us,running,n_prefill,n_decode,prefill_tokens,"            \
	"blocks_total,blocks_free,interval_us\n"

static int read_rows(const char *rows)
{
	char text[1000];
	snprintf(text, sizeof text, HEAD "%s", rows);
	measured_steps_free(&m);
	p = (struct problem){0};
	return measured_steps_read(&m, scratch_file("steps.csv", text),
				   &aliases, &p);
}

static void refused(const char *rows, const char *why)
{
	ok(read_rows(rows) < 0 && p.code == EXIT_INPUT && strstr(p.text, why),
	   "%s", p.text);
}

int main(void)
{
	static const char text[] = "[column]\ntp = tensor_parallel_size\n"
				   "[model]\nllama = llama-8b\n"
				   "llama-2 = llama-2-7b\n";
	if (ini_read(&aliases, text, strlen(text), &p) < 0)
		bail_out(p.text);
	scratch_open();
	ok(read_rows("x-llama-2-y,2,59999999,4,0,4,0,100,60,9\n"
		     "x-llama-2-y,2,60000000,4,1,3,50,100,60,9.5\n"
		     "x-llama-2-y,2,60000001,4,1,3,50,100,60,\n"
		     "z-llama,1,70000000,0,1,3,50,100,60,9\n"
		     "z-llama,1,70000001,1,0,1,0,100,99,7\n") == 0,
	   "%s", p.text);
	ok(m.n == 2,
	   "neither the first minute, nor steps without interval or work");
	ok(m.step[0].n_prefill == 1 && m.step[0].n_decode == 3 &&
	       m.step[0].prefill_tokens == 50 && m.step[0].interval_us == 9.5 &&
	       m.step[0].context == 160,
	   "what ran, and the mean context from the blocks in use");
	ok(m.n_runs == 2 && m.step[1].run == 1 &&
	       m.run[0].tensor_parallel_size == 2,
	   "runs by name");
	is(m.run[0].model, "llama-2-7b",
	   "the longest known name in the run's is its model");
	is(m.run[1].model, "llama-8b", "of each");
	refused("unknown,1,70000000,1,1,1,1,1,1,1\n",
		"steps.csv:2: no model is known by a part");
	refused("llama,1,70000000,1,x,1,1,1,1,1\n",
		"n_prefill is not a number");
	refused("llama,1,70000000,1,-1,1,1,1,1,1\n", "n_prefill is not a");
	refused("llama,0,70000000,1,1,1,1,1,1,1\n",
		"tensor_parallel_size is not in [1, 1024]");
	refused("llama,1,70000000,1,1,65537,1,1,1,1\n", "cannot be so large");
	refused("llama,1,1,1,1,1,1,1,1,1\n", "no steps after the first minute");
	scratch_file("steps.csv", "run,time_us\nllama,1\n");
	measured_steps_free(&m);
	ok(measured_steps_read(&m, scratch_path("steps.csv"), NULL, &p) < 0 &&
	       strstr(p.text, "steps.csv:1: no column tensor_parallel_size"),
	   "%s", p.text);
	measured_steps_free(&m);
	ini_free(&aliases);
	return done();
}
