/* The line and the JSON on what requests meet outside of steps. */
#include "report/results/outside.h"
#include "config_of.h"
#include "tap.h"

static struct config c;

#define BASE "[model]\nconfig=llama-3.1-8b\n[hardware]\nconfig=h100-sxm\n"
#define ARM "[cost_model:a]\nplugin=const_step\n"
#define REQUESTS                                                               \
	"[workload]\nnum_requests=9\nrequest_rate=1\n"                         \
	"input_tokens=9\noutput_tokens=9\n"

static const char *line_of(const char *more, int has_sources)
{
	static char *text;
	char ini[1000];
	snprintf(ini, sizeof ini, BASE REQUESTS "%s", more);
	config_free(&c);
	config_good(&c, ini);
	free(text);
	text = outside_text(&c, c.n_arms, has_sources);
	return text ? text : "memory is out";
}

static void lines(void)
{
	is(line_of(ARM, 0),
	   "no time between clients and engine; front_end = none, for there is "
	   "no preset",
	   "without a preset");
	is(line_of("[engine]\npreset=vllm-0.24\n" ARM, 0),
	   "15 ms before and after the engine; one after another 2.5 ms a "
	   "request and 0.5 us a prompt token; front_end = measured",
	   "of a preset");
	ok(strstr(line_of("[engine]\npreset=vllm-0.24\n" ARM, 1),
		  "measured: InferenceX"),
	   "with the source");
	is(line_of("[engine]\npreset=vllm-0.24\nfront_end=none\nreplicas=3\n"
		   "routing=random\napi_overhead_us=2000\n" ARM,
		   1),
	   "3 replicas behind random; 2 ms before and after the engine; "
	   "front_end = none",
	   "with a router, and a time by hand");
	is(line_of("[engine]\npreset=sglang\n[engine:prefill]\nreplicas=2\n"
		   "[engine:decode]\n" ARM,
		   0),
	   "2 prefill and 1 decode replicas behind round_robin; a handover "
	   "takes 350 ms and KV passes at 30 GB/s to each GPU; front_end = "
	   "measured",
	   "apart");
	is(line_of("[engine]\nreplicas=3\nprefill_replicas=2\n" ARM, 0),
	   "2 prefill and 1 decode replicas behind round_robin; a handover "
	   "takes 0 ms and KV passes at 450 GB/s; front_end = none, for there "
	   "is no preset",
	   "apart, over the link of the GPU");
	is(line_of("[engine]\npreset=vllm-0.24\n" ARM
		   "[cost_model:b]\nplugin=const_step\nengine.front_end=none\n"
		   "[cost_model:c]\nplugin=const_step\nbase_us=1\n",
		   0),
	   "a, c: 15 ms before and after the engine; one after another 2.5 ms "
	   "a request and 0.5 us a prompt token; front_end = measured. b: no "
	   "time between clients and engine; front_end = none",
	   "arms that differ are named");
	is(line_of("[engine]\npreset=vllm-0.24\n" ARM
		   "[cost_model:b]\nplugin=const_step\nengine.replicas=2\n"
		   "[cost_model:c]\nplugin=const_step\nengine.replicas=2\n"
		   "engine.routing=random\n",
		   0),
	   "15 ms before and after the engine; one after another 2.5 ms a "
	   "request and 0.5 us a prompt token; front_end = measured. b: 2 "
	   "replicas behind round_robin. c: 2 replicas behind random",
	   "what all have is said once, and first");
}

static void documents(void)
{
	char *text = NULL;
	size_t size;
	struct jw j;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		bail_out("out of memory");
	line_of("[engine]\npreset=tensorrt_llm\n[engine:prefill]\n"
		"[engine:decode]\n" ARM,
		0);
	jw_start(&j, f);
	outside_json(&c, c.n_arms, &j);
	jw_finish(&j);
	fclose(f);
	ok(strstr(text, "\"router\": {\"a\": \"round_robin\"}") &&
	       strstr(text, "\"front_end\": \"measured\"") &&
	       strstr(text, "\"fixed_us\": 70000") &&
	       strstr(text, "\"source\": \"InferenceX"),
	   "JSON: %s", text);
	free(text);
}

int main(void)
{
	scratch_open();
	lines();
	documents();
	config_free(&c);
	scratch_close();
	return done();
}
