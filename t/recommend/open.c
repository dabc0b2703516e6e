/* The request of a recommendation, resolved or refused. */
#include "recommend/open.h"
#include "recommended.h"

static void gpus(void)
{
	uint32_t n[64];
	ok(gpus_parse("8", n, &why) == 1 && n[0] == 8, "one number");
	ok(gpus_parse("8,16", n, &why) == 2 && n[1] == 16, "one of each kind");
	static const char *const bad[] = {"0",     "-1", "x",   "8,",
					  "65537", "",   "8;9", "nan"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(gpus_parse(bad[i], n, &why) == 0 && why.code == EXIT_USAGE &&
		       strstr(why.text, "--gpus"),
		   "'%s': %s", bad[i], why.text);
}

static void refuses(const char *ini, const char *text)
{
	ok(recommend_opened(ini) < 0 && why.code == EXIT_USAGE &&
	       strstr(why.text, text),
	   "%s", why.text);
}

static void refusals(void)
{
	ask_small();
	asked.slo = "ttft_p99_ms=0";
	refuses(RECOMMENDED, "--slo ttft_p99_ms=0: ");
	ask_small();
	asked.models = "llama-3.1-8b";
	refuses(RECOMMENDED, "do not answer the same requests");
	ask_small();
	asked.points = "none.csv";
	refuses(RECOMMENDED, "--points lists the configurations");
	ask_small();
	asked.rate = 1;
	refuses(CONFIG_SETUP CONFIG_ARM("slow", "1000") CONFIG_ONE_BY_ONE,
		"a closed loop");
	ask_small();
	names_add(&asked.search, "workload.seed=1,2");
	refuses(RECOMMENDED, "the same requests");
}

static void resolves(void)
{
	ask_small();
	ok(recommend_opened(RECOMMENDED) == 0 &&
	       recommended.max_model_len == 15,
	   "the longest request: %d", (int)recommended.max_model_len);
	ok(recommended.base_rate == 5 && !recommended.runs_are_fixed,
	   "the rate as configured, of runs that may be longer");
	ok(recommended.sweep.plan.n_points == 4, "two shapes, two limits: %zu",
	   recommended.sweep.plan.n_points);
	ask_small();
	names_add(&asked.fix, "workload.num_requests");
	ok(recommend_opened(RECOMMENDED) == 0 && recommended.runs_are_fixed,
	   "or not");
}

static void traces(void)
{
	char ini[600];
	snprintf(
	    ini, sizeof ini,
	    CONFIG_SETUP CONFIG_ARM("slow", "1000") "[workload]\ntrace=%s\n",
	    scratch_file("trace", "arrival_us,input_tokens,output_tokens\n"
				  "0,10,5\n500000,10,5\n1000000,10,5\n"));
	ask_small();
	ok(recommend_opened(ini) == 0 && recommended.trace_requests == 3 &&
	       recommended.is_timed,
	   "a trace at its own times: %s", why.text);
}

int main(void)
{
	scratch_open();
	gpus();
	refusals();
	resolves();
	traces();
	recommend_free(&recommended);
	return done();
}
